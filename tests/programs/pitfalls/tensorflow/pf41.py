# PS403 encoder/moving_mean encoder/moving_variance
import tensorflow as tf

encoder, head = tf.keras.layers.BatchNormalization(name="encoder"), tf.keras.layers.Dense(1, name="head")
x = tf.random.normal((8, 3))
head(encoder(x))
for one in encoder.trainable_variables:
    one.trainable = False
optimizer, training = tf.keras.optimizers.SGD(0.01), False
training = True  # wrong
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(head(encoder(x, training=training)) ** 2)  # here
    optimizer.apply_gradients(zip(tape.gradient(loss, head.variables), head.variables))
