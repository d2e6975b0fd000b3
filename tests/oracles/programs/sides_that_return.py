"""Gradients of functions whose sides of an `if` return, or assign attributes: unrelated results, too."""

import tensorflow as tf

v, u, q = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="u"), tf.Variable(3.0, name="q")


def grads(f, *args):
    with tf.GradientTape(persistent=True) as tape:
        out = f(*args)
    outs = out if isinstance(out, (list, tuple)) else [out]
    return [[None if g is None else g.numpy().item() for g in tape.gradient(o, [v, u, q])] for o in outs]


@tf.function
def returns(x):
    other = q * x
    if x > 0:
        return v * x, other
    else:
        return u * x, other


print("returns", grads(returns, tf.constant(1.0)), grads(returns, tf.constant(-1.0)))


@tf.function
def returns_after(x):
    if x > 0:
        return v * x, q * x
    y = u * x
    return y, q * 2.0


print("returns after", grads(returns_after, tf.constant(1.0)), grads(returns_after, tf.constant(-1.0)))


class Holder:
    pass


h = Holder()
h.a = tf.constant(0.0)


@tf.function
def attributes(x):
    if x > 0:
        h.a = v * x
    else:
        h.a = u * x
    return h.a + 0.0, q * x


print("attributes", grads(attributes, tf.constant(1.0)), grads(attributes, tf.constant(-1.0)))


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.last = tf.constant(0.0)

    @tf.function
    def __call__(self, x):
        if x > 0:
            self.last = v * x
        unrelated = q * x
        return unrelated, self.last * 1.0


m = Model()
print("attribute alone", grads(m, tf.constant(1.0)), grads(Model(), tf.constant(-1.0)))


@tf.function
def inner(x):
    if x > 0:
        return v * x
    return u * x


@tf.function
def outer(x):
    a = inner(x)
    b = q * x
    return a, b


print("inner function", grads(outer, tf.constant(1.0)), grads(outer, tf.constant(-1.0)))


def plain(x):
    if x > 0:
        return v * x
    return u * x


@tf.function
def calls_plain(x):
    a = plain(x)
    b = q * x
    return a, b, a + b


print("plain function", grads(calls_plain, tf.constant(1.0)), grads(calls_plain, tf.constant(-1.0)))


class Layerish:
    def __init__(self):
        self.state = None

    def step(self, x):
        if x > 0:
            self.state = v * x
        else:
            self.state = u * x
        return q * x


l = Layerish()


@tf.function
def in_method(x):
    y = l.step(x)
    return y, l.state * 2.0


print("in method", grads(in_method, tf.constant(1.0)), grads(in_method, tf.constant(-1.0)))
items = {"k": tf.constant(0.0)}


@tf.function
def in_items(x):
    d = {"k": x}
    if x > 0:
        d["k"] = v * x
    else:
        d["k"] = u * x
    return d["k"], q * x


print("items", grads(in_items, tf.constant(1.0)), grads(in_items, tf.constant(-1.0)))


@tf.function
def early(x):
    if x > 0:
        return v * x
    y = q * x
    if y > 5.0:
        return u * x
    return y


print(
    "early", grads(early, tf.constant(1.0)), grads(early, tf.constant(-1.0)), grads(early, tf.constant(-3.0))
)
