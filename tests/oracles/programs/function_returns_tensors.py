import collections

import numpy as np
import tensorflow as tf

Pair = collections.namedtuple("Pair", "first second")
v = tf.Variable(1.0)


@tf.function
def everything():
    return [
        v, 1, 1.5, True, "text", b"text", None, 1j, [1, 2.0, None, v], (1, (v, 3)), {"a": 1, "b": [np.float64(2.0)]},
        Pair(1, v), np.arange(3.0), np.float32(2.0), 3000000000, [], (), tf.range(3),
    ]  # fmt: skip


for value in everything():
    print(repr(value))


@tf.function
def assigned():
    return v.assign(4.0)


@tf.function
def counted():
    v.assign_add(1.0)
    return v


print(assigned())
first, second = counted(), counted()
print(first.numpy(), second.numpy(), first == second)
with tf.GradientTape() as tape:
    y = counted() * 3.0
print(tape.gradient(y, v))


@tf.function
def kinds(x, y=None):
    print(tf.is_tensor(x), tf.is_tensor(y))
    return x, y


print(kinds(np.arange(2), y=np.float32(1.0)))
print(kinds(2.0))
print(kinds.python_function is not kinds)


class Scale(tf.Module):
    def __init__(self):
        self.w = tf.Variable(2.0)

    @tf.function
    def __call__(self):
        return self.w

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def times(self, x):
        return self.w * x

    @tf.function(input_signature=[tf.TensorSpec([])])
    def two(self, x):
        return 2


scale = Scale()
before = scale()
scale.w.assign(5.0)
print(before, scale(), scale.times([1.0, 2.0]), scale.two(1.0))
print(tf.function(scale.__call__)())
