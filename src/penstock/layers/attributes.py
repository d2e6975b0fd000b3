"""The attributes of a layer: it finds variables and layers there, and reads them in the call's dtype."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.layers import copies, policies, tracking
from penstock.layers.calls import calls
from penstock.layers.tracking import Structure
from penstock.ops.table import cast
from penstock.state.members import note_replaced
from penstock.state.misplaced import tell_misplaced
from penstock.state.pickled import Copied
from penstock.trace.engine import engine
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

_frame = sys._getframe
_HIDDEN = frozenset(
    ("_contents", "_held", "_parent", "_losses", "_lossy", "_made_of", "_made_with", "_penalties", "_trained",
     "_weights")
)  # fmt: skip
_FOREIGN = {"requires_grad": False, "stop_gradient": True}
"""Flags of variables in other frameworks, with the value that freezes: Penstock does not read them."""


class Attributes(Copied):
    """The part of a layer that handles its attributes.

    Attributes of a mixed-precision layer that hold variables are in `_held`, not in `__dict__`, so that
    reading them calls `__getattr__`.
    """

    _is_layer = True
    autocast: bool
    path: Any
    weights: Any
    variables: Any
    _compute: np.dtype[Any]
    _dtype: np.dtype[Any]
    _held: dict[str, Any]
    _plain: set[int]

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        """Yields the variables and layers of this layer, each with its name here."""
        weights = self.__dict__.get("_weights", ())
        yield from weights
        known = {id(variable) for _, variable in weights}
        for key, value in [*self.__dict__.items(), *self.__dict__.get("_held", {}).items()]:
            if key in _HIDDEN or not isinstance(value, Cell | list | tuple | dict | Attributes):
                continue
            for name, one in tracking.parts(key.lstrip("_"), value, seen):
                if id(one) not in known:
                    yield name, one

    def __setattr__(self, key: str, value: Any) -> None:
        if isinstance(value, Attributes | Cell | list | tuple | dict):
            Structure.changes += 1
            if isinstance(value, Cell):
                self._note_replaced(key, value)
                if engine.placements.functions:
                    engine.placements.tell(self, key, value)
            held = self.__dict__.get("_held")
            plain = key in _HIDDEN or isinstance(value, Attributes) or hasattr(type(self), key)
            if held is not None and not plain:
                self.__dict__.pop(key, None)
                held[key] = value
                return
        if "_held" in self.__dict__:
            self._held.pop(key, None)
        if key in _FOREIGN:
            tell_misplaced(self, key, value, _FOREIGN, lambda: self.weights)
        object.__setattr__(self, key, value)

    def _note_replaced(self, key: str, value: Any) -> None:
        """Notes that an attribute with a variable is assigned another one."""
        before = self.__dict__.get(key)
        before = self.__dict__.get("_held", {}).get(key) if before is None else before
        if isinstance(before, Cell) and before is not value:
            note_replaced(before, here())

    def __delattr__(self, key: str) -> None:
        if key in self.__dict__.get("_held", ()):
            del self._held[key]
        else:
            object.__delattr__(self, key)
        Structure.changes += 1

    def _in_call(self, value: Any) -> Any:
        """Returns the value of a mixed-precision layer's attribute in the dtype of the layer being called."""
        layers = calls.layers
        if not layers:
            return value
        top = layers[-1]
        if not top.autocast and any(one._compute is not one._dtype for one in layers[:-1]):
            return value
        return self._cast_to(value, top._compute)

    def _cast_to(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Returns a variable, or a list or dictionary of variables, in a dtype; anything else unchanged."""
        if isinstance(value, Cell):
            own = value._spec.dtype
            if own == dtype or own.kind not in "fV" or dtype.kind not in "fV" or value._uid in self._plain:
                return value
            return policies.view(value, lambda cell: cast.record((cell,), {"dtype": dtype}, _frame(1)))
        if type(value) in (list, tuple):
            found = [self._cast_to(one, dtype) for one in value]
            if all(a is b for a, b in zip(found, value, strict=True)):
                return value
            return found if isinstance(value, list) else tuple(found)
        if type(value) is dict:
            table = {key: self._cast_to(one, dtype) for key, one in value.items()}
            return table if any(table[key] is not value[key] for key in value) else value
        return value

    def _kept(self) -> dict[str, Any]:
        return copies.state_of(self)

    def _take(self, state: dict[str, Any]) -> None:
        copies.set_state(self, state)

    def _called(self) -> str:
        return f"Layer {self.path!r}"

    def _check_super(self) -> bool:
        if "_weights" not in self.__dict__:
            raise PenstockError(
                f"In layer {type(self).__name__!r}, super().__init__() was not called.",
                remedy="Make it the first line of __init__: super().__init__().",
                site=here(),
            )
        return True


__all__ = ["Attributes"]
