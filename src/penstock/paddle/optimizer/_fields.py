"""Optimizers declared by their fields: the constructor's arguments, and the numbers of the update rule.

The annotation of a field says how it is used. A `Number`, a `Share` (at least 0 and below 1) and a `Size`
(at least 0) go to the rule; a `Flag` is kept among `_flags`. Others are for the base
class, or for `_begin_with` of the class itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, TypeVar, dataclass_transform

from penstock.paddle._declaring import in_optimizer
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._signatures import REQUIRED, bound, signature
from penstock.trace.source_site import here

T = TypeVar("T")
NATIVE = {"beta1": "beta_1", "beta2": "beta_2"}
"""The rules' names of numbers that Paddle names differently."""

_SHOWN = {"always_adapt", "initial_accumulator_value"}
"""The arguments that Paddle's optimizers have as attributes."""


@dataclass_transform()
def fields(kind: type[T]) -> type[T]:
    """Gives an optimizer the constructor that its fields describe, in their order."""
    own: dict[str, str] = {
        name: word for name, word in kind.__annotations__.items() if not word.startswith("ClassVar")
    }
    defaults = {name: kind.__dict__.get(name, REQUIRED) for name in own}
    for name in own:
        if name in kind.__dict__:
            delattr(kind, name)

    def __init__(self: Any, *arguments: Any, **options: Any) -> None:
        if unknown := sorted(options.keys() - defaults.keys()):
            raise _unknown(kind.__name__, unknown[0], defaults)
        given = bound(f"{kind.__name__}.__init__", defaults, arguments, options)
        self._flags = {name: given[name] for name, word in own.items() if word == "Flag"}
        numbers = {
            NATIVE.get(name, name): _number(name, word, given[name])
            for name, word in own.items()
            if word in ("Number", "Share", "Size")
        }
        for name in _SHOWN & given.keys():
            setattr(self, name, given[name])
        self._begin_with(given, numbers)

    __init__.__signature__ = signature({"self": REQUIRED, **defaults})  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{kind.__qualname__}.__init__"
    kind.__init__ = __init__  # type: ignore[method-assign]
    return in_optimizer(kind)


_ELSEWHERE = {
    "lr": "learning_rate",
    "params": "parameters",
    "betas": "beta1= and beta2",
    "beta_1": "beta1",
    "beta_2": "beta2",
    "eps": "epsilon",
    "clipnorm": "grad_clip",
}
"""Arguments under the names of other frameworks, and Paddle's."""


def _unknown(kind: str, name: str, known: Iterable[str]) -> InvalidTypeError:
    """Returns the error for an argument that an optimizer does not have."""
    word = _ELSEWHERE.get(name)
    return InvalidTypeError(
        f"{kind}.__init__() got an unexpected keyword argument '{name}'",
        origin=f"{kind} takes {', '.join(known)}",
        remedy="Leave it out." if word is None else f"Paddle's word is {word}=.",
        site=here(),
    )


def _number(name: str, word: str, value: Any) -> float:
    found = float(value)
    if word == "Share" and not 0.0 <= found < 1.0:
        raise InvalidValueError(f"Invalid value of {name}, expect {name} in [0,1).", site=here())
    if word == "Size" and not found >= 0.0:
        raise InvalidValueError(f"Invalid value of {name}, expect {name} >= 0.", site=here())
    return found


def made(words: type, name: str, base: type[Any], module: str) -> type[Any]:
    """Returns Paddle's optimizer of the words that a native one has for Paddle."""
    space = {own: one for own, one in vars(words).items() if own not in ("__dict__", "__weakref__")}
    called = space.pop("_called", name)
    space.update(__module__=module, __qualname__=called, __annotations__=inspect.get_annotations(words))
    return fields(type(called, (base,), space))
