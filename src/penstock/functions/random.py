"""Random numbers from one sequence of keys: the same in both tiers, and never a reason to compile again."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError, PenstockError, ShapeError
from penstock.functions.arguments import dtype_of, lengths_of
from penstock.functions.keys import DrawKey, key, seed
from penstock.lazy import listed, missing
from penstock.ops import distributions as more
from penstock.ops import index, pointwise, reduce
from penstock.ops import random as draws
from penstock.ops.shape import reshape, slice_
from penstock.ops.sort import argsort
from penstock.ops.table import Primitive, broadcast_shapes, cast
from penstock.ops.validation import number as number_of
from penstock.ops.validation import plain, whole
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def normal(
    shape: int | Sequence[int] = (),
    mean: Any = 0.0,
    stddev: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the normal distribution; `mean` and `stddev` broadcast, and gradients reach them.

    Draws are the same in both tiers: float64 to a rounding, narrower ones bit for bit, but for perhaps one in
    a hundred million that lies between two float32 numbers.

    Args:
        shape: the shape of the draws, an int or ints.
        mean: the mean, a number or a tensor that broadcasts.
        stddev: the standard deviation, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `mean`, `stddev` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `mean` or `stddev` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> x = ps.random.normal((1000,), mean=5.0, stddev=0.1)
    >>> round(float(ps.mean(x)), 2)
    5.0
    """
    return _scaled(draws.random_normal, shape, mean, stddev, dtype, key, _frame(1))


def truncated_normal(
    shape: int | Sequence[int] = (),
    mean: Any = 0.0,
    stddev: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the normal distribution between two standard deviations below and above the mean.

    `stddev` is that of the distribution before the truncation, which reduces it by a factor of 0.88.

    Args:
        shape: the shape of the draws, an int or ints.
        mean: the mean, a number or a tensor that broadcasts.
        stddev: the standard deviation, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `mean`, `stddev` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `mean` or `stddev` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> bool(ps.max(ps.abs(ps.random.truncated_normal((1000,)))) <= 2.0)
    True
    """
    return _scaled(draws.random_truncated_normal, shape, mean, stddev, dtype, key, _frame(1))


def uniform(
    shape: int | Sequence[int] = (),
    low: Any = 0.0,
    high: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws between `low`, included, and `high`, which only a rounding can reach.

    From 0 to 1, the default, draws are whole multiples of the dtype's smallest step below 1, and never 1.

    Args:
        shape: the shape of the draws, an int or ints.
        low: the lower border, a number or a tensor that broadcasts.
        high: the upper border, a number or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `low`, `high` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `low` or `high` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> x = ps.random.uniform((1000,), -1.0, 1.0)
    >>> bool(ps.all((x >= -1.0) & (x < 1.0)))
    True
    """
    for name, one in (("low", low), ("high", high)):
        if not isinstance(one, Tensor | Cell | np.ndarray):
            number_of(f"uniform: {name}", one)
    width = high - low
    return _scaled(draws.random_uniform, shape, low, width, dtype, key, _frame(1))


def integers(
    shape: int | Sequence[int], low: int, high: int, *, dtype: Any = np.int64, key: Any = None
) -> Tensor:
    """Returns integers from `low`, included, to `high`, not included, each as likely as the others.

    (The remainder of 64 random bits: the likelihoods differ by less than (high - low) / 2 ** 64.)

    Args:
        shape: the shape of the draws, an int or ints.
        low: the least, an int.
        high: the first that is too large, an int.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `low`, `high` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> dice = ps.random.integers((1000,), 1, 7)
    >>> int(ps.min(dice)), int(ps.max(dice))
    (1, 6)
    """
    dtype = dtype_of(dtype)
    low, high = (whole(f"integers: {name}", one) for name, one in (("low", low), ("high", high)))
    if dtype.kind not in "iu":
        raise DTypeError(
            f"integers was asked for {dtype.name}.", site=here(), remedy="Use uniform for fractions."
        )
    limits = np.iinfo(dtype)
    if not limits.min <= low < high <= int(limits.max) + 1:
        raise PenstockError(
            f"integers was given the range {low} to {high}, for {dtype.name}.",
            why=f"The range must hold a number, and lie within {limits.min} .. {limits.max}.",
            site=here(),
        )
    frame = _frame(1)
    bits = draws.random_bits.record(
        (_key(key),), {"shape": _lengths(shape), "dtype": np.dtype(np.uint64)}, frame
    )
    if high - low < 1 << 64:
        bits = pointwise.remainder.record((bits, high - low), {}, frame)
    # Bits above those of the dtype fall off, here and in the sum, so that it comes out right for every range.
    return pointwise.add.record((cast.record((bits,), {"dtype": dtype}, frame), low), {}, frame)


def split(key: Any, count: int = 2) -> tuple[Tensor, ...]:
    """Returns `count` keys made from one; each starts its own sequence of random numbers.

    Every function here that draws takes such a key as `key`: the draw then depends on nothing else, and two
    draws with the same key are equal. Without it, the next key of the seeded sequence is used.

    Args:
        key: a key, uint32[3].
        count: how many, an int.

    Returns:
        A tuple of keys, each uint32[3].

    Raises:
        PenstockError: if `key` or `count` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> one, other = ps.random.split(ps.random.key())
    >>> bool(ps.random.normal(key=one) == ps.random.normal(key=one))
    True
    >>> bool(ps.random.normal(key=one) == ps.random.normal(key=other))
    False
    """
    count = plain(count)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise PenstockError(
            f"split was asked for {count!r} keys.", remedy="Ask for a whole number.", site=here()
        )
    frame = _frame(1)
    return tuple([draws.fold_in.record((_key(key), number), {}, frame) for number in range(count)])


def bernoulli(
    shape: int | Sequence[int] = (), p: Any = 0.5, *, dtype: Any = np.bool_, key: Any = None
) -> Tensor:
    """Returns draws that are true with probability `p`, which broadcasts (discrete: no gradient).

    Args:
        shape: the shape of the draws, an int or ints.
        p: probabilities, from 0 to 1; they broadcast.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape` or `p` has the wrong dtype or type.
        ShapeError: if `shape` or `p` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> int(ps.sum(ps.random.bernoulli((1000,), 0.0, dtype=ps.int64)))
    0
    """
    frame = _frame(1)
    wide = getattr(p, "dtype", None) == np.float64
    dtype_of_draw = np.dtype(np.float64 if wide else np.float32)
    drawn = _unit(draws.random_uniform, _joined(shape, p), dtype_of_draw, key, frame)
    below = pointwise.less.record((drawn, p), {}, frame)
    dtype = dtype_of(dtype)
    return below if dtype == np.bool_ else cast.record((below,), {"dtype": dtype}, frame)


def exponential(
    shape: int | Sequence[int] = (), scale: Any = 1.0, *, dtype: Any = np.float32, key: Any = None
) -> Tensor:
    """Returns draws from the exponential distribution of mean `scale`; gradients reach it.

    Args:
        shape: the shape of the draws, an int or ints.
        scale: the scale, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `scale` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` or `scale` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> bool(ps.all(ps.random.exponential((1000,)) > 0.0))
    True
    """
    return _scaled(more.random_exponential, shape, 0.0, scale, dtype, key, _frame(1))


def laplace(
    shape: int | Sequence[int] = (),
    loc: Any = 0.0,
    scale: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the Laplace (double exponential) distribution; gradients reach `loc` and `scale`.

    Args:
        shape: the shape of the draws, an int or ints.
        loc: the place, a number or a tensor that broadcasts.
        scale: the scale, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `loc`, `scale` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `loc` or `scale` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.laplace((2, 3)).shape
    (2, 3)
    """
    return _scaled(more.random_laplace, shape, loc, scale, dtype, key, _frame(1))


def logistic(
    shape: int | Sequence[int] = (),
    loc: Any = 0.0,
    scale: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the logistic distribution; gradients reach `loc` and `scale`.

    Args:
        shape: the shape of the draws, an int or ints.
        loc: the place, a number or a tensor that broadcasts.
        scale: the scale, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `loc`, `scale` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `loc` or `scale` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.logistic((2, 3)).shape
    (2, 3)
    """
    return _scaled(more.random_logistic, shape, loc, scale, dtype, key, _frame(1))


def gumbel(
    shape: int | Sequence[int] = (),
    loc: Any = 0.0,
    scale: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the Gumbel distribution of largest values; gradients reach `loc` and `scale`.

    softmax((logits + gumbel) / temperature) is a smooth stand-in for a categorical draw (Jang et al., 2017).

    Args:
        shape: the shape of the draws, an int or ints.
        loc: the place, a number or a tensor that broadcasts.
        scale: the scale, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `loc`, `scale` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `loc` or `scale` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.gumbel((2, 3)).shape
    (2, 3)
    """
    return _scaled(more.random_gumbel, shape, loc, scale, dtype, key, _frame(1))


def categorical(
    logits: Any, shape: int | Sequence[int] = (), *, dtype: Any = np.int64, key: Any = None
) -> Tensor:
    """Returns draws of classes with probabilities softmax(logits): logits [..., classes] give [*shape, ...].

    Discrete: no gradient. A class with logit -inf is never drawn.

    Args:
        logits: real numbers [..., classes].
        shape: the shape of the draws, an int or ints.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        Integers of shape `(*shape, *logits.shape[:-1])`.

    Raises:
        ShapeError: if `logits` or `shape` has the wrong shape, or names an axis that is not there.
        DTypeError: if `logits` or `shape` has the wrong dtype or type.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.categorical(ps.asarray([0.0, 1e9, 0.0]), (3,))
    Tensor([1, 1, 1], dtype=int64)
    """
    frame = _frame(1)
    logits = _tensor(logits)
    if not logits.shape or not logits.shape[-1]:
        raise ShapeError(
            f"categorical was given logits of shape {logits.shape}.",
            why="The last axis holds the classes, and there must be at least one.",
            site=here(),
        )
    full = (*_lengths(shape), *logits.shape)
    noise = _unit(more.random_gumbel, full, logits.dtype, key, frame)
    noisy = pointwise.add.record((noise, logits), {}, frame)
    return reduce.argmax.record((noisy,), {"axis": len(full) - 1, "dtype": dtype_of(dtype)}, frame)


def gamma(
    shape: int | Sequence[int] = (),
    concentration: Any = 1.0,
    scale: Any = 1.0,
    *,
    dtype: Any = np.float32,
    key: Any = None,
) -> Tensor:
    """Returns draws from the gamma distribution; gradients reach `concentration` and `scale`.

    `concentration` broadcasts with `shape`. A draw is the inverse of the distribution function at a uniform
    number, so its slope by the concentration is the one of implicit reparameterisation (Figurnov et al.,
    2018). Draws below 1e-300 or so, of concentrations below 0.05, are 0.

    Args:
        shape: the shape of the draws, an int or ints.
        concentration: numbers above 0; they broadcast.
        scale: the scale, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `concentration`, `scale` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `concentration` or `scale` has the wrong shape, or names an axis that is not
            there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> round(float(ps.mean(ps.random.gamma((10000,), 3.0))), 1)
    3.0
    """
    frame = _frame(1)
    drawn = _gamma(shape, concentration, key, frame)
    drawn = cast.record((drawn,), {"dtype": _floating("gamma", dtype)}, frame)
    if type(scale) in (int, float) and scale == 1:
        return drawn
    return pointwise.multiply.record((drawn, scale), {}, frame)


def beta(
    shape: int | Sequence[int] = (), a: Any = 1.0, b: Any = 1.0, *, dtype: Any = np.float32, key: Any = None
) -> Tensor:
    """Returns draws from the beta distribution; gradients reach `a` and `b`, as in gamma.

    Args:
        shape: the shape of the draws, an int or ints.
        a: numbers above 0; they broadcast.
        b: numbers above 0; they broadcast.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `a`, `b` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape`, `a` or `b` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> round(float(ps.mean(ps.random.beta((10000,), 1.0, 3.0))), 2)
    0.25
    """
    frame = _frame(1)
    one, other = split(_key(key))
    first, second = _gamma(shape, a, one, frame), _gamma(shape, b, other, frame)
    total = pointwise.add.record((first, second), {}, frame)
    ratio = _share(first, total, 0.5, frame)
    return cast.record((ratio,), {"dtype": _floating("beta", dtype)}, frame)


def dirichlet(
    concentration: Any, shape: int | Sequence[int] = (), *, dtype: Any = np.float32, key: Any = None
) -> Tensor:
    """Returns draws from the Dirichlet distribution: concentration [..., n] gives [*shape, ..., n].

    Gradients reach `concentration`, as in gamma.

    Args:
        concentration: numbers above 0, [..., n].
        shape: the shape of the draws, an int or ints.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `(*shape, *concentration.shape)`.

    Raises:
        ShapeError: if `concentration` or `shape` has the wrong shape, or names an axis that is not there.
        DTypeError: if `concentration` or `shape` has the wrong dtype or type.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> round(float(ps.sum(ps.random.dirichlet(ps.asarray([1.0, 2.0, 3.0])))), 4)
    1.0
    """
    frame = _frame(1)
    given = _tensor(concentration)
    if not given.shape:
        raise ShapeError(
            "dirichlet was given one number for concentration.",
            remedy="Give one for each class.",
            site=here(),
        )
    if not given.shape[-1]:
        raise ShapeError(
            f"dirichlet was given {given.shape}: no class.", remedy="Give at least one.", site=here()
        )
    full = (*_lengths(shape), *given.shape)
    drawn = _gamma(full, given, key, frame)
    total = reduce.sum.record((drawn,), {"axes": (len(full) - 1,), "keepdims": True}, frame)
    ratio = _share(drawn, total, 1.0 / full[-1], frame)
    return cast.record((ratio,), {"dtype": _floating("dirichlet", dtype)}, frame)


def poisson(
    shape: int | Sequence[int] = (), rate: Any = 1.0, *, dtype: Any = np.int64, key: Any = None
) -> Tensor:
    """Returns counts from the Poisson distribution of mean `rate` (flat: no gradient); -1 for a rate below 0.

    Args:
        shape: the shape of the draws, an int or ints.
        rate: the mean, a number from 0 or a tensor that broadcasts.
        dtype: the dtype of the result, or its name; None for the one described.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, of dtype `dtype`.

    Raises:
        DTypeError: if `shape`, `rate` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` or `rate` has the wrong shape, or names an axis that is not there.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> int(ps.sum(ps.random.poisson((100,), 0.0)))
    0
    """
    frame = _frame(1)
    u = _unit(more.random_open, _joined(shape, rate), np.dtype(np.float64), key, frame)
    rate = cast.record((rate,), {"dtype": np.dtype(np.float64)}, frame)
    counts = more.poisson_quantile.record((rate, u), {}, frame)
    return cast.record((counts,), {"dtype": dtype_of(dtype)}, frame)


def multivariate_normal(
    mean: Any,
    scale_tril: Any = None,
    shape: int | Sequence[int] = (),
    *,
    covariance: Any = None,
    key: Any = None,
) -> Tensor:
    """Returns mean + scale_tril @ z for standard normal z: mean [..., n], scale_tril [..., n, n].

    `scale_tril` is the lower Cholesky factor of the covariance, which may be given in its place: symmetric
    and positive, or the result is NaN. The result has shape [*shape, ..., n] and the dtype of `mean`;
    gradients reach both, that of a covariance through its factor.

    Args:
        mean: means [..., n].
        scale_tril: lower triangles [..., n, n]; None where the covariance is given.
        shape: the shape of the draws, an int or ints.
        covariance: symmetric matrices [..., n, n]; None where the triangle is given.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `(*shape, *mean.shape)`.

    Raises:
        ShapeError: if `mean`, `scale_tril` or `shape` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `mean`, `scale_tril` or `shape` has the wrong dtype or type.
        ArgumentError: if `scale_tril` has a value that is not allowed.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.multivariate_normal(ps.zeros((2,)), ps.asarray([[1.0, 0.0], [0.5, 1.0]]), (5,)).shape
    (5, 2)
    >>> covariance = ps.asarray([[4.0, 2.0], [2.0, 5.0]])
    >>> ps.random.multivariate_normal(ps.zeros((2,)), shape=(5,), covariance=covariance).shape
    (5, 2)
    """
    frame = _frame(1)
    if (scale_tril is None) == (covariance is None):
        raise ArgumentError(
            "multivariate_normal was given "
            + (
                "scale_tril=None and covariance=None." if scale_tril is None else "scale_tril and covariance."
            ),
            remedy="Give one of the two: passing the factor saves computing it.",
            site=here(),
        )
    name = "scale_tril" if covariance is None else "covariance"
    mean, tril = (_tensor(one) for one in (mean, scale_tril if covariance is None else covariance))
    if not mean.shape or tril.shape[-2:] != (mean.shape[-1],) * 2:
        raise ShapeError(
            f"multivariate_normal: {name} {tril.shape} does not fit mean {mean.shape}.",
            remedy=f"Give one of shape {(*mean.shape, *mean.shape[-1:])}.",
            site=here(),
        )
    if covariance is not None:
        from penstock.ops.matrices import cholesky

        tril = cholesky.record((tril,), {}, frame)
    drawn = _unit(draws.random_normal, (*_lengths(shape), *mean.shape), mean.dtype, key, frame)
    row = (*drawn.shape[:-1], 1, drawn.shape[-1])
    product = pointwise.multiply.record((tril, reshape.record((drawn,), {"shape": row}, frame)), {}, frame)
    moved = reduce.sum.record((product,), {"axes": (len(row) - 1,), "keepdims": False}, frame)
    return pointwise.add.record((mean, moved), {}, frame)


def permutation(x: Any, *, key: Any = None) -> Tensor:
    """Returns 0 .. x - 1 in random order, or, if x has axes, its slices along the first axis in random order.

    Args:
        x: an int, or data with at least one axis.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of the shape of `x`, or [x] of int64.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.
        PenstockError: if `key` has a value that is not allowed.

    >>> import penstock as ps
    >>> sorted(ps.random.permutation(4).tolist())
    [0, 1, 2, 3]
    """
    frame = _frame(1)
    if not isinstance(x, int | np.integer):
        x = _tensor(x)
        if not x.shape:
            raise ShapeError(
                "permutation was given a tensor without axes.", remedy="Give a number, or data.", site=here()
            )
        order = more.random_permutation.record((_key(key),), {"length": x.shape[0]}, frame)
        return index.take.record((x, order), {"axis": 0}, frame)
    return more.random_permutation.record((_key(key),), {"length": int(x)}, frame)


def choice(
    x: Any, shape: int | Sequence[int] = (), *, replace: bool = True, p: Any = None, key: Any = None
) -> Tensor:
    """Returns elements of x, which is a whole number (then of 0 .. x - 1) or data along its first axis.

    With `replace=False` no element is drawn twice. `p` weighs the elements; it need not sum to 1.

    Args:
        x: an int, or data with at least one axis.
        shape: the shape of the draws, an int or ints.
        replace: whether an element may be drawn twice.
        p: a probability for each element, [n]; None for equal ones.
        key: a key of `random.key` or `random.split`, uint32[3]; None takes the next one.

    Returns:
        A tensor of shape `shape`, followed by the other axes of `x`.

    Raises:
        PenstockError: if `x` or `key` has a value that is not allowed.
        DTypeError: if `x` or `shape` has the wrong dtype or type.
        ShapeError: if `shape` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> sorted(ps.random.choice(3, (3,), replace=False).tolist())
    [0, 1, 2]
    """
    frame = _frame(1)
    data = None if isinstance(x, int | np.integer) else _tensor(x)
    length = int(x) if data is None else data.shape[0] if data.shape else 0
    lengths = _lengths(shape)
    count = math.prod(lengths)
    if length < 1 or (not replace and count > length):
        raise PenstockError(
            f"choice: {count} of {length} elements were asked for{'' if replace else ', each once'}.",
            remedy="Ask for fewer elements, or draw with replacement.",
            site=here(),
        )
    if p is not None:
        p = _tensor(p)
        if p.shape != (length,):
            raise ShapeError(f"choice: p has shape {p.shape}, for {length} elements.", site=here())
    if replace and p is None:
        positions = integers(lengths, 0, length, key=_key(key))
    elif replace:
        positions = categorical(pointwise.log.record((p,), {}, frame), lengths, key=_key(key))
    else:
        if p is None:
            order = more.random_permutation.record((_key(key),), {"length": length}, frame)
        else:
            noise = _unit(more.random_gumbel, (length,), p.dtype, key, frame)
            weights = pointwise.add.record((noise, pointwise.log.record((p,), {}, frame)), {}, frame)
            order = argsort.record((weights,), {"axis": 0, "descending": True, "stable": True}, frame)
        chosen = slice_.record((order,), {"window": ((0, count, 1),)}, frame)
        positions = reshape.record((chosen,), {"shape": lengths}, frame)
    return positions if data is None else index.take.record((data, positions), {"axis": 0}, frame)


def _key(key: Any) -> Any:
    """Returns the key that was given, or the next one of the sequence."""
    if key is None:
        return _next_key()
    given = key._spec if isinstance(key, Tensor | Cell) else None
    if given is not draws.KEY:
        raise PenstockError(
            f"A key is {given or type(key).__name__!r}; keys are uint32[3].",
            remedy="Get one from ps.random.key() or ps.random.split(key).",
            site=here(),
        )
    return key


def _floating(name: str, dtype: Any) -> Any:
    dtype = dtype_of(dtype)
    if dtype.kind not in "fV":
        raise DTypeError(
            f"{name} was asked for {dtype.name}.",
            site=here(),
            remedy="Draw floating-point numbers and convert them with astype.",
        )
    return dtype


def _joined(shape: Any, *parameters: Any) -> Shape:
    """Returns the shape that draws need so that every element of the parameters has one of its own."""
    shapes = [one._spec.shape if isinstance(one, Tensor | Cell) else np.shape(one) for one in parameters]
    return broadcast_shapes("random numbers", _lengths(shape), *shapes)


def _unit(primitive: Primitive, shape: Any, dtype: Any, key: Any, frame: Any) -> Tensor:
    return primitive.record((_key(key),), {"shape": _lengths(shape), "dtype": dtype}, frame)


def _gamma(shape: Any, concentration: Any, key: Any, frame: Any) -> Tensor:
    # Its series are tables: imported for those who draw from it.
    from penstock.ops.incomplete import gammaincinv

    u = _unit(more.random_open, _joined(shape, concentration), np.dtype(np.float64), key, frame)
    wide = cast.record((concentration,), {"dtype": np.dtype(np.float64)}, frame)
    return gammaincinv.record((wide, u), {}, frame)


def _share(part: Tensor, total: Tensor, otherwise: float, frame: Any) -> Tensor:
    """Returns part / total, and `otherwise` where every part was too small for a number."""
    none = pointwise.equal.record((total, 0.0), {}, frame)
    safe = pointwise.where.record((none, 1.0, total), {}, frame)
    ratio = pointwise.divide.record((part, safe), {}, frame)
    return pointwise.where.record((none, otherwise, ratio), {}, frame)


def _scaled(
    primitive: Primitive, shape: Any, offset: Any, scale: Any, dtype: Any, key: Any, frame: Any
) -> Tensor:
    dtype = _floating(primitive.name.removeprefix("random_"), dtype)
    drawn = primitive.record((_key(key),), {"shape": _joined(shape, offset, scale), "dtype": dtype}, frame)
    if not (type(scale) in (int, float) and scale == 1):
        drawn = pointwise.multiply.record((drawn, scale), {}, frame)
    if not (type(offset) in (int, float) and offset == 0):
        drawn = pointwise.add.record((drawn, offset), {}, frame)
    return drawn


def _lengths(shape: int | Sequence[int]) -> Shape:
    return lengths_of(shape)


_next_key = key

if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "DrawKey", "bernoulli", "beta", "categorical", "choice", "dirichlet", "exponential", "gamma", "gumbel",
    "integers", "key", "laplace", "logistic", "multivariate_normal", "normal", "permutation", "poisson",
    "seed", "split", "truncated_normal", "uniform",
]  # fmt: skip
__dir__ = listed(__name__)
