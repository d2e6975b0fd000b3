import numpy as np
import tensorflow as tf

m, n = tf.Variable(2.0), tf.Variable(3.0)
a, b, x = tf.Variable([0.5, 1.5]), tf.Variable([1.25, 0.75]), tf.Variable([0.25, 0.5])


def show(values):
    print([None if one is None else np.round(one.numpy().astype(float), 4).tolist() for one in values])


with tf.GradientTape(persistent=True) as tape:
    hot = tf.one_hot([1, 0], 3, on_value=m, off_value=n)
    beta = tf.math.betainc(a, b, x)
    zeta = tf.math.zeta(a + 2.0, b)
show([hot])
show(tape.gradient(hot, [m, n]))
show(tape.gradient(beta, [a, b, x]))
show(tape.gradient(zeta, [a, b]))


def branches(p):
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cond(p > 0, lambda: m * 2.0, lambda: n * 3.0)
        z = tf.switch_case(tf.cast(p, tf.int32), [lambda: m * n, lambda: m * 4.0])
        w = tf.case([(p > 0, lambda: n * 1.0)], default=lambda: m * n)
    return [one for target in (y, z, w) for one in tape.gradient(target, [m, n])]


show(branches(tf.constant(1.0)))
show(branches(tf.constant(-1.0)))
show(tf.function(branches)(tf.constant(1.0)))
show(tf.function(branches)(tf.constant(-1.0)))
adam = tf.keras.optimizers.Adam(0.1)
for k in range(4):
    with tf.GradientTape() as tape:
        loss = tf.cond(tf.equal(tf.constant(k % 2), 0), lambda: m * 2.0, lambda: n * 3.0)
    pairs = [(g, v) for g, v in zip(tape.gradient(loss, [m, n]), [m, n]) if g is not None]
    print(len(pairs))
    adam.build([m, n])
    adam.apply_gradients(pairs + [(tf.zeros([]), v) for v in (m, n) if all(v is not w for _, w in pairs)])
show([m, n])
