"""Convolutional long short-term memories: values, gradients, dropout, masks, fit and configurations."""

import json

import numpy as np
import tensorflow as tf

L = tf.keras.layers


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def wave(*shape):
    return np.sin(np.arange(np.prod(shape), dtype="float32") * 0.7).reshape(shape)


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 4 for w in layer.get_weights()])


def run(layer, x, **options):
    layer(x)
    fill(layer)
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = layer(x, **options)
        several = made if isinstance(made, (list, tuple)) else [made]
        loss = tf.add_n([tf.reduce_sum(one**2) for one in several])
    for one in several:
        print(one.shape)
        show(one)
    for gradient in tape.gradient(loss, [x, *layer.trainable_variables]):
        print(gradient.shape, np.round(float(tf.reduce_sum(gradient * wave(*gradient.shape))), 3))


x = tf.constant(wave(2, 3, 4, 2))
run(L.ConvLSTM1D(2, 3), x)
run(L.ConvLSTM1D(2, 2, strides=2, padding="same", return_sequences=True, return_state=True), x)
run(L.ConvLSTM1D(2, 2, dilation_rate=2, go_backwards=True, return_sequences=True, use_bias=False), x)
run(L.ConvLSTM1D(1, 2, activation="relu", recurrent_activation="hard_sigmoid", padding="same"), x)
masked = np.array([[True, False, True], [False, True, False]])
run(L.ConvLSTM1D(1, 2, return_sequences=True), x, mask=tf.constant(masked))
run(L.ConvLSTM1D(1, 2), x, mask=tf.constant(masked))
run(L.ConvLSTM2D(2, (2, 1), padding="same"), tf.constant(wave(1, 2, 3, 3, 1)))
run(L.ConvLSTM3D(1, 2), tf.constant(wave(1, 2, 3, 3, 2, 1)))
run(L.ConvLSTM1D(2, 2, dropout=0.4, seed=3), x, training=True)
run(L.ConvLSTM1D(2, 2, dropout=0.4, recurrent_dropout=0.3, seed=3), x, training=True)
start = [tf.constant(wave(2, 4, 1)), tf.constant(wave(2, 4, 1) / 2)]
run(L.ConvLSTM1D(1, 2, padding="same", return_state=True), x, initial_state=start)

layer = L.ConvLSTM2D(2, 3, name="odd", kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.L2(0.5), seed=4,
                     return_sequences=True, activity_regularizer=tf.keras.regularizers.L1(0.25), dropout=0.1)
print(json.dumps(layer.get_config(), sort_keys=True))
print(L.ConvLSTM2D.from_config(layer.get_config()).get_config() == layer.get_config())
print(L.ConvLSTM1D(1, 2).get_config()["kernel_size"], layer.filters, layer.strides, layer.padding)
layer = L.ConvLSTM1D(2, 2, name="paths")
print(layer.compute_output_shape((None, 3, 4, 2)))
layer(x)
print([(one.path, tuple(one.shape)) for one in layer.weights], layer.weights[2].numpy().tolist())
for options in ({"strides": 2, "dilation_rate": 2}, {"padding": "full"}):
    try:
        L.ConvLSTM1D(2, 2, **options)
    except ValueError:
        print("refused")

model = tf.keras.Sequential([
    tf.keras.Input((3, 4, 4, 1)),
    L.ConvLSTM2D(2, 2, return_sequences=True, padding="same", kernel_initializer="ones",
                 recurrent_initializer="ones"),
    L.ConvLSTM2D(1, 2, kernel_initializer="ones", recurrent_initializer="zeros"), L.Flatten(), L.Dense(1, kernel_initializer="ones"),
])  # fmt: skip
model.compile("sgd", "mse")
print(np.round(model.fit(wave(4, 3, 4, 4, 1), wave(4, 1), epochs=1, verbose=0).history["loss"], 4))
for one in model.get_weights():
    show(one)
