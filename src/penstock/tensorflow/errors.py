"""tf.errors: the names."""

from __future__ import annotations

from typing import Any

from penstock.errors import InvalidArgumentError
from penstock.tensorflow._errors import (
    FailedPreconditionError,
    NotFoundError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
)
from penstock.tensorflow._names import absent as _absent


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.errors", name, __all__)


__all__ = [
    "FailedPreconditionError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "ResourceExhaustedError",
    "UnimplementedError",
]
