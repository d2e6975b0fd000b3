"""Names that are imported on first use, so that the package loads quickly."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_UNSEEN = frozenset(("Any", "TYPE_CHECKING", "annotations", "later"))
"""Names that a lazy module imports for its own use."""


_SPACES = (
    "penstock", "penstock.functions.nn", "penstock.functions.losses", "penstock.functions.linalg",
    "penstock.functions.fft", "penstock.functions.special", "penstock.functions.random",
    "penstock.functions.segments", "penstock.layers", "penstock.optimizers", "penstock.testing",
    "penstock.layers.activations", "penstock.layers.initializers", "penstock.layers.regularizers",
    "penstock.layers.constraints", "penstock.metrics", "penstock.training",
)  # fmt: skip
"""The modules in which users find names; the dialects have those of their frameworks."""
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_homes: dict[str, dict[str, str]] = {}
"""For each module with lazy names, the modules that define them."""


def _called(module: str) -> str:
    """Returns a module's name as users write it: families of functions have public names."""
    return module.replace(".functions.", ".")


class _Absent(AttributeError):
    """An AttributeError that looks for the name elsewhere, but only when its message is read.

    Asking only whether a name exists, as hasattr does, imports nothing.
    """

    def __str__(self) -> str:
        told = super().__str__()
        try:
            return told + _elsewhere(str(self.name))
        except Exception:
            # A module that cannot be imported now is no reason to hide the requested name.
            return told


# Show users the class that they catch.
_Absent.__name__ = _Absent.__qualname__ = "AttributeError"
_Absent.__module__ = "builtins"


def _elsewhere(name: str) -> str:
    """Returns where a name is defined, or which public names are similar to it, as the end of a sentence."""
    import difflib

    from penstock.foreign import NAMES

    places: dict[str, list[str]] = {}
    for space in _SPACES:
        module = import_module(space)
        for one in getattr(module, "__all__", None) or [*dir(module)]:
            # Names that a module has imported for itself do not belong to it.
            own = hasattr(module, "__all__") or one in _homes.get(space, ())
            if own or (one[0] != "_" and getattr(getattr(module, one), "__module__", "") == space):
                places.setdefault(one, []).append(f"{_called(space)}.{one}")
    if name in places:
        return f"; it is {' or '.join(places[name])}"
    if name in NAMES:
        return f"; here that is {NAMES[name]}"
    # Ignoring case, and by a part of the name: Dense for dense, binary_cross_entropy for cross_entropy.
    spellings: dict[str, list[str]] = {}
    for one in places:
        spellings.setdefault(one.lower(), []).append(one)
    asked = name.lower()
    close = [asked] if asked in spellings else []
    close += [one for one in spellings if len(name) > 3 and one.endswith(f"_{asked}")]
    close += difflib.get_close_matches(asked, spellings, 3, 0.66)
    close = [*dict.fromkeys(close)][:3]
    whole = [place for one in close for spelling in spellings[one] for place in places[spelling][:1]]
    return f"; similar: {', '.join(whole)}" if whole else ""


def missing(module: str) -> Callable[[str], Any]:
    """Returns a `__getattr__` for a module without lazy names: its error says where a name is really defined.

    >>> import penstock as ps
    >>> ps.random.one_hot
    Traceback (most recent call last):
    AttributeError: module 'penstock.random' has no attribute 'one_hot'; it is penstock.one_hot
    """

    def get(name: str) -> Any:
        raise absent(module, name)

    return get


def absent(module: str, name: str) -> AttributeError:
    """Returns the error for a name that a module does not have."""
    public = module in _SPACES and not name.startswith("_")
    words = f"module {_called(module)!r} has no attribute {name!r}"
    return (_Absent if public else AttributeError)(words, name=name, obj=sys.modules[module])


def is_file(package: str, name: str) -> bool:
    """Returns whether a name is that of a module in this package."""
    place = os.path.join(_FOLDER, *package.split(".")[1:], name)
    return os.path.isfile(f"{place}.py") or os.path.isdir(place)


def text_of(module: str) -> str | None:
    """Returns the text of a module of this package, or None if it does not exist.

    Reading it is much faster than importing it: the text shows which of several modules to import for a name.
    """
    try:
        with open(os.path.join(_FOLDER, *module.split(".")[1:]) + ".py", encoding="utf-8") as opened:
            return opened.read()
    except OSError:
        return None


def lists(module: str, name: str) -> bool:
    """Returns whether a module, whose `__all__` is its last statement, may list a name.

    >>> lists("penstock.layers.core", "Dense"), lists("penstock.layers.core", "LSTM")
    (True, False)
    """
    text = text_of(module)
    return text is None or f'"{name}"' in text.rpartition("\n__all__")[2]


def later(module: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns the `__getattr__` and `__dir__` of a module that offers names from other modules.

    `homes` maps each module to the names, with blanks between them, that are imported from it, or the package
    to names that are modules themselves; `*` stands for all names that a module lists itself. Type checkers
    read imports under TYPE_CHECKING instead and do not see these two functions, so that an unknown name is
    still an error for them; a test compares the two.

    >>> import penstock.optimizers
    >>> get, names = later("penstock.optimizers", {"penstock.optimizers.descent": "SGD"})
    >>> get("SGD").__name__, "SGD" in names()
    ('SGD', True)
    """
    owner = sys.modules[module]
    home_of = {name: home for home, names in homes.items() for name in names.split() if name != "*"}
    families = [home for home, names in homes.items() if names == "*"]
    seen: set[str] = set()
    _homes[module] = home_of

    def look_through(wanted: str | None) -> None:
        """Imports families that may list a name, until one of them lists it; all of them for None."""
        for home in families:
            if wanted in home_of:
                return
            if home not in seen and (wanted is None or lists(home, wanted)):
                home_of.update(dict.fromkeys(import_module(home).__all__, home))
                seen.add(home)

    def get(name: str) -> Any:
        if families and name == "__all__":
            look_through(None)
            owner.__all__ = sorted(home_of)  # type: ignore[attr-defined]
            return owner.__all__
        # `from package import file` calls this first, and a family may be the one that imports that file.
        if families and not name.startswith("_") and not is_file(module, name):
            look_through(name)
        home = home_of.get(name)
        if home is None:
            raise absent(module, name)
        # A package's own modules are not attributes of it yet: getattr would call this function again.
        found = None if home == module else getattr(import_module(home), name, None)
        if found is None:
            found = import_module(f"{home}.{name}")
        setattr(owner, name, found)
        return found

    def names() -> list[str]:
        if hasattr(owner, "__all__"):
            return listed(module)()
        own = (name for name in vars(owner) if name not in _UNSEEN)
        return sorted({*own, *home_of})

    return get, names


def listed(module: str) -> Callable[[], list[str]]:
    """Returns the `__dir__` of a module that shows the names in `__all__`, and not the module's imports.

    >>> "penstock" in listed("penstock")(), "Variable" in listed("penstock")()
    (False, True)
    """
    space = vars(sys.modules[module])

    def names() -> list[str]:
        # Python's own names of a module, such as __doc__, are not imports.
        own = (name for name in space if name.startswith("__") and name.endswith("__"))
        return sorted({*own, *space["__all__"]})

    return names
