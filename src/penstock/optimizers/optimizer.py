"""The stateful shell around an update rule: owns the state, takes pairs, writes variables in one event."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar, Unpack

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.grad.rows import Rows
from penstock.ops.pointwise import floor_divide
from penstock.ops.promotion import kind_of
from penstock.optimizers import refusals
from penstock.optimizers.application import Application, Pair, Stages
from penstock.optimizers.options import DEFAULTS, Group, Options, Rate, checked, checked_option
from penstock.optimizers.rules import Rule
from penstock.optimizers.schedules import OnHost, records
from penstock.state.selection import select
from penstock.state.variable import Variable, read, write_over
from penstock.trace.hot import assign, references
from penstock.trace.recorder import Builder, Trace, engine, local, note_made
from penstock.trace.site import here
from penstock.trace.spec import spec_of
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node

_plain = {float}
_identities: dict[Any, int] = {}
"""A small number for each kind of update, which makes a short key."""


class Member:
    """What an optimizer knows of one variable: its state by name, its rule and group, whether it decays.

    `touched` are the cells of the state that an update reads and writes; `code` is a number for all that
    tells this variable's update from those of others.
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


class Optimizer:
    """Applies an update rule to (gradient, variable) pairs. Use a subclass, such as `SGD` or `Adam`.

    Hyper-parameters are plain attributes and may be set between steps: one that changes from step to step
    compiles nothing anew. `learning_rate` may also be a schedule, any function of the number of updates made
    so far, or a tensor or variable. What is kept between updates are variables (`variables`), named after the
    optimizer and what they belong to: `adam/encoder/kernel/momentum`. Halves (float16, bfloat16) are updated
    in single precision and kept as they are.

    Every optimizer takes these options by name, in the order in which they act:

    - `loss_scale_factor`: gradients are divided by it, where the loss was multiplied: see `scale_loss`. With
      "dynamic" it starts at 32768, is halved after a step whose gradients are not finite, which is left out,
      and doubled after `loss_scale_growth_steps` (2000) that were.
    - `finite`: True raises NonFiniteError for a gradient that is infinite or NaN, and nothing is changed;
      "skip" leaves such a step out.
    - `gradient_accumulation_steps`: variables move once in so many calls, by the mean of the gradients, or
      with `gradient_accumulation_reduction="sum"` by their sum. The rate, the clipping and the number of
      updates are those of the whole window.
    - `clipvalue`, `clipnorm`, `global_clipnorm`: one of them; the last is the norm of all gradients together.
    - `weight_decay`: value * learning_rate * weight_decay is subtracted before the update (decoupled), except
      from variables whose path matches a pattern of `exclude_from_weight_decay`.
    - `use_ema`: keeps a moving average of the values, with `ema_momentum` (0.99), and every
      `ema_overwrite_frequency` updates puts it in their place; see `averaged`.
    - `rows`: what happens to an embedding table, whose gradient is rows. "exact" does what a dense gradient
      would: rules that leave a row without a gradient alone (SGD without momentum, Adagrad) move just the
      rows that were read, and others get a dense gradient. "lazy" moves, decays and averages just the rows
      that were read, whatever the rule says of others; LAMB, Adafactor and Muon refuse it.
    - `groups`: hyper-parameters for variables whose path matches a pattern:
      `groups={"head/*": {"learning_rate": 1e-2}}`. A pattern that matches nothing is an error.
    - `name`: what paths of the state begin with.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> optimizer = ps.optimizers.SGD(0.5)
    >>> for _ in range(3):
    ...     optimizer.apply_gradients([(ps.asarray(1.0), x)])
    ...     optimizer.learning_rate /= 2
    >>> print(x.numpy(), optimizer.applied)
    0.125 3
    """

    learning_rate: Any
    rule: Rule
    _mixed: ClassVar[bool] = False
    """Whether one optimizer has several rules."""
    _strict: ClassVar[bool] = True
    """Whether integers are refused; a dialect moves them where its framework does."""
    _by_call: ClassVar[bool] = False

    def __new__(cls, *given: Any, **named: Any) -> Any:
        made = super().__new__(cls)
        note_made(made)
        return made

    def __init__(self, learning_rate: Rate, **options: Unpack[Options]) -> None:
        kind = type(self).__name__
        unknown = [option for option in options if option not in DEFAULTS]
        if unknown:
            raise refusals.unknown_option(kind, unknown[0], sorted({*DEFAULTS, *vars(self)}))
        self._stale = True
        self._current: tuple[float, ...] | None = None
        self._state: dict[int, Member] = {}
        self._shared: dict[str, Cell] = {}
        self._count = [0]
        self._synchronized = (0, 0, 0)
        self._given: list[tuple[int, Any]] = []
        self._codes: dict[Any, int] = {}
        self._fixed = self._counting = self._warned = False
        self._sources: list[tuple[Any, str]] = []
        self._varies = False
        own = [name for name in vars(self) if not name.startswith("_")]
        for name in own:
            if name in self._all_numbers():
                object.__setattr__(self, name, checked(kind, name, getattr(self, name)))
        object.__setattr__(self, "learning_rate", checked(kind, "learning_rate", learning_rate))
        for option, default in DEFAULTS.items():
            value: Any = options.get(option, default)
            if option in self._all_numbers():
                value = checked(kind, option, value)
            elif option != "groups":
                value = checked_option(kind, option, value)
            object.__setattr__(self, option, value)
        clips = [
            one for one in ("clipvalue", "clipnorm", "global_clipnorm") if getattr(self, one) is not None
        ]
        if len(clips) > 1:
            raise refusals.several_clips(kind, clips)
        object.__setattr__(self, "name", options.get("name") or kind.lower())
        known = ["learning_rate", *(one for one in own if one in self._all_numbers()), "weight_decay"]
        made = {
            pattern: Group(pattern, kind, numbers, known)
            for pattern, numbers in (options.get("groups") or {}).items()
        }
        for group in made.values():
            object.__setattr__(group, "_changed", self._restart)
        object.__setattr__(self, "groups", made)
        self._matched = False
        object.__setattr__(self, "site", here())
        self._restructure()

    weight_decay: Any
    exclude_from_weight_decay: Sequence[str]
    clipvalue: Any
    clipnorm: Any
    global_clipnorm: Any
    gradient_accumulation_steps: int | None
    gradient_accumulation_reduction: str
    use_ema: bool
    ema_momentum: Any
    ema_overwrite_frequency: int | None
    loss_scale_factor: Any
    loss_scale_growth_steps: int
    rows: str
    groups: dict[str, Group]
    finite: bool | str
    name: str
    site: Any

    # -- structure: what shapes the program ----------------------------------------------------------------

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        """Returns the rule for a variable, or the usual one."""
        raise NotImplementedError

    def _rules(self) -> tuple[Rule, ...]:
        """Returns every rule that a variable may have."""
        return (self._rule(None, True), self._rule())

    def _patterns(self) -> dict[str, Sequence[str]]:
        """Returns the options that are patterns of paths."""
        return {"exclude_from_weight_decay": self.exclude_from_weight_decay, "groups": list(self.groups)}

    def _all_numbers(self) -> set[str]:
        """Returns the names of attributes that are hyper-parameters, in use or not."""
        from penstock.optimizers.options import RANGES

        return set(RANGES)

    def _uses(self, name: str) -> bool:
        """Returns whether a hyper-parameter is anything but None or 0, for any variable."""
        for owner in (self, *vars(self).get("groups", {}).values()):
            value = vars(owner).get(name)
            if isinstance(value, Tensor | Cell) or value:
                return True
        return False

    def _restart(self) -> None:
        """Forgets what was worked out from the hyper-parameters; called when one has changed."""
        object.__setattr__(self, "_stale", True)
        object.__setattr__(self, "_current", None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name[0] != "_" and "_stale" in self.__dict__:
            if name == "learning_rate" and type(value) is float and value >= 0.0 and not self._varies:
                self.__dict__["learning_rate"] = value
                self.__dict__["_current"] = None
                return
            kind = type(self).__name__
            if name == "site":
                self.__dict__["site"] = value
                return
            if name in ("groups", "name"):
                raise refusals.fixed(kind, name)
            value = (
                checked(kind, name, value)
                if name in self._all_numbers()
                else checked_option(kind, name, value)
            )
            before = self.__dict__.get(name)
            object.__setattr__(self, name, value)
            if type(value) is not float or type(before) is not float or value != before:
                self._restart()
            return
        object.__setattr__(self, name, value)

    def _restructure(self) -> None:
        """Works out which rule and which stages the hyper-parameters ask for, and refits the state."""
        rules = self._rules()
        self.__dict__["rule"] = rules[-1]
        lazy = self.rows == "lazy"
        if lazy and not all(rule.separable for rule in rules):
            raise refusals.not_separable(type(self).__name__)
        names = [name for rule in rules for name in rule.numbers]
        names += [rule.decay_number for rule in rules if self._uses(rule.decay_number)]
        clip = next((one for one in ("clipvalue", "clipnorm", "global_clipnorm") if self._uses(one)), None)
        scale = None
        if self.loss_scale_factor is not None:
            scale = "dynamic" if isinstance(self.loss_scale_factor, str) else "fixed"
        names += [clip] if clip else []
        names += ["ema_momentum"] if self.use_ema else []
        names += ["loss_scale_factor"] if scale == "fixed" else []
        owners = [self, *self.groups.values()]
        sources: list[tuple[Any, str]] = []
        index: dict[tuple[int, str], int] = {}
        schedules: list[Any] = []
        for group, owner in enumerate(owners):
            schedules.append(None)
            for name in dict.fromkeys(names):
                value = vars(owner).get(name)
                if value is None:
                    continue
                source = (owner, name)
                if callable(value) and not isinstance(value, Tensor | Cell):
                    if records(value):
                        schedules[group] = value
                        continue
                    source = (OnHost(value, self._updates_made, type(self).__name__), "rate")
                index[group, name] = len(sources)
                sources.append(source)
        self._index, self._sources = index, sources
        self._varies = any(one is not None for one in schedules) or any(
            isinstance(owner, OnHost) for owner, _ in sources
        )
        self._counting = self._counting or any(isinstance(owner, OnHost) for owner, _ in sources)
        self._stages = Stages(
            clip={"clipvalue": "value", "clipnorm": "norm", "global_clipnorm": "global"}.get(clip or ""),
            window=self.gradient_accumulation_steps or 1,
            mean=self.gradient_accumulation_reduction == "mean",
            average=bool(self.use_ema),
            overwrite=self.ema_overwrite_frequency if self.use_ema else None,
            scale=scale,
            growth=self.loss_scale_growth_steps,
            finite={False: None, True: "raise", "skip": "skip"}[self.finite],
            lazy=lazy,
            schedules=tuple(schedules),
            by_call=self._by_call,
        )
        self._counts = self._counting or self._stages.counts or any(rule.counts for rule in rules)
        self._various = (
            self._mixed or bool(self.groups) or any(self._uses(rule.decay_number) for rule in rules)
        )
        key = (tuple([(type(rule), rule.key()) for rule in rules]), self._stages, tuple(index), self._counts)
        self._identity = _identities.setdefault(key, len(_identities))
        self._stale, self._current = False, None
        for member in self._state.values():
            self._fit(member)

    # -- state -------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_state": list(self._state.values()), "_count": [self._count[0]]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A copied variable has a number of its own, and what is known of rules is this process's.
        self.__dict__.update(state)
        self._state = {member.variable._uid: member for member in state["_state"]}
        self._stale, self._current = True, None
        for cell in self.variables:
            refusals.keepers[cell._uid] = self

    @property
    def variables(self) -> list[Cell]:
        """The optimizer's own state: what all variables share, then what is kept for each, in order."""
        own = list(self._shared.values())
        for member in self._state.values():
            own.extend(member.cells.values())
        return own

    def slots(self, variable: Cell) -> dict[str, Cell]:
        """Returns the state kept for one variable, by name; empty before its first update."""
        found = self._state.get(variable._uid)
        return dict(found.cells) if found else {}

    @property
    def applied(self) -> int:
        """How many times this optimizer has been applied."""
        return self._count[0]

    @property
    def iterations(self) -> Any:
        """How many updates have been made, as a variable; while gradients are accumulated, as a tensor."""
        if not self._counts:
            self._counting = True
            self._restart()
            self._restructure()
        self._share()
        counter: Any = self._shared["step"]
        window = self._stages.window
        return counter if window == 1 else floor_divide(counter, window)

    def build(self, variables: Iterable[Any]) -> None:
        """Makes the state for these variables now, so that it can be loaded, and admits no others later.

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
        if self._stale:
            self._restructure()
        self._begin(wanted)
        self._share()
        self._fixed = True

    def _begin(self, variables: Sequence[Any]) -> None:
        """Makes what is kept for variables that are new to this optimizer."""
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
        """Returns whether a variable is spared weight decay."""
        return any(self._matching(pattern, [variable]) for pattern in self.exclude_from_weight_decay)

    def _matching(self, pattern: str, variables: Sequence[Any]) -> list[Any]:
        try:
            return select(pattern, variables, what=type(self).__name__)
        except LookupError:
            return []

    def _admit(self, variable: Any) -> None:
        """Raises what is wrong with a variable that is new."""
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
        """Gives a variable the rule and the state that the hyper-parameters now ask for."""
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
        names = []
        for slot in rule.start(variable._spec):
            names.append(slot.name)
            if slot.name not in member.cells:
                shape = variable._spec.shape if slot.shape is None else slot.shape
                value = np.full(shape, slot.start, variable._spec.dtype)
                member.cells[slot.name] = self._keep(value, variable, slot.name)
        if self._stages.window > 1 and "gradient_ids" in member.cells:
            names += ["gradient_ids", "gradient_rows"]
        if self._stages.average:
            names.append("average")
            if "average" not in member.cells:
                if variable._pending is not None and variable._pending is not local.trace:
                    engine.publish(variable)
                member.cells["average"] = self._keep(np.array(variable._value), variable, "average")
        if self._stages.window > 1 and "gradient_accumulator" in member.cells:
            names.append("gradient_accumulator")
        member.names = tuple(names)
        member.touched = tuple([member.cells[name] for name in names])
        code = (type(rule), rule.key(), member.group, member.decays, member.names)
        member.code = _identities.setdefault(code, len(_identities))

    def _adopt(self, variable: Any, cells: Sequence[Cell]) -> None:
        """Takes variables that somebody else has made as the state of a variable, in the rule's order."""
        member = self._state.get(variable._uid)
        if member is None or list(map(id, cells)) != list(map(id, member.touched)):
            member = Member(variable, 0)
            names = [slot.name for slot in self._rule(variable).start(variable._spec)]
            member.cells = dict(zip(names, cells, strict=True))
            self._fit(member)
            self._state[variable._uid] = member

    def _accumulate(self, members: Sequence[Member], gradients: Sequence[Any]) -> None:
        """Makes what gradients are accumulated in: rows for rows that may stay such, else an array."""
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
        """Makes what all variables share: the loss scale, and the number of the step."""
        shared = self._shared
        if self._stages.scale == "dynamic" and "loss_scale" not in shared:
            shared["loss_scale"] = self._keep(np.asarray(2.0**15, np.float32), None, "loss_scale")
            shared["finite_steps"] = self._keep(np.zeros((), np.int64), None, "finite_steps")
        if self._counts and "step" not in shared:
            shared["step"] = self._keep(np.asarray(self.applied, np.int64), None, "step")
            self._synchronized = (shared["step"]._version, self.applied, self.applied)

    def _keep(self, value: Any, variable: Any, slot: str) -> Cell:
        """Returns a new variable of the optimizer's own."""
        cell = self._slot_variable(value, variable, slot)
        refusals.keepers[cell._uid] = self
        return cell

    def _slot_variable(self, value: Any, variable: Any, slot: str) -> Cell:
        path = f"{self.name}/{slot}" if variable is None else f"{self.name}/{variable.path}/{slot}"
        return Variable(value, name=path, trainable=False)

    def _updates_made(self) -> int:
        """Returns how many updates have been made, without waiting for one that is still to be computed."""
        counter = self._shared.get("step")
        if counter is None:
            return self.applied
        version, applied, calls = self._synchronized
        skips = self._stages.finite == "skip" or self._stages.scale == "dynamic"
        if skips or counter._version - version != self.applied - applied:
            # Loaded, assigned, or not counted at each call: only the variable knows.
            calls = int(counter.numpy())
            self._synchronized = (counter._version, self.applied, calls)
        else:
            calls += self.applied - applied
        return calls // self._stages.window

    # -- updates -----------------------------------------------------------------------------------------

    def apply_gradients(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Moves each variable by its gradient; pairs whose gradient is None are left out, with a warning.

        Raises NoGradientsError if every gradient is None, ShapeError if one does not fit its variable, and
        LockedError for a variable that `ps.freeze` has locked. Nothing is changed then.

        A variable that is left out keeps its value to the bit, whatever momentum or decay is left. One whose
        `trainable` was set to False meanwhile has no gradient on a tape, so it is left out; but a gradient
        that is given all the same, even zeros, moves it, by its momentum at least.
        """
        self._apply(list(pairs), sys._getframe(1))

    def _apply(self, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        trace: Trace = local.trace
        kept = pairs
        touched: list[Cell] = []
        gradients: list[Any] = []
        for gradient, variable in pairs:
            if gradient is None:
                if kept is pairs:
                    kept = [pair for pair in pairs if pair[0] is not None]
                    self._report_absent(pairs, kept)
                continue
            if not isinstance(variable, Cell) or getattr(gradient, "_spec", None) is not variable._spec:
                refusals.check(gradient, variable)
            touched.append(variable)
            gradients.append(gradient)
        if not touched:
            return
        if self._stale:
            self._restructure()
        own = self._state
        members: list[Any] = [own.get(variable._uid) for variable in touched]
        if None in members:
            self._begin(touched)
            members = [own[variable._uid] for variable in touched]
        if self._stages.window > 1:
            self._accumulate(members, gradients)
        if self._stages.scale is not None and not self._warned:
            self._warned = True
            warnings.warn(refusals.unscaled(type(self).__name__), stacklevel=3)
        numbers = self._current or self._numbers()
        if touched[0]._uid in trace.pending:
            write_over(trace, touched[0], frame)
        trace.settle()
        for member in members:
            touched.extend(member.touched)
        if self._counts or self._stages.scale == "dynamic":
            self._share()
            touched.extend(self._shared.values())
        given = tuple(
            [
                g._slot if isinstance(g, Tensor) and g._trace is trace else _referred(trace, g)
                for g in gradients
            ]
        )
        slots = references(trace, touched)
        apart = tuple([(i, trace.reference(value)) for i, value in self._given]) if self._given else ()
        codes = tuple([member.code for member in members]) if self._various else ()
        head = (self._identity, codes, given, slots, apart)
        hot_key = ("apply", head, numbers, frame.f_lasti, id(frame.f_code))
        node = None if trace.capturing else trace.node.edges.get(hot_key)
        alone = not engine.several and not trace.again
        if node is None or not alone or not assign(trace, touched, node.result, node):
            try:
                if node is None:
                    node = self._record(
                        trace, kept, members, given, touched, slots, head, numbers, frame, hot_key
                    )
                trace.node = node
                for cell, slot in zip(touched, node.result, strict=True):
                    trace.assigned(cell, slot)
            except PenstockError:
                raise
            except BaseException as error:
                # An interrupt half-way through the variables: nothing of the step must stay.
                engine.abandon(trace, error)
                raise
        self._count[0] += 1

    def _numbers(self) -> tuple[float, ...]:
        """Returns the hyper-parameters; one that is a tensor or a variable stands apart, in `_given`."""
        numbers: tuple[Any, ...] = tuple([getattr(owner, name) for owner, name in self._sources])
        self._given = []
        if not _plain.issuperset(map(type, numbers)) or 0.0 in numbers:
            # Adding zero makes -0.0 and 0.0 one number, so that a hot key tells all others apart.
            self._given = [(i, value) for i, value in enumerate(numbers) if isinstance(value, Tensor | Cell)]
            numbers = tuple([0.0 if isinstance(n, Tensor | Cell) else n + 0.0 for n in numbers])
        self._current = None if self._given or self._varies else numbers
        return numbers

    def _record(
        self,
        trace: Trace,
        kept: list[tuple[Any, Any]],
        members: Sequence[Member],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
        head: Any,
        numbers: tuple[float, ...],
        frame: FrameType,
        hot_key: Any,
    ) -> Node:
        """Records an application that was not found at once: a new one, or one whose numbers vary."""
        application = self._application(trace, kept, members, gradients, touched, slots, head)

        def build(builder: Builder) -> list[int]:
            indices = [trace.variable_index(cell) for cell in touched]
            return application.record(builder, indices, [cell._trainable for cell in touched])

        first = len(trace.arguments)
        capturing = trace.capturing is not None
        bind = frozenset(
            i for i, (owner, name) in enumerate(self._sources) if (id(owner), name) in trace.varied
        )
        names = {name for member in members for name in member.names}
        node = trace.follow(
            "apply", head, numbers, frame, build, None if capturing else hot_key, bind,
            by=type(self).__name__, created=self.site, variables=(), count=len(kept),
            slots=tuple(sorted(names)), terms=self._terms(members), application=application,
            hyper=numbers,
        )  # fmt: skip
        details = node.event.details  # type: ignore[union-attr]
        if not details["variables"]:
            details["variables"] = tuple(trace.variable_index(cell) for cell in touched)
            details["gradients"] = gradients
        if capturing:
            trace.applications.append(self)
            for position, (index, dtype) in enumerate(node.scalars, first):
                trace.bindings.append((position, *self._sources[index], dtype))
            bound = {index for index, _ in node.scalars}
            trace.bindings += [
                (-1, owner, name, None) for i, (owner, name) in enumerate(self._sources) if i not in bound
            ]
        return node

    def _terms(self, members: Sequence[Member]) -> tuple[str, ...]:
        """Returns the causes that a move may have, in the words of the ledger."""
        causes = {
            "gradient": True,
            "momentum": any("momentum" in member.names for member in members),
            "decay": any(member.decays for member in members),
            "clip": self._stages.clip is not None,
            "state": self._stages.overwrite is not None,
        }
        return tuple([cause for cause, there in causes.items() if there])

    def _application(
        self,
        trace: Trace,
        kept: list[tuple[Any, Any]],
        members: Sequence[Member],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
        head: Any,
    ) -> Application:
        pairs, start = [], len(kept)
        for position, ((gradient, variable), member, where) in enumerate(
            zip(kept, members, gradients, strict=True)
        ):
            cells = {name: start + i for i, name in enumerate(member.names)}
            start += len(member.names)
            own: Any = gradient._spec
            if isinstance(gradient, Rows):
                own = (gradient.indices._spec, gradient.values._spec, gradient._spec)
            pairs.append(
                Pair(position, variable.path, member.rule, member.group, member.decays, cells, where, own)
            )
        places: dict[int, int] = {}
        owners = tuple([places.setdefault(cell._uid, i) for i, cell in enumerate(touched)])
        given = {i: (slot, value._spec) for (i, value), (_, slot) in zip(self._given, head[-1], strict=True)}
        return Application(
            tuple(pairs),
            slots,
            tuple([cell._spec for cell in touched]),
            owners,
            {name: start + i for i, name in enumerate(self._shared)} if start < len(touched) else {},
            self._stages,
            dict(self._index),
            given,
        )

    def _report_absent(self, pairs: list[tuple[Any, Any]], kept: list[tuple[Any, Any]]) -> None:
        absent = [variable for gradient, variable in pairs if gradient is None]
        reasons = engine.reasons(local.trace, absent)
        lines = "\n".join(reasons)
        if not kept:
            raise refusals.no_gradients(lines)
        warnings.warn(f"No gradient for {len(absent)} of {len(pairs)} variables:\n{lines}", stacklevel=4)

    # -- around the step ---------------------------------------------------------------------------------

    def scale_loss(self, loss: Any) -> Any:
        """Returns a loss multiplied by the loss scale, so that small gradients do not vanish in halves.

        `apply_gradients` divides the gradients again. Without `loss_scale_factor` the loss stays as it is.

        >>> import penstock as ps
        >>> optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0)
        >>> x = ps.Variable(1.0)
        >>> with ps.GradientTape() as tape:
        ...     loss = optimizer.scale_loss(x * x)
        >>> gradient = tape.gradient(loss, x)
        >>> optimizer.apply_gradients([(gradient, x)])
        >>> float(gradient), round(float(x), 4)
        (2048.0, 0.8)
        """
        self._warned = True
        if self._stale:
            self._restructure()
        if self._stages.scale is None:
            return loss
        if self._stages.scale == "fixed":
            return loss * self.loss_scale_factor
        self._share()
        scale: Any = read(self._shared["loss_scale"])
        dtype = loss._spec.dtype if isinstance(loss, Tensor | Cell) else scale.dtype
        return loss * (scale if dtype == scale.dtype else scale.astype(dtype))

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Puts the moving averages in the place of the variables for the length of a `with` block.

        Afterwards every variable has the value it had before, bit for bit. Needs `use_ema=True`.

        >>> import penstock as ps
        >>> x = ps.Variable(0.0)
        >>> optimizer = ps.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
        >>> for _ in range(2):
        ...     optimizer.apply_gradients([(ps.asarray(-1.0), x)])
        >>> with optimizer.averaged():
        ...     print(x.numpy())
        1.5
        >>> print(x.numpy())
        2.0
        """
        moved = self._with_averages()
        before = [(member.variable, read(member.variable)) for member in moved]
        try:
            for member in moved:
                member.variable.assign(read(member.cells["average"]))
            yield
        finally:
            for variable, value in before:
                variable.assign(value)

    def assign_averages(self) -> None:
        """Puts the moving averages in the place of the variables for good. Needs `use_ema=True`."""
        for member in self._with_averages():
            member.variable.assign(read(member.cells["average"]))

    def _with_averages(self) -> list[Member]:
        moved = [member for member in self._state.values() if "average" in member.cells]
        if not self.use_ema or not moved:
            raise refusals.no_averages(type(self).__name__, bool(self.use_ema))
        return moved

    def __repr__(self) -> str:
        shown = {}
        for name, value in vars(self).items():
            if name in self._all_numbers() and value is not None and DEFAULTS.get(name, self) != value:
                shown[name] = value
        shown = {"learning_rate": shown.pop("learning_rate"), **shown}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def _referred(trace: Trace, gradient: Any) -> Any:
    """Returns the slot of a gradient; two of them for rows."""
    if isinstance(gradient, Rows):
        return trace.reference(gradient.indices), trace.reference(gradient.values)
    return trace.reference(gradient)


__all__ = ["Callable", "Member", "Optimizer", "Options", "Rate", "ShapeError", "spec_of"]
