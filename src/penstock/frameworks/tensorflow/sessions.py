"""Programs of TensorFlow 1, which build a graph and run it in sessions: they are refused."""

from __future__ import annotations

from typing import Any

from tensorflow.python.client import session

from penstock.errors import PenstockError
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.lines import here


def refuse_sessions(replaced: Replaced) -> None:
    """Makes the first run of a session end the program, with what to type."""
    replaced.function(session.BaseSession, "run", _refuse)


def _refuse(*_: Any, **__: Any) -> Any:
    raise PenstockError(
        "A session runs a graph of TensorFlow 1, which `--with tensorflow` does not see.",
        why="It observes operations that run eagerly, and functions that tf.function traces.",
        site=here(2),
        remedy="`penstock check --as tensorflow SCRIPT` runs the graph on Penstock, and reports on it.",
    )


__all__ = ["refuse_sessions"]
