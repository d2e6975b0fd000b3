"""Names that are imported when they are first asked for, so that the package loads soon."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_UNSEEN = frozenset(("Any", "TYPE_CHECKING", "annotations", "later"))
"""What a module with such names imports for itself."""


def later(module: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns the `__getattr__` and `__dir__` of a module that offers what is made elsewhere.

    `homes` says where: names, with blanks between them, by the module they are imported from, or by the
    package if they are modules themselves. Type checkers read imports instead, under TYPE_CHECKING, and see
    nothing of these two functions, so that a name that is nowhere stays an error to them; a test compares.

    >>> import penstock.optimizers
    >>> get, names = later("penstock.optimizers", {"penstock.optimizers.descent": "SGD"})
    >>> get("SGD").__name__, "SGD" in names()
    ('SGD', True)
    """
    owner = sys.modules[module]
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    # As users write it: the families of functions are called by their own names.
    called = module.replace(".functions.", ".")

    def get(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {called!r} has no attribute {name!r}", name=name, obj=owner)
        # A package's own modules are no attributes of it yet: asking for one would lead here again.
        found = None if home == module else getattr(import_module(home), name, None)
        if found is None:
            found = import_module(f"{home}.{name}")
        setattr(owner, name, found)
        return found

    def names() -> list[str]:
        own = (name for name in vars(owner) if name not in _UNSEEN)
        return sorted({*own, *home_of})

    return get, names
