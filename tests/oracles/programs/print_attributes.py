import tensorflow as tf

variable = tf.Variable([[1.0, 2.0, 3.0]], name="kernel", trainable=False)
tensor = tf.constant([[1], [2]])
print(variable.name, variable.shape, variable.dtype, variable.trainable)
print(tensor.shape, tensor.dtype, tensor.ndim)
print(
    variable.shape[1],
    variable.shape.rank,
    list(variable.shape),
    variable.shape == (1, 3),
    len(variable.shape),
)
print(variable.shape.as_list(), tuple(tensor.shape), repr(tensor.shape), tf.constant(1).shape)
print(tf.shape(variable).numpy(), tf.size(variable).numpy(), tf.rank(variable).numpy())
print(variable.dtype.name, repr(variable.dtype), variable.dtype == tf.float32, variable.dtype.is_floating)
print(tf.Variable(1.0).name, tf.Variable(2.0).name)
