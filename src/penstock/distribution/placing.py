"""Moves values to the devices of a distribution, and determines the shardings of programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.distribution import peers
from penstock.distribution.collectives import collectives
from penstock.distribution.mesh import TensorLayout
from penstock.functions.keys import Fresh
from penstock.optimizers import refusals
from penstock.tiers import xla
from penstock.tiers.compiler import jax
from penstock.tiers.placement import Layouts
from penstock.tiers.program import Program
from penstock.trace.source_site import Site
from penstock.trace.tensor import Cell

if TYPE_CHECKING:
    from penstock.distribution.strategies import Distribution

NONE = -1
"""The number of no variable."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The placement of a variable: for each axis the mesh axis over which it is split, or None.

    `owner` is the variable whose state it is, or its own path if it is the state of all.
    """

    path: str
    shape: tuple[int, ...]
    dtype: str
    axes: tuple[Any, ...]
    bytes: int
    bytes_per_device: int
    owner: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Run:
    """A program that was run: the variables it takes (NONE for other arguments) and writes, by number.

    `data` has the shapes of its data.
    """

    program: Program
    layouts: Layouts
    taken: tuple[int, ...]
    written: tuple[int, ...]
    data: tuple[tuple[int, ...], ...]


class Placing:
    """Keeps values where a distribution wants them: the Placement of `tiers/placement.py`."""

    compiles = True

    def __init__(self, distribution: Distribution) -> None:
        self.distribution = distribution
        module = jax()
        self.array = module.Array
        self.mesh = distribution.device_mesh.backend_mesh
        self.devices = frozenset(self.mesh.devices.reshape(-1))
        self.together = len({one.process_index for one in self.devices}) > 1
        self.everywhere = distribution.whole().backend_layout
        self.of_data: dict[tuple[int, ...], Any] = {}
        self.of_variables: dict[int, Any] = {}
        self.owners: dict[int, Any] = {}
        self.places: dict[int, Placed] = {}
        """The placement of each used variable, by its number: the variable may be gone by the time of a
        report."""
        self.handed: Counter[tuple[int, ...]] = Counter()
        """How often data of a shape was moved here: batches arrive repeatedly."""
        self.runs: dict[Any, Run] = {}
        """The programs that were run, by program and layouts."""
        self.handed_over = peers.Handed()
        self.agreed: dict[Any, Program] = {}
        """The programs that all processes are known to run, by program and layouts."""
        self.gathered = 0
        """How often a value was gathered from several processes."""

    def put(self, owner: Any, value: Any) -> Any:
        """Moves a value to its place and returns it; data that is already on these devices stays."""
        if isinstance(owner, Cell):
            wanted = self.of_variables.get(owner._uid)
            if wanted is None:
                wanted = self.sharding_of(owner)
            found = getattr(value, "sharding", None)
            if found is wanted or found == wanted or value is None:
                return value
            if self.together and found is None:
                variable: Any = owner
                self.handed_over.note(f"Variable {variable.path!r}, created at {variable.site}", value)
            return self.moved(value, wanted)
        if isinstance(value, self.array):
            if value.sharding.device_set == self.devices:
                return value
        elif not isinstance(value, np.ndarray) or not value.ndim:
            return value
        if isinstance(owner, Fresh):
            wanted = self.everywhere
        else:
            self.handed[value.shape] += 1
            wanted = self.of(value.shape)
        if self.together and wanted == self.everywhere and isinstance(value, np.ndarray):
            kind = "the random numbers" if isinstance(owner, Fresh) else "data that each device has whole"
            self.handed_over.note(f"{kind}, {value.dtype.name}{list(value.shape)}", value)
        return self.moved(value, wanted)

    def of(self, shape: tuple[int, ...]) -> Any:
        """Returns the sharding of data of a shape."""
        found = self.of_data.get(shape)
        if found is None:
            found = self.of_data[shape] = self.distribution.get_data_layout(shape).backend_layout
        return found

    def layout_of(self, variable: Any) -> Any:
        """Returns the layout of a variable, or of an optimizer's state for one."""
        if variable.own:
            return self.distribution.get_state_layout(variable, self.owner_of(variable))
        return self.distribution.get_variable_layout(variable)

    def sharding_of(self, variable: Any) -> Any:
        """Returns the sharding of a variable."""
        found = self.of_variables.get(variable._uid)
        if found is None:
            layout = self.layout_of(variable)
            found = self.of_variables[variable._uid] = layout.backend_layout
            self.places[variable._uid] = self._placed(variable, layout)
        return found

    def _placed(self, variable: Any, layout: TensorLayout) -> Placed:
        """Returns the facts about a variable that a report needs."""
        # Dialects have their own classes of shapes and dtypes.
        spec = variable._spec
        shape = tuple(spec.shape)
        axes = (*layout.axes, *[None] * (len(shape) - len(layout.axes)))
        mesh = self.distribution.device_mesh
        size = int(spec.nbytes)
        part = size // prod(mesh.length(axis) for axis in axes)
        owner = self.owner_of(variable) if variable.own else None
        called = "" if not variable.own else variable.path if owner is None else owner.path
        return Placed(variable.path, shape, spec.dtype.name, axes, size, part, called, variable.site)

    def owner_of(self, state: Any) -> Any:
        """Returns the variable to which an optimizer's state belongs, or None if all variables share it."""
        found = self.owners.get(state._uid)
        if found is None:
            keeper = refusals.keepers.get(state._uid)
            for member in keeper._state.values() if keeper is not None else ():
                for cell in member.cells.values():
                    self.owners[cell._uid] = member.variable
            found = self.owners.get(state._uid)
        return found

    def moved(self, value: Any, wanted: Any) -> Any:
        """Returns a value on the devices of a sharding."""
        module = jax()
        with module.enable_x64(True):
            if not self.together:
                return module.device_put(value, wanted)
            if isinstance(value, self.array) and not value.is_fully_addressable:
                self.gathered += 1
                return module.jit(_same, out_shardings=wanted)(value)
            data = np.asarray(value)
            return module.make_array_from_callback(data.shape, wanted, data.__getitem__)

    def layouts(
        self,
        program: Program,
        arguments: Sequence[Any],
        owners: Sequence[Any],
        handles: int,
        written: Sequence[Any],
    ) -> Layouts:
        """Returns the shardings to compile a program for; see tiers/placement.py."""
        if self.together:
            peers.progress.note()
        given = tuple([getattr(one, "sharding", self.everywhere) for one in arguments])
        # A process may read values that it holds alone, so results are copied to all processes.
        free = self.everywhere if self.together else None
        rest = len(program.outputs) - handles - len(written)
        outputs = (*[free] * handles, *map(self.sharding_of, written), *[free] * rest)
        found = Layouts(given, outputs, self.together)
        key = id(program), found
        if key not in self.runs:
            taken = tuple([one._uid if isinstance(one, Cell) else NONE for one in owners])
            data = [
                tuple(one.shape)
                for one, uid in zip(arguments, taken, strict=True)
                if uid == NONE and _is_data(one)
            ]
            writes = tuple([one._uid for one in written])
            self.runs[key] = Run(program, found, taken, writes, tuple(data))
            for at, (one, uid) in enumerate(zip(arguments, taken, strict=True)) if self.together else ():
                if uid == NONE and isinstance(one, np.ndarray | np.generic) and not one.ndim:
                    self.handed_over.note(f"number {at + 1} that the step takes", one)
        return found

    def compiled(self, program: Program, layouts: Layouts, text: str) -> None:
        """Ensures that all processes run a program whose devices wait for each other."""
        key = id(program), layouts
        if key not in self.agreed and collectives(text, self.mesh.size):
            peers.agree(program, layouts, self.handed_over)
            self.agreed[key] = program

    def taken_together(self) -> int:
        """Returns how often this process has launched programs that no process can finish alone."""
        programs = {id(one): one for one in list(self.agreed.values())}
        return self.gathered + sum(one.launches for one in programs.values())

    def whole(self, value: Any) -> Any:
        """Returns the whole of a value, which this process may read."""
        if isinstance(value, self.array) and not (value.is_fully_addressable or value.is_fully_replicated):
            return self.moved(value, self.everywhere)
        return value


class Gathered:
    """Moves values back to one device after a distribution, when they are used."""

    compiles = together = False

    def put(self, owner: Any, value: Any) -> Any:
        """Returns a value on one device, if it is a JAX array or has an owner."""
        if isinstance(value, jax().Array):
            if len(value.sharding.device_set) == 1:
                return value
            return xla.on_device(np.asarray(self.whole(value)))
        if isinstance(value, np.ndarray) and owner is not None:
            return xla.on_device(value)
        return value

    def layouts(self, program: Program, arguments: Any, owners: Any, handles: int, written: Any) -> None:
        """Returns None: programs are compiled without a distribution."""

    def compiled(self, program: Program, layouts: Layouts, text: str) -> None:
        """Does nothing: no other process runs it."""

    def whole(self, value: Any) -> Any:
        """Returns the whole of a value, which this process may read."""
        if isinstance(value, jax().Array) and not (value.is_fully_addressable or value.is_fully_replicated):
            sharding = jax().sharding
            everywhere = sharding.NamedSharding(value.sharding.mesh, sharding.PartitionSpec())
            with jax().enable_x64(True):
                return jax().jit(_same, out_shardings=everywhere)(value)
        return value


def _is_data(value: Any) -> bool:
    # The key of a draw is uint32[3].
    return bool(getattr(value, "ndim", 0)) and not (value.dtype == np.uint32 and value.shape == (3,))


def _same(value: Any) -> Any:
    return value
