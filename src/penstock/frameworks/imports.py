"""The program's own import of a framework: what is done as soon as it is complete."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class Imports(MetaPathFinder):
    """Calls functions when packages have been imported: at once, if they have been already."""

    def __init__(self, after: Mapping[str, Callable[[], None]]) -> None:
        self._after = after
        self._busy: set[str] = set()

    def start(self) -> None:
        """Begins to wait for the packages."""
        sys.meta_path.insert(0, self)
        for name, done in self._after.items():
            if name in sys.modules:
                done()

    def stop(self) -> None:
        """Stops waiting."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds a package as usual, and adds the call after its import."""
        if fullname not in self._after or fullname in self._busy:
            return None
        self._busy.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy.discard(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Then(spec.loader, self._after[fullname])
        return spec


class _Then(Loader):
    """A loader with a call after it."""

    def __init__(self, loader: Any, done: Callable[[], None]) -> None:
        self._loader, self._done = loader, done

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._done()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


__all__ = ["Imports"]
