"""tf.distribute: strategies of one replica: a program for several runs as it does for one."""

from __future__ import annotations

import contextlib as _contextlib
import enum as _enum
from collections.abc import Callable as _Callable
from collections.abc import Iterator as _Iterator
from typing import Any

from penstock.tensorflow._devices import list_logical_devices as _list_logical_devices
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.distribute import _values
from penstock.trace.source_site import here as _here


class ReduceOp(_enum.Enum):
    """How the values of replicas are put together."""

    SUM, MEAN = "SUM", "MEAN"


DistributedValues = _values.DistributedValues


class CrossDeviceOps:
    """How the values of replicas are brought together; it does nothing: there is one replica."""


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Brings values together over several devices. `num_packs` does nothing: there is one."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"HierarchicalCopy requires num_packs >= 0, but {num_packs} is specified")


class NcclAllReduce(CrossDeviceOps):
    """Brings values together over several GPUs. `num_packs` does nothing: there is one device."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")


class ReductionToOneDevice(CrossDeviceOps):
    """Brings values together on one device. The arguments do nothing: there is one."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        pass


class ReplicaContext:
    """The replica that a function runs in: there is one."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Returns the value: it is the only one. `reduce_op` does nothing: there is one replica."""
        return value

    def merge_call(self, merge_fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Returns the result of a function of the strategy and the values."""
        return merge_fn(get_strategy(), *args, **(kwargs or {}))


class Strategy:
    """One replica on the device that JAX is set to; `penstock.distribution` spreads a step over several.

    >>> from penstock import tensorflow as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     weight = tf.Variable(2.0)
    >>> float(strategy.run(lambda x: weight * x, args=(tf.constant(3.0),))), strategy.num_replicas_in_sync
    (6.0, 1)
    """

    num_replicas_in_sync = 1

    @_contextlib.contextmanager
    def scope(self) -> _Iterator[Strategy]:
        """A block whose variables belong to the strategy: they are as any others."""
        self._check_devices()
        _entered.append(self)
        try:
            yield self
        finally:
            _entered.remove(self)

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Returns the result of a function on the one replica."""
        self._check_devices()
        if any(isinstance(one, _values.PerReplica) for one in (*args, *(kwargs or {}).values())):
            args = tuple(_values.its_own(one) for one in args)
            kwargs = {name: _values.its_own(one) for name, one in (kwargs or {}).items()}
        _running.append(self)
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _running.pop()

    def _check_devices(self) -> None:
        """Raises ArgumentError if this stands for several devices, once the strategy is used."""
        count = self.num_replicas_in_sync
        if count > 1:
            raise _ArgumentError(
                f"{type(self).__name__}: there is one replica here, and {count} devices would have one each.",
                why="Replicas take turns within one step, and each would compute with its part of the batch.",
                remedy="Name one device, or none, and do not set the processor to several parts; "
                "penstock.distribution spreads a step over devices.",
                site=_here(),
            )

    def experimental_distribute_values_from_function(
        self, value_fn: _Callable[[_values.ValueContext], Any]
    ) -> _values.PerReplica:
        """Returns what a function gives for the one replica, to be an argument of `run`."""
        self._check_devices()
        return _values.PerReplica(value_fn(_values.ValueContext()))

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Returns the value of the one replica, put together along an axis where one is named."""
        value = _values.its_own(value)
        if axis is None:
            return value
        from penstock.tensorflow._reductions import reduce_mean, reduce_sum

        mean = getattr(reduce_op, "value", reduce_op).upper() == "MEAN"
        return (reduce_mean if mean else reduce_sum)(value, axis)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns the data set: the one replica takes all of it."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Returns the data set that a function makes."""
        return dataset_fn(InputContext())

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the value of the one replica in a tuple."""
        return (_values.its_own(value),)

    def gather(self, value: Any, axis: int) -> Any:
        """Returns the value of the one replica. `axis` does nothing: there is one replica."""
        return value

    @property
    def extended(self) -> Any:
        """This strategy."""
        return self


class InputContext:
    """The context of a function that makes a data set: it is the only one."""

    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the size of a batch: all of it."""
        return global_batch_size


class MirroredStrategy(Strategy):
    """One replica; several would have copies of the variables.

    With several `devices`, or none and a processor that is set to several parts, it raises ArgumentError once
    it is used. `cross_device_ops` does nothing.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        if devices is None:
            devices = _list_logical_devices("CPU")
        self.num_replicas_in_sync = len(devices) if isinstance(devices, list | tuple) else 1


class OneDeviceStrategy(Strategy):
    """One replica. `device` does nothing: JAX is set to a device."""

    def __init__(self, device: Any) -> None:
        pass


class MultiWorkerMirroredStrategy(Strategy):
    """One replica in this process. The arguments do nothing: there is one worker."""

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        pass


class _DefaultDistributionStrategy(Strategy):
    """The strategy that there always is."""


_entered: list[Strategy] = []
_running: list[Strategy] = []
_default = _DefaultDistributionStrategy()


def get_strategy() -> Strategy:
    """Returns the strategy whose block this is."""
    return _entered[-1] if _entered else _default


def has_strategy() -> bool:
    """Returns whether this is inside the block of a strategy, other than the one that there always is."""
    return get_strategy() is not _default


def get_replica_context() -> ReplicaContext:
    """Returns the one replica."""
    return ReplicaContext()


def in_cross_replica_context() -> bool:
    """Returns whether this is in the block of a strategy, and not in a function that it runs."""
    return has_strategy() and not _running


__getattr__, __dir__, __all__ = _namespace("tf.distribute", globals(), listed={__name__: "experimental"})
