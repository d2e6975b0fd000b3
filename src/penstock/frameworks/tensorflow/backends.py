"""Keras on another backend than TensorFlow: its programs are refused."""

from __future__ import annotations

import sys
from typing import Any

from penstock.errors import PenstockError
from penstock.frameworks.places import here
from penstock.frameworks.replaced import Replaced


def backend() -> str:
    """Returns the name of the backend that Keras runs on."""
    return str(sys.modules["keras"].backend.backend())


def refuse_others(replaced: Replaced) -> None:
    """Makes the first optimizer of Keras end a program on another backend, with what to type."""
    from keras.src.optimizers import base_optimizer

    replaced.function(base_optimizer.BaseOptimizer, "__init__", _refuse)


def require_tensorflow() -> None:
    """Raises PenstockError if Keras runs on another backend."""
    if backend() != "tensorflow":
        _refuse()


def _refuse(*_: Any, **__: Any) -> Any:
    raise PenstockError(
        f"Keras runs on its backend {backend()!r} here, which a report on TensorFlow does not see.",
        why="It observes what TensorFlow computes. KERAS_BACKEND, or the file ~/.keras/keras.json, has "
        "chosen the backend.",
        site=here(2),
        remedy="KERAS_BACKEND=tensorflow penstock check --with tensorflow SCRIPT runs the same program in "
        "TensorFlow.",
    )


__all__ = ["backend", "refuse_others", "require_tensorflow"]
