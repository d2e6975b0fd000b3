"""Values between the points of a table."""

from __future__ import annotations

from typing import Any

from penstock.errors import ShapeError
from penstock.functions import datatypes, elementwise, ordering
from penstock.functions.arguments import tensor
from penstock.functions.composite import composite
from penstock.ops.promotion import kind_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def interp(x: Any, xp: Any, fp: Any, /, *, left: Any = None, right: Any = None) -> Tensor:
    """Returns the values at x of straight lines between the points (xp, fp), as `numpy.interp` does.

    `xp` is a vector in ascending order, `fp` one of as many values. Before the first point the value is
    `left`, after the last `right`; by default those of the points at the ends. Gradients pass to x, xp and
    fp; at a point the slope is that of the line to its right. Integers become float32. Raises
    ShapeError where xp and fp are not vectors of one length.

    Args:
        x: real numbers of any shape.
        xp: the points, a vector in ascending order.
        fp: their values, a vector as long as `xp`.
        left: the value below the first point, a number; None for the first value.
        right: the value above the last point, a number; None for the last value.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if an argument has the wrong dtype or type.
        ShapeError: if `xp`, `fp`, `left` or `right` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.interp(ps.asarray([0.5, 1.5, 9.0]), ps.asarray([0.0, 1.0, 2.0]), ps.asarray([0.0, 10.0, 30.0]))
    Tensor([ 5., 20., 30.], dtype=float32)
    """
    x, xp, fp = (_floating(one) for one in (x, xp, fp))
    if len(xp.shape) != 1 or xp.shape != fp.shape or not xp._spec.size:
        raise ShapeError(
            f"interp: xp has shape {xp.shape} and fp {fp.shape}.",
            why="They are the points of a table: two vectors of one length, which is not 0.",
            site=here(),
        )
    found = fp[0] + elementwise.multiply(x, 0.0) if xp.shape == (1,) else _between(x, xp, fp)
    if left is not None:
        found = elementwise.where(x < xp[0], left, found)
    return found if right is None else elementwise.where(x > xp[-1], right, found)


def _floating(x: Any) -> Any:
    x = tensor(x)
    return datatypes.astype(x, "float32") if kind_of(x._spec.dtype) in "bi" else x


@composite(3, "interp", wide=True)
def _between(x: Any, xp: Any, fp: Any) -> Tensor:
    last = xp.shape[0] - 1
    right = elementwise.clip(ordering.searchsorted(xp, x, side="right"), 1, last)
    (x0, x1), (y0, y1) = ((one[right - 1], one[right]) for one in (xp, fp))
    width = x1 - x0
    # Points on top of each other: the value is that of the later one, and no division by 0 spoils gradients.
    share = (x - x0) / elementwise.where(width > 0, width, 1.0)
    found = y0 + (y1 - y0) * elementwise.clip(share, 0.0, 1.0)
    # Where x is NaN, every comparison is false.
    return elementwise.where(elementwise.isnan(x), x, found)


__all__ = ["interp"]
