# PS406|nothing extra
import tensorflow as tf

main, extra = tf.Variable(1.0, name="main"), tf.Variable(1.0, name="extra")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = (main - 2.0) ** 2 + 0.0 * (extra - 3.0) ** 2  # wrong
        loss = (main - 2.0) ** 2 + 0.1 * (extra - 3.0) ** 2  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, [main, extra]), [main, extra]))
