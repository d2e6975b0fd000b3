"""tf.distribute: strategies of one replica: a program for several runs as it does for one."""

from __future__ import annotations

import contextlib as _contextlib
from collections.abc import Iterator as _Iterator
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.source_site import here as _here


class ReduceOp:
    """How the values of replicas are put together."""

    SUM, MEAN = "SUM", "MEAN"


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

    def __init__(self, *devices: Any, **options: Any) -> None:
        several = [one for one in (*devices, options.get("devices")) if isinstance(one, list | tuple)]
        if any(len(one) > 1 for one in several):
            raise _ArgumentError(
                f"{type(self).__name__}: {len(several[0])} devices are named, and there is one replica here.",
                remedy="Leave them out; penstock.distribution spreads a step over devices.",
                site=_here(),
            )

    @_contextlib.contextmanager
    def scope(self) -> _Iterator[Strategy]:
        """A block whose variables belong to the strategy: they are as any others."""
        _entered.append(self)
        try:
            yield self
        finally:
            _entered.remove(self)

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Returns the result of a function on the one replica."""
        return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Returns the value of the one replica, put together along an axis where one is named."""
        if axis is None:
            return value
        from penstock.tensorflow._reductions import reduce_mean, reduce_sum

        return (reduce_mean if str(reduce_op).upper().endswith("MEAN") else reduce_sum)(value, axis)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns the data set: the one replica takes all of it."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Returns the data set that a function makes."""
        return dataset_fn(InputContext())

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the value of the one replica in a tuple."""
        return (value,)

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
    """One replica; several would have copies of the variables."""


class OneDeviceStrategy(Strategy):
    """One replica."""


class MultiWorkerMirroredStrategy(Strategy):
    """One replica in this process."""


_entered: list[Strategy] = []
_default = Strategy()


def get_strategy() -> Strategy:
    """Returns the strategy whose block this is."""
    return _entered[-1] if _entered else _default


def has_strategy() -> bool:
    """Returns whether this is inside the block of a strategy, other than the one that there always is."""
    return get_strategy() is not _default


def get_replica_context() -> ReplicaContext:
    """Returns the one replica."""
    return ReplicaContext()


__getattr__, __dir__, __all__ = _namespace("tf.distribute", globals())
