"""Special functions: of the normal distribution, the gamma function, Bessel's, and logarithms with limits."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError
from penstock.functions.composite import composite
from penstock.functions.nn import log_softmax, logsumexp, softmax
from penstock.lazy import listed, missing
from penstock.ops import beta, incomplete, pointwise
from penstock.ops import special as ops
from penstock.ops.validation import plain
from penstock.ops.zeta import zeta as _zeta
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def erf(x: Any) -> Tensor:
    """Returns the Gaussian error function.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 7.2.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import penstock as ps
    >>> ps.special.erf(0.0)
    Tensor(0., dtype=float32)
    """
    return pointwise.erf.record((x,), {}, _frame(1))


def erfc(x: Any) -> Tensor:
    """Returns 1 - erf(x), with all its digits where erf(x) is close to 1.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 7.2.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.erfc(0.0)
    Tensor(1., dtype=float32)
    """
    return ops.erfc.record((x,), {}, _frame(1))


def erfinv(x: Any) -> Tensor:
    """Returns the y for which erf(y) = x: infinite at -1 and 1, NaN beyond.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 7.17.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.erfinv(0.0)
    Tensor(0., dtype=float32)
    """
    return ops.erfinv.record((x,), {}, _frame(1))


@composite(1, wide=True)
def ndtr(x: Any) -> Tensor:
    """Returns the probability that a standard normal number is below x.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.ndtr(0.0)
    Tensor(0.5, dtype=float32)
    """
    return ops.erfc(x * -math.sqrt(0.5)) * 0.5


def ndtri(p: Any) -> Tensor:
    """Returns the x below which a standard normal number is with probability p; NaN outside 0 .. 1.

    Args:
        p: probabilities, from 0 to 1; they broadcast.

    Returns:
        A tensor of the shape and dtype of `p`.

    Raises:
        DTypeError: if `p` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.ndtri(0.5)
    Tensor(0., dtype=float32)
    """
    return ops.ndtri.record((p,), {}, _frame(1))


def log_ndtr(x: Any) -> Tensor:
    """Returns log(ndtr(x)), finite for every finite x that has a square.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.log_ndtr(-40.0)), 3)
    -804.608
    """
    return ops.log_ndtr.record((x,), {}, _frame(1))


def gamma(x: Any) -> Tensor:
    """Returns the gamma function: (x - 1)! for whole x. It is NaN at the negative integers.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 5.2.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.gamma(5.0)
    Tensor(24., dtype=float32)
    """
    return ops.gamma.record((x,), {}, _frame(1))


def gammaln(x: Any) -> Tensor:
    """Returns the logarithm of the gamma function's absolute value, infinite at 0, -1, -2 and so on.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 5.2.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.gammaln(1.0)
    Tensor(0., dtype=float32)
    """
    return ops.lgamma.record((x,), {}, _frame(1))


def lgamma(x: Any) -> Tensor:
    """Returns the same as `gammaln`.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.lgamma(1.0)
    Tensor(0., dtype=float32)
    """
    return ops.lgamma.record((x,), {}, _frame(1))


def digamma(x: Any) -> Tensor:
    """Returns the slope of gammaln; NaN at the negative integers.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 5.2.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.digamma(1.0)), 4)
    -0.5772
    """
    return ops.digamma.record((x,), {}, _frame(1))


def polygamma(n: int, x: Any) -> Tensor:
    """Returns the n-th derivative of digamma, for a whole number n from 0. Raises PenstockError for others.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 5.15.

    Args:
        n: the order, an int from 0.
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        PenstockError: if `n` has a value that is not allowed.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.polygamma(1, 1.0)), 4)
    1.6449
    """
    frame = _frame(1)
    n = plain(n)
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise PenstockError(
            f"polygamma was given n = {n!r}.",
            why="n is the number of derivatives of digamma.",
            remedy="Give a whole number of at least 0.",
            site=here(),
        )
    if n == 0:
        return ops.digamma.record((x,), {}, frame)
    return ops.polygamma.record((x,), {"order": n}, frame)


@composite(2, wide=True)
def betaln(a: Any, b: Any) -> Tensor:
    """Returns the logarithm of the beta function: gammaln(a) + gammaln(b) - gammaln(a + b).

    The three terms cancel if one argument is much larger than the other: digits are lost there.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 5.12.

    Args:
        a: real numbers; they broadcast with the others.
        b: real numbers; they broadcast with the others.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `a` or `b` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a` or `b` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.betaln(2.0, 3.0)), 4)
    -2.4849
    """
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


def betainc(a: Any, b: Any, x: Any) -> Tensor:
    """Returns the regularised incomplete beta function I(a, b, x), for a > 0, b > 0 and x in 0 .. 1.

    It is the probability that a number of the beta distribution is below x; NaN elsewhere. It is smooth in
    all three, and has a derivative of every order by each. Where x is 0 or 1, derivatives by x are taken as
    0 from the second on. The cost grows with the root of a and b.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 8.17.

    Args:
        a: real numbers; they broadcast with the others.
        b: real numbers; they broadcast with the others.
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `a`, `b` or `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a`, `b` or `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.betainc(2.0, 1.0, 0.5)), 4)
    0.25
    """
    return beta.betainc.record((a, b, x), {"order": (0, 0)}, _frame(1))


def zeta(s: Any, q: Any = 1.0) -> Tensor:
    """Returns Hurwitz' zeta function: the sum of (q + k) ** -s over k = 0, 1, 2 and so on, for s > 1.

    With q = 1 it is Riemann's. It is infinite at s = 1 and where q is 0, -1, -2 and so on; other negative q
    are defined only for whole s, and the rest is NaN. It is smooth in both.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 25.11.

    Args:
        s: real numbers above 1.
        q: real numbers above 0.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `s` or `q` has the wrong shape, or names an axis that is not there.
        DTypeError: if `s` or `q` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.zeta(2.0)), 4)
    1.6449
    """
    return _zeta.record((s, q), {"order": 0}, _frame(1))


def gammainc(a: Any, x: Any) -> Tensor:
    """Returns the regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0.

    It is smooth in both operands. Where a is large and x near to it, by Temme's uniform expansion (1979;
    DLMF 8.12); else by the power series or the continued fraction (Abramowitz and Stegun, 6.5.29 and 6.5.31).

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 8.2.

    Args:
        a: real numbers; they broadcast with the others.
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `a` or `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a` or `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.gammainc(1.0, 1.0)), 4)
    0.6321
    """
    return incomplete.gammainc.record((a, x), {"order": 0, "upper": False}, _frame(1))


def gammaincc(a: Any, x: Any) -> Tensor:
    """Returns 1 - gammainc(a, x), with all its digits where gammainc(a, x) is close to 1.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 8.2.

    Args:
        a: real numbers; they broadcast with the others.
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `a` or `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a` or `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.gammaincc(1.0, 1.0)), 4)
    0.3679
    """
    return incomplete.gammainc.record((a, x), {"order": 0, "upper": True}, _frame(1))


def gammaincinv(a: Any, p: Any) -> Tensor:
    """Returns the x for which gammainc(a, x) = p, for p in 0 .. 1.

    Args:
        a: real numbers; they broadcast with the others.
        p: probabilities, from 0 to 1; they broadcast.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `a` or `p` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a` or `p` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.special.gammaincinv(1.0, 0.5)), 4)
    0.6931
    """
    return incomplete.gammaincinv.record((a, p), {}, _frame(1))


def i0(x: Any) -> Tensor:
    """Returns the modified Bessel function of the first kind and order 0.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 10.25.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.i0(0.0)
    Tensor(1., dtype=float32)
    """
    return ops.bessel.record((x,), {"order": 0, "scaled": False}, _frame(1))


def i0e(x: Any) -> Tensor:
    """Returns i0(x) * exp(-abs(x)), which never overflows; its slope at 0 is taken as 0.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 10.25.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.i0e(0.0)
    Tensor(1., dtype=float32)
    """
    return ops.bessel.record((x,), {"order": 0, "scaled": True}, _frame(1))


def i1(x: Any) -> Tensor:
    """Returns the modified Bessel function of the first kind and order 1.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 10.25.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.i1(0.0)
    Tensor(0., dtype=float32)
    """
    return ops.bessel.record((x,), {"order": 1, "scaled": False}, _frame(1))


def i1e(x: Any) -> Tensor:
    """Returns i1(x) * exp(-abs(x)), which never overflows.

    Definition: NIST Digital Library of Mathematical Functions (DLMF), 10.25.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.i1e(0.0)
    Tensor(0., dtype=float32)
    """
    return ops.bessel.record((x,), {"order": 1, "scaled": True}, _frame(1))


def xlogy(x: Any, y: Any) -> Tensor:
    """Returns x * log(y), and 0 where x is 0, unless y is NaN.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        y: real numbers; they broadcast with `x`.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `x` or `y` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `y` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.xlogy(0.0, 0.0)
    Tensor(0., dtype=float32)
    """
    return ops.xlogy.record((x, y), {}, _frame(1))


def xlog1py(x: Any, y: Any) -> Tensor:
    """Returns x * log(1 + y), and 0 where x is 0, unless y is NaN.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        y: real numbers; they broadcast with `x`.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `x` or `y` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `y` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.xlog1py(0.0, -1.0)
    Tensor(0., dtype=float32)
    """
    return ops.xlog1py.record((x, y), {}, _frame(1))


@composite(1, wide=True)
def entr(x: Any) -> Tensor:
    """Returns -x * log(x), a probability's share of the entropy: 0 at 0, minus infinity below.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.entr(1.0)
    Tensor(0., dtype=float32)
    """
    share = 0.0 - ops.xlogy(x, x)
    return pointwise.where(pointwise.less(x, 0.0), -math.inf, share)


def expit(x: Any) -> Tensor:
    """Returns 1 / (1 + exp(-x)), the inverse of logit.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.expit(0.0)
    Tensor(0.5, dtype=float32)
    """
    return pointwise.sigmoid.record((x,), {}, _frame(1))


@composite(1, wide=True)
def logit(p: Any) -> Tensor:
    """Returns log(p / (1 - p)): infinite at 0 and 1, NaN beyond.

    Args:
        p: probabilities, from 0 to 1; they broadcast.

    Returns:
        A tensor of the shape and dtype of `p`.

    Raises:
        DTypeError: if `p` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.logit(0.5)
    Tensor(0., dtype=float32)
    """
    return pointwise.log(p) - pointwise.log1p(-p)


def sinc(x: Any) -> Tensor:
    """Returns sin(pi x) / (pi x), and 1 at 0, as NumPy's sinc does. It is smooth at 0 too.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.special.sinc(0.0)
    Tensor(1., dtype=float32)
    """
    return ops.sinc.record((x,), {"order": 0}, _frame(1))


if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "betainc", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "expit", "gamma", "gammainc",
    "gammaincc", "gammaincinv", "gammaln", "i0", "i0e", "i1", "i1e", "lgamma", "log_ndtr", "log_softmax",
    "logit", "logsumexp", "ndtr", "ndtri", "polygamma", "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip
__dir__ = listed(__name__)
