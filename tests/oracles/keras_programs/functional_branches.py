import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


first, second = tf.keras.Input((2,), name="first"), tf.keras.Input((3,), name="second")
shared = tf.keras.layers.Dense(2, use_bias=False, name="shared")
left = shared(first)
joined = tf.keras.layers.Concatenate()([left * 2.0 + 1.0, shared(left), second])
model = tf.keras.Model([first, second], [tf.keras.layers.Dense(1, name="top")(joined), joined])
fill(model)
top, all_of_it = model([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0, 5.0]])])
show(top)
show(all_of_it)
print(len(model.trainable_variables), [layer.name for layer in model.layers if "add" not in layer.name][:3])
print(joined.shape)
