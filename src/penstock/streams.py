"""The random streams of Python and NumPy, which the import of a library must leave as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from threading import get_ident
from typing import Any


@contextmanager
def streams_kept() -> Iterator[None]:
    """Keeps the random streams of Python and NumPy while a library is imported that draws from one.

    The user's draws must not depend on the moment of that import. In this thread the functions of both
    modules draw from other streams meanwhile; another thread draws from the user's as before, so that none of
    its draws is lost or repeated. A stream that is not imported yet has not been seeded, so it is left alone.
    """
    thread = get_ident()
    apart: dict[str, Any] = {}
    put = []
    for module, own in (
        (sys.modules.get("random"), "_inst"),
        (sys.modules.get("numpy.random.mtrand"), "_rand"),
    ):
        if module is None:
            continue
        stream = getattr(module, own)
        apart[module.__name__] = type(stream)()
        public = sys.modules["numpy.random"] if own == "_rand" else module
        for name, function in [*vars(public).items()]:
            # Another thread may be importing, too.
            bound = getattr(function, "__wrapped__", function)
            if getattr(bound, "__self__", None) is stream or name in ("seed", "ranf", "sample"):
                put.append((public, name, function, _apart(function, thread, apart, module.__name__)))
    for public, name, _, drawn in put:
        setattr(public, name, drawn)
    try:
        yield
    finally:
        apart.clear()
        for public, name, function, drawn in put:
            if getattr(public, name) is drawn:
                setattr(public, name, function)


def _apart(
    function: Callable[..., Any], thread: int, apart: Mapping[str, Any], module: str
) -> Callable[..., Any]:
    """Returns a function that draws from a stream of `apart` in one thread, and calls `function` elsewhere.

    A library may keep it: once `apart` is empty, it only calls `function`.
    """

    @wraps(function)
    def drawn(*args: Any, **named: Any) -> Any:
        stream = apart.get(module) if get_ident() == thread else None
        if stream is None:
            return function(*args, **named)
        # NumPy's ranf and sample are other names of random_sample.
        name = function.__name__ if hasattr(stream, function.__name__) else "random_sample"
        return getattr(stream, name)(*args, **named)

    return drawn


__all__ = ["streams_kept"]
