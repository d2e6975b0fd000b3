"""Values other than dense tensors: public functions accept them once such values exist, and not before.

A kind of value (strings, ragged tensors) brings a table: the function that does the work of each public
function for it. When the first value of the kind is made, the functions in the table are replaced, wherever
the dialect has them, by ones that look at the classes of their arguments. What the program holds of them by
then, such as the function whose arguments are being worked out, gets their code. A program with dense tensors
alone never pays.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from penstock import declared
from penstock.tensorflow._graphs.graph import Mode

Way = Callable[..., Any]
"""Does the work of a function for values of a kind: it gets the function and then its arguments."""

_taught: dict[type, Callable[[], Mapping[str, Way]]] = {}
"""By kind, the function that returns its table; if several kinds meet, the first decides."""
_ways: dict[Any, dict[type, Way]] = {}
"""By public function, the functions that do its work, by kind."""
_replaced: dict[Any, Any] = {}
"""By public function, the function that its names now refer to."""


def teach(kind: type, table: Callable[[], Mapping[str, Way]]) -> None:
    """Registers a function that returns the table of a kind: its implementations by full function name."""
    _taught[kind] = table


def begin(kind: type, home: str) -> bool:
    """Lets public functions take values of a kind; returns False where they cannot be changed now.

    `home` is the file that registers their implementations.
    """
    if Mode.inside or not hasattr(sys.modules.get("penstock.tensorflow"), "is_tensor"):
        return False
    import_module(f"penstock.tensorflow.{home}")
    originals = []
    for name, way in _taught[kind]().items():
        original = _original(_found(name))
        _ways.setdefault(original, {})[kind] = way
        originals.append(original)
    fresh = {one: _taking(one, ways) for one, ways in _ways.items() if one not in _replaced}
    _replaced.update(fresh)
    _put(fresh)
    for one in originals:
        _lead_to(one, _replaced[one])
    return True


def register(function: Any, kind: type, way: Way) -> Any:
    """Lets one public function take values of a kind, in this way; returns the function for tensors."""
    _taught.setdefault(kind, dict)
    original = _original(function)
    _ways.setdefault(original, {})[kind] = way
    if original not in _replaced:
        _replaced[original] = _taking(original, _ways[original])
        _put({original: _replaced[original]})
    return original


def unregister(original: Any, kind: type, way: Way) -> None:
    """Takes back what `register` did."""
    if _ways.get(original, {}).get(kind) is way:
        del _ways[original][kind]
        if not _ways[original]:
            _put({_replaced.pop(original): original})


def current(function: Any) -> Any:
    """Returns the present version of a public function, which takes all kinds of values seen so far."""
    return _replaced.get(getattr(function, "_copy_of", function), function)


def _original(function: Any) -> Any:
    return getattr(function, "_dense_only", function)


def _found(name: str) -> Any:
    place: Any = sys.modules["penstock.tensorflow"]
    for part in name.split(".")[1:]:
        place = getattr(place, part)
    return place


def _taking(function: Any, ways: Mapping[type, Way]) -> Any:
    """Returns a function that leaves its work to the way of the first kind among its arguments."""
    original, function = function, _copied(function)

    @functools.wraps(function)
    def taking(*arguments: Any, **options: Any) -> Any:
        kind = among((arguments, tuple(options.values())), ways)
        if kind is None:
            return function(*arguments, **options)
        return ways[kind](function, *arguments, **options)

    taking._dense_only = original  # type: ignore[attr-defined]
    return taking


def _copied(function: Any) -> Any:
    """Returns a function that keeps the code which another one has now."""
    if type(function) is not FunctionType:
        return function
    made: Any = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    for part in functools.WRAPPER_ASSIGNMENTS:
        setattr(made, part, getattr(function, part))
    made.__dict__.update(function.__dict__)
    made._copy_of = function
    return made


def _leading(*given: Any, _to: Any, **named: Any) -> Any:
    return _to(*given, **named)


def _lead_to(function: Any, other: Any) -> None:
    """Lets a function that a program may hold do what another does."""
    if type(function) is not FunctionType or function.__code__.co_filename == __file__:
        return
    function.__wrapped__ = other.__wrapped__  # type: ignore[attr-defined]
    function.__defaults__, function.__kwdefaults__ = None, {"_to": other}
    # A function keeps its closure, of which this code takes nothing.
    free, name = function.__code__.co_freevars, function.__name__
    function.__code__ = _leading.__code__.replace(co_freevars=free, co_name=name)


def among(values: Any, kinds: Mapping[type, Any]) -> type | None:
    """Returns the kind that decides among arguments, and the lists and tuples in them."""
    found = None
    for one in values:
        own = type(one)
        if own is list or own is tuple:
            inner = among(one, kinds)
            own = NOTHING if inner is None else inner
        if own in kinds and (found is None or _rank(own) < _rank(found)):
            found = own
    return found


class NOTHING:
    """Represents the class of a list without a value of a kind."""


def _rank(kind: type) -> int:
    return list(_taught).index(kind)


def _put(replacements: Mapping[Any, Any]) -> None:
    """Replaces functions wherever the dialect has them, and under names that they get later."""
    declared.replace(replacements)
    for file, module in list(sys.modules.items()):
        if not file.startswith("penstock.tensorflow") or not isinstance(module, ModuleType):
            continue
        if ".compat" in file:
            continue
        space = vars(module)
        for name, one in list(space.items()):
            if type(one) is FunctionType and one in replacements:
                space[name] = replacements[one]


__all__ = ["Way", "among", "begin", "current", "register", "teach", "unregister"]
