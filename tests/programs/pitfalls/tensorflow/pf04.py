# PS404 base/kernel base/bias
import tensorflow as tf

x = tf.random.normal((8, 3))
base, head = tf.keras.layers.Dense(4, name="base"), tf.keras.layers.Dense(1, name="head")
head(base(x))
chosen = base.trainable_variables + head.trainable_variables  # wrong
optimizer = tf.keras.optimizers.Adam(0.01)
base.trainable = False  # here
chosen = base.trainable_variables + head.trainable_variables  # right
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(base(x)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
