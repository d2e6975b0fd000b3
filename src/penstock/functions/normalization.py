"""Normalisation: values brought to mean 0 and variance 1, over a batch or within each example."""

from __future__ import annotations

import math
from typing import Any

from penstock.errors import ShapeError
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.ops.shape import reshape
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

Axis = int | tuple[int, ...]


@composite(1, wide=True)
def moments(x: Any, axis: Axis, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Returns the mean and the variance (divided by the count) over some axes."""
    axes = reduce.normalize_axes("moments", axis, x.shape)
    mean = reduce.mean(x, axes=axes, keepdims=True)
    variance = reduce.mean(pointwise.square(x - mean), axes=axes, keepdims=keepdims)
    return mean if keepdims else reshape(mean, shape=variance.shape), variance


def _along(vector: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Adds axes of length 1 to a value that has only these axes of x."""
    lengths = tuple(n if i in axes else 1 for i, n in enumerate(x.shape))
    if vector._spec.size != math.prod(lengths):
        own = tuple(x.shape[i] for i in axes)
        raise ShapeError(
            f"A vector of a normalization has shape {vector.shape}; x is {x.shape}, along {axes} {own}.",
            why="Its scale, offset, mean and variance must have the lengths of x along those axes.",
            remedy=f"Give shape {own}, or one number.",
            site=here(),
        )
    return vector if vector.shape == lengths else reshape(vector, shape=lengths)


@composite(5, wide=True)
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, axis: int = -1, epsilon: float = 1e-3
) -> Tensor:
    """Returns (x - mean) / sqrt(variance + epsilon) * scale + offset.

    The four are vectors along `axis` of x, or numbers (Ioffe and Szegedy, 2015).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        mean: the mean, a number or a tensor that broadcasts.
        variance: numbers from 0.
        offset: numbers to add, along the same axes.
        scale: the factor, along the same axes.
        axis: the axis, an int; a negative one counts from the end.
        epsilon: a number that is added to avoid division by 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if an argument has the wrong shape, or names an axis that is not there.
        DTypeError: if an argument has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.asarray([[1.0, 10.0], [3.0, 30.0]])
    >>> mean, variance = ps.mean(x, axis=0), ps.asarray([1.0, 100.0])
    >>> ps.nn.batch_normalization(x, mean, variance, 0.0, 1.0, epsilon=0.0)
    Tensor([[-1., -1.],
     [ 1.,  1.]], dtype=float32)
    """
    axes = reduce.normalize_axes("batch_normalization", axis, x.shape)

    def placed(vector: Any) -> Any:
        return _along(vector, x, axes) if vector.shape else vector

    # Multiplied first: a vector of the features costs less than the batch.
    factor = pointwise.rsqrt(placed(variance) + epsilon) * placed(scale)
    return (x - placed(mean)) * factor + placed(offset)  # type: ignore[no-any-return]


@composite(3, wide=True)
def layer_normalization(x: Any, scale: Any, offset: Any, axis: Axis = -1, epsilon: float = 1e-3) -> Tensor:
    """Returns x with mean 0 and variance 1 over `axis`, times `scale`, plus `offset`.

    Both have the lengths of x along `axis`, or are numbers (Ba, Kiros and Hinton, 2016).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        scale: the factor, along the same axes.
        offset: numbers to add, along the same axes.
        axis: the axis, an int; a negative one counts from the end.
        epsilon: a number that is added to avoid division by 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `scale`, `offset` or `axis` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if an argument has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.layer_normalization(ps.asarray([[1.0, 3.0], [10.0, 30.0]]), 1.0, 0.0, epsilon=0.0)
    Tensor([[-1.,  1.],
     [-1.,  1.]], dtype=float32)
    """
    axes = reduce.normalize_axes("layer_normalization", axis, x.shape)
    mean = reduce.mean(x, axes=axes, keepdims=True)
    centered = x - mean
    variance = reduce.mean(pointwise.square(centered), axes=axes, keepdims=True)
    normal = centered * pointwise.rsqrt(variance + epsilon)
    scale, offset = (_along(one, x, axes) if one.shape else one for one in (scale, offset))
    return normal * scale + offset  # type: ignore[no-any-return]


@composite(2, wide=True)
def rms_normalization(x: Any, scale: Any, axis: Axis = -1, epsilon: float = 1e-6) -> Tensor:
    """Returns x divided by the root of its mean square over `axis`, times `scale` (Zhang and Sennrich, 2019).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        scale: the factor, along the same axes.
        axis: the axis, an int; a negative one counts from the end.
        epsilon: a number that is added to avoid division by 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `scale` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `scale`, `axis` or `epsilon` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.rms_normalization(ps.asarray([3.0, 4.0]), 1.0, epsilon=0.0)
    Tensor([0.84852815, 1.1313709 ], dtype=float32)
    """
    axes = reduce.normalize_axes("rms_normalization", axis, x.shape)
    square = reduce.mean(pointwise.square(x), axes=axes, keepdims=True)
    return x * pointwise.rsqrt(square + epsilon) * (_along(scale, x, axes) if scale.shape else scale)  # type: ignore[no-any-return]
