"""Policies: what layers keep and compute in, by a name, a global setting or an object."""

import tensorflow as tf
from tensorflow import keras

policy = keras.mixed_precision.Policy("mixed_bfloat16")
print(policy, policy.name, policy.compute_dtype, policy.variable_dtype)
print(keras.mixed_precision.global_policy(), keras.mixed_precision.dtype_policy().name)
keras.mixed_precision.set_global_policy("mixed_float16")
dense = keras.layers.Dense(2)
plain = keras.layers.Dense(2, dtype="float32")
other = keras.layers.Dense(2, dtype=policy)
x = tf.ones((1, 3))
for layer in (dense, plain, other):
    y = layer(x)
    print(
        layer.dtype_policy,
        layer.dtype,
        layer.compute_dtype,
        layer.variable_dtype,
        y.dtype.name,
        layer.kernel.dtype,
    )
print(keras.config.dtype_policy() == keras.DTypePolicy("mixed_float16"), dense.dtype_policy == policy)
keras.config.set_dtype_policy("float32")
print(keras.layers.Dense(2).dtype_policy, keras.DTypePolicy().get_config())
