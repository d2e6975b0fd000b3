"""Draws in a `while`, a conditional expression and the steps of a cell, each a graph of its own in a function.

TensorFlow runs turns side by side, so the numbers of all turns are shown in order of size.
"""

import tensorflow as tf


def show(name, function):
    print(name, *[[round(float(one), 5) for one in tf.reshape(function(), [-1])] for _ in range(2)])


def in_order(numbers):
    return tf.sort(tf.reshape(numbers, [-1]))


def loop(seed):
    found = tf.TensorArray(tf.float32, 3)
    i = tf.constant(0)
    while i < 3:
        found = found.write(i, tf.random.uniform([], seed=seed))
        i += 1
    after = tf.random.uniform([1], seed=seed)
    return tf.concat([in_order(found.stack()), after], 0)


def loop_in_loop(seed):
    found = tf.TensorArray(tf.float32, 4)
    i = tf.constant(0)
    while i < 2:
        j = tf.constant(0)
        while j < 2:
            found = found.write(2 * i + j, tf.random.uniform([], seed=seed))
            j += 1
        i += 1
    return in_order(found.stack())


def loop_that_breaks(seed):
    total = tf.random.uniform([], seed=seed)
    i = tf.constant(0)
    while i < 5:
        if i > 1:
            break
        total += tf.random.uniform([], seed=seed)
        i += 1
    return tf.stack([total, tf.random.uniform([], seed=seed)])


def two_loops(seed):
    first = second = tf.zeros([])
    i = tf.constant(0)
    while i < 2:
        first += tf.random.uniform([], seed=seed)
        i += 1
    while i < 4:
        second += tf.random.uniform([], seed=seed)
        i += 1
    return tf.stack([first, second])


def expression(seed):
    x = tf.constant(1.0)
    y = tf.random.uniform([1], seed=seed) if x > 0 else tf.random.normal([1], seed=seed)
    return tf.concat([y, tf.random.uniform([1], seed=seed)], 0)


def expression_within(seed):
    x = tf.constant(-1.0)
    return tf.stack([tf.zeros([]) if x > 0 else tf.random.uniform([], seed=seed), tf.random.uniform([], seed=seed)])


class Cell(tf.keras.layers.Layer):
    state_size = output_size = 1

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def call(self, x, states):
        return tf.random.uniform([1, 1], seed=self.seed), states


def steps(seed):
    layer = tf.keras.layers.RNN(Cell(seed), return_sequences=True)
    return lambda: in_order(layer(tf.ones((1, 3, 1))))


def unrolled(seed):
    layer = tf.keras.layers.RNN(Cell(seed), return_sequences=True, unroll=True)
    return lambda: in_order(layer(tf.ones((1, 3, 1))))


for seed in (None, 2):
    for function in (loop, loop_in_loop, loop_that_breaks, two_loops, expression, expression_within):
        tf.random.set_seed(5)
        compiled = tf.function(function)
        show(f"{function.__name__} {seed}", lambda compiled=compiled, seed=seed: compiled(seed))
    for make in (steps, unrolled):
        tf.random.set_seed(5)
        show(f"{make.__name__} {seed}", tf.function(make(seed)))
