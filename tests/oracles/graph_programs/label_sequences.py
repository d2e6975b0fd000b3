"""Trains on sparse label sequences of any length, decodes them, and counts what is wrong."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
labels = tf.sparse_placeholder(tf.int32, name="labels")
inputs = tf.placeholder(tf.float32, [None, 2, 4], name="inputs")
lengths = tf.placeholder(tf.int32, [None])
w = tf.get_variable("w", [4, 4], initializer=tf.constant_initializer(np.linspace(-1, 1, 16).reshape(4, 4)))
logits = tf.tensordot(inputs, w, [[2], [0]])
loss = tf.nn.ctc_loss(labels, logits, lengths)
cost = tf.reduce_mean(loss)
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(cost)
decoded, score = tf.nn.ctc_greedy_decoder(logits, lengths)
beams, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=5, top_paths=2, merge_repeated=False)
print(loss, decoded[0].dtype, score.shape, len(beams), scores.shape)
error = tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), labels))
changes = tf.edit_distance(tf.cast(beams[0], tf.int32), labels, normalize=False)
dense = tf.sparse_tensor_to_dense(beams[0], default_value=-1)
frames = np.cos(np.arange(40) * 1.7).reshape(5, 2, 4) * 1.5
target = tf.SparseTensorValue(np.array([[0, 0], [0, 1], [1, 0]]), np.array([1, 2, 0], np.int32), np.array([2, 2]))
feed = {inputs: frames, labels: target, lengths: [5, 4]}


def show(*values):
    for one in values:
        if hasattr(one, "indices"):
            print(one.indices.tolist(), one.values.tolist(), one.dense_shape.tolist())
        else:
            print((np.round(np.asarray(one, "float64"), 3) + 0.0).tolist())


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        show(session.run([cost, train], feed)[0])
    show(*session.run([loss, decoded[0], score, *beams, scores, error, changes, dense], feed))
