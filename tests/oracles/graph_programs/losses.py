import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
logits = tf.constant([[2.0, 1.0], [0.5, 0.0]])
found = [
    tf.losses.mean_squared_error(labels, logits),
    tf.losses.absolute_difference(labels, logits),
    tf.losses.softmax_cross_entropy(labels, logits),
    tf.losses.sparse_softmax_cross_entropy([0, 1], logits),
    tf.losses.sigmoid_cross_entropy(labels, logits),
    tf.losses.huber_loss(labels, logits),
    tf.losses.hinge_loss(labels, logits),
    tf.losses.log_loss(labels, tf.nn.sigmoid(logits)),
    tf.losses.mean_squared_error(labels, logits, weights=[[1.0], [0.0]]),
]
with tf.Session() as session:
    print([round(float(v), 5) for v in session.run(found)])
    print(
        len(tf.get_collection(tf.GraphKeys.LOSSES)), round(float(session.run(tf.losses.get_total_loss())), 5)
    )
