"""`paddle.pir`: the class of values in static programs."""

from __future__ import annotations

from penstock.paddle._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("paddle.pir", globals(), "static._kinds")
