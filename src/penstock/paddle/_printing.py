"""How Paddle writes a tensor: digits, widths, summaries of large ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.paddle._declaring import in_paddle

_Array = np.ndarray[Any, Any]


class Options:
    """The options of `paddle.set_printoptions`."""

    precision = 8
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = False


@in_paddle
def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Sets how tensors are written: digits, elements before `...`, at each edge, and a line's width."""
    given = {
        "precision": precision, "threshold": threshold, "edgeitems": edgeitems, "sci_mode": sci_mode,
        "linewidth": linewidth,
    }  # fmt: skip
    for name, value in given.items():
        if value is not None:
            setattr(Options, name, value)


def tensor_text(array: _Array, dtype: str, stop_gradient: bool, prefix: str = "Tensor") -> str:
    """Returns a tensor as `print` shows it."""
    indent = len(prefix) + 1
    head = f"{prefix}(shape={list(array.shape)}, dtype={dtype}, place=Place(cpu)"
    return f"{head}, stop_gradient={stop_gradient},\n{' ' * indent}{data_text(array, indent)})"


def data_text(array: _Array, indent: int) -> str:
    """Returns the elements of a tensor as `print` shows them, lines after the first so far to the right."""
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    summary = array.size > Options.threshold
    shown = list(_edges(array).reshape(-1)) if array.size else []
    width = max((len(_number(one)) for one in shown), default=0)
    signed = any(bool(one < 0) for one in shown)
    return _nested(array, summary, indent, width, signed)


def _edges(array: _Array) -> _Array:
    """Returns the part of an array that a summary shows. Paddle measures widths by it, summarized or not."""
    n = Options.edgeitems
    for axis, length in enumerate(array.shape):
        if length > 2 * n:
            array = np.take(array, [*range(n), *range(length - n, length)], axis)
    return array


def _number(one: Any) -> str:
    digits = Options.precision
    kind = one.dtype.kind
    if kind == "f":
        if Options.sci_mode:
            return f"{one:.{digits}e}"
        return f"{one:.0f}." if np.ceil(one) == one else f"{one:.{digits}f}"
    if kind == "c":
        form = f".{digits}{'e' if Options.sci_mode else 'f'}"
        return f"({one.real:{form}}{'+' if one.imag >= 0 else ''}{one.imag:{form}}j)"
    return f"{one}"


def _padded(one: Any, width: int, signed: bool) -> str:
    text = _number(one)
    if width <= len(text):
        return text
    return text.ljust(width) if not signed or one < 0 else " " + text.ljust(width - 1)


def _nested(array: _Array, summary: bool, indent: int, width: int, signed: bool) -> str:
    if array.ndim == 0:
        return _padded(array[()], width, signed)
    n = Options.edgeitems
    dotted = summary and array.shape[0] > 2 * n
    places: Sequence[int] = range(len(array))
    if dotted:
        places = [*range(n), *range(len(array) - n, len(array))]
    if array.ndim == 1:
        parts = [_padded(array[i], width, signed) for i in places]
    else:
        parts = [_nested(array[i], summary, indent + 1, width, signed) for i in places]
    if dotted:
        parts.insert(n, "...")
    if array.ndim > 1:
        return f"[{(',' + chr(10) * (array.ndim - 1) + ' ' * (indent + 1)).join(parts)}]"
    a_line = max(1, (Options.linewidth - indent) // (width + 2))
    lines = [", ".join(parts[i : i + a_line]) for i in range(0, len(parts), a_line)]
    return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(lines)}]"
