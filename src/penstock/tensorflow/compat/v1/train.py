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

for _name in _train.__all__:
    if _name != "ExponentialMovingAverage":
        globals()[_name] = getattr(_train, _name)
NewCheckpointReader = _train.CheckpointReader


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
    rest="_graphs.importing _graphs.queues compat.v1._input_pipelines compat.v1._settings "
    "compat.v1._from_checkpoints compat.v1._monitored compat.v1._session_hooks compat.v1._supervisor",
)
