import numpy as np
import tensorflow as tf


def show(x):
    print(x.shape, np.round(np.asarray(x, dtype=np.float64), 3).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 3, 4))
for equation, lengths, bias in (
    ("abc,cd->abd", (None, 2), "d"),
    ("abc,cde->abde", (3, 2, 2), "be"),
    ("abc,cd->adb", (2, 3), "d"),
    ("...x,xy->...y", 2, "y"),
    ("...bc,bcd->...d", 2, None),
    ("ab...,bc->ac...", 2, "c"),
    ("abc,bcd->abd", (3, 2), None),
):
    layer = tf.keras.layers.EinsumDense(equation, lengths, activation="tanh", bias_axes=bias)
    layer.build(x.shape)
    fill(layer)
    show(layer(x))
    print([tuple(v.shape) for v in layer.weights])

inputs = tf.keras.Input((3, 4))
model = tf.keras.Model(inputs, tf.keras.layers.EinsumDense("abc,cd->abd", (3, 2), name="last")(inputs))
print(model.output_shape, [v.path for v in model.trainable_variables], model.count_params())

layer = tf.keras.layers.EinsumDense("abc,cd->abd", (None, 2), bias_axes="d")
with tf.GradientTape() as tape:
    layer.build(x.shape)
    fill(layer)
    loss = tf.reduce_sum(layer(x) ** 2)
for gradient in tape.gradient(loss, layer.trainable_variables):
    show(gradient)

for equation, lengths, bias in (
    ("abc,cd", (None, 2), None),
    ("abc,cd->abe", (None, 2), None),
    ("abc,cd->abd", (5, 2), None),
    ("abc,ce->ab", (None,), None),
    ("abc,cd->abd", (None, 2), "x"),
):
    try:
        tf.keras.layers.EinsumDense(equation, lengths, bias_axes=bias).build(x.shape)
    except ValueError as error:
        print(str(error).splitlines()[0].partition(" but has")[0])
