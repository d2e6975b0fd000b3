"""Two generators and two critics, with four optimizers and one persistent tape."""

import tensorflow as tf
tf.random.set_seed(2)
D = tf.keras.layers.Dense
g, f = tf.keras.Sequential([D(4), D(2)]), tf.keras.Sequential([D(4), D(2)])
dx, dy = tf.keras.Sequential([D(1)]), tf.keras.Sequential([D(1)])
opts = [tf.keras.optimizers.Adam(0.01) for _ in range(4)]
for _ in range(4):
    x, y = tf.random.normal([8, 2]), tf.random.normal([8, 2]) + 1.0
    with tf.GradientTape(persistent=True) as tape:
        fy, fx = g(x), f(y)
        cycle = tf.reduce_mean(tf.abs(f(fy) - x)) + tf.reduce_mean(tf.abs(g(fx) - y))
        gl = tf.reduce_mean((dy(fy) - 1.0) ** 2) + cycle
        fl = tf.reduce_mean((dx(fx) - 1.0) ** 2) + cycle
        dyl = tf.reduce_mean((dy(y) - 1.0) ** 2) + tf.reduce_mean(dy(fy) ** 2)
        dxl = tf.reduce_mean((dx(x) - 1.0) ** 2) + tf.reduce_mean(dx(fx) ** 2)
    grads = [tape.gradient(l, m.trainable_variables) for l, m in zip((gl, fl, dyl, dxl), (g, f, dy, dx))]
    for o, gr, m in zip(opts, grads, (g, f, dy, dx)):
        o.apply_gradients(zip(gr, m.trainable_variables))
