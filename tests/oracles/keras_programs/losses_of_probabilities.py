import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


losses = tf.keras.losses
t, p = tf.constant([[0.0], [1.0], [1.0]]), tf.constant([[0.2], [0.9], [0.0]])
show(losses.BinaryCrossentropy()(t, p))
show(losses.BinaryCrossentropy(from_logits=True)(t, p))
show(losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.2)(t, p))
show(losses.binary_crossentropy(t, p))
one_hot = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
scores = tf.constant([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]])
numbers = np.array([1, 0])
show(losses.CategoricalCrossentropy()(one_hot, scores))
show(losses.CategoricalCrossentropy(from_logits=True)(one_hot, scores))
show(losses.CategoricalCrossentropy(label_smoothing=0.1)(one_hot, scores))
show(losses.SparseCategoricalCrossentropy()(numbers, scores))
show(losses.SparseCategoricalCrossentropy(from_logits=True)(numbers, scores))
show(losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")(numbers[:, None], scores))
show(losses.sparse_categorical_crossentropy(numbers, scores, from_logits=True))
show(losses.KLDivergence()(one_hot, scores))
show(losses.Poisson()(one_hot, scores))
