"""Gradients that a program registers by name, for `gradient_override_map` to give them to operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.trace.source_site import here

_registered: dict[str, tuple[Callable[..., Any] | None, Any]] = {}
"""By name: the function, or None for an operation through which no gradient passes, and the line."""


class _UnregisteredError(PenstockError, LookupError):
    """A name of a gradient that no function was registered under."""


class _RegisteredTwiceError(PenstockError, KeyError):
    """A name of a gradient that was registered before."""

    __str__ = PenstockError.__str__


def _register(name: str, function: Callable[..., Any] | None) -> None:
    if not isinstance(name, str):
        raise TypeError("op_type must be a string")
    if name in _registered:
        raise _RegisteredTwiceError(
            f"Registering two gradient with name '{name}'!",
            origin=f"the first was registered at {_registered[name][1]}",
            remedy="Give each its own name.",
            site=here(),
        )
    _registered[name] = function, here()


@named("tf.RegisterGradient", "tf.compat.v1.RegisterGradient")
class RegisterGradient:
    """Registers a function of an operation and the gradients of its outputs under a name, as a decorator.

    The function returns the gradient of each input, or None. `graph.gradient_override_map({"Relu": name})`
    gives it to the operations of a type that are built in its block; the gradients of other operations stay.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Registers the function and returns it."""
        _register(self._op_type, f)
        return f


@named(
    "tf.no_gradient", "tf.compat.v1.no_gradient", "tf.compat.v1.NoGradient", "tf.compat.v1.NotDifferentiable"
)
def no_gradient(op_type: str) -> None:
    """Registers under a name that no gradient passes through the operations that are given it."""
    _register(op_type, None)


def registered(name: str) -> Callable[..., Any] | None:
    """Returns the function registered under a name, None if no gradient passes; raises LookupError."""
    if name not in _registered:
        raise _UnregisteredError(
            f"gradient registry has no entry for: {name}",
            why="A graph gives an operation its gradient when the operation is built.",
            remedy=f'Register a function before: @tf.RegisterGradient("{name}").',
            site=here(),
        )
    return _registered[name][0]
