"""Gradients of one of several results of a function: all of them belong to one operation."""

import tensorflow as tf

v, u, q = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="u"), tf.Variable(3.0, name="q")


def shown(gs):
    return [None if g is None else g.numpy().item() for g in gs]


def grads(f, *args):
    with tf.GradientTape(persistent=True) as tape:
        out = f(*args)
    return [shown(tape.gradient(o, [v, u, q])) for o in out]


x = tf.constant(2.0)


@tf.function
def two(x):
    return v * x, q * x


print("two", grads(two, x))


@tf.function
def unused(x):
    z = u * x
    return v * x, q * x


print("unused", grads(unused, x))


@tf.function
def detached(x):
    return v * x, tf.stop_gradient(q * x)


print("detached", grads(detached, x))


@tf.function
def rounded(x):
    return v * x, tf.cast(q * x, tf.int32)


print("int", grads(rounded, x)[:1])


@tf.function
def dicts(x):
    return {"a": v * x, "b": [q * x, u + 1.0]}


with tf.GradientTape(persistent=True) as tape:
    d = dicts(x)
print("dict", [shown(tape.gradient(o, [v, u, q])) for o in (d["a"], *d["b"])])


@tf.function
def nest(x):
    a, b = two(x)
    return a, b * 2.0, u


print("nest", grads(nest, x))


@tf.function
def inputs(x, y):
    return x * 2.0, y * 3.0


a, b = tf.constant(1.0), tf.constant(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch([a, b])
    o = inputs(a, b)
print("inputs", [shown(tape.gradient(i, [a, b])) for i in o])


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        a, b = two(x)
        loss = a
    return [g is None for g in tape.gradient(loss, [v, u, q])]


print("step", [bool(i) for i in step(x)])


@tf.function
def step2(x):
    with tf.GradientTape() as tape:
        a, b = v * x, q * x
    return [g is None for g in tape.gradient(a, [v, u, q])]


print("step2", [bool(i) for i in step2(x)])
