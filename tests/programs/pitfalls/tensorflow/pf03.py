# PS403 norm/moving_mean norm/moving_variance
import tensorflow as tf

layer, head = tf.keras.layers.BatchNormalization(name="norm"), tf.keras.layers.Dense(1, name="head")
x = tf.random.normal((8, 3))
head(layer(x))
layer.gamma.trainable = layer.beta.trainable = False
optimizer = tf.keras.optimizers.SGD(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(head(layer(x, training=True)) ** 2)  # wrong
        loss = tf.reduce_mean(head(layer(x, training=False)) ** 2)  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, head.variables), head.variables))
