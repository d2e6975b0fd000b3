"""Prints tensors in functions that are traced: their names in the graph, and captured ones with values."""

import tensorflow as tf

table = tf.constant([1.0, 2.0])
factor = tf.Variable(3.0, name="factor")


@tf.function
def scaled(x, rate=2.0, *rest, scale=None, **more):
    print("scaled", x, rate, rest, scale, more)
    print(repr(x), [x], {"x": x})
    print(table, factor)
    y = x * 2 + 1
    print(f"{y}", "as text " + str(y), x.shape)
    print(tf.exp(y), tf.square(y), y - 1, y / 2, -y, y**2, y > 1, y[0], tf.cast(y, tf.int32), y * 3)
    return tf.reduce_sum(y) * factor


print(scaled(tf.constant([1.0, 2.0])))
print(scaled(tf.constant([3.0, 4.0])))
print(
    scaled(
        tf.constant([1.0, 5.0]),
        tf.constant(1),
        tf.constant(2),
        tf.constant(3),
        scale=tf.constant(4),
        k=tf.constant(5),
    )
)


@tf.function
def of_structures(pair, named):
    print(pair, named)
    return pair[0] + named["a"]


print(of_structures((tf.constant(1), tf.constant(2)), {"a": tf.constant(3), "b": 4}))


class Layer(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([2, 2]), name="w")

    @tf.function
    def __call__(self, inputs):
        print(inputs, self.w)
        return tf.matmul(inputs, self.w)


print(Layer()(tf.ones([1, 2])))


@tf.function(
    input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec(None, tf.int32, name="steps")]
)
def signed(x, count):
    print(x, count, x + 1, tf.reduce_sum(x, 1), tf.transpose(x)[0])
    return x


print(signed(tf.ones([3, 2]), 4))


@tf.function
def inner(t):
    print("inner", t)
    return t * 2


@tf.function
def outer(x):
    y = inner(x + 1)
    print("outer", x, y, x + 2)
    return y


print(outer(tf.constant(1.0)))


def mapped(*parts):
    print("mapped", *parts)
    return parts[0]


pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 2.0, 3.0]))
print(list(pairs.map(mapped).as_numpy_iterator()), list(pairs.batch(2).map(mapped).as_numpy_iterator()))
print(list(tf.data.Dataset.from_tensor_slices({"a": [1], "b": ["x"]}).map(mapped).as_numpy_iterator()))
print(table, factor)
