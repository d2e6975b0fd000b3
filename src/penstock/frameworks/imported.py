"""A framework that the program imports by itself, and that is watched from then on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from penstock.flow.observed import Enough, Sink
from penstock.flow.report_model import Conservation, Finding
from penstock.frameworks.imports import Imports


class Watching(Protocol):
    """What watches a framework once it is imported."""

    @property
    def remarks(self) -> Sequence[str]: ...

    def finish(self) -> None:
        """Analyses the last recording."""

    def stop(self) -> None:
        """Leaves nothing behind in the framework."""


W = TypeVar("W", bound=Watching)


class Imported(Generic[W]):
    """A source for the report that begins to watch when the program imports a module of `imported`.

    It imports nothing itself: a program may set variables of the environment before it does. The function of
    a module makes `watcher`.
    """

    conservation: Conservation | None = None

    def __init__(self, imported: Mapping[str, Callable[[], None]]) -> None:
        self.watcher: W | None = None
        self._imports = Imports(imported)

    @property
    def remarks(self) -> Sequence[str]:
        return self.watcher.remarks if self.watcher is not None else ()

    def start(self, sink: Sink) -> None:
        """Begins to report runs to a sink, as soon as the program has imported the framework."""
        self.sink = sink
        self._imports.start()

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        self._imports.stop()
        if self.watcher is not None:
            self.watcher.stop()

    def finish(self) -> BaseException | None:
        """Analyses the last recording."""
        if self.watcher is not None:
            with contextlib.suppress(Enough):
                self.watcher.finish()
        return None

    def end(self) -> None:
        """Does nothing: there is nothing to check again."""

    def is_meant(self, finding: Finding) -> bool:
        """Returns False: a program of a framework cannot declare a finding as intended."""
        return False


__all__ = ["Imported", "Watching"]
