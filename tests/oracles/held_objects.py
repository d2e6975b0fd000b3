"""Objects that programs hold, made in a framework or here: tools/write_coverage.py compares their members."""

import tempfile
import warnings
from typing import Any

import numpy as np


def objects_of_tensorflow(tf: Any) -> dict[str, Any]:
    """Return objects of TensorFlow, by the names that the page gives them."""
    keras, v1 = tf.keras, tf.compat.v1
    layers = keras.layers
    x = tf.zeros([2, 3])
    dense, bn, lstm, conv = layers.Dense(2), layers.BatchNormalization(), layers.LSTM(2), layers.Conv2D(2, 2)
    embedding, attention = layers.Embedding(4, 2), layers.MultiHeadAttention(2, 2)
    (
        dense(x),
        bn(x),
        lstm(tf.zeros([1, 2, 3])),
        conv(tf.zeros([1, 4, 4, 1])),
        embedding(tf.zeros([1], tf.int32)),
    )
    attention(tf.zeros([1, 2, 4]), tf.zeros([1, 2, 4]))
    model = keras.Sequential([layers.Input((3,)), layers.Dense(2)])
    model.compile("adam", "mse")
    history = model.fit(np.zeros((2, 3)), np.zeros((2, 2)), verbose=0)
    doubled = tf.function(lambda x: x * 2, autograph=False)
    graph = tf.Graph()
    with graph.as_default():
        fed, own = v1.placeholder(tf.float32, [2]), v1.get_variable("own", [2])
        older = {
            "tf.compat.v1.placeholder": fed, "tf.Operation": fed.op, "tf.compat.v1.Variable": own,
            "tf.compat.v1.train.AdamOptimizer": v1.train.AdamOptimizer(0.1), "tf.Graph": graph,
            "tf.compat.v1.Session": v1.Session(), "tf.compat.v1.train.Saver": v1.train.Saver(),
        }  # fmt: skip
    data = tf.data.Dataset.range(3)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(), tempfile.mkdtemp(), max_to_keep=2)
    keys = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    return {
        "tf.Tensor": x, "tf.Variable": tf.Variable([1.0, 2.0]), "tf.DType": tf.float32,
        "tf.TensorShape": tf.TensorShape([2]), "tf.TensorSpec": tf.TensorSpec([2]),
        "tf.TensorArray": tf.TensorArray(tf.float32, 2), "tf.RaggedTensor": tf.ragged.constant([[1], [2, 3]]),
        "tf.sparse.SparseTensor": tf.sparse.from_dense([[1.0, 0.0]]),
        "tf.IndexedSlices": tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])),
        "tf.GradientTape": tf.GradientTape(), "tf.Module": tf.Module(), "tf.function": doubled,
        "tf.types.experimental.ConcreteFunction": doubled.get_concrete_function(tf.TensorSpec([2])),
        "tf.autodiff.ForwardAccumulator": tf.autodiff.ForwardAccumulator(x, x),
        "tf.data.Dataset": data, "tf.data.Iterator": iter(data), "tf.data.Options": tf.data.Options(),
        "tf.random.Generator": tf.random.Generator.from_seed(1), "tf.train.Checkpoint": tf.train.Checkpoint(),
        "tf.train.CheckpointManager": manager,
        "tf.train.ExponentialMovingAverage": tf.train.ExponentialMovingAverage(0.9),
        "tf.train.Example": tf.train.Example(), "tf.train.Coordinator": tf.train.Coordinator(),
        "tf.distribute.Strategy": tf.distribute.get_strategy(),
        "tf.linalg.LinearOperatorDiag": tf.linalg.LinearOperatorDiag([1.0, 2.0]),
        "tf.lookup.StaticHashTable": tf.lookup.StaticHashTable(keys, 0),
        "tf.errors.InvalidArgumentError": tf.errors.InvalidArgumentError(None, None, "wrong"),
        **older,
        "tf.keras.Sequential": model, "tf.keras.Model": keras.Model(model.inputs, model.outputs),
        "tf.keras.KerasTensor": model.inputs[0], "tf.keras.Variable": dense.kernel,
        "tf.keras.layers.Dense": dense, "tf.keras.layers.Conv2D": conv, "tf.keras.layers.LSTM": lstm,
        "tf.keras.layers.LSTMCell": layers.LSTMCell(2), "tf.keras.layers.RNN": layers.RNN(layers.GRUCell(2)),
        "tf.keras.layers.Bidirectional": layers.Bidirectional(layers.LSTM(2)),
        "tf.keras.layers.TimeDistributed": layers.TimeDistributed(layers.Dense(2)),
        "tf.keras.layers.BatchNormalization": bn, "tf.keras.layers.Embedding": embedding,
        "tf.keras.layers.MultiHeadAttention": attention, "tf.keras.layers.Dropout": layers.Dropout(0.5),
        "tf.keras.layers.Normalization": layers.Normalization(),
        "tf.keras.layers.StringLookup": layers.StringLookup(),
        "tf.keras.layers.TextVectorization": layers.TextVectorization(),
        "tf.keras.optimizers.Adam": keras.optimizers.Adam(),
        "tf.keras.optimizers.SGD": keras.optimizers.SGD(),
        "tf.keras.optimizers.schedules.ExponentialDecay":
            keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9),
        "tf.keras.mixed_precision.LossScaleOptimizer":
            keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD()),
        "tf.keras.losses.MeanSquaredError": keras.losses.MeanSquaredError(),
        "tf.keras.losses.CategoricalCrossentropy": keras.losses.CategoricalCrossentropy(),
        "tf.keras.metrics.Mean": keras.metrics.Mean(), "tf.keras.metrics.AUC": keras.metrics.AUC(),
        "tf.keras.metrics.MeanIoU": keras.metrics.MeanIoU(2),
        "tf.keras.metrics.Precision": keras.metrics.Precision(),
        "tf.keras.callbacks.Callback": keras.callbacks.Callback(), "tf.keras.callbacks.History": history,
        "tf.keras.callbacks.EarlyStopping": keras.callbacks.EarlyStopping(),
        "tf.keras.initializers.GlorotUniform": keras.initializers.GlorotUniform(),
        "tf.keras.regularizers.L2": keras.regularizers.L2(),
        "tf.keras.constraints.NonNeg": keras.constraints.NonNeg(),
        "tf.keras.random.SeedGenerator": keras.random.SeedGenerator(1),
        "tf.keras.mixed_precision.Policy": keras.mixed_precision.Policy("float32"),
        "tf.keras.utils.Progbar": keras.utils.Progbar(3),
        "tf.keras.preprocessing.text.Tokenizer": keras.preprocessing.text.Tokenizer(),
        "tf.keras.preprocessing.image.ImageDataGenerator": keras.preprocessing.image.ImageDataGenerator(),
    }  # fmt: skip


def objects_of_paddle(paddle: Any) -> dict[str, Any]:
    """Return objects of Paddle, by the names that the page gives them."""
    nn, optimizer, distribution = paddle.nn, paddle.optimizer, paddle.distribution
    linear = nn.Linear(3, 2)
    model = paddle.Model(linear, paddle.static.InputSpec([None, 3], "float32", "x"))
    paddle.enable_static()
    variable = paddle.static.data("x", [None, 3])
    program, executor = paddle.static.default_main_program(), paddle.static.Executor()
    paddle.disable_static()
    data = paddle.io.TensorDataset([paddle.zeros([4, 2])])
    parameters = linear.parameters()
    made = optimizer.SGD(parameters=parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaler = paddle.amp.GradScaler()
    return {
        "paddle.Tensor": paddle.zeros([2]), "a computed paddle.Tensor": paddle.zeros([2]) + 1,
        "paddle.nn.Parameter": linear.weight, "paddle.dtype": paddle.float32,
        "paddle.CPUPlace": paddle.CPUPlace(), "paddle.ParamAttr": paddle.ParamAttr(),
        "paddle.nn.Linear": linear, "paddle.nn.Sequential": nn.Sequential(linear),
        "paddle.nn.LayerList": nn.LayerList([linear]), "paddle.nn.LayerDict": nn.LayerDict({"a": linear}),
        "paddle.nn.ParameterList": nn.ParameterList([linear.weight]), "paddle.nn.Conv2D": nn.Conv2D(1, 2, 3),
        "paddle.nn.BatchNorm2D": nn.BatchNorm2D(2), "paddle.nn.LSTM": nn.LSTM(2, 3),
        "paddle.nn.LSTMCell": nn.LSTMCell(2, 3), "paddle.nn.MultiHeadAttention": nn.MultiHeadAttention(4, 2),
        "paddle.nn.Transformer": nn.Transformer(4, 2, 1, 1, 8), "paddle.nn.Embedding": nn.Embedding(3, 2),
        "paddle.nn.Dropout": nn.Dropout(0.5), "paddle.nn.Flatten": nn.Flatten(),
        "paddle.nn.MaxPool2D": nn.MaxPool2D(2), "paddle.nn.CrossEntropyLoss": nn.CrossEntropyLoss(),
        "paddle.optimizer.Adam": optimizer.Adam(parameters=parameters), "paddle.optimizer.SGD": made,
        "paddle.optimizer.Momentum": optimizer.Momentum(parameters=parameters),
        "paddle.optimizer.lr.StepDecay": optimizer.lr.StepDecay(0.1, 2),
        "paddle.optimizer.lr.ReduceOnPlateau": optimizer.lr.ReduceOnPlateau(0.1),
        "paddle.nn.ClipGradByGlobalNorm": nn.ClipGradByGlobalNorm(1.0),
        "paddle.regularizer.L2Decay": paddle.regularizer.L2Decay(0.1),
        "paddle.nn.initializer.Constant": nn.initializer.Constant(1.0), "paddle.Model": model,
        "paddle.io.DataLoader": paddle.io.DataLoader(data), "paddle.io.TensorDataset": data,
        "paddle.io.BatchSampler": paddle.io.BatchSampler(data), "paddle.amp.GradScaler": scaler,
        "paddle.metric.Accuracy": paddle.metric.Accuracy(), "paddle.metric.Auc": paddle.metric.Auc(),
        "paddle.callbacks.Callback": paddle.callbacks.Callback(),
        "paddle.distribution.Normal": distribution.Normal(0.0, 1.0),
        "paddle.distribution.Uniform": distribution.Uniform(0.0, 1.0),
        "paddle.distribution.Categorical": distribution.Categorical(paddle.ones([3])),
        "paddle.static.InputSpec": paddle.static.InputSpec([None]), "paddle.static.Variable": variable,
        "paddle.static.Program": program, "paddle.static.Executor": executor,
        "paddle.jit.to_static": paddle.jit.to_static(lambda x: x),
        "paddle.vision.transforms.Compose": paddle.vision.transforms.Compose([]),
        "paddle.vision.transforms.Normalize": paddle.vision.transforms.Normalize(0.0, 1.0),
        "paddle.incubate.LookAhead": paddle.incubate.LookAhead(made),
    }  # fmt: skip


MAKERS = {"tensorflow": objects_of_tensorflow, "paddle": objects_of_paddle}
