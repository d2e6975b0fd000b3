"""The options of all optimizers, their ranges, and hyper-parameters of groups of variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict

from penstock.errors import PenstockError
from penstock.ops.validation import plain
from penstock.optimizers import refusals
from penstock.optimizers.scaling import is_scale
from penstock.trace.convert import shown
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

Rate = float | Tensor | Cell | Callable[[Any], Any]
"""A learning rate: a number, a tensor or variable without axes, or a function of the number of updates."""


class Options(TypedDict, total=False):
    """The options that every optimizer takes by name; see `Optimizer`."""

    weight_decay: float | None
    exclude_from_weight_decay: Sequence[str]
    clipvalue: float | None
    clipnorm: float | None
    global_clipnorm: float | None
    gradient_accumulation_steps: int | None
    gradient_accumulation_reduction: Literal["mean", "sum"]
    use_ema: bool
    ema_momentum: float
    ema_overwrite_frequency: int | None
    loss_scale_factor: float | Literal["dynamic"] | None
    loss_scale_growth_steps: int
    loss_scale_initial: float
    rows: Literal["exact", "lazy"]
    groups: Mapping[str, Mapping[str, Any]]
    finite: bool | Literal["skip"]
    name: str | None


DEFAULTS: dict[str, Any] = {
    "weight_decay": None,
    "exclude_from_weight_decay": (),
    "clipvalue": None,
    "clipnorm": None,
    "global_clipnorm": None,
    "gradient_accumulation_steps": None,
    "gradient_accumulation_reduction": "mean",
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
    "loss_scale_factor": None,
    "loss_scale_growth_steps": 2000,
    "loss_scale_initial": 2.0**15,
    "rows": "exact",
    "groups": {},
    "finite": False,
    "name": None,
}

_UNIT = (0.0, 1.0, True, "It is the fraction of the old value to keep: a number from 0 to 1.")
_BELOW_ONE = (0.0, 1.0, False, "It is the fraction of the average to keep: at least 0 and less than 1.")
_POSITIVE = (0.0, math.inf, True, "It cannot be negative.")
RANGES: dict[str, tuple[float, float, bool, str]] = {
    "learning_rate": (
        0.0,
        math.inf,
        True,
        "With a negative rate, a variable would climb where it should descend.",
    ),
    "momentum": _UNIT,
    "beta_1": _BELOW_ONE,
    "beta_2": _BELOW_ONE,
    "adam_beta_1": _BELOW_ONE,
    "adam_beta_2": _BELOW_ONE,
    "rho": _UNIT,
    "ema_momentum": _UNIT,
    "epsilon": _POSITIVE,
    "epsilon_1": _POSITIVE,
    "epsilon_2": _POSITIVE,
    "weight_decay": _POSITIVE,
    "adam_weight_decay": _POSITIVE,
    "adam_learning_rate_ratio": _POSITIVE,
    "momentum_decay": _POSITIVE,
    "initial_accumulator_value": _POSITIVE,
    "l1_regularization_strength": _POSITIVE,
    "l2_regularization_strength": _POSITIVE,
    "l2_shrinkage_regularization_strength": _POSITIVE,
    "beta": _POSITIVE,
    "learning_rate_power": (-math.inf, 0.0, True, "It is an exponent of the accumulated gradients."),
    "beta_2_decay": (-math.inf, 0.0, True, "It is an exponent of the step number."),
    "clipvalue": _POSITIVE,
    "clipnorm": _POSITIVE,
    "global_clipnorm": _POSITIVE,
    "clip_threshold": _POSITIVE,
}
_OPTIONAL = ("weight_decay", "adam_weight_decay", "clipvalue", "clipnorm", "global_clipnorm")


def _is_schedule(value: Any) -> bool:
    """Returns whether a learning rate is a function; a layer can be called, but is none."""
    return callable(value) and not _holds_variables(value)


def _holds_variables(value: Any) -> bool:
    """Returns whether a value is a layer, a list of variables or an iterator over them."""
    return hasattr(value, "trainable_variables") or isinstance(value, list | tuple | Iterator)


def checked(owner: str, name: str, value: Any) -> Any:
    """Returns a hyper-parameter, a Python number as float; raises PenstockError for one out of its range."""
    if isinstance(value, Tensor | Cell):
        if value._spec.shape != ():
            raise PenstockError(
                f"{owner}: {name} is {value._spec!r}.",
                why="An update needs one such number.",
                remedy="Give a number, or a tensor or variable without axes.",
                site=here(),
            )
        return value
    if (value is None and name in _OPTIONAL) or (name == "learning_rate" and _is_schedule(value)):
        return value
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PenstockError(
            f"{owner}: {name} is {shown(value)} ({type(value).__name__}).",
            why="The variables are not given to the optimizer, but to apply_gradients, with their gradients."
            if _holds_variables(value)
            else "",
            remedy="Give a number"
            + (", a schedule, or a function of the number of updates." if name == "learning_rate" else "."),
            site=here(),
        )
    value = float(value)
    low, high, closed, why = RANGES.get(name, (-math.inf, math.inf, True, ""))
    if not (low <= value <= high if closed else low <= value < high):
        if math.isnan(value):
            why = "It is NaN, and would turn every variable that it updates into NaN."
        raise PenstockError(f"{owner}: {name} is {value!r}.", why=why, remedy=_bounds(low, high), site=here())
    return value


def _bounds(low: float, high: float) -> str:
    if math.isinf(high):
        return f"Give a number of at least {low:g}."
    if math.isinf(low):
        return f"Give a number of at most {high:g}."
    return f"Give a number between {low:g} and {high:g}."


def checked_option(owner: str, name: str, value: Any) -> Any:
    """Returns an option other than a number; raises PenstockError for a value that is not allowed."""
    allowed: tuple[Any, ...] | None = {
        "gradient_accumulation_reduction": ("mean", "sum"),
        "rows": ("exact", "lazy"),
        "finite": (False, True, "skip"),
    }.get(name)
    if allowed is not None and value not in allowed:
        raise PenstockError(
            f"{owner}: {name} is {value!r}.",
            remedy=f"Use one of {', '.join(map(repr, allowed))}.",
            site=here(),
        )
    scale = name == "loss_scale_factor" and value not in (None, "dynamic")
    if scale or name == "loss_scale_initial":
        value = checked(owner, name, value)
        tensor = isinstance(value, Tensor | Cell)
        if not (scale if tensor else is_scale(value)):
            raise PenstockError(
                f"{owner}: {name} is {value!r}.",
                why="The loss is multiplied by it and the gradients are divided by it, in float32.",
                remedy="Give a positive number, such as 32768.0" + (", 'dynamic' or None." if scale else "."),
                site=here(),
            )
    value = plain(value)
    counts = ("gradient_accumulation_steps", "ema_overwrite_frequency", "loss_scale_growth_steps")
    if name in counts and value is not None and (type(value) is not int or value < 1):
        raise PenstockError(
            f"{owner}: {name} is {value!r}.",
            remedy="Give a whole number of at least 1" + (", or None." if name != counts[2] else "."),
            site=here(),
        )
    return value


class Group:
    """Hyper-parameters of the variables whose path matches a pattern; the others are the optimizer's.

    They are attributes, and you may set them between steps, like those of an optimizer.

    Args:
        pattern: a pattern of paths.
        owner: the optimizer.
        numbers: its hyper-parameters.
        known: the existing names.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> optimizer = ps.optimizers.SGD(0.1, groups={"head/*": {"learning_rate": 1.0}})
    >>> optimizer.groups["head/*"].learning_rate = 0.5
    >>> optimizer.groups["head/*"]
    Group('head/*', learning_rate=0.5)
    """

    def __init__(self, pattern: str, owner: str, numbers: Mapping[str, Any], known: Sequence[str]) -> None:
        object.__setattr__(self, "pattern", pattern)
        object.__setattr__(self, "_owner", f"{owner}: group {pattern!r}")
        object.__setattr__(self, "_changed", None)
        if not isinstance(numbers, Mapping):
            raise PenstockError(
                f"{owner}: group {pattern!r} is {numbers!r}.",
                remedy="Give a dictionary of hyper-parameters: groups={'head/*': {'learning_rate': 1e-2}}.",
                site=here(),
            )
        object.__setattr__(self, "_names", tuple(numbers))
        for name, value in numbers.items():
            if name not in known:
                raise refusals.unknown_number(owner, pattern, name, known)
            object.__setattr__(self, name, checked(self._owner, name, value))

    _owner: str
    _names: tuple[str, ...]
    _changed: Any
    pattern: str

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise PenstockError(
                f"{self._owner} does not set {name!r}, so it cannot be changed here.",
                why="A group's own hyper-parameters are fixed when the optimizer is created.",
                remedy=f"It sets {', '.join(self._names)}.",
                site=here(),
            )
        object.__setattr__(self, name, checked(self._owner, name, value))
        if self._changed is not None:
            self._changed()

    def __repr__(self) -> str:
        numbers = "".join(f", {name}={getattr(self, name)!r}" for name in self._names)
        return f"Group({self.pattern!r}{numbers})"
