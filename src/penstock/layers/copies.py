"""Copies of layers: a copied variable has a new number, and no surrounding layer yet."""

from __future__ import annotations

import weakref
from typing import Any

from penstock.layers import tracking
from penstock.layers.tracking import Structure
from penstock.trace.tensor import Cell

_NUMBERS = ("_plain", "_trained")
"""Attributes that are numbers of variables."""
_PASSING = {"_contents": None, "_losses": list, "_lossy": list, "_parent": None}
"""The initial values of attributes that are recomputed, or belong to the latest call."""


def state_of(layer: Any) -> dict[str, Any]:
    """Returns the attributes of a layer for its copy."""
    state = dict(layer.__dict__)
    own = [one for _, one in layer._parts([])] if "_weights" in state else []
    cells = [one for one in own if isinstance(one, Cell)]
    for name in _NUMBERS:
        if name in state:
            state[name] = [one for one in cells if one._uid in state[name]]
    for name, start in _PASSING.items():
        if name in state:
            state[name] = None if start is None else start()
    state["_below"] = [
        one for one in own if not isinstance(one, Cell) and one._parent is not None and one._parent() is layer
    ]
    return state


def set_state(layer: Any, state: dict[str, Any]) -> None:
    """Gives a layer the attributes of its original."""
    below = state.pop("_below", [])
    for name in _NUMBERS:
        if name in state:
            state[name] = {one._uid for one in state[name]}
    # The surrounding layer may already exist, if the two reference each other.
    around = layer.__dict__.get("_parent")
    layer.__dict__.update(state)
    if around is not None:
        layer.__dict__["_parent"] = around
    for one in below:
        one.__dict__["_parent"] = weakref.ref(layer)
    for _, variable in layer.__dict__.get("_weights", ()):
        tracking.owned(variable, layer)
    Structure.changes += 1


__all__ = ["set_state", "state_of"]
