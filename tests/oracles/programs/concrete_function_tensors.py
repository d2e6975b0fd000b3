import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0]], name="w")

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="inputs")])
    def __call__(self, x):
        return {"sum": tf.reduce_sum(x), "scores": tf.nn.relu(x @ self.w)}


@tf.function
def several(a, b, times=2.0):
    total = tf.add(a, b[0])
    return [tf.multiply(total, times), (total > 0, b)]


net = Net()
concrete = net.__call__.get_concrete_function()
print(concrete.inputs[0], concrete.inputs[0].name, concrete.inputs[0].shape, concrete.inputs[0].dtype)
print(concrete.outputs)
print(concrete.structured_outputs)
print(concrete.structured_input_signature)
print([one.op.name for one in concrete.outputs], [one.op.type for one in concrete.inputs[:1]])
print(concrete.output_shapes, concrete.output_dtypes)
other = several.get_concrete_function(tf.TensorSpec([], tf.float32), [tf.TensorSpec([3]), tf.TensorSpec([None], "int64")])
print(other.inputs)
print(other.outputs)
print(other.structured_outputs)
print([one.get_shape() for one in other.outputs])
print(tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([None, 4])).structured_outputs)
print(tf.function(lambda x: None).get_concrete_function(tf.TensorSpec([])).outputs)
