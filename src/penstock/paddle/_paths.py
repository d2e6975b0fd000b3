"""Other paths to the same names: modules of Paddle that scripts import from, besides the defining ones."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_own: Any = vars(ModuleType)["__dict__"]
vars_of = _own.__get__
"""What a module itself holds."""


class _Path(ModuleType):
    """A module that has the names of others, and defines none."""

    def __init__(self, name: str, others: tuple[Any, ...]) -> None:
        super().__init__(name, f"The same names as {', '.join(one.__name__ for one in others)}.")
        self.__path__: list[str] = []
        self._others = others
        # Paddle's own modules of this kind list no names.
        self.__all__: list[str] = []

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The names of the others too, which programs list: `paddle.nn.layer.activation.__dict__`."""
        found = {name: getattr(one, name) for one in self._others for name in getattr(one, "__all__", ())}
        return {**found, **vars_of(self)}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for one in self._others:
                if name in getattr(one, "__all__", ()) or hasattr(one, name):
                    return getattr(one, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def path_to(parent: ModuleType, name: str, *others: Any) -> ModuleType:
    """Makes a submodule of `parent` that has the names of other modules, or of the parent itself."""
    path = f"{parent.__name__}.{name}"
    found = sys.modules.get(path)
    if found is None:
        if not hasattr(parent, "__path__"):
            parent.__path__ = []
        found = sys.modules[path] = _Path(path, others or (parent,))
        setattr(parent, name, found)
    return found


def paths_to(parent: ModuleType, names: str, *others: Any) -> None:
    """Makes several such submodules, whose names are one text."""
    for name in names.split():
        path_to(parent, name, *others)
