"""tf.print: values as TensorFlow writes them, without the middle of long axes."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.graph import Mode, mode, on_first_use
from penstock.tensorflow._modes import inside
from penstock.tensorflow._strings import StringTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


@named("tf.print")
def print(
    *inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = os.linesep,
    name: Any = None,
) -> Any:  # fmt: skip
    """Writes values to standard error, or to another stream; looks at them.

    While a graph is being built, it returns an operation that writes them.

    An axis longer than twice `summarize` shows that many elements at either end; -1 shows all.

    >>> import sys
    >>> from penstock import tensorflow as tf
    >>> tf.print("loss", tf.constant([0.5, 1.0]), output_stream=sys.stdout)
    loss [0.5 1]
    """
    if Mode.inside and mode.building() is not None:
        return on_first_use("printing").print(
            *inputs, output_stream=output_stream, summarize=summarize, sep=sep, end=end, name=name
        )
    if inside.trying:
        return None
    stream = stream_of(output_stream)
    stream.write(sep.join(_text(one, int(summarize), False) for one in inputs) + end)
    return None


def stream_of(output_stream: Any) -> Any:
    """Returns the stream that is meant, standard error unless another is given."""
    stream = sys.stderr if output_stream is None else output_stream
    if not hasattr(stream, "write"):
        raise ArgumentError(
            f"tf.print: output_stream is {stream!r}.", remedy="Give sys.stderr or sys.stdout.", site=here()
        )
    return stream


def _text(value: Any, summarize: int, inside: bool) -> str:
    if isinstance(value, Tensor | Cell):
        return _array(np.asarray(tensor_of(value).numpy()), summarize)
    if isinstance(value, StringTensor):
        if not value.ndim:
            return str(value.numpy().decode())
        shown = [_text(one, summarize, True) if one.ndim else f'"{one.numpy().decode()}"' for one in value]
        return f"[{' '.join(shown)}]"
    if isinstance(value, dict):
        parts = [f"{key!r}: {_text(one, summarize, True)}" for key, one in value.items()]
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list | tuple):
        whole = ", ".join(_text(one, summarize, True) for one in value)
        if isinstance(value, list):
            return f"[{whole}]"
        return f"({whole},)" if len(value) == 1 else f"({whole})"
    if isinstance(value, np.ndarray):
        return repr(value)
    return repr(value) if inside and isinstance(value, str) else str(value)


def _array(array: np.ndarray[Any, Any], summarize: int) -> str:
    if not array.ndim:
        return number_text(array[()])
    rows = [_array(np.asarray(one), summarize) for one in _ends(array, summarize)]
    if 0 <= 2 * summarize < len(array):
        rows.insert(summarize, "...")
    return (
        "["
        + (" " if array.ndim == 1 else "\n" * (array.ndim - 1) + " ").join(
            row if array.ndim == 1 else row.replace("\n", "\n ") for row in rows
        )
        + "]"
    )


def _ends(array: np.ndarray[Any, Any], summarize: int) -> list[Any]:
    if summarize < 0 or len(array) <= 2 * summarize:
        return list(array)
    return [*array[:summarize], *array[len(array) - summarize :]]


def number_text(value: Any) -> str:
    """Returns a number as TensorFlow writes it: with as many digits as tell it from its neighbours."""
    kind = np.asarray(value).dtype
    if kind.kind == "b":
        return str(int(value))
    if kind.kind in "iu":
        return str(int(value))
    if kind.kind == "c":
        return f"({number_text(value.real)},{number_text(value.imag)})"
    few, all_digits = (15, 17) if kind == np.float64 else (6, 9)
    short = f"{float(value):.{few}g}"
    return (
        short
        if kind.type(short) == value or not np.isfinite(float(value))
        else f"{float(value):.{all_digits}g}"
    )
