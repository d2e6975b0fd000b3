"""Names of a dialect, each declared next to its function; namespaces are built from them.

A function declares its full names, as users write them. The modules in which users find the names only list
the files that declare them.

>>> from penstock import declared
>>> @declared.named("tf.math.halve", "tf.halve")
... def halve(x):
...     return x / 2
>>> declared.names_of("tf.math", [__name__]) == {"halve": halve}
True
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from penstock.lazy import text_of

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])
_declared: dict[tuple[str, str], dict[str, Any]] = {}
"""By declaring file and namespace: the declared objects, by name."""


def named(*names: str) -> Callable[[T], T]:
    """Returns a decorator that declares the names of a function, a class or a value, and changes nothing.

    Each name is a full name, as users write it: `"tf.math.top_k"`, or `"paddle.Tensor.abs"` for a method.
    """
    file = running_file()

    def declare(one: T) -> T:
        for name in names:
            place, _, own = name.rpartition(".")
            known = _declared.setdefault((file, place), {})
            if own in known and _qualified(known[own]) != _qualified(one):
                raise ValueError(f"{file} declares {name} twice.")
            known[own] = one
        return one

    return declare


def running_file() -> str:
    """Returns the module that is being executed: the function that makes a table's rows declares them."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return str(frame.f_globals["__name__"])


def row(function: Function, names: str, text: str) -> Function:
    """Declares a function made by a table: its names, with blanks between them, and its docstring.

    It gets the first of its names, and is found by that name in the file of the table.
    """
    function.__name__ = function.__qualname__ = own_name(names)
    function.__doc__ = text
    return named(*names.split())(function)


def own_name(names: str) -> str:
    """Returns the plain name of a row of a table.

    >>> own_name("tf.math.mod tf.math.floormod")
    'mod'
    """
    return names.split()[0].rpartition(".")[2]


def names_of(place: str, files: Iterable[str]) -> dict[str, Any]:
    """Returns the declarations of some files for a namespace, in order; a name has one home."""
    found: dict[str, Any] = {}
    homes: dict[str, str] = {}
    for file in files:
        for name, one in _declared.get((file, place), {}).items():
            if name in found and found[name] is not one:
                raise ValueError(f"{place}.{name} is declared in {homes[name]} and in {file}.")
            found[name], homes[name] = one, file
    return dict(sorted(found.items()))


def replace(others: Mapping[Any, Any]) -> None:
    """Replaces declared functions by others, for the modules that use the declarations from now on."""
    for names in _declared.values():
        for name, one in names.items():
            if type(one) is FunctionType and one in others:
                names[name] = others[one]


def every_name() -> dict[str, tuple[str, Any]]:
    """Returns all declarations so far: the file and the object, by full name."""
    return {
        f"{place}.{name}": (file, one)
        for (file, place), names in _declared.items()
        for name, one in names.items()
    }


def namespace(
    place: str,
    space: dict[str, Any],
    sources: Iterable[ModuleType],
    absent: Callable[[str, Iterable[str]], AttributeError],
    later: Mapping[str, str],
    rest: Iterable[str] = (),
    ours: Callable[[Any], bool] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Fills a module with the declarations of its sources; returns `__getattr__`, `__dir__` and `__all__`.

    Public objects of the module itself that Penstock has made belong to it without a declaration; `ours` may
    replace this test. `later` maps each module to the names, with blanks between them, that are imported from
    it at their first use; the module's own name stands for modules inside it. `rest` are files with rarely
    used names: when a name is not found without them, the files whose text contains it are imported, and all
    of them if no file contains it or if `__all__` is requested. `absent` makes the error for an unknown name.
    """
    own = space["__name__"]
    files = [*(one.__name__ for one in sources), own]
    drawn = names_of(place, files)
    belongs = ours or _is_ours
    here = (name for name, one in space.items() if not name.startswith("_") and belongs(one))
    public = sorted({*drawn, *here})
    space.update(drawn)
    home_of = {name: home for home, names in later.items() for name in names.split()}
    waiting = dict.fromkeys(rest)

    def load(wanted: Callable[[str], bool] | None = None) -> None:
        """Adds the declarations of the rest, or of some of its files; existing names of the module stay."""
        for file in [one for one in waiting if wanted is None or wanted(one)]:
            import_module(file)
            files.append(file)
            waiting.pop(file, None)
        for name, one in names_of(place, files).items():
            space.setdefault(name, one)
        public[:] = sorted({*public, *names_of(place, files)})

    def get(name: str) -> Any:
        home = home_of.get(name)
        if home is not None:
            return import_module(f"{own}.{name}") if home == own else getattr(import_module(home), name)
        if name == "__all__":
            load()
        elif waiting and name[0] != "_":
            for wanted in (lambda file: _writes(file, place, name), None):
                load(wanted)
                if name in space:
                    return space[name]
        if name == "__all__":
            return public
        if name.startswith("__"):
            # Requested by Python and its libraries, which do not need similar names.
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        raise absent(name, public)

    def names() -> list[str]:
        load()
        return sorted({*public, *(one for one in space if one.startswith("__") and one.endswith("__"))})

    return get, names, public


def _writes(file: str, place: str, name: str) -> bool:
    """Returns whether the text of a file may declare a name: it is defined, quoted, or written in full."""
    text = text_of(file)
    own, whole = re.escape(name), re.escape(f"{place}.{name}")
    given = rf"(?m)^(?:def |class |){own}\b|[\"']{own}[\"' ]|\b{whole}\b"
    return text is None or (name in text and re.search(given, text) is not None)


def _is_ours(one: Any) -> bool:
    """Returns whether something is made by Penstock and is not a module."""
    return not isinstance(one, ModuleType) and str(getattr(one, "__module__", "")).startswith("penstock.")


def _qualified(one: Any) -> Any:
    """Returns a key that distinguishes two things of one name, but not the same thing after a reload."""
    return getattr(one, "__qualname__", type(one).__qualname__)
