"""tf.config: settings of devices and modes. None of them changes a result here."""

from __future__ import annotations

from penstock.tensorflow._modes import eagerly as _eagerly
from penstock.tensorflow._names import namespace as _namespace


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Says whether Python's `print` writes at every call of a `tf.function`, or once for each signature.

    Nothing else depends on it: the code of a function runs at every call.
    """
    _eagerly.chosen = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Returns what `run_functions_eagerly` was told: False at first."""
    return _eagerly.chosen


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


__getattr__, __dir__, __all__ = _namespace("tf.config", globals(), "_devices")
