"""Label sequences in sparse tensors, and the search for the likeliest ones."""

import numpy as np
import tensorflow as tf


def show(*values):
    for one in values:
        print((np.round(np.asarray(one, "float64"), 3) + 0.0).tolist())


x = (np.cos(np.arange(180) * 2.3) * 3).astype("float32").reshape(12, 3, 5)
for merged in (True, False):
    for width, paths in ((3, 2), (100, 3)):
        found, scores = tf.compat.v1.nn.ctc_beam_search_decoder(x, [12, 9, 1], width, paths, merged)
        print([one.values.numpy().tolist() for one in found], [one.dense_shape.numpy().tolist() for one in found])
        show(scores)
found, scores = tf.nn.ctc_beam_search_decoder(x, [12, 9, 4], 10, 2)
print([one.indices.numpy().tolist() for one in found])
show(scores)
labels = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0], [2, 1]], [1, 1, 2, 3, 3, 1], [3, 3])
for blank in (0, -1, 4):
    with tf.GradientTape() as tape:
        logits = tf.constant(x)
        tape.watch(logits)
        loss = tf.nn.ctc_loss(labels, logits, None, [12, 9, 4], blank_index=blank)
    show(loss, tf.reduce_sum(tf.abs(tape.gradient(loss, logits)), [0, 2]))
older = tf.compat.v1.nn.ctc_loss
show(older(labels, x, [2, 9, 0], ignore_longer_outputs_than_inputs=True))
show(older(labels, x, [12, 9, 4], preprocess_collapse_repeated=True))
print(tf.shape(labels).numpy().tolist(), tf.identity(labels).values.numpy().tolist())
for call in (
    lambda: tf.nn.ctc_loss(labels, x, None, [12, 9, 4]),
    lambda: older([[1]], x, [2, 9, 4]),
):
    try:
        call()
    except (TypeError, ValueError) as error:
        print(str(error).partition("\n")[0].partition(" Received")[0])
