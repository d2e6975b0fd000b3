"""Connectionist temporal classification with dense labels: values, and slopes by the logits."""

import numpy as np
import tensorflow as tf

logits = tf.Variable(np.cos(np.arange(2 * 5 * 4) * 1.3).reshape(2, 5, 4).astype("float32"))
labels = tf.constant([[1, 2, 2], [3, 1, 0]])


def show(x):
    print(np.round(np.asarray(x, "float64") + 1e-9, 4).tolist())


for options in ({}, {"blank_index": -1}):
    with tf.GradientTape() as tape:
        loss = tf.nn.ctc_loss(labels - 1 if options else labels, logits, [3, 2], [5, 4], False, **options)
    show(loss)
    show(tape.gradient(loss, logits)[1])
show(tf.nn.ctc_loss(labels, tf.transpose(logits, [1, 0, 2]), [3, 2], [5, 4]))
