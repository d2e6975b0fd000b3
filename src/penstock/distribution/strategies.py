"""Distributions: the places of variables, the state of optimizers and batches on a mesh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from penstock.distribution.in_force import present, put_in_force
from penstock.distribution.layout_map import LayoutMap
from penstock.distribution.mesh import Axis, DeviceMesh, TensorLayout, list_devices
from penstock.errors import ArgumentError
from penstock.trace.source_site import here


class Distribution:
    """Decides where values are stored; `DataParallel` and `ModelParallel` are the two kinds.

    It is active inside `with distribution:`, or after `set_distribution(distribution)`. `auto_shard_dataset`
    exists for compatibility and does nothing: every process gets whole batches, and takes its part of each.

    Args:
        device_mesh: a `DeviceMesh`; None for all devices in a row.
        batch_dim_name: the axis of the mesh along which batches are split.
        auto_shard_dataset: accepted for compatibility with Keras; batches are always split where they enter a
            step.

    >>> import penstock as ps
    >>> one = ps.distribution.DataParallel(devices=["cpu:0"])
    >>> with one:
    ...     ps.distribution.distribution() is one
    True
    """

    def __init__(self, device_mesh: DeviceMesh, batch_dim_name: str, auto_shard_dataset: bool = True) -> None:
        self.device_mesh = device_mesh
        self.batch_dim_name = batch_dim_name
        self.auto_shard_dataset = auto_shard_dataset
        self.site = here()
        self._open: list[Any] = []

    @property
    def num_model_replicas(self) -> int:
        """The number of parts into which a batch is split."""
        return self.device_mesh.length(self.batch_dim_name)

    @property
    def num_processes(self) -> int:
        """The number of processes with devices of the mesh."""
        return len({one.process_index for one in self.device_mesh.backend_mesh.devices.reshape(-1)})

    def distribute_dataset(self, dataset: Any) -> Any:
        """Returns the data unchanged: each batch is split when a step takes it."""
        return dataset

    def get_data_layout(self, data_shape: Sequence[int]) -> TensorLayout:
        """Returns the layout of data: split along its first axis if the length divides, otherwise unsplit."""
        shape = tuple(data_shape)
        split = bool(shape) and shape[0] > 0 and shape[0] % self.num_model_replicas == 0
        return TensorLayout((self.batch_dim_name,) if split else (), self.device_mesh)

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """Returns the layout of a variable. Raises ShapeError if it does not fit the variable's shape."""
        raise NotImplementedError

    def get_state_layout(self, state: Any, owner: Any) -> TensorLayout:
        """Returns the layout of an optimizer's state for a variable, `owner`: that of the variable.

        State with another shape than its variable, or without one, is copied to every device.
        """
        if owner is None or owner._spec.shape != state._spec.shape:
            return self.whole()
        return self.get_variable_layout(owner)

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """Returns None for every `path`: XLA chooses where intermediate results are stored."""
        return None

    def whole(self) -> TensorLayout:
        """Returns the layout of a value that is copied to every device."""
        return TensorLayout((), self.device_mesh)

    @contextmanager
    def scope(self) -> Iterator[Distribution]:
        """Activates this distribution inside a `with` block, and the previous one again after it."""
        before = present()
        put_in_force(self)
        try:
            yield self
        finally:
            put_in_force(before)

    def __enter__(self) -> Distribution:
        block = self.scope()
        block.__enter__()
        self._open.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.device_mesh!r})"


class DataParallel(Distribution):
    """Splits each batch over all devices; each of them has a copy of the model, and the copies stay equal.

    `device_mesh` is a mesh with one axis, or `devices` are the names of devices; without either, all devices
    are used. With `shard_state`, each device keeps only its part of the state of the optimizers, such as the
    moments of Adam; with `shard_weights`, also of the variables, which are gathered where a step reads them.
    Arrays are split along their longest axis with a length divisible by the number of devices; arrays without
    one are copied.

    Results are those of one device up to rounding: a mean over the batch, or the statistics of a batch
    normalization, are of the whole batch.

    Args:
        device_mesh: a `DeviceMesh`; None for all devices in a row.
        devices: names as `list_devices` returns them; None for all.
        auto_shard_dataset: accepted for compatibility with Keras; batches are always split where they enter a
            step.
        shard_state: whether the state of optimizers is split as well.
        shard_weights: whether the weights are split as well.

    Raises:
        ArgumentError: if an argument does not fit the mesh.

    >>> import penstock as ps
    >>> with ps.distribution.DataParallel(devices=["cpu:0"]):
    ...     float(ps.sum(ps.Variable([1.0, 2.0]) * 2.0))
    6.0
    """

    def __init__(
        self,
        device_mesh: DeviceMesh | None = None,
        devices: Sequence[str] | None = None,
        auto_shard_dataset: bool = True,
        *,
        shard_state: bool = False,
        shard_weights: bool = False,
    ) -> None:
        if device_mesh is not None and devices is not None:
            raise ArgumentError(
                "DataParallel was given a mesh and a list of devices.",
                remedy="Give one of the two: a mesh knows its devices.",
                site=here(),
            )
        if device_mesh is None:
            names = list(list_devices() if devices is None else devices)
            device_mesh = DeviceMesh((len(names),), ["batch"], names)
        if not isinstance(device_mesh, DeviceMesh):
            raise ArgumentError(
                f"DataParallel was given {device_mesh!r} ({type(device_mesh).__name__}).",
                remedy="Give a DeviceMesh, or devices=[...] with the names of devices.",
                site=here(),
            )
        if len(device_mesh.shape) > 1:
            raise ArgumentError(
                f"DataParallel was given {device_mesh!r}, which has {len(device_mesh.shape)} axes.",
                why="It splits batches along one axis, and copies everything along the others.",
                remedy=f"Give DeviceMesh(({device_mesh.size},), ['batch']), or use ModelParallel.",
                site=here(),
            )
        super().__init__(device_mesh, device_mesh.axis_names[0], auto_shard_dataset)
        self.shard_weights = shard_weights
        self.shard_state = shard_state or shard_weights

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """Returns the layout of a variable: unsplit, or with `shard_weights` split along its longest axis."""
        return self._split(variable._spec.shape) if self.shard_weights else self.whole()

    def get_state_layout(self, state: Any, owner: Any) -> TensorLayout:
        """Returns the layout of an optimizer's state: with `shard_state`, split along its longest axis."""
        return self._split(state._spec.shape) if self.shard_state else self.whole()

    def _split(self, shape: Sequence[int]) -> TensorLayout:
        parts = self.device_mesh.size
        able = [number for number, length in enumerate(shape) if length and length % parts == 0]
        if not able:
            return self.whole()
        longest = max(able, key=lambda number: shape[number])
        axes: list[Axis] = [None] * longest
        return TensorLayout((*axes, self.batch_dim_name), self.device_mesh)


class ModelParallel(Distribution):
    """Splits variables according to a LayoutMap, and batches along one axis of the mesh.

    Variables that no pattern of `layout_map` matches are copied to every device. `batch_dim_name` is the axis
    of the mesh along which batches are split, the first one by default. The state of an optimizer is placed
    like its variable.

    Args:
        layout_map: a `LayoutMap`, or None.
        batch_dim_name: the axis of the mesh along which batches are split.
        auto_shard_dataset: accepted for compatibility with Keras; batches are always split where they enter a
            step.

    Raises:
        ArgumentError: if an argument does not fit the mesh.

    >>> import penstock as ps
    >>> mesh = ps.distribution.DeviceMesh((1, 1), ["batch", "model"], ["cpu:0"])
    >>> layouts = ps.distribution.LayoutMap(mesh)
    >>> layouts["kernel"] = (None, "model")
    >>> ps.distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")
    ModelParallel(DeviceMesh((1, 1), ['batch', 'model']))
    """

    def __init__(
        self,
        *,
        layout_map: LayoutMap | None = None,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
    ) -> None:
        if not isinstance(layout_map, LayoutMap):
            raise ArgumentError(
                f"ModelParallel was given layout_map={layout_map!r}.",
                why="It splits variables as a LayoutMap says.",
                remedy="Write layout_map = LayoutMap(mesh); layout_map['dense.*kernel'] = (None, 'model').",
                site=here(),
            )
        mesh = layout_map.device_mesh
        name = mesh.axis_names[0] if batch_dim_name is None else batch_dim_name
        if name not in mesh.axis_names:
            raise ArgumentError(
                f"ModelParallel was given batch_dim_name={name!r}, and {mesh!r} has no such axis.",
                origin=f"mesh made at {mesh.site}",
                remedy=f"The axes of the mesh are {', '.join(map(repr, mesh.axis_names))}.",
                site=here(),
            )
        super().__init__(mesh, name, auto_shard_dataset)
        self.layout_map = layout_map

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """Returns the layout of the LayoutMap for a variable's path, or that of a copy on every device."""
        found: TensorLayout | None = self.layout_map[variable.path]
        if found is None:
            return self.whole()
        pattern = self.layout_map.pattern_of(variable.path)
        origin = f"by the pattern {pattern!r}\nVariable created at {variable.site}"
        found.fit(variable._spec.shape, f"Variable {variable.path!r}", origin)
        return found

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """Returns the layout that the LayoutMap has for this path, if any."""
        found: TensorLayout | None = self.layout_map[path]
        return found
