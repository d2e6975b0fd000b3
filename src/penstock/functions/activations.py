"""Activations beyond the common ones: gated, hard, shrinking and smooth units. Users find them in `nn`."""

from __future__ import annotations

from typing import Any

from penstock.errors import ShapeError
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.ops.shape import slice_
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@composite(1, wide=True)
def celu(x: Any, alpha: float = 1.0) -> Tensor:
    """Returns x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere (Barron, 2017); slope 1 at 0.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        alpha: the factor, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.celu(ps.asarray([0.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """
    negative = x < 0.0
    return pointwise.where(negative, pointwise.expm1(pointwise.where(negative, x, 0.0) / alpha) * alpha, x)


@composite(1, wide=True)
def log_sigmoid(x: Any) -> Tensor:
    """Returns log(sigmoid(x)), without overflow.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.nn.log_sigmoid(0.0)), 4)
    -0.6931
    """
    return -pointwise.softplus(-x)


@composite(1, wide=True)
def mish(x: Any) -> Tensor:
    """Returns x * tanh(softplus(x)) (Misra, 2019).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.mish(0.0)
    Tensor(0., dtype=float32)
    """
    return x * pointwise.tanh(pointwise.softplus(x))  # type: ignore[no-any-return]


@composite(1, wide=True)
def squareplus(x: Any, b: float = 4.0) -> Tensor:
    """Returns (x + sqrt(x * x + b)) / 2 (Barron, 2021).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        b: how round the corner is, a number from 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.squareplus(0.0)
    Tensor(1., dtype=float32)
    """
    return (x + pointwise.sqrt(x * x + b)) * 0.5  # type: ignore[no-any-return]


@composite(1, wide=True)
def hard_sigmoid(x: Any) -> Tensor:
    """Returns (x + 3) / 6 brought into 0 .. 1; its slope is 0 at -3 and at 3.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.hard_sigmoid(ps.asarray([-4.0, 0.0]))
    Tensor([0. , 0.5], dtype=float32)
    """
    return pointwise.where(x <= -3.0, 0.0, pointwise.where(x >= 3.0, 1.0, (x + 3.0) / 6.0))


@composite(1, wide=True)
def hard_swish(x: Any) -> Tensor:
    """Returns x * hard_sigmoid(x) (Howard et al., 2019); its slope is 0 at -3 and 1 at 3.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.hard_swish(ps.asarray([-4.0, 6.0]))
    Tensor([-0.,  6.], dtype=float32)
    """
    return x * hard_sigmoid(x)  # type: ignore[no-any-return]


@composite(1)
def hard_tanh(x: Any, low: float = -1.0, high: float = 1.0) -> Tensor:
    """Returns x brought into low .. high; as in clip, its slope on the borders is 1.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        low: the lower border, a number.
        high: the upper border, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.hard_tanh(ps.asarray([-4.0, 0.5]))
    Tensor([-1. ,  0.5], dtype=float32)
    """
    return pointwise.clip(x, low, high)


@composite(1)
def hard_shrink(x: Any, size: float = 0.5) -> Tensor:
    """Returns x where its absolute value is larger than `size`, 0 elsewhere.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        size: how large an element has to be, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.hard_shrink(ps.asarray([-0.4, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """
    # The comparison selects the elements to replace: NaN stays NaN.
    return pointwise.where(pointwise.absolute(x) <= size, 0.0, x)


@composite(1, wide=True)
def soft_shrink(x: Any, size: float = 0.5) -> Tensor:
    """Returns x moved towards 0 by `size`, and 0 where |x| is at most `size`.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        size: by how much, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.soft_shrink(ps.asarray([-0.4, 2.0]))
    Tensor([0. , 1.5], dtype=float32)
    """
    moved = pointwise.where(x > 0.0, x - size, x + size)
    return pointwise.where(pointwise.absolute(x) <= size, 0.0, moved)


@composite(1, wide=True)
def tanh_shrink(x: Any) -> Tensor:
    """Returns x - tanh(x).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.tanh_shrink(0.0)
    Tensor(0., dtype=float32)
    """
    return x - pointwise.tanh(x)  # type: ignore[no-any-return]


@composite(1)
def threshold(x: Any, limit: float = 0.0, value: float = 0.0) -> Tensor:
    """Returns x where it is larger than `limit`, and `value` elsewhere.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        limit: the number that x has to exceed.
        value: the number that is filled in.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x`, `limit` or `value` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.threshold(ps.asarray([0.4, 2.0]), 1.0, -1.0)
    Tensor([-1.,  2.], dtype=float32)
    """
    return pointwise.where(x <= limit, value, x)


@composite(2, wide=True)
def prelu(x: Any, slope: Any) -> Tensor:
    """Returns x where it is positive, slope * x elsewhere; `slope`, usually a trained tensor, broadcasts.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        slope: the slope below 0; it broadcasts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `slope` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `slope` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.prelu(ps.asarray([-4.0, 2.0]), ps.asarray(0.25))
    Tensor([-1.,  2.], dtype=float32)
    """
    return pointwise.where(x > 0.0, x, x * slope)


@composite(1, wide=True)
def glu(x: Any, axis: int = -1) -> Tensor:
    """Returns the first half of x along an axis, times the sigmoid of the second (Dauphin et al., 2017).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tensor half as long along the axis.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.glu(ps.asarray([4.0, 0.0]))
    Tensor([2.], dtype=float32)
    """
    (axis,) = reduce.normalize_axes("glu", axis, x.shape)
    length = x.shape[axis]
    if length % 2:
        raise ShapeError(
            f"glu: axis {axis} of shape {x.shape} has {length} entries.",
            why="One half gates the other half.",
            remedy="Give the axis an even length.",
            site=here(),
        )
    halves = []
    for start in (0, length // 2):
        window = [(0, n, 1) for n in x.shape]
        window[axis] = (start, start + length // 2, 1)
        halves.append(slice_(x, window=tuple(window)))
    return halves[0] * pointwise.sigmoid(halves[1])


__all__ = [
    "celu", "glu", "hard_shrink", "hard_sigmoid", "hard_swish", "hard_tanh", "log_sigmoid", "mish", "prelu",
    "soft_shrink", "squareplus", "tanh_shrink", "threshold",
]  # fmt: skip
