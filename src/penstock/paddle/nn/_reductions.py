"""How a loss becomes a number: its mean, its sum, or one for each example."""

from __future__ import annotations

from typing import Any

from penstock.paddle import _math
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here


def reduced(found: Any, reduction: str) -> Any:
    """Returns a loss as its mean, its sum, or as it is."""
    if reduction == "mean":
        return _math.mean(found)
    if reduction == "sum":
        return _math.sum(found)
    if reduction == "none":
        return found
    raise InvalidValueError(
        "The value of 'reduction' should be 'sum', 'mean' or 'none', but received "
        f"{reduction}, which is not allowed.",
        site=here(),
    )
