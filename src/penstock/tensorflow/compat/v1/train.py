"""tf.train: optimizers, rates that fall with the number of steps, the global step."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import train as _train
from penstock.tensorflow._graphs.graph import GraphKeys as _GraphKeys
from penstock.tensorflow._graphs.graph import default_graph as _default_graph
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._graphs.variable import GraphVariable as _GraphVariable
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._variable import ResourceVariable as _ResourceVariable
from penstock.tensorflow.compat.v1 import _lifted as _tf

for _name in _train.__all__:
    if _name != "ExponentialMovingAverage":
        globals()[_name] = getattr(_train, _name)
NewCheckpointReader = _train.CheckpointReader


def start_queue_runners(sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True,
                        collection: Any = None) -> list[Any]:  # fmt: skip
    """Returns no threads: there are no queues, whose runners would be started.

    `sess`, `coord`, `daemon`, `start` and `collection` do nothing: there are no queues.
    """
    return []


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: Any = None,
) -> Any:
    """Returns learning_rate * decay_rate ** (global_step / decay_steps); in whole steps with `staircase`."""
    with _tf.name_scope(name, "ExponentialDecay"):
        rate = _tf.convert_to_tensor(learning_rate, name="learning_rate")
        exponent = _tf.cast(global_step, rate.dtype) / _tf.cast(decay_steps, rate.dtype)
        if staircase:
            exponent = _tf.floor(exponent)
        return _tf.multiply(rate, _tf.pow(_tf.cast(decay_rate, rate.dtype), exponent))


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: Any = None,
) -> Any:
    """Returns learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    with _tf.name_scope(name, "InverseTimeDecay"):
        rate = _tf.convert_to_tensor(learning_rate, name="learning_rate")
        part = _tf.cast(global_step, rate.dtype) / _tf.cast(decay_steps, rate.dtype)
        if staircase:
            part = _tf.floor(part)
        return rate / (1.0 + _tf.cast(decay_rate, rate.dtype) * part)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
    name: Any = None,
) -> Any:
    """Returns a rate that falls to `end_learning_rate` in `decay_steps` steps, along a power.

    With `cycle` it goes on in twice, three times and so on as many steps.
    """
    with _tf.name_scope(name, "PolynomialDecay"):
        rate = _tf.convert_to_tensor(learning_rate, name="learning_rate")
        steps = _tf.cast(decay_steps, rate.dtype)
        step = _tf.cast(global_step, rate.dtype)
        if cycle:
            part = step / (steps * _tf.maximum(_tf.ceil(step / steps), 1.0))
        else:
            part = _tf.minimum(step, steps) / steps
        return (rate - end_learning_rate) * _tf.pow(1.0 - part, float(power)) + end_learning_rate


def create_global_step(graph: Any = None) -> Any:
    """Returns a new variable that counts steps; raises ValueError if there is one."""
    graph = graph or _default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if _mode.building() is None:
        step = _ResourceVariable(0, trainable=False, name="global_step", dtype="int64")
        graph.add_to_collection(_GraphKeys.GLOBAL_STEP, step)
        return step
    with graph.as_default(), graph.name_scope(None):
        return _GraphVariable(
            0, trainable=False, name="global_step", dtype="int64",
            collections=[_GraphKeys.GLOBAL_VARIABLES, _GraphKeys.GLOBAL_STEP],
        )  # fmt: skip


def get_global_step(graph: Any = None) -> Any:
    """Returns the variable that counts steps; None if there is none."""
    found = (graph or _default_graph()).get_collection(_GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def get_or_create_global_step(graph: Any = None) -> Any:
    """Returns the variable that counts steps."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns how many steps a session has made."""
    return int(sess.run(global_step_tensor))


__getattr__, __dir__, __all__ = _namespace(
    "tf.compat.v1.train",
    globals(),
    "_checkpoints _graphs.optimizers _graphs.rarer_optimizers _graphs.saver compat.v1._decays "
    "compat.v1._moving_averages",
)
