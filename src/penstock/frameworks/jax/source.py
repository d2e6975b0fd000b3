"""JAX, watched: the first steps are recorded operation by operation, later ones are counted."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import TYPE_CHECKING

from penstock.errors import PenstockError
from penstock.flow.words import Words
from penstock.frameworks.imported import Imported
from penstock.frameworks.jax.words import JAX

if TYPE_CHECKING:
    from penstock.frameworks.jax.watcher import Watcher

WHOLE = 4
"""How many steps are recorded whole."""
OLDEST = (0, 10)
"""The oldest version whose programs can be watched: the source reads structures that older ones lack."""


class Jax(Imported["Watcher"]):
    """Watches programs that run in JAX.

    Raises PenstockError if the version that is installed is too old.
    """

    words: Words = JAX

    def __init__(self, whole: int = WHOLE) -> None:
        require_new(installed())
        self.whole = whole
        super().__init__({"jax": self._watch, "optax": self._watch_optax, "equinox": self._watch_equinox})

    @property
    def framework(self) -> tuple[str, str]:
        return "jax", installed() or "unknown"

    def begin(self) -> Watcher:
        """Imports JAX, if the program has not yet, and returns what watches it."""
        import jax  # noqa: F401

        self._watch()
        assert self.watcher is not None
        return self.watcher

    def _watch(self) -> None:
        if self.watcher is None:
            from penstock.frameworks.jax.watcher import Watcher

            self.watcher = Watcher(self.sink, self.whole)
            self.watcher.start()

    def _watch_optax(self) -> None:
        self._watch()
        assert self.watcher is not None
        self.watcher.start_updates(sys.modules["optax"])

    def _watch_equinox(self) -> None:
        self._watch()
        assert self.watcher is not None
        self.watcher.start_updates(sys.modules["equinox"])


def installed() -> str:
    """Returns the version of JAX in this Python, without importing it; "" if it is unknown."""
    try:
        return importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        return ""


def require_new(version: str) -> None:
    """Raises PenstockError for a version that is too old."""
    parts = version.split(".")[:2]
    if len(parts) == 2 and all(map(str.isdigit, parts)) and tuple(map(int, parts)) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise PenstockError(
            f"--with jax needs JAX {oldest} or newer, and this Python ({sys.executable}) has {version}.",
            remedy=f"Install a newer one: pip install 'jax>={oldest}'",
        )


__all__ = ["OLDEST", "WHOLE", "Jax", "installed", "require_new"]
