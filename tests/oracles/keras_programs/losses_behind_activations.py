import warnings

import numpy as np
import tensorflow as tf

layers, losses = tf.keras.layers, tf.keras.losses
logits = tf.constant([[40.0, -2.0, 1.0], [0.5, 30.0, -30.0]])
rows, numbers, truths = tf.constant([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), tf.constant([1, 2]), tf.constant([[1.0, 0, 1], [0, 1.0, 1]])


def show(name, output_of):
    found = []
    for loss, target in ((losses.BinaryCrossentropy, truths), (losses.CategoricalCrossentropy, rows),
                         (losses.SparseCategoricalCrossentropy, numbers)):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            value = loss()(target, output_of(logits))
        found.append((round(float(value), 3), (np.round(tape.gradient(value, logits).numpy(), 3) + 0.0).tolist()))
    print(name, found)


same = {"kernel_initializer": "identity", "use_bias": False}
for word in ("sigmoid", "softmax", "tanh"):
    show(f"activation {word}", lambda x, word=word: tf.abs(layers.Activation(word)(x)) if word == "tanh"
         else layers.Activation(word)(x))
show("dense", layers.Dense(3, "softmax", **same))
show("dense sigmoid", layers.Dense(3, tf.keras.activations.sigmoid, **same))
show("layer", layers.Softmax())
show("function", tf.keras.activations.softmax)
show("ops", tf.keras.ops.sigmoid)
show("plain", tf.nn.softmax)
show("plain in a layer", layers.Dense(3, tf.nn.softmax, **same))
show("computed with", lambda x: layers.Softmax()(x) * 1.0)
show("in a model", tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(3, "sigmoid", **same)]))
show("in a function", tf.function(layers.Dense(3, "softmax", **same)))
print(np.round(losses.binary_crossentropy(truths, layers.Activation("sigmoid")(logits)), 3).tolist())
print(np.round(losses.sparse_categorical_crossentropy(numbers, layers.Softmax()(logits), ignore_class=1), 3).tolist())
print(np.round(tf.keras.ops.binary_crossentropy(truths, layers.Softmax()(logits)), 3).tolist())
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for loss, target, word in (
        (losses.BinaryCrossentropy, truths, "sigmoid"), (losses.CategoricalCrossentropy, rows, "sigmoid"),
        (losses.SparseCategoricalCrossentropy, numbers, "softmax"),
    ):
        print(round(float(loss(from_logits=True)(target, layers.Activation(word)(logits))), 3))
print([str(one.message) for one in told])

for activation in ("softmax", tf.nn.softmax, "sigmoid"):
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(3, activation, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.01), "sparse_categorical_crossentropy")
    x = np.array([[200.0, 1, 3], [5, 100.0, 2]])
    print(np.round(model.fit(x, numbers.numpy(), epochs=4, verbose=0).history["loss"], 3).tolist())
