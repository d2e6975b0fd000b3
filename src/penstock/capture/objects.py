"""The role of an argument of a captured step: data that varies, a structure of data, or a fixed value.

Fixed values are part of the key of a recording, by type and value. An object that compares by identity counts
with its attributes as they are: it is searched at each call, and must not hold data, because a replay would
use the data of the first call. Layers and optimizers are not searched: their variables are read at each call.
"""

from __future__ import annotations

import enum
import functools
import inspect
import random
import sys
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from penstock.errors import CaptureError, PenstockError
from penstock.trace.convert import is_jax_array, offers
from penstock.trace.kinds import KEPT, ByClass, how_to_register, kind_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


class Role(enum.Enum):
    """The role that objects of one class have in a captured step."""

    DATA = enum.auto()
    VARIABLE = enum.auto()
    ROW = enum.auto()
    """A list or tuple."""
    TABLE = enum.auto()
    """A dict."""
    STRUCTURE = enum.auto()
    FROZEN = enum.auto()
    """A frozen dataclass: a value, unless it holds data."""
    VALUE = enum.auto()
    HASHED = enum.auto()
    SET = enum.auto()
    SLICE = enum.auto()
    LIVE = enum.auto()
    """An object that is used directly and read at each use."""
    OBJECT = enum.auto()
    UNKNOWN = enum.auto()
    """An object that can change and cannot be compared."""


VALUES = (bool, type(None), str, bytes, type(Ellipsis), type(NotImplemented))
ITSELF = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodWrapperType, types.ModuleType, property,
    np.ufunc,
)  # fmt: skip
DRAWING = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)


class Refusal(Exception):
    """A part of an argument that a recording cannot represent.

    `owner` is the object that has it as an attribute, `path` leads there from the argument.
    """

    def __init__(self, thing: Any, owner: Any = None, path: str = "") -> None:
        super().__init__()
        self.thing, self.owner, self.path = thing, owner, path


class Same:
    """Represents, in a key, an object that compares by identity."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def _find_role(thing: Any) -> Role:
    kind = type(thing)
    if isinstance(thing, Cell):
        return Role.VARIABLE
    if isinstance(thing, (*VALUES, enum.Enum)):
        return Role.VALUE
    if isinstance(thing, Tensor | np.ndarray | np.generic | int | float | complex) or is_jax_array(thing):
        return Role.DATA
    if isinstance(thing, frozenset):
        return Role.SET
    if isinstance(thing, slice):
        return Role.SLICE
    if hasattr(kind, "_is_layer") or hasattr(kind, "apply_gradients"):
        return Role.LIVE
    if kind is list or kind is tuple:
        return Role.ROW
    if kind is dict:
        return Role.TABLE
    if kind_of(thing, composites=True) is not None:
        made: Any = getattr(kind, "__dataclass_params__", None)
        frozen = made is not None and made.frozen
        return Role.FROZEN if frozen and kind.__hash__ is not None else Role.STRUCTURE
    if offers(thing):
        return Role.DATA
    if hasattr(kind, "__next__") or hasattr(kind, "__await__") or isinstance(thing, DRAWING):
        return Role.UNKNOWN
    room = kind.__module__.partition(".")[0]
    if isinstance(thing, ITSELF) or room == "penstock":
        return Role.LIVE
    if not isinstance(thing, Hashable):
        return Role.UNKNOWN
    by_identity: Any = object.__hash__
    if kind.__hash__ is not by_identity:
        return Role.HASHED
    # Loggers, locks and files reference much else, but hold no data to compute with.
    plain = room not in sys.stdlib_module_names or room == "__main__" or isinstance(thing, functools.partial)
    return Role.OBJECT if plain else Role.LIVE


roles = ByClass(_find_role)
NUMBERS = (int, float, complex, np.generic)
NESTED = (Role.ROW, Role.TABLE, Role.STRUCTURE, Role.FROZEN)


def role_of(thing: Any) -> Role:
    """Returns the role of an object in a captured step."""
    found: Role = roles.known.get(type(thing)) or roles.of(thing)
    return found


def _refuse(one: Any) -> Any:
    raise Refusal(one)


def fix(
    one: Any, key: list[Any], otherwise: Callable[[Any], Any] = _refuse, within: tuple[Any, ...] = ()
) -> None:
    """Appends to `key` the entries that identify a thing, with numbers by value.

    For data that may change unnoticed (a tensor, an array or a set), `otherwise` gives the entry, or refuses
    it. `within` are the objects that contain the thing as an attribute.
    """
    role = role_of(one)
    if role is Role.DATA:
        # Compared by their repr: 1 is not 1.0, and 0.0 is not -0.0.
        key.append((type(one), repr(one)) if isinstance(one, NUMBERS) else otherwise(one))
    elif role is Role.VARIABLE:
        key.append((Role.VARIABLE, one._uid))
    elif role is Role.SET:
        key.append((frozenset, frozenset([_fixed(part, otherwise, within) for part in one])))
    elif role is Role.SLICE:
        key.append((slice, *_fixed((one.start, one.stop, one.step), otherwise, within)))
    elif role in NESTED:
        kind: Any = kind_of(one, composites=True)
        rest, parts = kind.apart(one)
        key += (type(one), kind.exact(rest))
        for number, part in enumerate(parts):
            try:
                fix(part, key, otherwise, within)
            except Refusal as refused:
                refused.path = kind.label(type(one), rest, number) + refused.path
                raise
    elif role is Role.OBJECT:
        attributes = [] if any(one is other for other in within) else list(attributes_of(one))
        key += (Role.OBJECT, one, len(attributes))
        for name, part in attributes:
            try:
                key.append(name)
                fix(part, key, otherwise, (*within, one))
            except Refusal as refused:
                refused.path = f".{name}{refused.path}"
                refused.owner = refused.owner or one
                raise
    elif role is Role.UNKNOWN or (role is Role.HASHED and not has_hash(one)):
        key.append(otherwise(one))
    else:
        key += (type(one), one if has_hash(one) else Same(one))


def _fixed(one: Any, otherwise: Callable[[Any], Any], within: tuple[Any, ...]) -> tuple[Any, ...]:
    key: list[Any] = []
    fix(one, key, otherwise, within)
    return tuple(key)


def has_hash(one: Any) -> bool:
    """Returns whether an object can be part of a key: a tuple has a hash only if its items have one."""
    try:
        hash(one)
    except TypeError:
        return False
    return True


def attributes_of(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yields the attributes of an object by name, including slots, and the contents of a partial function."""
    if isinstance(thing, functools.partial):
        yield from (("func", thing.func), ("args", thing.args), ("keywords", thing.keywords))
    yield from [pair for pair in getattr(thing, "__dict__", {}).items() if pair[0] != KEPT]
    for base in type(thing).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                yield name, getattr(thing, name)


def arguments_by_name(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """Returns each argument by the name of its parameter, or by the keyword it was passed under."""
    try:
        signature = inspect.signature(function)
        found = dict(signature.bind(*arguments, **options).arguments)
    except (TypeError, ValueError):
        return {**{str(number): one for number, one in enumerate(arguments)}, **options}
    for name, one in signature.parameters.items():
        if one.kind is one.VAR_KEYWORD:
            found |= found.pop(name, {})
    return found


def refusal(step: str, what: str, refused: Refusal) -> CaptureError:
    """Returns the error for an argument or result; `what` is the user's name for it."""
    thing, owner = refused.thing, refused.owner
    kind = type(thing)
    if owner is not None and role_of(owner) is Role.OBJECT and role_of(thing) is Role.DATA:
        return CaptureError(
            f"{step}: {what} is a {type(owner).__name__} that holds data, {_short(thing)}.",
            why=f"One {type(owner).__name__} can only be told from another by identity: a replay would keep "
            "using the data of the first call.",
            remedy=f"{how_to_register(type(owner))} Put values that are trained or kept in Variables.",
            site=here(),
        )
    if hasattr(kind, "__next__") or hasattr(kind, "__await__"):
        why = "Recording consumes it, and a replay runs no Python that could continue it."
        remedy = "Pass or return what it yields, for example next(iterator) or list(generator)."
    elif isinstance(thing, DRAWING):
        why = "A replay would reuse the numbers that it drew for the first call."
        remedy = "Draw with ps.random inside the step, or pass the numbers."
    elif isinstance(thing, set):
        why = "A set can change, and has no order by which to tell its tensors apart."
        remedy = "Pass a frozenset for what stays the same, and a list or tuple for what varies."
    else:
        why = "It can change and has no hash, so the step cannot tell whether it did."
        remedy = how_to_register(kind)
    try:
        shown = f"{_article(kind)}, {_short(thing)}"
    except PenstockError:
        # It holds tensors that have no value during the recording.
        shown = _article(kind)
    return CaptureError(f"{step}: {what} is {shown}.", why=why, remedy=remedy, site=here())


def refuse_function(function: Callable[..., Any]) -> None:
    """Raises CaptureError for a function whose call does not run its code, or not all of it."""
    for found, what, instead in (
        (inspect.isgeneratorfunction, "a generator function", "Return all results at once, as a list"),
        (
            inspect.iscoroutinefunction,
            "a coroutine function",
            "Call the step from a coroutine, without await",
        ),
        (inspect.isasyncgenfunction, "an asynchronous generator function", "Return all results at once"),
    ):
        if found(function):
            raise CaptureError(
                f"step was given {function.__name__!r}, which is {what}.",
                why="Calling it runs none of its code, so nothing would be recorded.",
                remedy=f"{instead}, and do the rest in the loop around the step.",
                site=here(),
            )


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _short(thing: Any) -> str:
    if isinstance(thing, Tensor):
        return repr(thing._spec)
    text = " ".join(repr(thing).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


__all__ = [
    "NESTED", "Refusal", "Role", "Same", "arguments_by_name", "attributes_of", "fix", "has_hash", "refusal",
    "refuse_function", "role_of", "roles",
]  # fmt: skip
