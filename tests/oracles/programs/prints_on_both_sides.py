"""Python's print on both sides of an `if` on a tensor, and in loops over tensors: once per trace."""

import tensorflow as tf


@tf.function
def both(x):
    if x > 0:
        print("positive")
        return x
    else:
        print("negative")
        return -x


for x in (1.0, 2.0, -1.0):
    both(tf.constant(x))
print(both.experimental_get_tracing_count())


@tf.function
def three(x):
    print("start")
    if x > 2:
        print("a")
        y = x * 2
    elif x > 0:
        print("b")
        y = x * 3
    else:
        print("c")
        y = x
    print("end")
    return y


for x in (1.0, -1.0):
    three(tf.constant(x))
three(tf.constant([1.0])[0])
three(tf.constant(1))


@tf.function
def loop(n):
    i = 0
    s = tf.constant(0)
    while s < n:
        print("turn")
        s += 1
    for j in tf.range(n):
        print("for", type(j).__name__ != "int")
        s += j
    return s


for n in (3, 0):
    print(loop(tf.constant(n)).numpy())


def helper(x):
    print("helper")
    if x > 0:
        print("helper pos")
        return x
    print("helper neg")
    return -x


@tf.function
def calls(x):
    y = helper(x)
    return y + helper(x * 2)


for x in (1.0, -1.0):
    calls(tf.constant(x))


@tf.function
def expr(x):
    return (x if x > 0 else -x) + 1


print(expr(tf.constant(1.0)).numpy())


@tf.function
def nested(x):
    if x > 0:
        print("outer yes")
        if x > 5:
            print("inner yes")
        else:
            print("inner no")
    else:
        print("outer no")
        if x < -5:
            print("deep yes")
        else:
            print("deep no")
    return x


nested(tf.constant(1.0))
nested(tf.constant(-1.0))
with tf.GradientTape() as tape:
    w = tf.Variable(1.0)


@tf.function
def taped(x):
    if x > 0:
        print("taped yes")
        y = w * x
    else:
        print("taped no")
        y = x
    return y


with tf.GradientTape() as tape:
    y = taped(tf.constant(1.0))
print(tape.gradient(y, w).numpy())


@tf.function
def early(x):
    print("begin")
    if x > 0:
        print("returns")
        return x
    print("after")
    if x < -5:
        print("far")
        return -x
    print("near")
    return x * 2


for v in (1.0, -1.0, -9.0):
    early(tf.constant(v))
early(tf.constant([1.0])[0])


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = None

    @tf.function
    def __call__(self, x):
        print("net")
        if self.w is None:
            self.w = tf.Variable(2.0)
        if x > 0:
            print("net yes", self.w.shape)
            return x * self.w
        else:
            print("net no")
            return x


n = Net()
for v in (-1.0, 1.0):
    n(tf.constant(v))


@tf.function
def stepped(x):
    with tf.GradientTape() as tape:
        print("in tape")
        if x > 0:
            print("tape yes")
            y = n(x) * 2
        else:
            print("tape no")
            y = n(x) * 3
    print("done")
    return tape.gradient(y, n.w)


print(stepped(tf.constant(1.0)).numpy(), stepped(tf.constant(-1.0)))


@tf.function
def inner(x):
    print("inner")
    if x > 1:
        print("inner yes")
        x = x + 1
    else:
        print("inner no")
    return x


@tf.function
def outer(x):
    print("outer")
    if x > 0:
        print("outer yes")
        y = inner(x)
    else:
        print("outer no")
        y = inner(-x)
    print("outer end")
    return y


outer(tf.constant(1.0))
outer(tf.constant(-3.0))


@tf.function
def pythonic(x, flag):
    if flag:
        print("flag")
    else:
        print("no flag")
    for i in range(2):
        print("py", i)
        if x > i:
            print("x above", i)
        else:
            print("x below", i)
    return x


pythonic(tf.constant(1), True)
pythonic(tf.constant(0), False)


@tf.function
def tensors(x):
    if x > 0:
        print("value", x.dtype)
        tf.print("ran yes")
        y = x * 2
    else:
        print("else")
        tf.print("ran no")
        y = x
    return y


tensors(tf.constant(1.0))
tensors(tf.constant(-1.0))
