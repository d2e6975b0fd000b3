"""TensorFlow, watched: the first steps are recorded operation by operation, later ones are counted."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.flow.observed import Enough, Sink
from penstock.flow.report_model import Conservation, Finding
from penstock.flow.words import Words
from penstock.frameworks.imports import Imports
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.backends import backend, refuse_others
from penstock.frameworks.tensorflow.versions import installed, require_new
from penstock.frameworks.tensorflow.words import TENSORFLOW

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

WHOLE = 4
"""How many steps are recorded whole."""


class TensorFlow:
    """Watches programs that run in TensorFlow.

    It imports nothing of TensorFlow: a program may set variables of the environment before it does. Raises
    PenstockError if the version that is installed is too old.
    """

    words: Words = TENSORFLOW
    conservation: Conservation | None = None

    def __init__(self, whole: int = WHOLE) -> None:
        require_new(installed())
        self.whole = whole
        self.watcher: Watcher | None = None
        self._replaced = Replaced()
        self._refuses = False
        self._imports = Imports(
            {"tensorflow": self._watch, "keras": self._watch_keras, "tf_keras": self._watch_keras}
        )

    @property
    def remarks(self) -> Sequence[str]:
        return self.watcher.remarks if self.watcher is not None else ()

    @property
    def framework(self) -> tuple[str, str]:
        module = sys.modules.get("tensorflow")
        return "tensorflow", str(getattr(module, "__version__", None) or installed() or "unknown")

    def start(self, sink: Sink) -> None:
        """Begins to report runs to a sink, as soon as the program has imported TensorFlow."""
        self.sink = sink
        self._imports.start()

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        self._imports.stop()
        self._replaced.put_back()
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
        """Returns False: a TensorFlow program cannot declare a finding as intended."""
        return False

    def begin(self) -> Watcher:
        """Imports TensorFlow, if the program has not yet, and returns what watches it."""
        import keras  # noqa: F401
        import tensorflow  # noqa: F401

        self._watch()
        self._watch_keras()
        assert self.watcher is not None
        return self.watcher

    def _watch(self) -> None:
        if self.watcher is None:
            from penstock.frameworks.tensorflow.watcher import Watcher

            self.watcher = Watcher(self.sink, self.whole)
            self.watcher.start()
            self._watch_keras()

    def _watch_keras(self) -> None:
        # While Keras is being imported it has no version yet.
        if hasattr(sys.modules.get("keras"), "__version__"):
            if backend() == "tensorflow":
                if self.watcher is not None:
                    self.watcher.start_keras()
            elif not self._refuses:
                self._refuses = True
                refuse_others(self._replaced)
        if self.watcher is not None and hasattr(sys.modules.get("tf_keras"), "__version__"):
            self.watcher.start_keras_2()


__all__ = ["WHOLE", "TensorFlow"]
