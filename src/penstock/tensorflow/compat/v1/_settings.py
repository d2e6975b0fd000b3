"""Names of TensorFlow 1 about devices, sessions and how gradients are added: none changes a result here."""

from __future__ import annotations

import contextlib
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._graphs.graph import mode

IndexedSlicesValue = named("tf.compat.v1.IndexedSlicesValue")(
    namedtuple("IndexedSlicesValue", "values indices dense_shape")
)
IndexedSlicesValue.__doc__ = "What a session gives for a `tf.IndexedSlices`: three arrays."
SparseTensorValue = named("tf.compat.v1.SparseTensorValue")(
    namedtuple("SparseTensorValue", "indices values dense_shape")
)


class _Options:
    """Settings by name."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


@named("tf.compat.v1.RunOptions")
class RunOptions(_Options):
    """Settings of one run of a session, which change no result."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


@named("tf.compat.v1.RunMetadata")
class RunMetadata(_Options):
    """What a run would note about its operations: nothing, since they are one executable."""

    step_stats = partition_graphs = None


@named("tf.compat.v1.OptimizerOptions")
class OptimizerOptions(_Options):
    """Settings of TensorFlow's optimizer of graphs, which change no result."""

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2


@named("tf.compat.v1.GraphOptions")
class GraphOptions(_Options):
    """Settings of a session about its graph, which change no result."""


@named("tf.compat.v1.AggregationMethod", "tf.AggregationMethod")
class AggregationMethod:
    """Words for how gradients are added; here they are always added in one way."""

    ADD_N, DEFAULT, EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 0, 0, 1, 2


@named("tf.compat.v1.DeviceSpec", "tf.DeviceSpec")
class DeviceSpec:
    """The parts of the name of a device.

    >>> from penstock import tensorflow as tf
    >>> tf.DeviceSpec.from_string("/job:worker/gpu:1").replace(device_type="cpu").to_string()
    '/job:worker/device:CPU:1'
    """

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ) -> None:
        self.job, self.replica, self.task = job, replica, task
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = device_index

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Returns the parts of a name, such as "/job:ps/task:1/device:GPU:0" or "/gpu:0"."""
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            word, _, rest = part.partition(":")
            if word in ("job", "replica", "task"):
                found[word] = rest if word == "job" else int(rest)
            elif word == "device" or word.lower() in ("cpu", "gpu", "tpu"):
                kind, _, index = rest.partition(":") if word == "device" else (word, ":", rest)
                found["device_type"] = kind
                found["device_index"] = int(index) if index not in ("", "*") else None
            else:
                raise ValueError(
                    f"Unknown attribute {word!r} is encountered while parsing the device spec: {spec!r}."
                )
        return cls(**found)

    def _parts(self) -> dict[str, Any]:
        return dict(vars(self))

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """Returns a name with other parts."""
        return DeviceSpec(**{**self._parts(), **kwargs})

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Returns this name with the parts that another one has in their places."""
        return self.replace(**{word: value for word, value in dev._parts().items() if value is not None})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(tuple(self._parts().values()))

    def __repr__(self) -> str:
        said = ", ".join(f"{word}={value}" for word, value in self._parts().items() if value is not None)
        return f"<DeviceSpec({said})>"

    def to_string(self) -> str:
        """Returns the name.

        >>> import penstock.tensorflow.compat.v1 as tf
        >>> tf.DeviceSpec(job="worker", task=1, device_type="CPU", device_index=0).to_string()
        '/job:worker/task:1/device:CPU:0'
        """
        parts = [("job", self.job), ("replica", self.replica), ("task", self.task)]
        text = "".join(f"/{word}:{value}" for word, value in parts if value is not None)
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    __str__ = to_string


@named("tf.compat.v1.colocate_with", "tf.compat.v1.container")
@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """A block in which operations are built as anywhere else. `op` and `ignore_existing` do nothing."""
    yield


@named("tf.compat.v1.train.replica_device_setter")
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Any = None,
) -> None:
    """Returns a device for `tf.device`, which changes nothing: there is one process.

    `ps_tasks`, `ps_device`, `worker_device`, `merge_devices`, `cluster`, `ps_ops` and `ps_strategy` do
    nothing.
    """


def _flag(name: str, purpose: str, result: Any = None) -> Any:
    def function() -> Any:
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = purpose
    return named(f"tf.compat.v1.{name}")(function)


enable_control_flow_v2 = _flag("enable_control_flow_v2", "Does nothing: there is one kind of loops.")
disable_control_flow_v2 = _flag("disable_control_flow_v2", "Does nothing: there is one kind of loops.")
control_flow_v2_enabled = _flag(
    "control_flow_v2_enabled", "Returns False: there is one kind of loops.", False
)


@named("tf.compat.v1.dimension_value")
def dimension_value(dimension: Any) -> Any:
    """Returns the length of an axis as a number; None if it is not known."""
    return getattr(dimension, "value", dimension)


@named("tf.compat.v1.dimension_at_index")
def dimension_at_index(shape: Any, index: int) -> Any:
    """Returns the length of one axis of a shape."""
    return shape[index]


@named("tf.compat.v1.add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to several collections of the default graph."""
    for name in [names] if isinstance(names, str) else names:
        mode.default().add_to_collection(name, value)


def _partitioner(name: str, *words: str) -> Any:
    def function(*arguments: Any, **options: Any) -> Any:
        return lambda shape, dtype=None: [1] * len(shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Returns a partitioner that keeps a variable in one piece. {', '.join(f'`{w}`' for w in words)} do "
        "nothing: there is one process."
    )
    return named(f"tf.compat.v1.{name}")(function)


fixed_size_partitioner = _partitioner("fixed_size_partitioner", "num_shards", "axis")
min_max_variable_partitioner = _partitioner(
    "min_max_variable_partitioner", "max_partitions", "axis", "min_slice_size", "bytes_per_string_element"
)
variable_axis_size_partitioner = _partitioner(
    "variable_axis_size_partitioner", "max_shard_bytes", "axis", "bytes_per_string_element", "max_shards"
)


@named("tf.compat.v1.no_regularizer")
def no_regularizer(_: Any) -> None:
    """Returns None: a variable with this regularizer adds no loss, whatever its scope says."""
