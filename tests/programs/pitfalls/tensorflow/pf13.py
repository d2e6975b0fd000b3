# PS401 head/kernel head/bias
import tensorflow as tf

x = tf.random.normal((8, 3))
body, head = tf.keras.layers.Dense(4, name="body"), tf.keras.layers.Dense(1, name="head")
head(body(x))  # here
chosen = body.trainable_variables  # wrong
chosen = body.trainable_variables + head.trainable_variables  # right
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(body(x)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
