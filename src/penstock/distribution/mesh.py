"""Devices, the grid they are arranged in, and how one array is split over the axes of that grid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.tiers.compiler import jax
from penstock.trace.source_site import Site, here

SIMULATED = "XLA_FLAGS=--xla_force_host_platform_device_count={count}"
"""The setting that makes one processor act as several devices, if JAX computes on the processor."""

Axis = str | tuple[str, ...] | None
"""The split of one axis of an array: over an axis of the mesh, over several of them, or none."""


def list_devices(device_type: str | None = None) -> list[str]:
    """Returns the names of all devices of all processes, such as `"cpu:0"`, in the order of their numbers.

    `device_type` is "cpu", "gpu" or "tpu"; without it, the devices that JAX uses by default are listed.

    Args:
        device_type: "cpu", "gpu" or "tpu"; None for the kind in use.

    Returns:
        A list of strings.

    Raises:
        ArgumentError: if there is no such kind.

    >>> import penstock as ps
    >>> ps.distribution.list_devices("cpu")[0]
    'cpu:0'
    """
    return [_name(one) for one in _devices(device_type)]


def get_device_count(device_type: str | None = None) -> int:
    """Returns how many devices there are, in all processes: see `list_devices`.

    Args:
        device_type: "cpu", "gpu" or "tpu"; None for the kind in use.

    Returns:
        An int.

    Raises:
        ArgumentError: if there is no such kind.

    >>> import penstock as ps
    >>> ps.distribution.get_device_count("cpu") == len(ps.distribution.list_devices("cpu"))
    True
    """
    return len(_devices(device_type))


def _devices(kind: str | None = None) -> list[Any]:
    module = jax()
    try:
        return list(module.devices() if kind is None else module.devices(kind.lower()))
    except RuntimeError as error:
        raise ArgumentError(
            f"There are no devices of the type {kind!r}.",
            origin=" ".join(str(error).split()),
            remedy=f"This machine has {', '.join(map(_name, module.devices()))}.",
            site=here(),
        ) from None


def _name(device: Any) -> str:
    return f"{device.platform}:{device.id}"


def _found(name: Any) -> Any:
    """Returns the device of a name. Raises ArgumentError if there is none."""
    if not isinstance(name, str):
        return name
    kind, _, number = name.partition(":")
    present = _devices(kind or None)
    for one in present:
        if str(one.id) == number:
            return one
    raise too_few(int(number) + 1 if number.isdecimal() else 1, f"The device {name!r} does not exist")


def too_few(wanted: int, fact: str) -> ArgumentError:
    """Returns the error for more devices than there are."""
    present = list_devices()
    shown = ", ".join(present[:4]) + (f", ... {present[-1]}" if len(present) > 4 else "")
    processes = jax().process_count()
    elsewhere = jax().default_backend() != "cpu"
    each = -(-wanted // processes)
    started = (
        f"penstock run --processes {processes} --devices {each} SCRIPT"
        if processes > 1
        else f"penstock run --devices {wanted} SCRIPT, or penstock check --devices {wanted} SCRIPT"
    )
    return ArgumentError(
        f"{fact}: there {'is' if len(present) == 1 else 'are'} {len(present)} ({shown}).",
        why="A mesh consists of devices that JAX found when it started.",
        remedy="To try the program on simulated devices, start it with "
        f"{'JAX_PLATFORMS=cpu ' * elsewhere}{SIMULATED.format(count=each)}"
        f"{' in each process' * (processes > 1)}, or run: {started}",
        site=here(),
    )


class DeviceMesh:
    """Devices in a grid whose axes have names, such as `DeviceMesh((2, 4), ["batch", "model"])`.

    `devices` are names as `list_devices` returns them, as many as the product of `shape`; without them, the
    first devices are taken. Raises ArgumentError if there are too few, or if the shape, the names and the
    devices do not fit together.

    Args:
        shape: the lengths of the axes of the grid, ints.
        axis_names: a name for each axis of the grid.
        devices: names as `list_devices` returns them; None for all.

    Raises:
        ArgumentError: if names and lengths do not fit, or there are too few devices.

    >>> import penstock as ps
    >>> ps.distribution.DeviceMesh((1,), ["batch"], ["cpu:0"])
    DeviceMesh((1,), ['batch'])
    """

    def __init__(self, shape: Sequence[int], axis_names: Sequence[str], devices: Any = None) -> None:
        self.site: Site = here()
        self.shape = tuple(int(one) for one in shape) if not isinstance(shape, int) else (shape,)
        self.axis_names = [axis_names] if isinstance(axis_names, str) else list(axis_names)
        if not self.shape or len(self.shape) != len(self.axis_names):
            raise ArgumentError(
                f"DeviceMesh was given shape={self.shape} and axis_names={self.axis_names}.",
                why="Each axis of the mesh has one name.",
                remedy=f"Give {len(self.shape)} names, or a shape of {len(self.axis_names)} numbers.",
                site=self.site,
            )
        if len(set(self.axis_names)) < len(self.axis_names):
            raise ArgumentError(
                f"DeviceMesh was given axis_names={self.axis_names}, in which a name occurs twice.",
                why="A layout chooses an axis by its name.",
                remedy="Give each axis a different name.",
                site=self.site,
            )
        count = prod(self.shape)
        if any(one < 1 for one in self.shape):
            raise ArgumentError(
                f"DeviceMesh was given shape={self.shape}.",
                remedy="Give numbers of at least 1.",
                site=self.site,
            )
        if devices is None:
            present = _devices()
            if len(present) < count:
                raise too_few(count, f"A mesh of shape {self.shape} needs {count} devices")
            found = present[:count]
        else:
            found = [_found(one) for one in np.asarray(devices, object).reshape(-1)]
            if len(found) != count:
                raise ArgumentError(
                    f"DeviceMesh was given shape={self.shape}, which is {count} devices, and {len(found)} "
                    "devices.",
                    why="The product of the shape must be the number of devices.",
                    remedy=_shapes(len(found), len(self.shape)),
                    site=self.site,
                )
        module = jax()
        grid = np.empty(count, object)
        grid[:] = found
        self.backend_mesh = module.sharding.Mesh(grid.reshape(self.shape), tuple(self.axis_names))

    @property
    def devices(self) -> np.ndarray[Any, Any]:
        """The names of the devices, in an array of the mesh's shape."""
        return np.array([_name(one) for one in self.backend_mesh.devices.reshape(-1)]).reshape(self.shape)

    @property
    def size(self) -> int:
        """The number of devices."""
        return prod(self.shape)

    def length(self, axis: Axis) -> int:
        """Returns the number of devices over which an array's axis with this layout is split."""
        names = (axis,) if isinstance(axis, str) else axis or ()
        return prod(self.shape[self.axis_names.index(one)] for one in names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self.backend_mesh == other.backend_mesh

    def __hash__(self) -> int:
        return hash(self.backend_mesh)

    def __repr__(self) -> str:
        return f"DeviceMesh({self.shape}, {self.axis_names})"


def _shapes(count: int, axes: int) -> str:
    """Returns what to type for this many devices and axes."""
    if axes == 1:
        return f"Write shape=({count},)."
    first = next(one for one in range(int(count**0.5), 0, -1) if count % one == 0)
    return f"Write a shape whose product is {count}, such as {(first, count // first, *[1] * (axes - 2))}."


class TensorLayout:
    """The split of an array: for each of its axes the name of a mesh axis, or None for an unsplit axis.

    Axes at the end that are not mentioned are not split. A tuple of names splits one axis over several axes
    of the mesh. Raises ArgumentError for a name that the mesh does not have, or that is used twice.

    Args:
        axes: for each axis the name of a mesh axis, or None.
        device_mesh: a `DeviceMesh`; None for all devices in a row.

    Raises:
        ArgumentError: if an axis is not one of the mesh.

    >>> import penstock as ps
    >>> mesh = ps.distribution.DeviceMesh((1,), ["model"], ["cpu:0"])
    >>> ps.distribution.TensorLayout([None, "model"], mesh)
    TensorLayout((None, 'model'))
    """

    def __init__(self, axes: Sequence[Axis], device_mesh: DeviceMesh | None = None) -> None:
        self.site: Site = here()
        if isinstance(axes, str):
            raise ArgumentError(
                f"TensorLayout was given axes={axes!r}.",
                why="A layout has an entry for each axis of the array.",
                remedy=f"Write ({axes!r},) to split the first axis, or (None, {axes!r}) to split the second.",
                site=self.site,
            )
        self.axes: tuple[Axis, ...] = tuple(tuple(one) if isinstance(one, list) else one for one in axes)
        self._mesh = device_mesh
        if device_mesh is not None:
            self._check(device_mesh)

    @property
    def device_mesh(self) -> DeviceMesh | None:
        """The mesh whose axes are named; None until a LayoutMap or a distribution has filled it in."""
        return self._mesh

    @device_mesh.setter
    def device_mesh(self, mesh: DeviceMesh) -> None:
        if self._mesh is not None and self._mesh != mesh:
            raise ArgumentError(
                f"{self!r} already has a mesh, {self._mesh!r}.",
                remedy="Create another TensorLayout.",
                site=here(),
            )
        self._check(mesh)
        self._mesh = mesh

    @property
    def names(self) -> list[str]:
        """The names of the mesh axes that are used, in order."""
        found: list[str] = []
        for one in self.axes:
            found += [one] if isinstance(one, str) else list(one or ())
        return found

    def _check(self, mesh: DeviceMesh) -> None:
        for name in self.names:
            if name not in mesh.axis_names:
                raise ArgumentError(
                    f"The layout {self.axes} names the axis {name!r}, and {mesh!r} has no such axis.",
                    origin=f"mesh made at {mesh.site}",
                    remedy=f"The axes of the mesh are {', '.join(map(repr, mesh.axis_names))}.",
                    site=self.site,
                )
            if self.names.count(name) > 1:
                raise ArgumentError(
                    f"The layout {self.axes} names the axis {name!r} twice.",
                    why="One axis of the mesh can split one axis of an array.",
                    remedy="Write None for one of them.",
                    site=self.site,
                )

    @property
    def backend_layout(self) -> Any:
        """The layout in JAX's form: a `jax.sharding.NamedSharding`."""
        if self._mesh is None:
            raise ArgumentError(
                f"{self!r} has no mesh yet.", remedy="Write TensorLayout(axes, mesh).", site=here()
            )
        sharding = jax().sharding
        return sharding.NamedSharding(self._mesh.backend_mesh, sharding.PartitionSpec(*self.axes))

    def fit(self, shape: Sequence[int], what: str, origin: str = "") -> None:
        """Raises ShapeError if an array of this shape cannot be split this way; `what` names the array."""
        mesh = self._mesh
        assert mesh is not None
        shape = tuple(shape)
        if len(self.axes) > len(shape):
            axes = f"{len(shape)} ax{'is' if len(shape) == 1 else 'es'}"
            raise ShapeError(
                f"{what} has shape {shape}, and its layout {self.axes} has {len(self.axes)} entries.",
                origin="\n".join(filter(None, (f"layout given at {self.site}", origin))),
                why=f"The array has {axes}; a layout has one entry for each.",
                remedy=f"Give it a layout of {len(shape)}, such as {_cut(self.axes, len(shape))}, or a "
                "pattern that leaves it out.",
                site=here(),
            )
        for number, (axis, length) in enumerate(zip(self.axes, shape)):
            parts = mesh.length(axis)
            if length % parts:
                better = [one for one in range(len(shape)) if shape[one] % parts == 0]
                other = (
                    tuple(axis if one == better[0] else None for one in range(len(shape))) if better else ()
                )
                instead = f", split another axis, with {other}, or " if better else ", or "
                enough = -(-length // parts) * parts
                raise ShapeError(
                    f"{what} has shape {shape}, and its layout {self.axes} splits axis {number} over "
                    f"{parts} devices.",
                    origin="\n".join(filter(None, (f"layout given at {self.site}", origin))),
                    why=f"{length} does not divide by {parts}.",
                    remedy=f"Make the axis {enough} long{instead}leave it whole with None.",
                    site=here(),
                )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorLayout) and (self.axes, self._mesh) == (other.axes, other._mesh)

    def __hash__(self) -> int:
        return hash(self.axes)

    def __repr__(self) -> str:
        return f"TensorLayout({self.axes})"


def _cut(axes: tuple[Axis, ...], count: int) -> tuple[Axis, ...]:
    """Returns the last entries of a layout: those of a bias, given those of its kernel."""
    return axes[len(axes) - count :]


def is_pattern(text: str) -> bool:
    """Returns whether a text is a regular expression, as the keys of a LayoutMap are."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True
