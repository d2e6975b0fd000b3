"""Options of data sets: they are stored and returned, and change nothing: elements are made one by one."""

from __future__ import annotations

import enum
from typing import Any, ClassVar

from penstock.declared import named


@named("tf.data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a data set would be parted among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@named("tf.data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow would find the number of threads."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@named("tf.data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """TensorFlow's reaction to a data set that keeps state."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Options:
    """Named settings, each None before it is set; another name is refused."""

    _names: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        for name, value in self._names.items():
            object.__setattr__(self, name, value() if isinstance(value, type) else value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)


@named("tf.data.ThreadingOptions", "tf.data.experimental.ThreadingOptions")
class ThreadingOptions(_Options):
    """How many threads would be used."""

    _names: ClassVar[dict[str, Any]] = dict.fromkeys(("max_intra_op_parallelism", "private_threadpool_size"))


@named("tf.data.experimental.AutotuneOptions")
class AutotuneOptions(_Options):
    """How the number of threads would be found."""

    _names: ClassVar[dict[str, Any]] = dict.fromkeys(
        (
            "autotune_algorithm",
            "cpu_budget",
            "enabled",
            "initial_parallelism",
            "min_parallelism",
            "ram_budget",
        )
    )


@named("tf.data.experimental.DistributeOptions")
class DistributeOptions(_Options):
    """How elements would be parted among workers."""

    _names: ClassVar[dict[str, Any]] = {"auto_shard_policy": AutoShardPolicy.AUTO, "num_devices": None}


@named("tf.data.experimental.OptimizationOptions")
class OptimizationOptions(_Options):
    """How TensorFlow would rewrite the steps of a data set."""

    _names: ClassVar[dict[str, Any]] = dict.fromkeys((
        "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch",
        "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization",
        "noop_elimination", "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
    ))  # fmt: skip


@named("tf.data.Options", "tf.data.experimental.Options")
class Options(_Options):
    """Options about parallel work, which change nothing here. Give them to `Dataset.with_options`.

    >>> from penstock import tensorflow as tf
    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _names: ClassVar[dict[str, Any]] = {
        **dict.fromkeys((
            "dataset_name", "deterministic", "experimental_external_state_policy", "experimental_slack",
            "experimental_symbolic_checkpoint", "experimental_warm_start", "framework_type",
        )),
        "autotune": AutotuneOptions,
        "experimental_distribute": DistributeOptions,
        "experimental_optimization": OptimizationOptions,
        "threading": ThreadingOptions,
    }  # fmt: skip
    _aliases: ClassVar[dict[str, str]] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __getattr__(self, name: str) -> Any:
        if name in self._aliases:
            return getattr(self, self._aliases[name])
        raise AttributeError(f"'Options' object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        name = self._aliases.get(name, name)
        if name == "deterministic" and not isinstance(value, bool):
            raise TypeError(
                f'Property "deterministic" must be of type {bool}, got: {value} (type: {type(value)})'
            )
        super().__setattr__(name, value)
