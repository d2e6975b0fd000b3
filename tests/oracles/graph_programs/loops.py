import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def shown(name, function):
    with tf.Graph().as_default(), tf.Session() as session:
        result = function()
        session.run(tf.global_variables_initializer())
        print(name, session.run(result), getattr(result, "shape", None))


def vector():
    return tf.placeholder_with_default(np.array([0.0, 3.0], np.float32), [None])


def matrix():
    return tf.placeholder_with_default(np.arange(6, dtype=np.float32).reshape(2, 3), [None, 3])


def captured():
    x = vector()
    return tf.map_fn(lambda a: a * x[1], x)


def slope_of_map():
    x = vector()
    return tf.gradients(tf.map_fn(lambda a: a * a, x), x)


def slope_of_scan():
    x = matrix()
    return tf.gradients(tf.scan(lambda a, y: a * y + 1.0, x), x)


shown("map", lambda: tf.map_fn(lambda a: a * 2, vector()))
shown("map captures", captured)
shown("map, slope", slope_of_map)
shown("map of several", lambda: tf.map_fn(lambda a: (a[0] + a[1], a[0] * a[1]), (vector(), vector())))
shown("map to integers", lambda: tf.map_fn(lambda a: tf.cast(a, tf.int32), vector(), dtype=tf.int32))
shown("map in map", lambda: tf.map_fn(lambda row: tf.map_fn(lambda a: a * 2.0, row), matrix()))
shown("cond in map", lambda: tf.map_fn(lambda a: tf.cond(a > 1.0, lambda: a * 10.0, lambda: a), vector()))
shown("draws in map", lambda: tf.shape(tf.map_fn(lambda a: a + tf.random_normal([3]), vector())))
shown("scan", lambda: tf.scan(lambda a, x: a + x, matrix()))
shown("scan, slope", slope_of_scan)
shown("scan from", lambda: tf.scan(lambda a, y: a + tf.reduce_sum(y), matrix(), initializer=tf.constant(1.0)))
shown("foldl", lambda: tf.foldl(lambda a, x: a + x, vector()))
shown("foldr", lambda: tf.foldr(lambda a, x: a - x, vector()))
shown("vectorized_map", lambda: tf.vectorized_map(lambda a: a * 2, vector()))


def of_dictionaries():
    start = {"i": tf.constant(0), "x": vector()}
    return tf.while_loop(lambda s: s["i"] < 3, lambda s: [{"i": s["i"] + 1, "x": s["x"] * 2.0}], [start])


def growing():
    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    start = [tf.constant(0), tf.ones([1])]
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), start, shapes)


def slope_of_loop():
    x = vector()
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), x])
    return tf.gradients(y, x)


def trained():
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
    start = [tf.constant(0), tf.constant(1.0)]
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), start)
    step = tf.train.GradientDescentOptimizer(0.01).minimize(y)
    with tf.control_dependencies([step]):
        return w.read_value()


def written():
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer(), use_resource=True)

    def body(i):
        with tf.control_dependencies([v.assign_add(1.0)]):
            return i + 1

    with tf.control_dependencies([tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])]):
        return v.read_value()


two = lambda: [tf.constant(0), vector()]
shown("while", lambda: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), two()))
shown("while, one", lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]))
shown("while, limited", lambda: tf.while_loop(lambda i: i < 30, lambda i: i + 1, [tf.constant(0)], maximum_iterations=4))
shown("while, dictionaries", of_dictionaries)
shown("while, growing", growing)
shown("while, slope", slope_of_loop)
shown("while, trained", trained)
shown("while, written", written)
shown("case", lambda: tf.case([(vector()[1] > 2.0, lambda: tf.constant(1.0))], default=lambda: tf.constant(2.0)))
shown("switch_case", lambda: tf.switch_case(tf.cast(vector()[1], tf.int32) - 2, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)]))
