import warnings

import numpy as np
import tensorflow as tf

metrics = tf.keras.metrics
true = np.cos(np.arange(36.0)).reshape(3, 6, 2).astype(np.float32)
guess = (0.8 * true + 0.2 * np.sin(np.arange(36.0)).reshape(3, 6, 2)).astype(np.float32)
weight = np.array([0.5, 1.0, 2.0, 0.25, 1.5, 1.0], np.float32)


def show(metric):
    print(metric.name, np.round(metric.result().numpy(), 4).tolist())
    print([(one.path, one.numpy().round(3).tolist()) for one in metric.variables])


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for way in (None, "uniform_average", "variance_weighted_average"):
        for count in (0, 3, 50):
            for given in (None, weight):
                metric = metrics.R2Score(class_aggregation=way, num_regressors=count, name="r2")
                for k in range(3):
                    metric.update_state(true[k], guess[k], given)
                show(metric)
    classes = [np.argsort(one[:, 0]) % 3 for one in (*true, *guess)]
    for given in (None, weight, np.array([1, 2, 3, 1, 1, 1])):
        for dtype in (None, "float32"):
            metric = metrics.MeanIoU(3, dtype=dtype, name="mean")
            metric.update_state(classes[0], classes[3], given)
            show(metric)
            metric = metrics.OneHotMeanIoU(3, dtype=dtype, name="hot")
            metric.update_state(tf.one_hot(classes[1], 3), tf.one_hot(classes[4], 3), given)
            show(metric)
        for ids in ([0], [1], [0, 1]):
            metric = metrics.BinaryIoU(ids, threshold=0.3, name="binary")
            metric.update_state((true[0, :, 0] > 0).astype("float32"), guess[0, :, 0], given)
            show(metric)
        metric = metrics.OneHotIoU(3, [0, 2], name="one")
        metric.update_state(tf.one_hot(classes[2], 3), tf.one_hot(classes[5], 3), given)
        show(metric)
for bad in ({"class_aggregation": "x"}, {"num_regressors": -1}):
    try:
        metrics.R2Score(**bad)
    except ValueError as error:
        print(str(error).splitlines()[0])
try:
    metrics.R2Score().update_state(true, guess)
except ValueError as error:
    print(str(error).splitlines()[0])
