import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
labels = tf.placeholder(tf.int64, [None])
predicted = tf.placeholder(tf.int64, [None])
weights = tf.constant([1.0, 0.5, 2.0])
x = tf.placeholder(tf.float32, [None])
made = {
    "accuracy": tf.metrics.accuracy(labels, predicted),
    "weighted": tf.metrics.accuracy(labels, predicted, weights=weights, name="weighted"),
    "mean": tf.metrics.mean(x),
    "mean_of_weighted": tf.metrics.mean(x, weights=weights),
    "mse": tf.metrics.mean_squared_error(x, tf.cast(predicted, tf.float32)),
    "mae": tf.metrics.mean_absolute_error(x, tf.cast(predicted, tf.float32)),
    "rmse": tf.metrics.root_mean_squared_error(x, tf.cast(predicted, tf.float32)),
    "precision": tf.metrics.precision(labels, predicted),
    "recall": tf.metrics.recall(labels, predicted),
}
names = sorted(made)
print(sorted(v.name for v in tf.local_variables())[:6])
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    print([float(one) for one in sess.run([made[name][0] for name in names])])
    for feed in ({labels: [1, 0, 1], predicted: [1, 1, 1], x: [0.5, 1.5, 2.5]}, {labels: [0, 0, 1], predicted: [0, 0, 0], x: [1.0, 1.0, 4.0]}):
        print(np.round(sess.run([made[name][1] for name in names], feed), 4).tolist())
        print(np.round(sess.run([made[name][0] for name in names]), 4).tolist())
