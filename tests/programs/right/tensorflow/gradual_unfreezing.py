"""The head first, then the body with the head; the optimizer takes what the flags say."""

import tensorflow as tf

tf.random.set_seed(5)
body = tf.keras.Sequential(
    [tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.BatchNormalization()]
)
head = tf.keras.layers.Dense(1)
x, y = tf.random.normal([16, 3]), tf.random.normal([16, 1])
head(body(x))
sgd = tf.keras.optimizers.SGD(0.05)
sgd.build(body.variables + head.variables)
for phase in range(2):
    body.trainable = phase == 1
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((head(body(x, training=body.trainable)) - y) ** 2)
        variables = body.trainable_variables + head.trainable_variables
        sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
print(loss.numpy())
