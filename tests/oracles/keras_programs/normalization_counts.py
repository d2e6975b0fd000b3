import numpy as np
import tensorflow as tf

layer = tf.keras.layers.Normalization()
layer.adapt(np.arange(12, dtype="float32").reshape(4, 3))
print([(one.name, one.dtype, tuple(one.shape)) for one in layer.weights], layer.count_params())
model = tf.keras.Sequential([layer, tf.keras.layers.Dense(1)])
model(np.ones((2, 3), "float32"))
model.summary()
