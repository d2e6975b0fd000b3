"""Paddle's names, declared next to the functions they name.

A decorator says in which namespaces its function is found, under its own name; arguments are other names
that it goes by there. One that ends in `_` is the form that changes the tensor, one with dots is whole.

    @method("scatter_", "paddle.linalg.spread")
    def scatter(x, index, updates): ...

declares `paddle.scatter`, the methods `scatter` and `scatter_` of tensors, and `paddle.linalg.spread`. The
function also takes the words that Paddle takes beside its arguments (`_words`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol, TypeVar, overload

from penstock.declared import named, running_file
from penstock.paddle._words import spoken

T = TypeVar("T", bound=Callable[..., Any])


class _Decorator(Protocol):
    """Declares `one`, a function or a class: also under `other` and `others` if these are given first."""

    @overload
    def __call__(self, other: str, /, *others: str) -> Callable[[T], T]: ...

    @overload
    def __call__(self, one: T, /) -> T: ...


def _declarer(*places: str) -> _Decorator:
    def declare(*given: Any) -> Any:
        if len(given) == 1 and not isinstance(given[0], str):
            return _declared(given[0], places, ())
        return lambda one: _declared(one, places, given)

    return declare


def _declared(one: Any, places: tuple[str, ...], others: tuple[str, ...]) -> Any:
    found = [f"{place}.{one.__name__}" for place in places]
    for word in others:
        if "." in word:
            found.append(word)
        else:
            found += [f"{place}.{word}" for place in places if place == "paddle.Tensor" or word[-1] != "_"]
    if type(one) is FunctionType:
        one = spoken(one, others)
    return named(*found)(one)


in_paddle = _declarer("paddle")
method = _declarer("paddle", "paddle.Tensor")
"""A function of `paddle` that tensors have as a method too."""
in_functional = _declarer("paddle.nn.functional")
in_nn = _declarer("paddle.nn")
in_optimizer = _declarer("paddle.optimizer")
in_linalg = _declarer("paddle.linalg")


def row(one: T, names: str, text: str) -> T:
    """Declares a method that a table makes: its names, with blanks between them, and its docstring."""
    own, *others = names.split()
    made: Any = one
    made.__name__ = made.__qualname__ = own.rpartition(".")[2]
    made.__doc__, made.__module__ = text, running_file()
    if "." in own:
        made = spoken(made, tuple(names.split()))
        return named(own, *others)(made)  # type: ignore[no-any-return]
    return method(*others)(one) if others else method(one)


__all__ = ["in_functional", "in_linalg", "in_nn", "in_optimizer", "in_paddle", "method", "row"]
