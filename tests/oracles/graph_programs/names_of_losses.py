import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
losses = tf.losses
y = tf.constant(np.cos(np.arange(6.0)).reshape(3, 2).astype(np.float32))
t = tf.constant(np.sin(np.arange(6.0)).reshape(3, 2).astype(np.float32))
hot, ids = tf.one_hot([0, 1, 1], 2), tf.constant([0, 1, 1])
made = [
    losses.mean_squared_error(t, y),
    losses.mean_squared_error(t, y, weights=0.5),
    losses.absolute_difference(t, y),
    losses.huber_loss(t, y),
    losses.log_loss(hot, tf.nn.softmax(y)),
    losses.hinge_loss(hot, y),
    losses.softmax_cross_entropy(hot, y),
    losses.sparse_softmax_cross_entropy(ids, y),
    losses.sigmoid_cross_entropy(hot, y),
    losses.cosine_distance(tf.nn.l2_normalize(t, 1), tf.nn.l2_normalize(y, 1), axis=1),
    losses.mean_squared_error(t, y, scope="given"),
    losses.compute_weighted_loss(y),
]
with tf.name_scope("outer"):
    made.append(losses.hinge_loss(hot, y, 1.0, None, "kept"))
    made.append(losses.absolute_difference(t, y, reduction="weighted_sum").shape)
print([getattr(one, "name", one) for one in made])
print([one.name for one in tf.get_collection("losses")], tf.get_collection("kept")[0].name)
with tf.Session() as session:
    print(np.round(session.run(made[:-1]), 4).tolist())
    print(session.run("mean_squared_error_1/value:0").round(4))
