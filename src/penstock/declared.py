"""Names of a dialect, each declared beside the function it names; namespaces are built from them.

A function says which names it goes by, whole, as users write them. The modules in which users find the names
say only which files they draw from.

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
"""By the file that declares and the namespace: what it declares there, by name."""


def named(*names: str) -> Callable[[T], T]:
    """Returns a decorator that declares the names of a function, a class or a value, and changes nothing.

    Each name is whole, as users write it: `"tf.math.top_k"`, or `"paddle.Tensor.abs"` for a method.
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
    """Returns the module that is being run: a table's rows are declared by the function that makes them."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return str(frame.f_globals["__name__"])


def row(function: Function, names: str, text: str) -> Function:
    """Declares a function that a table makes: its names, with blanks between them, and its docstring.

    It is called as the first of its names, and found by that name in the file of the table.
    """
    function.__name__ = function.__qualname__ = own_name(names)
    function.__doc__ = text
    return named(*names.split())(function)


def own_name(names: str) -> str:
    """Returns what a row of a table is called by itself.

    >>> own_name("tf.math.mod tf.math.floormod")
    'mod'
    """
    return names.split()[0].rpartition(".")[2]


def names_of(place: str, files: Iterable[str]) -> dict[str, Any]:
    """Returns what some files declare for a namespace, in order; a name has one home."""
    found: dict[str, Any] = {}
    homes: dict[str, str] = {}
    for file in files:
        for name, one in _declared.get((file, place), {}).items():
            if name in found and found[name] is not one:
                raise ValueError(f"{place}.{name} is declared in {homes[name]} and in {file}.")
            found[name], homes[name] = one, file
    return dict(sorted(found.items()))


def replace(others: Mapping[Any, Any]) -> None:
    """Puts others in the place of functions that are declared, for the modules that draw them from now on."""
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
    """Fills a module with what its sources declare for it; returns `__getattr__`, `__dir__` and `__all__`.

    What is public in the module itself, and made by Penstock, belongs to it without a declaration; `ours` may
    say otherwise which things do.
    `later` has names, with blanks between them, by the module that they are imported from when they are asked
    for, or by the module itself if they are modules in it. `rest` are files whose names few programs ask for:
    those in which a name is written are imported when it is not found without them, and all of them where it
    is in none of these, or `__all__` is asked for. `absent` makes the error for a name that is nowhere.
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
        """Adds what the rest declares, or some of its files; what has a name in the module already stays."""
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
            # Asked by Python and its libraries: nobody reads which names are similar.
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        raise absent(name, public)

    def names() -> list[str]:
        load()
        return sorted({*public, *(one for one in space if one.startswith("__") and one.endswith("__"))})

    return get, names, public


def _writes(file: str, place: str, name: str) -> bool:
    """Returns whether the text of a file may declare a name: it is defined, quoted, or written whole."""
    text = text_of(file)
    own, whole = re.escape(name), re.escape(f"{place}.{name}")
    given = rf"(?m)^(?:def |class |){own}\b|[\"']{own}[\"' ]|\b{whole}\b"
    return text is None or (name in text and re.search(given, text) is not None)


def _is_ours(one: Any) -> bool:
    """Returns whether something is made by Penstock, and no module."""
    return not isinstance(one, ModuleType) and str(getattr(one, "__module__", "")).startswith("penstock.")


def _qualified(one: Any) -> Any:
    """Returns what tells two things of one name apart, but not the same thing made again by a reload."""
    return getattr(one, "__qualname__", type(one).__qualname__)
