"""tf.config: settings of devices and modes. None of them changes a result here."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Does nothing: there is one mode."""


def functions_run_eagerly() -> bool:
    """Returns True: the code of a `tf.function` runs each time it is called."""
    return True


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


__getattr__, __dir__, __all__ = _namespace("tf.config", globals(), "_devices")
