"""Notifies observers of flags that are set on layers, where nothing reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from penstock.trace.engine import engine
from penstock.trace.source_site import is_library


def tell_misplaced(
    layer: Any, key: str, value: Any, flags: Mapping[str, bool], variables: Callable[[], Sequence[Any]]
) -> None:
    """Reports an attribute that would freeze a variable, but is set on a layer from outside.

    `flags` maps the names of such flags to the value that freezes. A layer's own methods may set any
    attribute.
    """
    if not engine.misplacements.functions or flags.get(key) is not value:
        return
    frame = sys._getframe(2)
    while is_library(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    if frame.f_locals.get("self") is not layer:
        engine.misplacements.tell(frame, key, variables())


__all__ = ["tell_misplaced"]
