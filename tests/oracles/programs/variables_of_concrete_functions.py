"""The variables of a concrete function: those that it reads and those that it writes."""

import tensorflow as tf

w, b, count = (
    tf.Variable(tf.ones([3, 2]), name="w"),
    tf.Variable(tf.zeros(2), name="b"),
    tf.Variable(0, trainable=False, name="count"),
)


@tf.function
def dense(x):
    count.assign_add(1)
    return tf.nn.relu(tf.matmul(x, w) + b)


@tf.function
def plain(x, y):
    return x * y


class Scaled(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(2.0, name="scale")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return x * self.scale


scaled = Scaled()
spec = tf.TensorSpec([None, 3], tf.float32)
for function in (
    dense.get_concrete_function(spec),
    plain.get_concrete_function(1.0, tf.TensorSpec([], tf.float32)),
    scaled.__call__.get_concrete_function(),
):
    print(
        sorted(one.name for one in function.variables),
        sorted(one.name for one in function.trainable_variables),
    )
    print(type(function.variables).__name__, len(function.inputs) >= 1)
print(count.numpy())
