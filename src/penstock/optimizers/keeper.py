"""The state that an optimizer keeps between updates: its own variables, by the variable they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from penstock.grad.rows import Rows
from penstock.ops.pointwise import floor_divide
from penstock.ops.promotion import kind_of
from penstock.optimizers import refusals
from penstock.optimizers.application import computing
from penstock.optimizers.rules import Rule
from penstock.optimizers.scaling import is_scale
from penstock.optimizers.settings import Settings, identity
from penstock.state.pickled import Copied
from penstock.state.selection import select
from penstock.state.variable import Variable
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.tensor import Cell, Tensor

PATIENCE = 50
"""After this many skipped steps in a row, an optimizer warns and says why."""


class Member:
    """What an optimizer knows about one variable: its state by name, its rule and group, whether it decays.

    `touched` are the cells of the state that an update reads and writes; variables with the same `code` are
    updated in the same way.
    """

    __slots__ = ("cells", "code", "decays", "group", "names", "rule", "touched", "variable")

    def __init__(self, variable: Any, group: int) -> None:
        self.variable, self.group = variable, group
        self.cells: dict[str, Cell] = {}
        self.names: tuple[str, ...] = ()
        self.touched: tuple[Cell, ...] = ()
        self.rule: Rule
        self.decays = False
        self.code = 0


class Keeper(Copied, Settings):
    """The state of an `Optimizer`, for each variable and for all of them; see there."""

    _masters = False
    """Whether half-precision variables keep a float32 copy; their state is then float32 too."""

    def _empty(self) -> None:
        self._state: dict[int, Member] = {}
        self._shared: dict[str, Cell] = {}
        self._count = [0]
        self._synchronized = (0, 0, 0)
        self._progress = (0, 0, False)
        self._fixed = False

    def _refit(self) -> None:
        for member in self._state.values():
            self._fit(member)

    def _kept(self) -> dict[str, Any]:
        return {**self.__dict__, "_state": list(self._state.values()), "_count": [self._count[0]]}

    def _called(self) -> str:
        return f"Optimizer {self.name!r}"

    def _take(self, state: dict[str, Any]) -> None:
        # A copied variable has a new number, and codes of rules are valid in one process only.
        self.__dict__.update(state)
        self._state = {member.variable._uid: member for member in state["_state"]}
        self._stale, self._current = True, None
        for cell in self.variables:
            refusals.keepers[cell._uid] = self

    @property
    def variables(self) -> list[Cell]:
        """The optimizer's own state: the shared state, then the state of each variable, in order."""
        own = list(self._shared.values())
        for member in self._state.values():
            own.extend(member.cells.values())
        return own

    def slots(self, variable: Cell) -> dict[str, Cell]:
        """Returns the state of one variable, by name; empty before its first update."""
        found = self._state.get(variable._uid)
        return dict(found.cells) if found else {}

    @property
    def applied(self) -> int:
        """How many times this optimizer has been applied, including earlier times in a captured step."""
        trace = local.trace
        if getattr(trace, "rehearsal", False):
            return self._count[0] + sum(one is self for one in trace.applications)
        return self._count[0]

    @property
    def iterations(self) -> Any:
        """How many updates have been made, as a variable; while gradients are accumulated, as a tensor."""
        with engine.lock:
            if not self._counts:
                self._counting = True
                self._restart()
                self._restructure()
            self._share()
        counter: Any = self._shared["step"]
        window = self._stages.window
        return counter if window == 1 else floor_divide(counter, window)

    def build(self, variables: Iterable[Any]) -> None:
        """Creates the state for these variables now, so that it can be loaded; others cannot be added later.

        Raises SelectionError where a pattern matches none of them.

        >>> import penstock as ps
        >>> optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
        >>> optimizer.build([ps.Variable(0.0, name="w")])
        >>> [one.path for one in optimizer.variables]
        ['sgd/w/momentum']
        """
        wanted = list(variables)
        for variable in wanted:
            if not isinstance(variable, Cell):
                raise refusals.no_variable(variable)
        with engine.lock:
            if self._stale:
                self._restructure()
            self._begin(wanted)
            self._share()
            self._fixed = True

    def _begin(self, variables: Sequence[Any]) -> None:
        """Creates the state of variables that are new to this optimizer, once for all threads."""
        with engine.lock:
            self._begin_with(variables)

    def _begin_with(self, variables: Sequence[Any]) -> None:
        fresh = list({v._uid: v for v in variables if v._uid not in self._state}.values())
        if not fresh:
            return
        for variable in fresh:
            self._admit(variable)
        kind = type(self).__name__
        if not self._matched:
            for option, patterns in self._patterns().items():
                for pattern in patterns:
                    select(pattern, fresh, what=f"{kind}: {option}")
        groups = {variable._uid: 0 for variable in fresh}
        for number, pattern in enumerate(self.groups, 1):
            for variable in self._matching(pattern, fresh):
                other = groups[variable._uid]
                if other:
                    raise refusals.two_groups(kind, variable, [*self.groups][other - 1], pattern)
                groups[variable._uid] = number
        members = []
        for variable in fresh:
            member = Member(variable, groups[variable._uid])
            self._fit(member)
            members.append(member)
        self._matched = True
        for member in members:
            self._state[member.variable._uid] = member

    def _exempt(self, variable: Any) -> bool:
        """Returns whether a variable is exempt from weight decay."""
        return any(self._matching(pattern, [variable]) for pattern in self.exclude_from_weight_decay)

    def _matching(self, pattern: str, variables: Sequence[Any]) -> list[Any]:
        try:
            return select(pattern, variables, what=type(self).__name__)
        except LookupError:
            return []

    def _admit(self, variable: Any) -> None:
        """Raises the error of a new variable that this optimizer cannot update."""
        kind = type(self).__name__
        if self._fixed:
            raise refusals.unknown_variable(kind, variable)
        keeper = refusals.keepers.get(variable._uid)
        if keeper is not None:
            raise refusals.state_of_another(kind, variable, keeper)
        dtype = kind_of(variable._spec.dtype)
        if dtype == "f" or (self.rule.complex and (dtype == "c" or not self._strict)):
            return
        raise refusals.dtype_refused(kind, variable)

    def _fit(self, member: Member) -> None:
        """Gives a variable the rule and the state that the hyper-parameters now require."""
        variable = member.variable
        owners = [self, *self.groups.values()]
        group = owners[member.group]

        def decays(name: str) -> bool:
            value = vars(group).get(name, vars(self).get(name))
            return isinstance(value, Tensor | Cell) or bool(value)

        rule = self._rule(variable)
        decay = decays(rule.decay_number) and not self._exempt(variable)
        if decay:
            rule = self._rule(variable, True)
        member.rule, member.decays = rule, decay
        own = variable._spec.dtype
        wide = computing(own) if self._masters else own
        names = []
        for slot in rule.start(variable._spec):
            names.append(slot.name)
            if slot.name not in member.cells:
                shape = variable._spec.shape if slot.shape is None else slot.shape
                value = np.full(shape, slot.start, wide)
                member.cells[slot.name] = self._keep(value, variable, slot.name)
        if wide != own:
            names.append("master")
            if "master" not in member.cells:
                member.cells["master"] = self._keep(self._present(variable).astype(wide), variable, "master")
        if self._stages.window > 1 and "gradient_ids" in member.cells:
            names += ["gradient_ids", "gradient_rows"]
        if self._stages.average:
            names.append("average")
            if "average" not in member.cells:
                member.cells["average"] = self._keep(self._present(variable), variable, "average")
        if self._stages.window > 1 and "gradient_accumulator" in member.cells:
            names.append("gradient_accumulator")
        member.names = tuple(names)
        member.touched = tuple([member.cells[name] for name in names])
        code = (type(rule), rule.key(), member.group, member.decays, member.names)
        member.code = identity(code)

    def _present(self, variable: Any) -> np.ndarray:
        """Returns the value that a variable has without its pending writes."""
        if variable._pending is not None and variable._pending is not local.trace:
            engine.publish(variable)
        return np.array(variable._value)

    def _adopt(self, variable: Any, cells: Sequence[Cell]) -> None:
        """Uses existing variables as the state of a variable, in the rule's order."""
        member = self._state.get(variable._uid)
        if member is None or list(map(id, cells)) != list(map(id, member.touched)):
            member = Member(variable, 0)
            names = [slot.name for slot in self._rule(variable).start(variable._spec)]
            member.cells = dict(zip(names, cells, strict=True))
            self._fit(member)
            self._state[variable._uid] = member

    def _accumulate(self, members: Sequence[Member], gradients: Sequence[Any]) -> None:
        """Creates the accumulators of gradients: rows where a row gradient stays rows, otherwise an array."""
        window = self._stages.window
        if len({member.variable._uid for member in members}) < len(members):
            raise refusals.twice(type(self).__name__, members)
        for member, gradient in zip(members, gradients, strict=True):
            variable = member.variable
            stays = member.rule.rowwise or (self._stages.lazy and member.rule.separable)
            rows = isinstance(gradient, Rows) and stays
            if "gradient_ids" in member.cells:
                capacity = member.cells["gradient_ids"]._spec.shape[1]
                if not isinstance(gradient, Rows) or gradient.indices._spec.size > capacity:
                    raise refusals.more_rows(type(self).__name__, variable, gradient, capacity)
                continue
            if "gradient_accumulator" in member.cells:
                continue
            own = variable._spec
            if rows:
                count = gradient.indices._spec.size
                ids = np.zeros((window, count), np.int64)
                values = np.zeros((window, count, *own.shape[1:]), own.dtype)
                member.cells["gradient_ids"] = self._keep(ids, variable, "gradient_ids")
                member.cells["gradient_rows"] = self._keep(values, variable, "gradient_rows")
            else:
                zeros = np.zeros(own.shape, own.dtype)
                member.cells["gradient_accumulator"] = self._keep(zeros, variable, "gradient_accumulator")
            self._fit(member)

    def _share(self) -> None:
        """Creates the shared state: the loss scale and the number of the step."""
        shared = self._shared
        if self._stages.scale == "dynamic" and "loss_scale" not in shared:
            first = np.asarray(self.loss_scale_initial, np.float32)
            shared["loss_scale"] = self._keep(first, None, "loss_scale")
            shared["finite_steps"] = self._keep(np.zeros((), np.int64), None, "finite_steps")
        if self._counts and "step" not in shared:
            shared["step"] = self._keep(np.asarray(self._count[0], np.int64), None, "step")
            self._synchronized = (shared["step"]._version, self._count[0], self._count[0])

    def _look_for_progress(self) -> None:
        """Warns once, with the reason, if all recent steps were skipped; checks once in `PATIENCE` calls."""
        calls, updates, told = self._progress
        passed, window = self._count[0] - calls, self._stages.window
        counter = self._shared.get("step")
        if 0 <= passed < PATIENCE * window or counter is None or counter._pending is not None:
            return
        made = int(np.asarray(counter._value)) // window
        stalled = made == updates and passed > 0
        self._progress = (self._count[0], made, stalled)
        if stalled and not told:
            engine.tell_stalled(self, calls + 1, calls + passed)

    def _check_loaded(self, slot: str, path: str, value: np.ndarray) -> None:
        """Raises CheckpointError for a value from a file that the shared state cannot have."""
        if slot == "loss_scale" and not (value.size == 1 and is_scale(value.item())):
            raise refusals.no_scale(type(self).__name__, path, value)

    def _keep(self, value: Any, variable: Any, slot: str) -> Cell:
        """Returns a new variable of the optimizer's own."""
        cell = self._slot_variable(value, variable, slot)
        refusals.keepers[cell._uid] = self
        return cell

    def _slot_variable(self, value: Any, variable: Any, slot: str) -> Cell:
        path = f"{self.name}/{slot}" if variable is None else f"{self.name}/{variable.path}/{slot}"
        return Variable(value, name=path, trainable=False)

    def _updates_made(self, ahead: int = 0) -> int:
        """Returns how many updates have been made, without waiting for a pending one.

        With `ahead`, returns how many there will be after that many more calls.
        """
        counter = self._shared.get("step")
        if counter is None:
            return self.applied + ahead
        version, applied, calls = self._synchronized
        # A rehearsal counts in `applied` but writes no variable.
        if self._stages.skips or counter._version - version != self._count[0] - applied:
            # Loaded, assigned, or not counted at each call: only the variable knows the count. It has its
            # value unless this very step writes it; in a captured step, each replay reads it again.
            trace = local.trace
            if trace.capturing and counter._uid in trace.pending:
                raise refusals.uncounted(type(self).__name__, trace.capturing)
            if counter._pending is trace:
                counter.numpy()
            with engine.lock:
                # Value, version and count must be read together: another thread may be making an update.
                if counter._pending is not None:
                    engine.publish(counter)
                calls = int(np.asarray(counter._value))
                self._synchronized = (counter._version, self._count[0], calls)
        else:
            calls += self.applied - applied
        return (calls + ahead) // self._stages.window


__all__ = ["Keeper", "Member"]
