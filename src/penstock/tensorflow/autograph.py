"""tf.autograph: Python's if and for run unchanged, so there is no code to convert."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._itself import on_tensorflow as _on_tensorflow
from penstock.tensorflow._names import namespace as _namespace


class experimental:
    """Names of features to convert: none is converted."""

    @staticmethod
    def do_not_convert(func: Any = None) -> Any:
        """Returns the function as it is."""
        return (lambda one: one) if func is None else func

    @staticmethod
    def set_loop_options(**options: Any) -> None:
        """Changes nothing: loops are Python's."""


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Changes nothing: no code is converted, so there are no messages about it."""


def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Returns the function as it is.

    `recursive` and `experimental_optional_features` do nothing: nothing is converted.
    """
    return entity


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Not available: no code is converted, so there is none to show."""
    raise NotImplementedError(
        "tf.autograph.to_code: penstock.tensorflow runs the Python code as written, and converts none.\n"
        f"inspect.getsource(function) shows the code that runs. {_on_tensorflow()}"
    )


__getattr__, __dir__, __all__ = _namespace("tf.autograph", globals())
