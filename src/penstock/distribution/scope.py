"""The distribution in force: set for the program or a block, and told to what runs programs."""

from __future__ import annotations

from typing import Any

from penstock.distribution import peers
from penstock.distribution.mesh import TensorLayout
from penstock.distribution.placing import Gathered, Placing
from penstock.distribution.strategies import Distribution
from penstock.errors import ArgumentError, CaptureError, PenstockError
from penstock.tiers import compiler, plan
from penstock.tiers.placement import in_force
from penstock.tiers.program import programs
from penstock.trace.convert import convert
from penstock.trace.engine import engine
from penstock.trace.local import local, value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

_placings: dict[int, Placing] = {}
"""What places values for each distribution that was set, by its identity; the distribution is kept by it."""


def placings() -> list[Placing]:
    """Returns what places values for each distribution that was set, the one in force last."""
    found = sorted(_placings.copy().values(), key=lambda one: one is in_force.placement)
    return list(found)


def distribution() -> Distribution | None:
    """Returns the distribution in force, or None.

    Returns:
        A `Distribution`, or None.

    >>> import penstock as ps
    >>> ps.distribution.distribution() is None
    True
    """
    placement = in_force.placement
    return placement.distribution if isinstance(placement, Placing) else None


def set_distribution(value: Distribution | None) -> None:
    """Has variables, the state of optimizers and batches live where a distribution says; None ends that.

    What is pending is run first. Values move when a step next uses them, and keep their contents. Raises
    PenstockError where the engine is NumPy, which knows one memory.

    Args:
        value: a distribution, or None.

    Returns:
        None.

    Raises:
        ArgumentError: if the value is no distribution.
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
    trace = local.trace
    if trace.capturing:
        raise CaptureError(
            f"The step {trace.capturing!r} sets a distribution.",
            why="A step is recorded once, and where its values live must be known before.",
            remedy="Set the distribution before the step is called for the first time.",
            site=here(),
        )
    if value is not None and plan.settings.engine == "numpy":
        lacking = compiler.lack()
        raise PenstockError(
            f"{value!r} is to be set, and {'the engine is NumPy' if lacking is None else lacking.clause}.",
            why="Devices are XLA's: NumPy computes in one memory.",
            remedy="Unset PENSTOCK_ENGINE, or set it to xla." if lacking is None else lacking.remedy,
            site=here(),
        )
    if value is None and in_force.placement is None:
        return
    plan.wait()
    with engine.lock:
        if value is None:
            gathered = in_force.placement = Gathered()
            engine.put_together_by(gathered.whole if peers.present_service else None)
        else:
            placing = _placings.get(id(value))
            if placing is None:
                placing = _placings[id(value)] = Placing(value)
            in_force.placement = placing
            engine.put_together_by(placing.whole if placing.together else None)
            peers.install(placing.together)
        for program in list(programs.values()):
            # What is launched without a look at where values live was compiled for another place.
            for holder in program.held:
                holder.forget()


def distribute_tensor(tensor: Any, layout: TensorLayout) -> Tensor:
    """Returns a tensor that lives as a layout says. A variable's value is copied; the variable stays.

    Raises ShapeError where the layout does not fit the tensor's shape.

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
