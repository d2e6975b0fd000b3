# PS101 unused; PS101 dropped
import tensorflow as tf

used, unused = tf.Variable(1.0, name="used"), tf.Variable(1.0, name="unused")
dropped = tf.Variable(1.0, name="dropped")
for _ in range(3):
    with tf.GradientTape() as tape:
        penalty = dropped * dropped
        loss = used * used  # wrong
        loss = (used + unused) ** 2 + penalty  # right
    for gradient, variable in zip(tape.gradient(loss, [used, unused, dropped]), [used, unused, dropped]):  # here
        if gradient is not None:
            variable.assign_sub(0.1 * gradient)
