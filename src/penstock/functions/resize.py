"""Padding and resizing along axes, and normalisation by groups and lengths. Users find them in `nn`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.functions.composite import composite
from penstock.ops import index, pointwise, reduce
from penstock.ops.linear import matmul
from penstock.ops.shape import broadcast_to, concat, flip, reshape, slice_, transpose
from penstock.ops.special import sinc
from penstock.ops.table import cast
from penstock.ops.validation import plain, whole, wholes
from penstock.trace.convert import as_tensor
from penstock.trace.lengths import maximum, real
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

MODES = ("constant", "edge", "reflect", "symmetric", "circular")
METHODS = {
    "nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "cubic": "cubic",
    "bicubic": "cubic", "lanczos3": "lanczos3", "lanczos5": "lanczos5", "area": "area",
    "gaussian": "gaussian", "mitchellcubic": "mitchellcubic",
}  # fmt: skip
SMOOTHING = ("gaussian", "mitchellcubic")
"""Methods that spread every element, so that an axis which keeps its length is changed too."""


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def pad(x: Any, widths: Any, mode: str = "constant", value: float = 0.0) -> Tensor:
    """Returns x with entries added before and after each axis, as numpy.pad does.

    `widths` is a pair (before, after) for each axis, or one number or pair for all. `mode` is "constant" (of
    `value`), "edge" (the border repeated), "reflect" (mirrored at the border element), "symmetric" (mirrored
    behind it) or "circular" (from the other end; NumPy's "wrap"). Raises ShapeError for widths that do not
    fit, or an empty axis that nothing can be taken from.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        widths: a pair (before, after) for each axis, one pair, or an int.
        mode: "constant", "reflect", "symmetric" or "edge".
        value: the number that is filled in.

    Returns:
        A longer tensor of the same dtype.

    Raises:
        ShapeError: if `x` or `widths` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.
        PenstockError: if `mode` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.nn.pad(ps.asarray([1.0, 2.0, 3.0]), (2, 1), "reflect")
    Tensor([3., 2., 1., 2., 3., 2.], dtype=float32)
    """
    x = _tensor(x)
    if mode not in MODES:
        raise PenstockError(f"pad was given mode {mode!r}.", remedy=f"Use {', '.join(MODES)}.", site=here())
    try:
        pairs = np.broadcast_to(np.asarray(widths), (len(x.shape), 2)).tolist()
    except ValueError:
        pairs = [(-1, -1)]
    if any(not isinstance(n, int) or n < 0 for pair in pairs for n in pair):
        raise ShapeError(
            f"pad: widths {widths!r} do not fit shape {x.shape}.",
            remedy="Give a pair of whole numbers of at least 0 for each axis.",
            site=here(),
        )
    for axis, (length, pair) in enumerate(zip(x.shape, pairs, strict=True)):
        if mode != "constant" and any(pair) and length < 1:
            raise ShapeError(
                f"pad: axis {axis} of shape {x.shape} has too few entries for mode {mode!r}.", site=here()
            )
    return _pad(x, tuple(tuple(pair) for pair in pairs), mode, float(value))


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    return slice_(
        x, window=tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x.shape))
    )


def _piece(x: Any, own: int, axis: int, width: int, mode: str, before: bool) -> Any:
    """Returns up to `width` entries that continue x, of whose axis `own` entries were there at first."""
    length = x.shape[axis]
    if mode == "edge" or (mode == "reflect" and length == 1):
        border = _part(x, axis, 0, 1) if before else _part(x, axis, length - 1, length)
        return broadcast_to(border, shape=tuple(width if i == axis else n for i, n in enumerate(x.shape)))
    if mode == "circular":
        step = min(width, own)
        return (
            _part(x, axis, own - step, own) if before else _part(x, axis, length - own, length - own + step)
        )
    skip = 1 if mode == "reflect" else 0
    step = min(width, length - skip)
    start = skip if before else length - skip - step
    return flip(_part(x, axis, start, start + step), axes=(axis,))


@composite(1)
def _pad(x: Any, widths: Any, mode: str, value: float) -> Tensor:
    for axis, pair in enumerate(widths):
        own = x.shape[axis]
        for before, width in zip((True, False), pair, strict=True):
            while width:
                if mode == "constant":
                    lengths = tuple(width if i == axis else n for i, n in enumerate(x.shape))
                    piece: Any = broadcast_to(cast(value, dtype=x.dtype), shape=lengths)
                else:
                    piece = _piece(x, own, axis, width, mode, before)
                width -= piece.shape[axis]
                x = concat(piece, x, axis=axis) if before else concat(x, piece, axis=axis)
    return x  # type: ignore[no-any-return]


def resize(
    x: Any,
    size: int | Sequence[int],
    method: str = "nearest",
    *,
    axes: Sequence[int] | None = None,
    align_corners: bool = False,
    antialias: bool = False,
    cubic: float | None = None,
) -> Tensor:
    """Returns x [batch, *spatial, channels] with its spatial axes brought to other lengths.

    `axes` names the spatial axes, by default those between the first and the last: (-2, -1) for channels
    first. `method` is "nearest"; "linear", also called "bilinear" and "trilinear"; "cubic" or "bicubic"
    (Keys, 1981); "lanczos3" or "lanczos5", a windowed sinc of that radius; "area", the mean over what a new
    element covers; "gaussian", of standard deviation 1/2, cut at 3/2; or "mitchellcubic" (Mitchell and
    Netravali, 1988). The last two also smooth an axis that keeps its length, unless all do, as in TensorFlow.
    Pixels are squares with centres at half-integers (TensorFlow 2, JAX; PyTorch's "nearest-exact" and
    align_corners=False), or, with `align_corners`, points whose corners stay in place (linear, cubic). With
    `antialias` the kernel is as wide as a new pixel if an axis shrinks.

    Weights that fall outside are left out, and the others made to add up to 1, as in TensorFlow and JAX,
    whose cubic has the coefficient -0.5. With `cubic` the coefficient is a different one, and elements
    outside count as the border, as in PyTorch and Paddle, which use -0.75.

    Args:
        x: numbers [batch, *spatial, channels].
        size: the new lengths, ints.
        method: one of the words above.
        axes: the axes to resize; None for all between batch and channels.
        align_corners: whether the corners' centres fall together.
        antialias: whether to smooth before shrinking.
        cubic: the parameter of the cubic kernel; None for the usual one.

    Returns:
        A tensor [batch, *size, channels].

    Raises:
        ShapeError: if `x` or `size` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `size` has the wrong dtype or type.
        PenstockError: if `method` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.nn.resize(ps.asarray([[0.0, 1.0]]), 4, "linear", axes=(1,))
    Tensor([[0.  , 0.25, 0.75, 1.  ]], dtype=float32)
    """
    x = _tensor(x)
    rank = len(x.shape)
    chosen = (
        tuple(range(1, rank - 1)) if axes is None else reduce.normalize_axes("resize", tuple(axes), x.shape)
    )
    several = wholes("resize: size", size)
    lengths = several * len(chosen) if isinstance(size, int | np.integer) else several
    kind = METHODS.get(method)
    corners = not align_corners or (kind in ("linear", "cubic") and not antialias)
    if kind is None or not corners or (antialias and kind in ("nearest", "area")):
        options = ["align_corners"] * bool(align_corners) + ["antialias"] * bool(antialias)
        raise PenstockError(
            f"resize was given method {method!r}{' with ' if options else ''}{' and '.join(options)}.",
            remedy=f"Use {', '.join(METHODS)}; align_corners goes with the linear and cubic ones, antialias "
            "with all but nearest and area, and the two not together.",
            site=here(),
        )
    cubic = plain(cubic)
    if cubic is not None and (
        kind != "cubic" or isinstance(cubic, bool) or not isinstance(cubic, int | float)
    ):
        raise PenstockError(
            f"resize was given cubic={cubic!r} with method {method!r}.",
            why="cubic is the slope of the cubic kernel at 1.",
            remedy='Give a number such as -0.75, with method="cubic".',
            site=here(),
        )
    fits = len(lengths) == len(chosen) and all(
        n > 0 and x.shape[axis] > 0 for n, axis in zip(lengths, chosen, strict=False)
    )
    if not chosen or not fits:
        raise ShapeError(
            f"resize: size {size!r} does not fit the axes {chosen} of shape {x.shape}.",
            remedy="Give a length of at least 1 for each resized axis.",
            site=here(),
        )
    edge = cubic is not None and not antialias
    coefficient = -0.5 if cubic is None else float(cubic)
    return _resize(x, tuple(lengths), chosen, kind, bool(align_corners), bool(antialias), edge, coefficient)


def _kernel(kind: str, d: Any, coefficient: Any) -> Any:
    """Returns the weight of an element at distance d."""
    if kind == "linear":
        return pointwise.maximum(1.0 - d, 0.0)
    if kind == "gaussian":
        return pointwise.where(d < 1.5, pointwise.exp(d * d * -2.0), 0.0)
    if kind == "mitchellcubic":
        # B = C = 1/3 of the paper's two parameters.
        near = (d * (7.0 / 6.0) - 2.0) * d * d + 8.0 / 9.0
        far = ((d * (-7.0 / 18.0) + 2.0) * d - 10.0 / 3.0) * d + 16.0 / 9.0
        return pointwise.where(d < 1.0, near, pointwise.where(d < 2.0, far, 0.0))
    if kind == "cubic":
        near = ((coefficient + 2.0) * d - (coefficient + 3.0)) * d * d + 1.0
        far = (((d - 5.0) * d + 8.0) * d - 4.0) * coefficient
        return pointwise.where(d < 1.0, near, pointwise.where(d < 2.0, far, 0.0))
    radius = float(kind.removeprefix("lanczos"))
    return pointwise.where(d < radius, sinc(d, order=0) * sinc(d / radius, order=0), 0.0)


def _weights(kind: str, old: int, length: int, align: bool, smooth: bool, edge: bool, slope: Any) -> Any:
    """Returns the weight of each old element in each new one, [old, length], in float64."""
    wide = np.dtype(np.float64)
    ratio = old / length
    place = index.arange(start=0, step=1, length=length, dtype=wide)
    there = reshape(index.arange(start=0, step=1, length=old, dtype=wide), shape=(old, 1))
    if kind == "area":
        low, high = place * ratio, (place + 1.0) * ratio
        return (
            pointwise.maximum(pointwise.minimum(there + 1.0, high) - pointwise.maximum(there, low), 0.0)
            / ratio
        )
    if align:
        place = place * ((old - 1) / (length - 1) if length > 1 else 0.0)
    else:
        place = (place + 0.5) * ratio - 0.5
    if kind == "linear" and not smooth:
        place = pointwise.clip(place, 0.0, real(old - 1))
    place = reshape(place, shape=(1, length))
    width = maximum(ratio, 1.0) if smooth else 1.0
    found = _kernel(kind, pointwise.absolute(place - there) / width, slope)
    if edge or align:
        # Elements outside count as the border: a cubic reaches two elements far.
        first = pointwise.equal(there, 0.0)
        last = pointwise.equal(there, real(old - 1))
        for step in (1.0, 2.0):
            before = _kernel(kind, pointwise.absolute(place + step), slope)
            behind = _kernel(kind, pointwise.absolute(place - (old - 1.0 + step)), slope)
            found = found + pointwise.where(first, before, 0.0) + pointwise.where(last, behind, 0.0)
        return found
    if kind == "linear" and not smooth:
        return found
    return found / reduce.sum(found, axes=(0,), keepdims=True)


@composite(1, wide=True)
def _resize(
    x: Any, lengths: Any, axes: Any, kind: str, align: bool, smooth: bool, edge: bool, slope: float
) -> Tensor:
    whole = np.dtype(np.int64)
    stays = all(length == x.shape[axis] for length, axis in zip(lengths, axes, strict=True))
    for length, axis in zip(lengths, axes, strict=True):
        old = x.shape[axis]
        if length == old and (stays or kind not in SMOOTHING):
            continue
        if kind == "nearest":
            doubled = index.arange(start=1, step=2, length=length, dtype=whole)
            x = index.take(x, pointwise.floor_divide(doubled * old, 2 * length), axis=axis)
            continue
        # Each new element is a sum of old ones, by how near they are: a matrix, from float64.
        weights = cast(_weights(kind, old, length, align, smooth, edge, slope), dtype=x.dtype)
        order = (*(i for i in range(len(x.shape)) if i != axis), axis)
        turned = transpose(x, axes=order)
        rows = reshape(turned, shape=(math.prod(turned.shape[:-1]), old))
        moved = reshape(matmul(rows, weights), shape=(*turned.shape[:-1], length))
        x = transpose(moved, axes=tuple(int(i) for i in np.argsort(order)))
    return x  # type: ignore[no-any-return]


@composite(1, wide=True)
def l2_normalize(x: Any, axis: int | tuple[int, ...] = -1, epsilon: float = 1e-12) -> Tensor:
    """Returns x / sqrt(max(sum(x * x), epsilon)) along axes: vectors of length 1.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.
        epsilon: the least sum of squares to divide by, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.l2_normalize(ps.asarray([3.0, 4.0]))
    Tensor([0.6, 0.8], dtype=float32)
    """
    axes = reduce.normalize_axes("l2_normalize", axis, x.shape)
    squares = reduce.sum(pointwise.square(x), axes=axes, keepdims=True)
    return x * pointwise.rsqrt(pointwise.where(squares < epsilon, epsilon, squares))  # type: ignore[no-any-return]


@composite(3, wide=True)
def group_normalization(x: Any, scale: Any, offset: Any, groups: int = 32, epsilon: float = 1e-5) -> Tensor:
    """Returns x [batch, ..., channels] with mean 0 and variance 1 in each group of channels of each example.

    It is then multiplied by `scale` and moved by `offset`, one of each for each channel (Wu and He, 2018).
    With as many groups as channels this is instance normalisation.

    Args:
        x: real numbers [batch, ..., channels].
        scale: the factors, [channels].
        offset: numbers to add, [channels].
        groups: into how many groups the channels are divided, an int.
        epsilon: a number that is added to avoid division by 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `scale`, `offset` or `groups` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `x`, `scale`, `offset` or `groups` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.group_normalization(ps.asarray([[0.0, 2.0]]), ps.ones((2,)), ps.zeros((2,)), 1, 0.0)
    Tensor([[-1.,  1.]], dtype=float32)
    """
    channels = x.shape[-1] if len(x.shape) > 1 else 0
    if whole("group_normalization: groups", groups) < 1 or channels < 1 or channels % groups:
        raise ShapeError(
            f"group_normalization: {groups} groups do not divide the channels of shape {x.shape}.",
            why="The last axis holds the channels, and the groups must be of equal size.",
            site=here(),
        )
    apart = reshape(x, shape=(*x.shape[:-1], groups, channels // groups))
    last = len(apart.shape) - 1
    axes = (*range(1, last - 1), last)
    centred = apart - reduce.mean(apart, axes=axes, keepdims=True)
    variance = reduce.mean(pointwise.square(centred), axes=axes, keepdims=True)
    return reshape(centred * pointwise.rsqrt(variance + epsilon), shape=x.shape) * scale + offset  # type: ignore[no-any-return]


__all__ = ["group_normalization", "l2_normalize", "pad", "resize"]
