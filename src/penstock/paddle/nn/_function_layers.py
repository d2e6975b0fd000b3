"""Layers that are one function each: a constructor takes what the function takes beside its tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from penstock.paddle._signatures import bound, signature
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._reductions import reduced


class OfFunction(Layer):
    """A function of one tensor as a layer, which holds the function's other arguments."""

    _function: Callable[..., Any]
    _defaults: dict[str, Any]
    """What a constructor takes, in order, with its defaults."""
    _kept_as = "_{}"
    """What an argument is called as an attribute."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        # The name does nothing.
        given = bound(type(self).__name__, {**self._defaults, "name": None}, arguments, options)
        for name in self._defaults:
            object.__setattr__(self, self._kept_as.format(name), given[name])

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, self._kept_as.format(name)) for name in self._defaults}

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return type(self)._function(x, **self._options())

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return ", ".join(f"{name}={value}" for name, value in self._options().items())


class OfSeveral(OfFunction):
    """A function of several tensors as a layer, such as a loss."""

    _kept_as = "{}"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if getattr(self, "reduction", "none") not in ("mean", "sum", "none", "batchmean"):
            reduced(None, self.reduction)

    def forward(self, *inputs: Any) -> Any:
        """Returns the function of the inputs."""
        return type(self)._function(*inputs, **self._options())

    def extra_repr(self) -> str:
        """Returns nothing: Paddle prints losses by their names alone."""
        return ""


def layer_of(name: str, function: Callable[..., Any], names: str = "", base: type = OfFunction) -> Any:
    """Returns a function as a layer. Its constructor takes the arguments of the function that are named.

    They are names with blanks between them, in the order of the constructor, with the function's defaults.
    """
    own = inspect.signature(function).parameters
    defaults = {one: own[one].default for one in names.split()}
    members = {
        "_function": staticmethod(function),
        "_defaults": defaults,
        "__doc__": f"The function `{function.__name__}` as a layer.",
        "__module__": function.__module__,
        "__signature__": signature({**defaults, "name": None}),
    }
    return type(name, (base,), members)


def layer_of_several(name: str, function: Callable[..., Any], names: str) -> Any:
    """Returns a function of several tensors as a layer."""
    return layer_of(name, function, names, OfSeveral)
