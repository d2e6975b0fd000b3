"""Steps that are methods: the recordings kept by each object, and the attributes they depend on."""

from __future__ import annotations

import inspect
import types
import weakref
from typing import TYPE_CHECKING, Any

from penstock.capture.objects import Same, fix
from penstock.errors import CaptureError
from penstock.trace.kinds import KEPT
from penstock.trace.source_site import here

if TYPE_CHECKING:
    from penstock.capture.steps import Step


class Kept:
    """The steps of one object, which go with it; a copy of the object has none of them."""

    __slots__ = ("owner", "steps")

    def __init__(self, owner: Any = None) -> None:
        self.owner = None if owner is None else weakref.ref(owner)
        self.steps: dict[Step[..., Any], Step[..., Any]] = {}

    def step(self, shared: Step[..., Any]) -> Step[..., Any]:
        """Returns the object's own version of a step of its class."""
        found = self.steps.get(shared)
        if found is None:
            assert self.owner is not None
            method = types.MethodType(shared.function, self.owner())
            found = self.steps.setdefault(shared, type(shared)(method))
            found.contract = shared.contract
        return found

    def __copy__(self) -> Kept:
        return Kept()

    def __deepcopy__(self, memo: Any) -> Kept:
        return Kept()

    def __reduce__(self) -> Any:
        return Kept, ()


def kept_by(instance: Any) -> Kept:
    """Returns the steps stored on an object; raises CaptureError if it cannot store anything."""
    try:
        own = vars(instance)
        kept: Kept = own.get(KEPT) or own.setdefault(KEPT, Kept(instance))
        if kept.owner is None or kept.owner() is not instance:
            # It belongs to the original of which this object is a copy.
            kept = own[KEPT] = Kept(instance)
    except TypeError:
        raise CaptureError(
            f"A step of {type(instance).__name__} was requested, but its instances cannot store attributes.",
            why="A step stores its recordings on the object that it belongs to.",
            remedy="Add '__dict__' and '__weakref__' to __slots__, or define the step outside the class.",
            site=here(),
        ) from None
    return kept


class Own:
    """The part of a method step's key besides its arguments: attributes of its object.

    They are the attributes named in the method's code, or in the code of methods that it names, if they
    exist. Numbers and strings count by value, arrays and objects by identity.
    """

    def __init__(self, method: types.MethodType) -> None:
        self.instance = method.__self__
        self.names = tuple(sorted(_names(method.__func__, type(self.instance))))

    def key(self) -> tuple[Any, ...]:
        """Returns a hashable value that stays equal while no attribute changes."""
        found: list[Any] = []
        for name, one in self.attributes().items():
            found.append(name)
            fix(one, found, Same, (self.instance,))
        return tuple(found)

    def attributes(self) -> dict[str, Any]:
        """Returns the attributes by name, as they are now."""
        own = getattr(self.instance, "__dict__", {})
        return {name: own[name] for name in self.names if name in own}


def _names(function: Any, owner: type) -> set[str]:
    """Returns the names in a function's code, and in the code of the methods of `owner` that it names."""
    waiting, seen, names = [function, inspect.unwrap(function)], set(), set()
    while waiting:
        code: Any = getattr(waiting[-1], "__code__", waiting[-1])
        waiting.pop()
        if not isinstance(code, types.CodeType) or code in seen:
            continue
        seen.add(code)
        waiting += code.co_consts
        for name in code.co_names:
            names.add(name)
            part: Any = inspect.getattr_static(owner, name, None)
            part = inspect.unwrap(getattr(part, "fget", None) or getattr(part, "__func__", part))
            if not str(getattr(part, "__module__", "")).startswith("penstock."):
                waiting.append(part)
    return names


__all__ = ["Kept", "Own", "kept_by"]
