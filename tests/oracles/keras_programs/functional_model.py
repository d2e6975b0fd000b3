import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


inputs = tf.keras.Input(shape=(3,))
hidden = tf.keras.layers.Dense(4, activation="relu", name="hidden")(inputs)
outputs = tf.keras.layers.Dense(2, name="out")(hidden)
model = tf.keras.Model(inputs=inputs, outputs=outputs)
print(inputs.shape, outputs.shape, outputs.dtype, model.name)
print([layer.name for layer in model.layers], [v.path for v in model.trainable_variables])
fill(model)
show(model(tf.constant([[1.0, 2.0, 3.0]])))
print(model.input_shape, model.output_shape, model.count_params(), model)
