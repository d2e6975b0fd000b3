"""The active distribution, as set by users, and tensors placed by a layout."""

from __future__ import annotations

from typing import Any

from penstock.distribution.in_force import present, put_in_force
from penstock.distribution.mesh import TensorLayout
from penstock.distribution.placing import Placing
from penstock.distribution.strategies import Distribution
from penstock.errors import ArgumentError, CaptureError
from penstock.tiers import compiler
from penstock.tiers.placement import in_force
from penstock.trace.convert import convert
from penstock.trace.local import local, value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete


def distribution() -> Distribution | None:
    """Returns the active distribution, or None.

    Returns:
        A `Distribution`, or None.

    >>> import penstock as ps
    >>> ps.distribution.distribution() is None
    True
    """
    return present()


def set_distribution(value: Distribution | None) -> None:
    """Places variables, the state of optimizers and batches according to a distribution; None ends that.

    Pending operations are run first. Values move when a step next uses them, and keep their contents. Raises
    PenstockError if the engine is NumPy, which has a single memory.

    Args:
        value: a distribution, or None.

    Returns:
        None.

    Raises:
        ArgumentError: if the value is not a distribution.
        CaptureError: if a step is being captured.

    >>> import penstock as ps
    >>> ps.distribution.set_distribution(ps.distribution.DataParallel(devices=["cpu:0"]))
    >>> ps.distribution.set_distribution(None)
    """
    if value is not None and not isinstance(value, Distribution):
        raise ArgumentError(
            f"set_distribution was given {value!r} ({type(value).__name__}).",
            remedy="Give DataParallel(...), ModelParallel(...), or None.",
            site=here(),
        )
    put_in_force(value)


def distribute_tensor(tensor: Any, layout: TensorLayout) -> Tensor:
    """Returns a tensor placed by a layout. A variable's value is copied; the variable does not change.

    Raises ShapeError if the layout does not fit the tensor's shape.

    Args:
        tensor: a tensor, a variable or array-like data.
        layout: a `TensorLayout`.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ShapeError: if the layout does not fit the tensor.

    >>> import penstock as ps
    >>> mesh = ps.distribution.DeviceMesh((1,), ["batch"], ["cpu:0"])
    >>> layout = ps.distribution.TensorLayout(["batch", None], mesh)
    >>> ps.distribution.distribute_tensor([[1.0, 2.0]], layout).shape
    (1, 2)
    """
    if not isinstance(layout, TensorLayout):
        raise ArgumentError(
            f"distribute_tensor was given layout={layout!r}.",
            remedy="Give a TensorLayout, such as TensorLayout(['batch', None], mesh).",
            site=here(),
        )
    sharding = layout.backend_layout
    trace = local.trace
    if trace.capturing:
        raise CaptureError(
            f"The step {trace.capturing!r} calls distribute_tensor.",
            why="It moves a value, and a step is recorded without values.",
            remedy="Call it on the step's arguments, before the step; XLA decides where results inside live.",
            site=here(),
        )
    if isinstance(tensor, Cell):
        tensor = tensor.value()  # type: ignore[attr-defined]
    kind = type(tensor) if isinstance(tensor, Tensor) else Tensor
    data = value_of(tensor) if isinstance(tensor, Tensor) else convert(tensor)._value
    layout.fit(data.shape, "The tensor")
    mesh = layout.device_mesh
    assert mesh is not None
    present_placing = in_force.placement
    if isinstance(present_placing, Placing) and present_placing.mesh == mesh.backend_mesh:
        return concrete(present_placing.moved(data, sharding), kind)
    module = compiler.jax()
    with module.enable_x64(True):
        return concrete(module.device_put(data, sharding), kind)
