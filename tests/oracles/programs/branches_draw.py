"""Draws on the sides of an `if`, each of which is a graph of its own."""

# ruff: noqa: SIM108

import tensorflow as tf
def r(x): return round(float(x), 5)
def once():
    @tf.function
    def f(x):
        n = tf.random.normal([])
        if x > 0:
            y = 1.0 * tf.random.normal([])
        else:
            y = tf.random.normal([]) + 10 * tf.random.normal([])
        return n, y, tf.random.normal([])
    return f
def nested():
    @tf.function
    def f(x):
        if x > 0:
            a = tf.random.uniform([])
            if x > 2:
                y = a + tf.random.normal([])
            else:
                y = a - tf.random.normal([])
            y += tf.random.uniform([])
        elif x > -2:
            y = tf.random.normal([]) * 2
        else:
            y = tf.random.normal([]) * 3
        return y, tf.random.normal([]), tf.random.normal([], seed=3)
    return f
def early():
    @tf.function
    def f(x):
        n = tf.random.normal([])
        if x > 0:
            return n, tf.random.normal([])
        m = tf.random.normal([])
        return m, tf.random.normal([])
    return f
def helper():
    def h(x):
        if x > 0:
            return tf.random.normal([])
        return tf.random.normal([]) * 2
    @tf.function
    def f(x):
        return h(x), h(-x), tf.random.normal([])
    return f
def pyloop():
    @tf.function
    def f(x):
        out = []
        for i in range(3):
            if x > i:
                y = tf.random.normal([])
            else:
                y = -tf.random.normal([])
            out.append(y)
        return (*out, tf.random.normal([]))
    return f
def plain():
    @tf.function
    def f(x):
        y = tf.random.normal([])
        if x > 0:
            y = y * 2
        return y, tf.random.normal([])
    return f
for make in (once, nested, early, helper, pyloop, plain):
    tf.random.set_seed(5)
    f = make()
    for x in (1.0, 3.0, -1.0, -3.0, 1.0):
        print(make.__name__, x, [r(one) for one in f(tf.constant(x))])

@tf.function
def f(n):
    out = tf.constant(0.0)
    for i in tf.range(n):
        if i > 0:
            out += tf.random.normal([])
        else:
            out -= tf.random.normal([])
        out += 10 * tf.random.normal([])
    return out, tf.random.normal([])
@tf.function
def g(n):
    out = tf.constant(0.0)
    if n > 2:
        for i in tf.range(n):
            out += tf.random.normal([])
            if i > 1:
                out += 5 * tf.random.normal([])
    out += 10 * tf.random.normal([])
    return out, tf.random.normal([])
tf.random.set_seed(5)
for n in (1, 3, 2, 4):
    print([round(float(x), 4) for x in f(tf.constant(n))], [round(float(x), 4) for x in g(tf.constant(n))])
