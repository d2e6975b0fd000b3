"""Which mode the program is in: calls are made at once, or written down in a static program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class Mode:
    """`static` is what `paddle.enable_static` has said; while a program is run, calls are made at once."""

    static = False
    training: Any = None
    """The module that records gradients and updates, once the mode is static."""
    _running = 0

    def builds(self) -> bool:
        """Returns whether calls are written down in a program now."""
        return self.static and not self._running

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Makes calls at once, as the dynamic mode does."""
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


mode = Mode()
__all__ = ["mode"]
