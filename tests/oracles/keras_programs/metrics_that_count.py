import numpy as np
import tensorflow as tf


def show(name, x):
    print(name, np.round(np.asarray(x, dtype=np.float64), 4).tolist())


rng = np.random.RandomState(0)
t = (rng.rand(12) > 0.5).astype("float32")
p = np.round(rng.rand(12), 2).astype("float32")
w = rng.rand(12).astype("float32")
kinds = tf.keras.metrics
for kind in (
    kinds.TruePositives, kinds.FalsePositives, kinds.TrueNegatives, kinds.FalseNegatives, kinds.Precision,
    kinds.Recall,
):
    for thresholds in (None, 0.3, [0.2, 0.7], [0.0, 0.25, 0.5, 0.75, 1.0]):
        metric = kind(thresholds=thresholds)
        metric.update_state(t[:6], p[:6])
        metric.update_state(t[6:], p[6:], sample_weight=w[6:])
        show(metric.name, metric.result())
metric.reset_state()
show("reset", metric.result())
print([v.path for v in metric.variables], metric.get_config()["thresholds"])
many_t = np.eye(4, dtype="float32")[rng.randint(0, 4, 8)]
many_p = np.round(rng.rand(8, 4), 1).astype("float32")
for options in ({"top_k": 2}, {"class_id": 1}, {"top_k": 2, "class_id": 3}, {"thresholds": [0.1, 0.9]}):
    for kind in (kinds.Precision, kinds.Recall):
        metric = kind(**options, name="mine")
        metric.update_state(many_t, many_p, sample_weight=np.arange(8.0, dtype="float32"))
        metric.update_state(many_t, many_p)
        show(metric.name, metric.result())
for curve in ("ROC", "PR"):
    for method in ("interpolation", "minoring", "majoring"):
        for options in ({}, {"num_thresholds": 5}, {"thresholds": [0.1, 0.4, 0.45]}, {"from_logits": True}):
            metric = kinds.AUC(curve=curve, summation_method=method, **options)
            metric.update_state(t, p)
            metric.update_state(t, p[::-1], sample_weight=w)
            show(f"{curve} {method}", metric.result())
for options in ({}, {"num_labels": 4, "label_weights": [0.1, 0.2, 0.3, 0.4], "thresholds": [0.2, 0.7]}):
    metric = kinds.AUC(multi_label=True, **options)
    metric.update_state(many_t, many_p, sample_weight=np.arange(8.0, dtype="float32"))
    show("labels", metric.result())
metric = kinds.AUC(label_weights=[0.1, 0.2, 0.3, 0.4])
show("weights", metric(many_t, many_p))
for average in (None, "micro", "macro", "weighted"):
    for threshold in (None, 0.5):
        for metric in (kinds.F1Score(average, threshold), kinds.FBetaScore(average, 2.0, threshold)):
            metric.update_state(many_t, many_p)
            metric.update_state(many_t, many_p, sample_weight=np.arange(8.0, dtype="float32"))
            show(metric.name, metric.result())
for metric in (kinds.MeanIoU(4), kinds.IoU(4, [1, 2]), kinds.MeanIoU(4, ignore_class=0)):
    metric.update_state([0, 1, 2, 3, 1, 1], [0, 1, 1, 3, 0, 1])
    metric.update_state([[2, 2], [0, 1]], [[2, 1], [0, 1]], sample_weight=[[2, 1], [3, 1]])
    show(metric.name, metric.result())
metric = kinds.MeanIoU(4, sparse_y_true=False, sparse_y_pred=False)
show("scores", metric(many_t, many_p))
classes = many_t.argmax(-1)
for k in (1, 2, 3):
    show("top", kinds.TopKCategoricalAccuracy(k)(many_t, many_p))
    show("top", kinds.SparseTopKCategoricalAccuracy(k=k)(classes, many_p))
    show("top", kinds.sparse_top_k_categorical_accuracy(classes[:, None], many_p, k))
show("classes", kinds.sparse_categorical_accuracy(classes[:, None], many_p))
for kind in (
    kinds.CategoricalHinge, kinds.Hinge, kinds.SquaredHinge, kinds.KLDivergence, kinds.Poisson, kinds.LogCoshError,
    kinds.CosineSimilarity, kinds.MeanAbsolutePercentageError, kinds.MeanSquaredLogarithmicError,
):
    metric = kind()
    metric.update_state(many_t, many_p)
    metric.update_state(many_t, many_p, sample_weight=np.arange(8.0, dtype="float32"))
    show(metric.name, metric.result())
