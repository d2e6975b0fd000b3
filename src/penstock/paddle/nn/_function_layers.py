"""Layers of one function each: the constructor takes the arguments of the function that are not tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.paddle._declaring import in_nn
from penstock.paddle._signatures import bound, defaults_of, signature
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._reductions import reduced

_PLACE = "penstock.paddle.nn"


class _Shown:
    """The constructor signature that `help` shows for a layer, unless a subclass defines its own."""

    def __get__(self, layer: Any, kind: Any) -> Any:
        if kind.__init__ is not OfFunction.__init__ and kind.__module__ != _PLACE:
            raise AttributeError("__signature__")
        return signature({**kind._defaults, "name": None})


class OfFunction(Layer):
    """A function of one tensor as a layer, which holds the function's other arguments."""

    _function: Callable[..., Any]
    _defaults: dict[str, Any]
    """The arguments of a constructor in order, with their defaults."""
    __signature__ = _Shown()
    _kept_as = "_{}"
    """The name of an argument as an attribute."""
    _words: tuple[tuple[str, str], ...] | None = None
    """How Paddle prints the layer: words, and the arguments that they belong to; None for most of them."""

    _is_named = False
    """Whether Paddle keeps the name, which does nothing, as an attribute."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        given = bound(type(self).__name__, {**self._defaults, "name": None}, arguments, options)
        for name in self._defaults:
            object.__setattr__(self, self._kept_as.format(name), given[name])
        if self._is_named:
            self.name = given["name"]

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, self._kept_as.format(name)) for name in self._defaults}

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return type(self)._function(x, **self._options())

    def extra_repr(self) -> str:
        """Returns the arguments that Paddle prints."""
        held, words = self._options(), self._words
        if words is None:
            words = tuple((name, name) for name in held if name not in ("data_format", "ceil_mode"))
        return ", ".join(f"{word}={held[name]}" for word, name in words)


class OfSeveral(OfFunction):
    """A function of several tensors as a layer, such as a loss."""

    _kept_as = "{}"
    _words = ()
    _is_named = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if getattr(self, "reduction", "none") not in ("mean", "sum", "none", "batchmean"):
            reduced(None, self.reduction)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Returns the function of the inputs, which may be given by the names they have there."""
        return type(self)._function(*inputs, **named, **self._options())


def layer_of(
    name: str, function: Callable[..., Any], names: str = "", base: type[OfFunction] = OfFunction,
    words: str | None = None, known: str = "",
) -> Any:  # fmt: skip
    """Returns a function as a layer. Its constructor takes the arguments of the function that are named.

    `name` may be followed by other names for the layer. The arguments are names with blanks between them,
    in the order of the constructor, with the function's defaults. `words` are those of them that are printed,
    each under its own name, or under the word before an equals sign. `known` are the attributes
    under which Paddle shows arguments: each their own name, or the word before an equals sign. "name" is what
    the last argument says.
    """
    own = defaults_of(function)
    name, *others = name.split()
    members: dict[str, Any] = {
        "_function": staticmethod(function),
        "_defaults": {one: own[one] for one in names.split()},
        "__doc__": f"The function `{function.__name__}` as a layer.",
        "__module__": _PLACE,
    }
    for one in known.split():
        if one == "name":
            members["_is_named"] = True
        else:
            word, _, kept = one.rpartition("=")
            members[word or kept] = attribute(base._kept_as.format(kept))
    if words is not None:
        pairs = (one.rpartition("=") for one in words.split())
        members["_words"] = tuple((word or own, own) for word, _, own in pairs)
    return in_nn(*others)(type(name, (base,), members)) if others else in_nn(type(name, (base,), members))


def attribute(kept: str) -> Any:
    """Returns an attribute that is another one."""
    return property(lambda self: getattr(self, kept), lambda self, value: setattr(self, kept, value))


def layer_of_several(
    name: str, function: Callable[..., Any], names: str, words: str | None = None, known: str = ""
) -> Any:
    """Returns a function of several tensors as a layer; Paddle prints losses by their names alone."""
    return layer_of(name, function, names, OfSeveral, words, known)
