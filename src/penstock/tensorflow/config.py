"""tf.config: settings of devices and modes. None of them changes a result here."""

from __future__ import annotations

from penstock.tensorflow._modes import eagerly as _eagerly
from penstock.tensorflow._names import namespace as _namespace


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Says whether each call of a `tf.function`, and each step of `fit`, runs as if it were outside of one.

    Then `print` writes at every call instead of once for each signature, and random numbers are those outside
    of functions. Nothing else depends on it: the code of a function runs at every call.
    """
    _eagerly.chosen = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Returns what `run_functions_eagerly` was told: False at first."""
    return _eagerly.chosen


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


__getattr__, __dir__, __all__ = _namespace("tf.config", globals(), "_devices")
