"""A map of policies as the dtype of layers: the path of each says which one it has."""

import keras
import numpy as np


class Two(keras.layers.Layer):
    """Two Dense layers with the policies of the layer."""

    def __init__(self, **options):
        super().__init__(**options)
        self.a = keras.layers.Dense(3, dtype=self.dtype_policy, name="a")
        self.b = keras.layers.Dense(3, dtype=self.dtype_policy, name="b")

    def build(self, shape):
        """Build both."""
        self.a.build(shape)
        self.b.build((shape[0], 3))

    def call(self, inputs):
        """Call both."""
        return self.b(self.a(inputs))


policies = keras.dtype_policies.DTypePolicyMap("float32")
policies["two/a"] = "mixed_bfloat16"
layer = Two(dtype=policies, name="two")
result = layer(np.ones((1, 2), "float32"))
print(layer.dtype_policy.name, layer.a.dtype_policy.name, layer.compute_dtype, result.dtype)
print(layer.a.compute_dtype, layer.b.compute_dtype, layer.a.kernel.dtype, layer.a(np.ones((1, 2))).dtype)
config = keras.layers.Dense(2, dtype=policies).get_config()["dtype"]
print(config["class_name"], sorted(config["config"]["policy_map"]))
