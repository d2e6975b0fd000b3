"""The program's own import of TensorFlow: what is installed, and what is done once it is imported."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from penstock.errors import PenstockError

PACKAGES = (
    "tensorflow", "tensorflow-cpu", "tensorflow_cpu", "tf-nightly", "tensorflow-macos", "tensorflow-intel",
    "tensorflow-cpu-aws", "tf-nightly-cpu", "tensorflow-rocm",
)  # fmt: skip
"""Packages that TensorFlow is installed from."""
OLDEST = (2, 16)
"""The oldest version whose programs can be watched: the first with Keras 3."""


def installed() -> str:
    """Returns the version of TensorFlow in this Python, without importing it; "" if it is unknown."""
    for name in PACKAGES:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def is_old(version: str) -> bool:
    """Returns whether a version is too old to be watched.

    >>> is_old("2.15.1"), is_old("2.16.0"), is_old("3.0.0-rc1"), is_old("")
    (True, False, False, False)
    """
    parts = version.split(".")[:2]
    return len(parts) == 2 and all(map(str.isdigit, parts)) and tuple(map(int, parts)) < OLDEST


def require_new(version: str) -> None:
    """Raises PenstockError for a version that is too old."""
    if is_old(version):
        oldest = ".".join(map(str, OLDEST))
        raise PenstockError(
            f"--with tensorflow needs TensorFlow {oldest} or newer, and this Python ({sys.executable}) has "
            f"{version}.",
            remedy=f"Install a newer one, pip install 'tensorflow>={oldest}', or run the script on Penstock: "
            "penstock check --as tensorflow SCRIPT",
        )


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


__all__ = ["OLDEST", "PACKAGES", "Imports", "installed", "is_old", "require_new"]
