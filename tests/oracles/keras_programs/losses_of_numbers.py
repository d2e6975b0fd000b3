import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


t, p = tf.constant([[0.0, 1.0], [2.0, -1.0]]), tf.constant([[0.5, 1.0], [0.0, 1.0]])
losses = tf.keras.losses
for loss in (
    losses.MeanSquaredError(),
    losses.MeanAbsoluteError(),
    losses.Huber(),
    losses.Huber(delta=0.3),
    losses.LogCosh(),
    losses.Hinge(),
    losses.CosineSimilarity(),
    losses.MeanSquaredError(reduction="sum"),
    losses.MeanSquaredError(reduction=None),
    losses.MeanSquaredError(reduction="none"),
):
    show(loss(t, p))
print(losses.MeanSquaredError()(t, p))
show(losses.MeanSquaredError()(t, p, sample_weight=tf.constant([1.0, 3.0])))
show(losses.mse(t, p))
show(losses.mae(t, p))
