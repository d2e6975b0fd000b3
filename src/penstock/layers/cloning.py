"""Recreating layers: the same arguments, new variables."""

from __future__ import annotations

import inspect
from typing import Any

from penstock.errors import ArgumentError
from penstock.trace.source_site import here
from penstock.trace.structure import flatten


def _bound(layer: Any) -> tuple[inspect.BoundArguments, str | None]:
    """Returns the arguments of a layer, and the name of its class's `**` parameter, if any."""
    signature = inspect.signature(type(layer).__init__)
    arguments, options = layer._made_of
    names = (one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD)
    return signature.bind(layer, *arguments, **options), next(names, None)


def arguments_of(layer: Any) -> dict[str, Any]:
    """Returns the arguments of a layer by name, including the defaults of its class."""
    bound, more = _bound(layer)
    bound.apply_defaults()
    found = dict(list(bound.arguments.items())[1:])
    rest = {} if more is None else found.pop(more)
    return {**found, **rest}


def recreated(layer: Any, name: str, changes: dict[str, Any]) -> Any:
    """Returns a copy of a layer with a new name and some arguments changed; layers inside are copied too.

    Raises ArgumentError for arguments that the class does not take.
    """
    bound, more = _bound(layer)
    wanted = {"name": name, "dtype": layer._policy, **changes}
    rest = dict(bound.arguments.get(more, {})) if more is not None else {}
    for key, value in wanted.items():
        if key in bound.signature.parameters:
            bound.arguments[key] = value
        elif more is not None:
            rest[key] = value
        elif key in changes:
            raise ArgumentError(
                f"{type(layer).__name__} {layer.name!r} cannot be recreated with {key}={value!r}: "
                f"{type(layer).__name__}.__init__ does not take {key}.",
                remedy="Let __init__ take **options and pass them to super().__init__(**options).",
                site=here(),
            )
    if more is not None:
        bound.arguments[more] = rest
    for key, value in list(bound.arguments.items())[1:]:
        bound.arguments[key] = renewed(value)
    made = type(layer)(*bound.args[1:], **bound.kwargs)
    # Some classes do not take a name, and a layer that was never named stays unnamed.
    made.name, made._named = name, layer._named
    if not layer.trainable:
        made.trainable = False
    return made


def renewed(value: Any) -> Any:
    """Returns an argument in which every layer is replaced by a new copy."""
    leaves, form = flatten(value)
    if not any(hasattr(one, "_is_layer") for one in leaves):
        return value
    return form.packed(one._recreated(one.name) if hasattr(one, "_is_layer") else one for one in leaves)


__all__ = ["arguments_of", "recreated", "renewed"]
