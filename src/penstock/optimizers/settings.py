"""The settings of an optimizer: its hyper-parameters and options, and the kind of update that they select."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, Self, Unpack

from penstock.optimizers import refusals
from penstock.optimizers.application import Stages
from penstock.optimizers.options import DEFAULTS, RANGES, Group, Options, Rate, checked, checked_option
from penstock.optimizers.rules import Rule
from penstock.optimizers.schedules import OnHost, records
from penstock.trace.local import note_made
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_identities: dict[Any, int] = {}
_unused = itertools.count()
REMEMBERED = 1_000
"""How many kinds of updates have a number. A kind that lost it gets a new one and is recorded again."""


def identity(key: Any) -> int:
    """Returns a small number for a kind of update, for use in short keys; no other kind ever gets it."""
    number = _identities.pop(key, None)
    while number is None and len(_identities) >= REMEMBERED:
        _identities.pop(next(iter(_identities)), None)
    return _identities.setdefault(key, next(_unused) if number is None else number)


class Settings:
    """The settings of `Optimizer`, which may change between steps; see there."""

    learning_rate: Any
    rule: Rule
    _mixed: ClassVar[bool] = False
    """Whether one optimizer has several rules."""
    _strict: ClassVar[bool] = True
    """Whether integers are refused; a dialect moves them where its framework does."""
    _by_call: ClassVar[bool] = False
    _multiplied: ClassVar[bool] = False
    """Whether powers of betas are products in single precision."""
    _squares_rows: ClassVar[bool] = False
    """Whether rows that share an id are squared one by one and then added up."""

    def __new__(cls, *_given: Any, **_named: Any) -> Self:
        made = super().__new__(cls)
        note_made(made)
        return made

    def __init__(self, learning_rate: Rate, **options: Unpack[Options]) -> None:
        kind = type(self).__name__
        unknown = [option for option in options if option not in DEFAULTS]
        if unknown:
            own = [name for name in vars(self) if not name.startswith("_")]
            raise refusals.unknown_option(kind, unknown[0], ["learning_rate", *own, *DEFAULTS])
        self._stale = True
        self._current: tuple[float, ...] | None = None
        self._given: list[tuple[int, Any]] = []
        self._sources: list[tuple[Any, str]] = []
        self._varies = self._counting = self._matched = False
        self._empty()
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
    loss_scale_initial: float
    rows: str
    groups: dict[str, Group]
    finite: bool | str
    name: str
    site: Any

    def _empty(self) -> None:
        """Creates the empty state; called once, before the first `_refit`."""

    def _refit(self) -> None:
        """Adapts the existing state to the present hyper-parameters."""

    def _updates_made(self, ahead: int = 0) -> int:
        """Returns how many updates have been made, or will have been after that many more calls."""
        raise NotImplementedError

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
        return set(RANGES)

    def _uses(self, name: str) -> bool:
        """Returns whether a hyper-parameter is anything but None or 0, for any variable."""
        for owner in (self, *vars(self).get("groups", {}).values()):
            value = vars(owner).get(name)
            if isinstance(value, Tensor | Cell) or value:
                return True
        return False

    def _restart(self) -> None:
        """Forgets everything derived from the hyper-parameters; called when one has changed."""
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
        """Determines the rule and the stages from the hyper-parameters, and adapts the state."""
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
            multiplied=self._multiplied,
            squares_rows=self._squares_rows and (self.gradient_accumulation_steps or 1) == 1,
        )
        self._counts = self._counting or self._stages.counts or any(rule.counts for rule in rules)
        self._various = (
            self._mixed or bool(self.groups) or any(self._uses(rule.decay_number) for rule in rules)
        )
        key = (tuple([(type(rule), rule.key()) for rule in rules]), self._stages, tuple(index), self._counts)
        self._identity = identity(key)
        self._stale, self._current = False, None
        self._refit()

    def __repr__(self) -> str:
        shown = {}
        for name, value in vars(self).items():
            if name in self._all_numbers() and value is not None and DEFAULTS.get(name, self) != value:
                shown[name] = value
        shown = {"learning_rate": shown.pop("learning_rate", self.learning_rate), **shown}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


__all__ = ["Settings", "identity"]
