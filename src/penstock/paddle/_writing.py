"""Results that take the place of a tensor's value: by functions that end in `_`, and through `out=`."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from penstock.paddle import _views as views
from penstock.paddle._convert import HANDLES
from penstock.paddle._errors import InvalidTypeError, NotThereError
from penstock.paddle._grad_mode import is_grad_enabled
from penstock.paddle._tensor import as_result
from penstock.paddle._words import writer
from penstock.trace.source_site import site_of, user_frame
from penstock.trace.tensor import Cell


def changed(tensor: Any, made: Any, name: str, frame: FrameType) -> Any:
    """Returns the tensor after it has taken the value, the shape and the dtype of a result."""
    if made is tensor:
        return tensor
    if isinstance(made, Cell) or made._trace is None:
        made = as_result(made, frame)
    if made._spec is not tensor._spec and isinstance(tensor, Cell):
        if not tensor._trainable and made.stop_gradient:
            if name in views.RELAID:
                views.relaid(tensor, made)
            tensor._reform(np.array(made._array(name, frame)))  # type: ignore[attr-defined]
            if name not in views.RELAID:
                views.leave(tensor)
            return tensor
        raise NotThereError(
            f"{name} would change {tensor.name} from {tensor._spec!r} to {made._spec!r}.",  # type: ignore[attr-defined]
            why="The shape and dtype of a tensor that training updates are fixed.",
            remedy=f"Assign the result to a name: x = x.{name.rstrip('_')}(...).",
        )
    return tensor._change(made, name, frame)


def taken(out: Any, name: str) -> None:
    """Raises TypeError unless `out` is a tensor, or several."""
    for one in out if isinstance(out, tuple | list) else (out,):
        if not isinstance(one, HANDLES):
            raise InvalidTypeError(
                f"{name}() was given a {type(one).__name__} as out.",
                why="The result is written into `out`.",
                remedy="Give it a tensor, such as paddle.zeros(shape), or leave `out` away.",
                site=site_of(user_frame()),
            )


def written(found: Any, out: Any, name: str, frame: FrameType) -> Any:
    """Returns a result, or `out` after the result, or each of several, was written into it.

    As in Paddle, `out` takes the result's shape and dtype too, and its history: gradients pass through `out`
    as through the result. A leaf with a gradient takes a result without history as its value.
    """
    if out is None:
        return found
    taken(out, name)
    if isinstance(found, tuple | list):
        if not isinstance(out, tuple | list) or len(out) != len(found):
            raise InvalidTypeError(
                f"{name}() has {len(found)} results, and {len(out) if isinstance(out, tuple | list) else 1} "
                f"in out.",
                remedy=f"Give it as many tensors: out=({', '.join('abcdefgh'[: len(found)])}).",
                site=site_of(user_frame()),
            )
        each = [written(one, into, name, frame) for one, into in zip(found, out, strict=True)]
        return type(found)(*each) if hasattr(found, "_fields") else type(found)(each)
    if not isinstance(out, HANDLES):
        raise InvalidTypeError(
            f"{name}() has one result, and was given {len(out)} tensors as out.",
            remedy="Give it one tensor.",
            site=site_of(user_frame()),
        )
    if isinstance(out, Cell) and out._trainable and is_grad_enabled() and found.stop_gradient:
        out._replace(found, name, frame)  # type: ignore[attr-defined]
        return out
    return changed(out, found, name, frame)


writer.taken, writer.written = taken, written

__all__ = ["changed", "taken", "written"]
