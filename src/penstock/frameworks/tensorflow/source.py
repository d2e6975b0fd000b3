"""TensorFlow, watched: the first steps are recorded operation by operation, later ones are counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from penstock.flow.words import Words
from penstock.frameworks.imported import Imported
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.backends import backend, refuse_others
from penstock.frameworks.tensorflow.versions import installed, require_new
from penstock.frameworks.tensorflow.words import TENSORFLOW

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

WHOLE = 4
"""How many steps are recorded whole."""


class TensorFlow(Imported["Watcher"]):
    """Watches programs that run in TensorFlow.

    Raises PenstockError if the version that is installed is too old.
    """

    words: Words = TENSORFLOW

    def __init__(self, whole: int = WHOLE) -> None:
        require_new(installed())
        self.whole = whole
        self._replaced = Replaced()
        self._refuses = False
        super().__init__(
            {"tensorflow": self._watch, "keras": self._watch_keras, "tf_keras": self._watch_keras}
        )

    @property
    def framework(self) -> tuple[str, str]:
        module = sys.modules.get("tensorflow")
        return "tensorflow", str(getattr(module, "__version__", None) or installed() or "unknown")

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        super().stop()
        self._replaced.put_back()

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
