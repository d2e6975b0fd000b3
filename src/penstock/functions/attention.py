"""Attention, dropout and embedding lookup as plain functions. Users find them in `nn`."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.functions.composite import composite
from penstock.functions.random import uniform
from penstock.ops import index, pointwise, reduce
from penstock.ops.linear import matmul
from penstock.ops.promotion import is_narrow
from penstock.ops.shape import reshape, transpose
from penstock.ops.table import cast
from penstock.ops.validation import number, plain, shown
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_SINGLE = np.dtype(np.float32)


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def attention(
    query: Any, key: Any, value: Any, *, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Tensor:
    """Returns softmax(query @ key^T * scale) @ value, scaled dot-product attention (Vaswani et al., 2017).

    query [..., n, d], key [..., m, d] and value [..., m, v] give [..., n, v]; `scale` is 1 / sqrt(d) unless
    given. `mask` broadcasts with [..., n, m]: a boolean one is true where a query may see a key, another is
    added to the scores. With `causal`, query i sees keys 0 .. i. A query that sees nothing gets zeros. For
    two-byte dtypes, the weights are computed in float32.

    Args:
        query: real numbers [..., n, d].
        key: real numbers [..., m, d].
        value: real numbers [..., m, e].
        mask: booleans that broadcast to [..., n, m], true for visible keys; None for all.
        causal: whether a position sees only itself and earlier ones.
        scale: the factor of the scores; None for 1 / sqrt(d).

    Returns:
        A tensor [..., n, e].

    Raises:
        ShapeError: if `query`, `key` or `value` has the wrong shape, or names an axis that is not there.
        DTypeError: if `query`, `key`, `value` or `scale` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> ps.nn.attention(x, x, x, causal=True)[0]
    Tensor([1., 0.], dtype=float32)
    """
    query, key, value = (_tensor(one) for one in (query, key, value))
    q, k, v = query.shape, key.shape, value.shape
    if min(len(q), len(k), len(v)) < 2 or q[-1] != k[-1] or k[-2] != v[-2]:
        raise ShapeError(
            f"attention: query {q}, key {k} and value {v} do not fit.",
            why="They are [..., n, d], [..., m, d] and [..., m, v].",
            site=here(),
        )
    scale = 1.0 / math.sqrt(q[-1] or 1) if scale is None else float(number("attention: scale", scale))
    if mask is None:
        return _attention(query, key, value, bool(causal), scale)
    mask = _tensor(mask)
    if mask._spec.dtype.kind in "iu":
        raise DTypeError(
            f"attention: the mask is {mask._spec!r}.",
            why="Integers are ambiguous: they could mean true and false, or be added to the scores.",
            remedy="Convert it: astype(mask, 'bool'), or astype(mask, 'float32').",
            site=here(),
        )
    return _masked_attention(query, key, value, mask, bool(causal), scale)


def _weighed(query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float) -> Any:
    last = len(key.shape) - 1
    own = value.dtype
    # Products of half-precision values of a few hundred overflow, although the final weights are in 0 .. 1.
    query, key, value = (cast(x, dtype=_SINGLE) if is_narrow(x.dtype) else x for x in (query, key, value))
    turned = transpose(key, axes=(*range(last - 1), last, last - 1))
    scores = matmul(query * scale, turned)
    if causal:
        whole = np.dtype(np.int64)
        rows = index.arange(start=0, step=1, length=query.shape[-2], dtype=whole)
        columns = index.arange(start=0, step=1, length=key.shape[-2], dtype=whole)
        sees = pointwise.less_equal(columns, reshape(rows, shape=(query.shape[-2], 1)))
        scores = pointwise.where(sees, scores, -np.inf)
    if mask is not None:
        if mask._spec.dtype.kind == "b":
            scores = pointwise.where(mask, scores, -np.inf)
        else:
            scores = scores + cast(mask, dtype=scores.dtype)
    found = mean_by(scores, value, zeros=True)
    return cast(found, dtype=own) if is_narrow(own) else found


def mean_by(scores: Any, value: Any, zeros: bool = False) -> Any:
    """Returns softmax(scores) @ value, with scores [..., n, m] and value [..., m, v].

    The mean [..., n, v] is divided by the sum of the powers, not the powers [..., n, m] themselves: that is
    two passes less over the largest array, and two less in the gradient, where a sum over it is one over the
    mean. With `zeros`, scores that are all -inf give zeros. It is not for two-byte dtypes, in which the
    product of the powers might overflow.
    """
    axes = (len(scores.shape) - 1,)
    largest = reduce.ceiling(scores, axes)
    if zeros:
        # Where nothing may be seen all are -inf, and their difference would be NaN.
        largest = pointwise.where(pointwise.equal(largest, -np.inf), 0.0, largest)
    powers = pointwise.exp(scores - largest)
    total = reduce.sum(powers, axes=axes, keepdims=True)
    if zeros:
        total = pointwise.where(pointwise.equal(total, 0.0), 1.0, total)
    return matmul(powers, value) / total


@composite(3)
def _attention(query: Any, key: Any, value: Any, causal: bool, scale: float) -> Tensor:
    return _weighed(query, key, value, None, causal, scale)  # type: ignore[no-any-return]


@composite(4)
def _masked_attention(query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float) -> Tensor:
    return _weighed(query, key, value, mask, causal, scale)  # type: ignore[no-any-return]


@composite(2, wide=True)
def _dropped(x: Any, random: Any, rate: float) -> Tensor:
    return pointwise.where(random >= rate, x / (1.0 - rate), 0.0)


def dropout(x: Any, rate: float | Tensor | Cell, *, training: bool = True, key: Any = None) -> Tensor:
    """Returns x with each element set to 0 with probability `rate`, and the others divided by 1 - rate.

    Without `training`, returns x unchanged. `key`, from ps.random.key() or split, decides which elements are
    dropped; by default, the next key of the seeded sequence is used. Raises PenstockError for a rate outside
    0 .. 1, unless the rate is a tensor.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        rate: the share of elements that is dropped, from 0 to 1.
        training: whether elements are dropped.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.
        PenstockError: if `rate` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.nn.dropout(ps.ones((2,)), 0.5, training=False)
    Tensor([1., 1.], dtype=float32)
    """
    if isinstance(rate, Tensor | Cell) and training:
        x = _tensor(x)
        return _dropped(x, uniform(x.shape, key=key), rate)  # type: ignore[arg-type]
    rate = plain(rate)
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise PenstockError(
            f"dropout was given the rate {shown(rate)}.",
            why="It is the fraction that is dropped.",
            site=here(),
        )
    x = _tensor(x)
    if not training or rate == 0:
        return pointwise.identity.record((x,), {}, _frame(1))
    if rate == 1:
        return pointwise.multiply.record((x, 0.0), {}, _frame(1))
    return _dropped(x, uniform(x.shape, key=key), float(rate))


def embedding(table: Any, ids: Any) -> Tensor:
    """Returns the rows of `table` [rows, ...] at integer `ids` [...]. The gradient of a variable is `Rows`.

    An id outside the table raises RangeError when the value is computed, and changes no variable.

    Args:
        table: rows [rows, ...] of floating-point dtype.
        ids: integers of any shape.

    Returns:
        A tensor of shape `(*ids.shape, ...)`.

    Raises:
        RangeError: if an index is out of range.
        ShapeError: if `table` has the wrong shape, or names an axis that is not there.
        DTypeError: if `table` or `ids` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.embedding(ps.asarray([[1.0], [2.0]]), ps.asarray([1, 1, 0])).shape
    (3, 1)
    """
    return index.take.record((table, ids), {"axis": 0}, _frame(1))


__all__ = ["attention", "dropout", "embedding"]
