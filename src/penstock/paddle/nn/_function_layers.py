"""Layers that are one function each: a constructor takes what the function takes beside its tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._reductions import reduced


class OfFunction(Layer):
    """A function of one tensor as a layer, which holds the function's other arguments."""

    _function: Callable[..., Any]
    _defaults: dict[str, Any]
    """The arguments that a constructor takes, in order; those without a default have `inspect`'s mark."""
    _kept_as = "_{}"
    """What an argument is called as an attribute."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        kind, names = type(self).__name__, list(self._defaults)
        if len(arguments) > len(names) + 1:
            raise TypeError(f"{kind}() takes {len(names)} arguments and a name, not {len(arguments)}")
        # What comes after them is the layer's name, which does nothing.
        options.pop("name", None)
        given = dict(zip(names, arguments))
        for name, default in self._defaults.items():
            value = options.pop(name, given.get(name, default))
            if value is inspect.Parameter.empty:
                raise TypeError(f"{kind}() missing 1 required positional argument: {name!r}")
            object.__setattr__(self, self._kept_as.format(name), value)
        if options:
            raise TypeError(f"{kind}() got an unexpected keyword argument {next(iter(options))!r}")

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
    taken = [own[one] for one in names.split()]
    last = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    members = {
        "_function": staticmethod(function),
        "_defaults": {one.name: one.default for one in taken},
        "__doc__": f"The function `{function.__name__}` as a layer.",
        "__module__": function.__module__,
        "__signature__": inspect.Signature([*taken, last]),
    }
    return type(name, (base,), members)


def layer_of_several(name: str, function: Callable[..., Any], names: str) -> Any:
    """Returns a function of several tensors as a layer."""
    return layer_of(name, function, names, OfSeveral)
