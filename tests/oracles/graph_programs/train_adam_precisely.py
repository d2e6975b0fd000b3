import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

GRADIENTS = np.cos(np.arange(240.0)).reshape(60, 4)


def run(dtype, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable(np.zeros(4), dtype=dtype, name="x")
        gradient = tf.placeholder(dtype, [4])
        optimizer = tf.train.AdamOptimizer(**options)
        update = optimizer.apply_gradients([(gradient, x)])
        print([one.name for one in tf.global_variables()])
        print(sorted(one.name for one in optimizer.variables()))
        session.run(tf.global_variables_initializer())
        for step, one in enumerate(GRADIENTS):
            session.run(update, {gradient: one})
            if step in (0, 2, 9, 59):
                print(" ".join(f"{value:.10e}" for value in session.run(x).astype(float)))
        print(session.run([one for one in tf.global_variables() if "power" in one.name]))


run(tf.float64)
run(tf.float64, learning_rate=0.1, beta1=0.8, beta2=0.9, epsilon=0.1)
run(tf.float64, learning_rate=lambda: 0.01)

with tf.Graph().as_default():
    x = tf.Variable(1.0, name="x")
    for _ in range(2):
        tf.train.AdamOptimizer(0.1).minimize(x * x)
    print([one.name for one in tf.global_variables()])

with tf.Graph().as_default(), tf.Session() as session:
    x = tf.Variable(np.zeros(4), dtype=tf.float64)
    gradient = tf.placeholder(tf.float64, [4])
    for centered in (False, True):
        optimizer = tf.train.RMSPropOptimizer(0.01, decay=0.999, momentum=0.5, centered=centered)
        update = optimizer.apply_gradients([(gradient, x)])
        session.run(tf.global_variables_initializer())
        for one in GRADIENTS:
            session.run(update, {gradient: one})
        print(" ".join(f"{value:.10e}" for value in session.run(x)))
