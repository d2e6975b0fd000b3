import numpy as np
import tensorflow as tf

keras = tf.keras
metrics = keras.metrics
labels = np.array([0, 0, 0, 1, 1, 1, 0, 1], "float32")
scores = np.array([0.1, 0.45, 0.7, 0.35, 0.6, 0.92, 0.55, 0.8], "float32")
weights = np.array([1.0, 2.0, 0.5, 1.0, 1.5, 1.0, 1.0, 0.25], "float32")
several = np.stack([1 - scores, scores], 1)
hot = np.stack([1 - labels, labels], 1)

kinds = (
    (metrics.SensitivityAtSpecificity, (0.7,)), (metrics.SpecificityAtSensitivity, (0.6,)),
    (metrics.PrecisionAtRecall, (0.8,)), (metrics.RecallAtPrecision, (0.75,)),
)
for kind, given in kinds:
    for options in ({}, {"num_thresholds": 5}, {"num_thresholds": 1}):
        metric = kind(*given, **options)
        metric.update_state(labels, scores)
        found = [round(float(metric.result()), 4)]
        metric.update_state(labels, scores[::-1], sample_weight=weights)
        print(metric.name, options, found, round(float(metric.result()), 4), sorted(metric.get_config().items()))
    metric.reset_state()
    print(round(float(metric.result()), 4), [v.shape for v in metric.variables])
    metric = kind(*given, class_id=1, name="own")
    metric.update_state(hot, several)
    print(metric.name, round(float(metric.result()), 4))
print(round(float(metrics.PrecisionAtRecall(recall=0.5)(labels, scores)), 4))
targets = np.array([[1.0, 2.0], [4.0, 3.0], [3.0, 8.0], [2.0, 1.0]], "float32")
guesses = np.array([[1.5, 2.5], [3.0, 3.5], [3.5, 6.0], [2.5, 0.5]], "float32")
for options in ({}, {"class_aggregation": None}, {"class_aggregation": "variance_weighted_average"}, {"num_regressors": 2}, {"num_regressors": 9}):
    metric = metrics.R2Score(**options)
    metric.update_state(targets, guesses)
    print(options, np.round(np.asarray(metric.result()), 4).tolist())
    metric.update_state(targets[:2], guesses[2:], sample_weight=[1.0, 0.5])
    print(np.round(np.asarray(metric.result()), 4).tolist(), sorted(metric.get_config().items(), key=str))
rows, others = np.array([[1.0, 2.0, 5.0], [0.5, -1.0, 3.0]], "float32"), np.array([[0.5, 2.5, 4.0], [1.0, 1.5, 1.0]], "float32")
for kind, function in ((metrics.PearsonCorrelation, metrics.pearson_correlation), (metrics.ConcordanceCorrelation, metrics.concordance_correlation)):
    print(np.round(np.asarray(function(rows, others)), 4).tolist(), np.round(np.asarray(function(rows, others, axis=0)), 3).tolist())
    metric = kind()
    metric.update_state(rows, others)
    print(metric.name, round(float(metric.result()), 4), metric.get_config())
    metric.update_state(others, rows[::-1], sample_weight=[1.0, 3.0])
    print(round(float(metric.result()), 4))
for options in ({}, {"threshold": 0.7}, {"target_class_ids": [1]}):
    metric = metrics.BinaryIoU(**options)
    metric.update_state(labels, scores)
    print(round(float(metric.result()), 4), round(float(metric(labels[:3], scores[3:6])), 4))
one_hot, guess = np.eye(3, dtype="float32")[[0, 2, 1, 2]], np.array([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.1, 0.8, 0.1], [0.5, 0.3, 0.2]], "float32")
print(round(float(metrics.OneHotIoU(3, [0, 2])(one_hot, guess)), 4), round(float(metrics.OneHotMeanIoU(3)(one_hot, guess)), 4))
print(round(float(metrics.OneHotIoU(3, [1], sparse_y_pred=True)(one_hot, [0, 2, 1, 1])), 4))
print(metrics.OneHotMeanIoU(3, name="own").get_config()["sparse_y_pred"], sorted(metrics.OneHotIoU(3, [0]).get_config()))
for one in (metrics.AUC(num_thresholds=5), metrics.TruePositives(0.3), metrics.MeanIoU(2, name="m"), metrics.Precision(top_k=2), metrics.R2Score()):
    config = metrics.serialize(one)
    print(config["class_name"], sorted(config["config"]) == sorted(metrics.deserialize(config).get_config()), type(metrics.get(config)).__name__)
print([type(metrics.get(word)).__name__ for word in ("mse", "accuracy", "AUC", "r2_score", "BCE")], metrics.get(None))
print(metrics.binary_focal_crossentropy is not None, metrics.kullback_leibler_divergence is not None)
for function in (
    lambda: metrics.SensitivityAtSpecificity(1.5), lambda: metrics.PrecisionAtRecall(-0.1), lambda: metrics.RecallAtPrecision(0.5, num_thresholds=0),
    lambda: metrics.R2Score(class_aggregation="mean"), lambda: metrics.R2Score(num_regressors=-1), lambda: metrics.get("nothing"),
    lambda: metrics.R2Score().update_state([1.0], [2.0]),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0])
keras.utils.set_random_seed(3)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy", metrics=["r2_score", metrics.SensitivityAtSpecificity(0.5, name="at")], weighted_metrics=[])
history = model.fit(targets, labels[:4, None], epochs=2, verbose=0)
print({key: np.round(value, 4).tolist() for key, value in history.history.items()})
