"""A train operation that waits for another, and an assignment that waits for both."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2])
first = tf.get_variable("first", [2, 1], initializer=tf.ones_initializer())
second = tf.get_variable("second", [2, 1], initializer=tf.ones_initializer())
shadow = tf.get_variable("shadow", [2, 1], initializer=tf.zeros_initializer(), trainable=False)
groups = {"first": [first], "second": [second]}
for rule in (tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer):
    loss = tf.reduce_mean(tf.square(tf.matmul(x, first) - 1.0))
    train = rule(0.1).minimize(loss, var_list=groups["first"])
    with tf.control_dependencies([train]):
        other = tf.reduce_mean(tf.square(tf.matmul(x, second) - tf.matmul(x, first)))
        train_other = rule(0.1).minimize(other, var_list={"second": second}.values())
    with tf.control_dependencies([train_other]):
        follow = tf.group([tf.assign(shadow, 0.9 * shadow + 0.1 * second)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run([loss, follow], {x: [[1.0, 2.0], [3.0, -1.0]]})
            print([np.round(one, 4).ravel().tolist() for one in session.run([first, second, shadow])])
