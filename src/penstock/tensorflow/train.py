"""tf.train: checkpoints, examples in record files, and moving averages."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._averages import ExponentialMovingAverage
from penstock.tensorflow._checkpoints import (
    CheckpointReader,
    CheckpointState,
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from penstock.tensorflow._coordinator import ClusterDef, ClusterSpec, Coordinator, Server
from penstock.tensorflow._examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._tracking import Checkpoint, CheckpointManager


class CheckpointOptions:
    """Options about how files are written; none of them changes anything here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.train", name, __all__)


__all__ = [
    "BytesList", "Checkpoint", "CheckpointManager", "CheckpointOptions", "CheckpointReader",
    "CheckpointState", "ClusterDef", "ClusterSpec", "Coordinator", "Example", "ExponentialMovingAverage",
    "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List", "SequenceExample",
    "Server", "get_checkpoint_state", "latest_checkpoint", "list_variables", "load_checkpoint",
    "load_variable",
]  # fmt: skip
