import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
scores = tf.placeholder(tf.float32, [None, 4])
labels = tf.placeholder(tf.int64, [None, 2])
single = tf.placeholder(tf.int64, [None])
m = tf.metrics
weights = tf.constant([1.0, 0.5])
sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([3, 1, 2], tf.int64), [2, 2])
made = {
    "precision": m.precision_at_k(labels, scores, 2),
    "precision_class": m.precision_at_k(labels, scores, 2, class_id=1),
    "precision_single": m.precision_at_k(single, scores, 3, weights=weights),
    "precision_sparse": m.precision_at_k(sparse, scores, 2, name="sparse"),
    "recall": m.recall_at_k(labels, scores, 2),
    "recall_class": m.recall_at_k(labels, scores, 2, class_id=3),
    "recall_single": m.recall_at_k(single, scores, 1, name="found"),
    "recall_sparse": m.recall_at_k(sparse, scores, 2),
    "top": m.precision_at_top_k(labels, tf.nn.top_k(scores, 2).indices),
    "top_recall": m.recall_at_top_k(labels, tf.nn.top_k(scores, 2).indices, k=2),
    "average": m.average_precision_at_k(labels, scores, 3),
    "average_weighted": m.average_precision_at_k(single, scores, 2, weights),
    "average_sparse": m.average_precision_at_k(sparse, scores, 2, name="means"),
}
names = sorted(made)
for one in tf.local_variables():
    print(one.name, one.shape, one.dtype.base_dtype.name)
feeds = [
    {scores: [[0.1, 0.4, 0.2, 0.3], [0.7, 0.1, 0.15, 0.05]], labels: [[1, 2], [2, -1]], single: [3, 1]},
    {scores: [[0.3, 0.1, 0.2, 0.4], [0.2, 0.5, 0.1, 0.3]], labels: [[3, 0], [1, 1]], single: [0, 2]},
]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for feed in feeds:
        for name in names:
            update = float(session.run(made[name][1], feed))
            print(name, round(update, 5), round(float(session.run(made[name][0])), 5))
