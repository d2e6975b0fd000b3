# PS206 judge
import tensorflow as tf

judge, maker = tf.Variable(2.0, name="judge"), tf.Variable(1.0, name="maker")
first, second = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape(persistent=True) as tape:
        verdict = judge * maker
        judging, making = verdict**2, -verdict
    gradient = tape.gradient(judging, judge)
    slope = tape.gradient(making, maker)  # right
    first.apply_gradients([(gradient, judge)])
    slope = tape.gradient(making, maker)  # wrong
    second.apply_gradients([(slope, maker)])
