"""What watching a TensorFlow program costs: a step alone, one recorded whole, and one that is counted.

python benchmarks/tensorflow_cost.py            # writes results/tensorflow.* and docs/frameworks.md
python benchmarks/tensorflow_cost.py mlp tiny   # some of them, to the screen alone

It needs TensorFlow in the Python that runs it. The three kinds of steps take turns, in one process. Every
figure is the mean processor time of a step in a stretch, those included whose writes are measured, and of all
stretches of a kind the least: what else the machine did can only add to that.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
import watching

from penstock.flow.inspection import Inspection
from penstock.frameworks.tensorflow.source import TensorFlow

ROUNDS, STRETCH, WARM = 4, 0.4, 40
"""After WARM steps a program has seen its first updates measured and its first paths looked at."""
layers, optimizers = tf.keras.layers, tf.keras.optimizers


def tiny() -> Callable[[], None]:
    """Two variables, SGD, a plain loop: the step is little but the overhead of its calls."""
    w, b = tf.Variable(0.5), tf.Variable(0.0)
    optimizer = optimizers.SGD(0.01)

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = (w * 3.0 + b - 2.0) ** 2
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))

    return step


def trained(net: tf.keras.Model, x: tf.Tensor, y: tf.Tensor, optimizer: object) -> Callable[[], None]:
    """Returns a step that trains a classifier, in a plain loop."""
    cost = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    net(x)

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = cost(y, net(x, training=True))
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    return step


def mlp() -> Callable[[], None]:
    """784-256-256-10, batch 64, Adam, a plain loop."""
    net = tf.keras.Sequential([layers.Dense(256, "relu"), layers.Dense(256, "relu"), layers.Dense(10)])
    x, y = tf.random.normal([64, 784]), tf.random.uniform([64], 0, 10, tf.int32)
    return trained(net, x, y, optimizers.Adam())


def mlp_function() -> Callable[[], None]:
    """The same, with the step in a tf.function."""
    step = tf.function(mlp())
    return lambda: step() and None


def cnn_function() -> Callable[[], None]:
    """Two convolutions with BatchNorm, batch 32 of 28x28x1, SGD with momentum, in a tf.function."""
    net = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3), layers.BatchNormalization(), layers.ReLU(), layers.MaxPool2D(),
            layers.Conv2D(32, 3), layers.BatchNormalization(), layers.ReLU(), layers.MaxPool2D(),
            layers.Flatten(), layers.Dense(10),
        ]
    )  # fmt: skip
    x, y = tf.random.normal([32, 28, 28, 1]), tf.random.uniform([32], 0, 10, tf.int32)
    step = tf.function(trained(net, x, y, optimizers.SGD(0.01, momentum=0.9)))
    return lambda: step() and None


def fit() -> Callable[[], None]:
    """The MLP under `fit`: eight batches of 64 in a call, and the time of one of them."""
    net = tf.keras.Sequential([layers.Dense(256, "relu"), layers.Dense(256, "relu"), layers.Dense(10)])
    cost = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    net.compile(optimizer="adam", loss=cost)
    data = tf.data.Dataset.from_tensor_slices(
        (tf.random.normal([512, 784]), tf.random.uniform([512], 0, 10, tf.int32))
    ).batch(64)
    return lambda: net.fit(data, verbose=0) and None


PROGRAMS = {"tiny": tiny, "mlp": mlp, "mlp_function": mlp_function, "cnn_function": cnn_function, "fit": fit}
STEPS = {"fit": 8}
"""How many steps a call makes, if not one."""


@contextlib.contextmanager
def watched(recorded: bool) -> Iterator[None]:
    """Steps inside are watched: each recorded whole, or counted after the first ones."""
    with Inspection(TensorFlow(whole=10**9) if recorded else TensorFlow(), None, None):
        yield


def measure(name: str) -> dict[str, float]:
    """Returns the microseconds of a step of each kind."""
    count = STEPS.get(name, 1)

    def seconds() -> float:
        tf.keras.backend.clear_session()
        tf.keras.utils.set_random_seed(0)
        return watching.mean(PROGRAMS[name](), WARM // count, STRETCH) / count

    return watching.least(ROUNDS, watched, seconds)


def main(names: list[str]) -> None:
    """Measures the programs of these names, or all; only the figures of all are written to files."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rows = {name: measure(name) for name in names or PROGRAMS}
    print(watching.table(rows))
    if names:
        return
    kinds = "\n".join(f"- `{name}`: {PROGRAMS[name].__doc__}" for name in rows)
    versions = {"TensorFlow": tf.__version__, "threads": 1}
    watching.write(
        "tensorflow",
        "What watching TensorFlow costs",
        rows,
        watching.table(rows),
        kinds,
        "frameworks.md",
        versions,
        mark="tensorflow cost",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
