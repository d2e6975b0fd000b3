import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
weights = tf.constant([1.0, 0.5, 2.0, 1.0])
table = tf.placeholder(tf.float32, [None, 2])
marks = [0.25, 0.5, 0.75]
m = tf.metrics
made = {
    "auc": m.auc(labels, scores),
    "auc_pr": m.auc(labels, scores, curve="PR", summation_method="careful_interpolation", name="pr"),
    "auc_weighted": m.auc(labels, scores, weights, num_thresholds=11, summation_method="minoring"),
    "auc_major": m.auc(labels, scores, thresholds=marks, curve="PR", summation_method="majoring"),
    "iou": m.mean_iou(labels, tf.cast(scores > 0.5, tf.int64), 3),
    "iou_weighted": m.mean_iou(labels, tf.cast(scores > 0.5, tf.int64), 2, weights),
    "per_class": m.mean_per_class_accuracy(labels, tf.cast(scores > 0.5, tf.int64), 3),
    "per_class_weighted": m.mean_per_class_accuracy(labels, tf.cast(scores > 0.5, tf.int32), 2, weights),
    "relative": m.mean_relative_error(tf.cast(labels, tf.float32), scores, tf.cast(labels, tf.float32)),
    "cosine": m.mean_cosine_distance(table, table[::-1], 1),
    "tensor": m.mean_tensor(tf.constant([[1.0, 2.0], [3.0, 5.0]])),
    "tensor_weighted": m.mean_tensor(tf.constant([[1.0, 2.0], [3.0, 5.0]]), tf.constant([[1.0], [0.0]])),
    "below": m.percentage_below(scores, 0.5, weights),
    "tp": m.true_positives(labels, tf.cast(scores > 0.5, tf.int64)),
    "tn": m.true_negatives(labels, tf.cast(scores > 0.5, tf.int64), weights),
    "fp": m.false_positives(labels, scores > 0.5),
    "fn": m.false_negatives(labels, scores > 0.5, 2.0),
    "tp_at": m.true_positives_at_thresholds(labels, scores, marks),
    "tn_at": m.true_negatives_at_thresholds(labels, scores, marks, weights),
    "fp_at": m.false_positives_at_thresholds(labels, scores, marks),
    "fn_at": m.false_negatives_at_thresholds(labels, scores, marks, 0.5),
    "precision_at": m.precision_at_thresholds(labels, scores, marks),
    "recall_at": m.recall_at_thresholds(labels, scores, marks, name="recalled"),
    "sensitivity": m.sensitivity_at_specificity(labels, scores, 0.5, num_thresholds=21),
    "specificity": m.specificity_at_sensitivity(labels, scores, 0.6, num_thresholds=21),
    "precision": m.precision(labels, tf.cast(scores > 0.5, tf.int64)),
    "recall": m.recall(labels, scores > 0.5, weights),
    "mean_of_columns": m.mean(table, weights=tf.constant([[1.0], [2.0]])),
}
names = sorted(made)
for one in tf.local_variables():
    print(one.name, one.shape, one.dtype.base_dtype.name)
print(len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
feeds = [
    {labels: [1, 0, 1, 1], scores: [0.9, 0.4, 0.3, 0.6], table: [[1.0, 0.0], [0.6, 0.8]]},
    {labels: [0, 0, 1, 0], scores: [0.7, 0.1, 0.55, 0.5], table: [[0.0, 1.0], [1.0, 0.0]]},
]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for name in names:
        print(name, np.round(session.run(made[name][0]), 5).tolist())
    for feed in feeds:
        for name in names:
            update = np.round(session.run(made[name][1], feed), 5).tolist()
            print(name, update, np.round(session.run(made[name][0]), 5).tolist())
