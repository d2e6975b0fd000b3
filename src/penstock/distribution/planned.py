"""Steps compiled for absent devices: the memory and traffic of each, known before any is rented."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from penstock.capture.recording import Capture
from penstock.capture.steps import Step
from penstock.distribution.costs import Distributed, reported
from penstock.distribution.layout_map import LayoutMap
from penstock.distribution.mesh import DeviceMesh, TensorLayout
from penstock.distribution.placing import Placing
from penstock.distribution.scope import distribution
from penstock.distribution.strategies import DataParallel, Distribution, ModelParallel
from penstock.errors import ArgumentError, CaptureError, PenstockError
from penstock.state.records import records
from penstock.tiers import compiler
from penstock.tiers.xla import Executable
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

Mesh = int | Sequence[int] | Mapping[str, int] | DeviceMesh


def plan(step: Any, mesh: Mesh, arguments: Sequence[Any] | None = None) -> Distributed:
    """Returns the cost of a step on a mesh of devices that need not exist here; print it.

    XLA compiles the step for as many processors as `mesh` says, but it is not run: the figures are those of
    `report` for a real run there. They are the bytes that each device holds and needs, the collectives and
    the bytes that each device sends. A GPU's compiler may arrange temporary values differently.

    `mesh` is a number of devices, a shape as in `(32, 8)`, or lengths by name as in `{"batch": 32, "model":
    8}`. It replaces the mesh of the active distribution, whose layouts stay the same; without a distribution,
    batches are split, as by DataParallel.

    The step is planned for the arguments of its last call. With `arguments`, a sequence, it is recorded for
    these but not called; arrays that repeat one element, `np.broadcast_to(np.float32(0), (8192, 512))`, take
    no memory. Raises ArgumentError for a mesh that does not fit the distribution, or a step that was never
    called, and ShapeError for a layout that does not fit a variable.

    Args:
        step: a result of `ps.step`.
        mesh: the number of devices, their shape as ints, or a mapping from axis names to lengths.
        arguments: a sequence of arguments of the step; None for those of its last call.

    Returns:
        The plan: `bytes_per_device`, `steps` and others.

    Raises:
        ArgumentError: if the mesh does not fit the distribution, or the step was never called.
        ShapeError: if a layout does not fit a variable.

    >>> import numpy as np
    >>> import penstock as ps
    >>> weight = ps.Variable(np.ones((64, 8), "float32"), name="weight")
    >>> @ps.step
    ... def step(x):
    ...     with ps.GradientTape() as tape:
    ...         loss = ps.mean(ps.matmul(x, weight) ** 2)
    ...     weight.assign_sub(tape.gradient(loss, weight))
    >>> found = ps.distribution.plan(step, 256, [np.ones((1024, 64), "float32")])
    >>> found.bytes_per_device, [(one.kind, one.parts) for one in found.steps[0].sent]
    (2048, [('all-reduce', 256)])
    """
    if not isinstance(step, Step):
        raise ArgumentError(
            f"plan was given {step!r}.",
            why="It compiles a captured step for another mesh.",
            remedy="Decorate the function with @ps.step.",
            site=here(),
        )
    if local.trace.capturing:
        raise CaptureError(
            f"The step {local.trace.capturing!r} calls plan.",
            remedy="Call plan outside of steps.",
            site=here(),
        )
    lacking = compiler.lack()
    if lacking is not None:
        raise PenstockError(f"plan: {lacking.clause}.", remedy=lacking.remedy, site=here())
    capture = _capture(step, arguments)
    placing = Placing(_moved(distribution(), mesh))
    program, plan = capture.program, capture.plan
    drawn = {at for at, place in capture.filled if place >= capture.keyed}
    taken = [
        _stand_in(placing, one, spec, at in drawn)
        for at, (one, spec) in enumerate(zip(capture.cells, program.specs, strict=True))
    ]
    layouts = placing.layouts(program, taken, capture.cells, len(plan.handles), capture.written)
    executable = Executable(program, plan.donated, layouts)
    found = reported(placing, list(placing.runs.values()), made=executable.made)
    found.planned = True
    return found


def _capture(step: Step[..., Any], arguments: Sequence[Any] | None) -> Capture:
    """Returns the recording for these arguments, or for those of the last call."""
    if arguments is not None:
        if isinstance(arguments, str | Mapping) or not isinstance(arguments, Sequence):
            raise ArgumentError(
                f"plan was given arguments={arguments!r} ({type(arguments).__name__}).",
                remedy="Give a list of the step's arguments, such as arguments=[images, labels].",
                site=here(),
            )
        # A plan draws nothing: training goes on with the numbers that come next without it.
        before = [(one, one.note()) for name, one in records.items() if name.startswith("random")]
        capture = step.prepared(local.trace, tuple(arguments), {})[0]
        for record, noted in before:
            record.restore(noted)
        return capture
    if not step.captures:
        raise ArgumentError(
            f"plan was given the step {step.function.__name__!r}, which was not called yet.",
            why="Its operations are known once it is recorded.",
            remedy="Call it once, or give plan its arguments: arguments=[...]; then it is not run.",
            site=here(),
        )
    return max(step.captures.values(), key=lambda one: one.plan.used)


def _stand_in(placing: Placing, owner: Any, spec: Any, drawn: bool) -> Any:
    """Returns shape, dtype and placement of a program's arguments."""
    if isinstance(owner, Cell):
        where = placing.sharding_of(owner)
    elif drawn or not spec.shape:
        where = placing.everywhere
    else:
        held = isinstance(owner, Tensor)
        placing.handed[spec.shape] += 1 if held else 2
        where = placing.of(spec.shape)
    return compiler.jax().ShapeDtypeStruct(spec.shape, spec.dtype, sharding=where)


def _moved(chosen: Distribution | None, mesh: Mesh) -> Distribution:
    """Returns the same distribution on another mesh."""
    names = ["batch"] if chosen is None else list(chosen.device_mesh.axis_names)
    lengths = _lengths(mesh, names, chosen)
    drawn = DeviceMesh(lengths, names, _devices(prod(lengths)))
    if chosen is None:
        return DataParallel(drawn)
    moved = copy.copy(chosen)
    moved.device_mesh = drawn
    if isinstance(moved, ModelParallel):
        layouts = LayoutMap(drawn)
        for pattern, layout in moved.layout_map.items():
            layouts[pattern] = TensorLayout(layout.axes)
            layouts[pattern].site = layouts.sites[pattern] = moved.layout_map.sites[pattern]
        moved.layout_map = layouts
    return moved


def _lengths(mesh: Mesh, names: Sequence[str], chosen: Distribution | None) -> tuple[int, ...]:
    """Returns the length of each axis; raises ArgumentError for a mesh without these axes."""
    if isinstance(mesh, DeviceMesh):
        mesh = dict(zip(mesh.axis_names, mesh.shape, strict=True))
    if isinstance(mesh, Mapping):
        given: Any = tuple(mesh.get(one) for one in names) if mesh.keys() == set(names) else None
    else:
        given = (mesh,) if isinstance(mesh, int | np.integer) else mesh
    try:
        found = tuple(int(one) for one in given)
    except (TypeError, ValueError):
        found = ()
    if len(found) != len(names) or any(one < 1 for one in found):
        sample = ", ".join(f"{name!r}: {max(2, 8 >> at)}" for at, name in enumerate(names))
        raise ArgumentError(
            f"plan was given mesh={mesh!r}.",
            origin=f"{chosen!r}, set up at {chosen.site}" if chosen is not None else "",
            why=f"The mesh to plan for has the axes of the distribution, {', '.join(map(repr, names))}."
            if chosen is not None
            else "Without a distribution a mesh has one axis, along which batches are split.",
            remedy=f"Give a length of at least 1 for each, as in {{{sample}}}.",
            site=here(),
        )
    return found


@functools.lru_cache(4)
def _devices(count: int) -> Any:
    """Returns this many devices for which XLA can compile but which run nothing."""
    try:
        client = import_module("jaxlib.xla_client").make_cpu_client(num_devices=count)
    except (AttributeError, TypeError) as error:
        raise PenstockError(
            f"This version of JAX cannot name {count} devices that are not here: {error}.",
            remedy=f"Run the script under penstock check --devices {count}.",
        ) from None
    found = np.empty(count, object)
    found[:] = client.devices()
    return found


__all__ = ["plan"]
