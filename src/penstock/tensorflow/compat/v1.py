"""tf.compat.v1: the TensorFlow 1 names that work on TensorFlow 2 variables."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent


def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """Replaces the value of a variable; returns the variable."""
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Adds to the value of a variable; returns the variable."""
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Subtracts from the value of a variable; returns the variable."""
    return ref.assign_sub(value)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.compat.v1", name, __all__)


__all__ = ["assign", "assign_add", "assign_sub"]
