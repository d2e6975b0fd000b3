# PS413 norm/moving_mean norm/moving_variance
import tensorflow as tf

layer, head = tf.keras.layers.BatchNormalization(name="norm"), tf.keras.layers.Dense(1, name="head")
x = tf.random.normal((8, 3))
head(layer(x))  # here
chosen = layer.trainable_variables + head.trainable_variables
optimizer = tf.keras.optimizers.SGD(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(layer(x, training=False)) - 1.0) ** 2)  # wrong
        loss = tf.reduce_mean((head(layer(x, training=True)) - 1.0) ** 2)  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
