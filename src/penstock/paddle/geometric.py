"""Graphs under Paddle's names: reductions over segments, and messages along edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.paddle import _manipulation
from penstock.paddle._convert import HANDLES, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import absent
from penstock.paddle._tensor import saving
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor

_REDUCED: dict[str, Callable[..., Any]] = {
    "sum": segments.segment_sum,
    "mean": segments.segment_mean,
    "max": segments.segment_max,
    "min": segments.segment_min,
}
_MIXED: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x + -y,
    "mul": lambda x, y: x * y,
    # As in Paddle.
    "div": lambda x, y: x * (1.0 / (y + 1e-12)),
}


@composite(2, "segment_reduce")
def _reduced(x: Any, ids: Any, word: str, count: int) -> Tensor:
    found = _REDUCED[word](x, ids, count)
    if word in ("max", "min"):
        # A segment without entries is 0 in Paddle.
        filled = segments.segment_sum(pointwise.equal(ids, ids).astype("int32"), ids, count)
        there = pointwise.greater(filled, 0).reshape((count,) + (1,) * (len(x.shape) - 1))
        found = pointwise.where(there, found, 0.0 * segments.segment_sum(x, ids, count))
    return found  # type: ignore[no-any-return]


def _by_segment(x: Any, segment_ids: Any, word: str) -> Any:
    ids = operand(segment_ids)
    array = np.asarray(ids.numpy())
    return _reduced(operand(x), ids, word, int(array.max()) + 1 if array.size else 0)


def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Returns the sums of the rows of `data` with equal ids, which are looked at.

    >>> from penstock import paddle
    >>> rows = paddle.to_tensor([[1.0], [2.0], [4.0]])
    >>> paddle.geometric.segment_sum(rows, paddle.to_tensor([0, 0, 1])).tolist()
    [[3.0], [4.0]]
    """
    return _by_segment(data, segment_ids, "sum")


def segment_mean(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Returns the means of the rows of `data` with equal ids; 0 where an id has none."""
    return _by_segment(data, segment_ids, "mean")


def segment_max(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Returns the largest of the rows of `data` with equal ids; 0 where an id has none."""
    return _by_segment(data, segment_ids, "max")


def segment_min(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Returns the smallest of the rows of `data` with equal ids; 0 where an id has none."""
    return _by_segment(data, segment_ids, "min")


def _gathered(messages: Any, dst_index: Any, reduce_op: str, count: int, out_size: Any) -> Any:
    if reduce_op not in _REDUCED:
        raise InvalidValueError(
            f"reduce_op should be `sum`, `mean`, `max` or `min`, but received {reduce_op}", site=here()
        )
    if isinstance(out_size, HANDLES):
        out_size = int(np.asarray(out_size).reshape(-1)[0])
    rows = int(out_size) if out_size is not None and int(out_size) > 0 else count
    return _reduced(messages, operand(dst_index), reduce_op, rows)


def send_u_recv(
    x: Any, src_index: Any, dst_index: Any, reduce_op: str = "sum", out_size: Any = None, name: Any = None
) -> Any:
    """Returns the messages of each node's edges: rows of x at `src_index`, reduced by `dst_index`.

    There are as many rows as x has, or `out_size`; a node without edges gets 0.
    """
    x = operand(x)
    messages = _manipulation.gather(x, operand(src_index))
    return saving(_gathered(messages, dst_index, reduce_op, x._spec.shape[0], out_size), user_frame(1), x)


def _mixed(x: Any, y: Any, message_op: str) -> Any:
    if message_op not in _MIXED:
        raise InvalidValueError(
            f"message_op should be `add`, `sub`, `mul` or `div`, but received {message_op}", site=here()
        )
    longer = max(x._spec.ndim, y._spec.ndim)
    # Rows are the first axis, and axes of features come last, whatever their number.
    x, y = (
        one.reshape([one._spec.shape[0], *[1] * (longer - one._spec.ndim), *one._spec.shape[1:]])
        for one in (x, y)
    )
    return _MIXED[message_op](x, y)


def send_ue_recv(
    x: Any, y: Any, src_index: Any, dst_index: Any, message_op: str = "add", reduce_op: str = "sum",
    out_size: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Does what `send_u_recv` does with rows of x that are joined with features y of the edges."""
    x, y = operand(x), operand(y)
    messages = _mixed(_manipulation.gather(x, operand(src_index)), y, message_op)
    found = _gathered(messages, dst_index, reduce_op, x._spec.shape[0], out_size)
    return _saved(found, x, y, message_op)


def send_uv(x: Any, y: Any, src_index: Any, dst_index: Any, message_op: str = "add", name: Any = None) -> Any:
    """Returns a feature for each edge, of the rows of x and y that it joins."""
    x, y = operand(x), operand(y)
    one, other = _manipulation.gather(x, operand(src_index)), _manipulation.gather(y, operand(dst_index))
    return _saved(_mixed(one, other, message_op), x, y, message_op)


def _saved(found: Any, x: Any, y: Any, message_op: str) -> Any:
    """Returns the result of messages, whose gradient needs the features that were joined as they were.

    Subtracting is adding the negative in Paddle, and dividing is multiplying by the reciprocal.
    """
    return saving(found, user_frame(2), x, *([y] if message_op in ("add", "mul") else []))


__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_sum", "send_u_recv", "send_ue_recv", "send_uv",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.geometric", name, __all__)
