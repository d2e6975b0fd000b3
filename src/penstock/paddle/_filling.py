"""Tensors filled with new values: like another tensor, by draws in place, on a diagonal; and other in-place
forms.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation, _math, _scattering
from penstock.paddle import _seeded as seeded
from penstock.paddle import _views as views
from penstock.paddle._convert import data, lengths_of, operand, to_tensor
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._tensor import forgetting
from penstock.trace.source_site import here

_frame = sys._getframe


def _kind(x: Any, dtype: Any) -> Any:
    return x._spec.dtype if dtype is None else dtype


def _wanting(found: Any, requires_grad: bool) -> Any:
    if requires_grad:
        found.stop_gradient = False
    return found


@method
def new_full(
    self: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor of this one's dtype in which every element is the same; places do nothing.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _wanting(_creation.full(size, fill_value, _kind(self, dtype)), requires_grad)


def _size(sizes: tuple[Any, ...]) -> Any:
    return sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes


@method("new_empty")
def new_zeros(
    self: Any, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns zeros of this tensor's dtype.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _wanting(_creation.zeros(_size(size), _kind(self, dtype)), requires_grad)


@method
def new_ones(
    self: Any, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns ones of this tensor's dtype.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _wanting(_creation.ones(_size(size), _kind(self, dtype)), requires_grad)


new_empty = new_zeros


@in_paddle
def as_tensor(
    data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """Returns data as a new tensor, without its history: no gradient passes.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return to_tensor(data, dtype=dtype, stop_gradient=not requires_grad)


@in_paddle
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Any:
    """Returns data as a new tensor, through which no gradient passes.

    It is a copy in any case, and there is one place: `copy` and `device` do nothing.
    """
    return as_tensor(obj, dtype, requires_grad=requires_grad)


@in_paddle
def range(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: Any = None) -> Any:
    """Returns evenly spaced values from `start` to `end`, which is among them where the steps meet it."""
    start, end, step = (_creation._number(one) for one in (start, end, step))
    if end is None:
        start, end = 0, start
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    count = int(np.floor((end - start) / step)) + 1
    return data((start + step * np.arange(max(count, 0))).astype(kind))


def tensor(
    data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """Returns data as a new tensor, as `to_tensor` does.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return to_tensor(data, dtype=dtype, stop_gradient=not requires_grad)


# -- draws in place ----------------------------------------------------------------------------------------


def _change(x: Any, drawn: Any, by: str, frame: Any) -> Any:
    if drawn._spec.dtype != x._spec.dtype:
        drawn = _math.cast(drawn, x._spec.dtype.name)
    return x._change(forgetting(x, drawn, frame), by, frame)


def _uniform(x: Any, low: float = 0.0) -> Any:
    """Returns draws between `low` and 1, as many as x has elements."""
    return _creation.uniform(list(x._spec.shape), x._spec.dtype.name, low, 1.0)


def _normal(x: Any, mean: float, std: float) -> Any:
    return _creation.gaussian(list(x._spec.shape), mean, std, dtype=x._spec.dtype.name)


@method
def bernoulli_(x: Any, p: Any = 0.5, name: Any = None) -> Any:
    """Draws 1 with the probability p, else 0, in place."""
    return _change(x, _math.cast(_uniform(x) < p, x._spec.dtype.name), "bernoulli_", _frame(1))


@method
def exponential_(x: Any, lam: float = 1.0, name: Any = None) -> Any:
    """Draws from the exponential distribution with the rate `lam`, in place."""
    return _change(x, _math.log(1.0 - _uniform(x)) * (-1.0 / lam), "exponential_", _frame(1))


@method
def cauchy_(x: Any, loc: Any = 0, scale: Any = 1, name: Any = None) -> Any:
    """Draws in place what Paddle calls a Cauchy distribution: the tangent of draws of the normal one."""
    drawn = _math.tan((_normal(x, 0.0, 1.0) - 0.5) * np.pi)
    return _change(x, drawn * scale + loc, "cauchy_", _frame(1))


@method
def geometric_(x: Any, probs: Any, name: Any = None) -> Any:
    """Draws how many trials a success takes that has the probability `probs`, as a real number, in place."""
    tiny = float(np.finfo(x._spec.dtype).tiny)
    probs = operand(probs, x._spec.dtype)
    return _change(x, _math.log(_uniform(x, tiny)) / _math.log1p(-probs), "geometric_", _frame(1))


@method
def log_normal_(x: Any, mean: float = 1.0, std: float = 2.0, name: Any = None) -> Any:
    """Draws exponentials of normal draws, in place."""
    return _change(x, _math.exp(_normal(x, mean, std)), "log_normal_", _frame(1))


@in_paddle
def gaussian_(x: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, name: Any = None) -> Any:
    """Draws from the normal distribution, in place; a seed but 0 gives the same each time."""
    drawn = _creation.gaussian(x._spec.shape, mean, std, seed, x._spec.dtype.name)
    return x._change(drawn, "gaussian_", _frame(1))


@method
def random_(x: Any, from_: int = 0, to: int | None = None, *, generator: None = None) -> Any:
    """Draws whole numbers from `from_`, included, to `to`, not included, in place.

    Without `to`, they go as far as the dtype counts in steps of 1. The draws are those of `paddle.seed`, so
    `generator` does nothing.
    """
    kind = x._spec.dtype
    if to is None:
        to = int(np.iinfo(kind).max) if kind.kind in "iu" else 1 << (np.finfo(kind).nmant + 1)
    if from_ >= to:
        raise InvalidValueError(
            f"random_ expects 'from' to be less than 'to', but got from={from_} >= to={to}.", site=here()
        )
    lengths, low, high = tuple(x._spec.shape), int(from_), int(to)
    drawn = seeded.tensor("remainders", lengths, low, high, kind)
    return _change(x, _creation.randint(low, high, lengths) if drawn is None else drawn, "random_", _frame(1))


# -- parts in place ----------------------------------------------------------------------------------------


@method("fill_diagonal_tensor_")
def fill_diagonal_tensor(
    x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: Any = None
) -> Any:
    """Returns x with the values y, which get no gradient, on a diagonal."""
    return _scattering.diagonal_scatter(x, y, offset, dim1, dim2)


@method
def fill_diagonal_(x: Any, value: float, offset: int = 0, wrap: bool = False, name: Any = None) -> Any:
    """Gives a diagonal one value, in place.

    Of more than two axes, which are of one length, it is the elements whose indices are all the same. With
    `wrap`, the diagonal of a tall matrix begins again below it.
    """
    lengths = x._spec.shape
    if len(lengths) < 2 or (len(lengths) > 2 and len(set(lengths)) > 1):
        raise InvalidValueError(
            f"fill_diagonal_ takes two axes, or several of one length, but the shape is {list(lengths)}.",
            site=here(),
        )
    mask = np.zeros(lengths, bool)
    if len(lengths) == 2:
        rows, columns = lengths
        step = columns + 1
        for place in np.arange(rows):
            start = place * step if wrap else place * columns + place
            row, column = divmod(start, columns) if wrap else (place, place)
            if row < rows and 0 <= column + offset < columns:
                mask[row, column + offset] = True
    else:
        mask[(np.arange(lengths[0]),) * len(lengths)] = True
    return x._change(_manipulation.masked_fill(x, data(mask), value), "fill_diagonal_", _frame(1))


@method
def where_(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Keeps x where the condition is true and gives it y elsewhere, in place; returns x."""
    return x._change(_math.where(condition, x, y), "where_", _frame(1))


@method
def set_(
    x: Any, source: Any = None, shape: Any = None, stride: Any = None, offset: int = 0, name: Any = None
) -> Any:
    """Gives a tensor the values of another; without one, no elements.

    A `shape` chooses the first elements. Raises NotImplementedError for a stride or an offset.
    """
    if stride is not None or offset:
        raise NotThereError("set_ with a stride or an offset is not in penstock.paddle yet.", site=here())
    nothing = np.zeros((0,), x._spec.dtype)
    value = nothing if source is None else np.array(operand(source).detach())
    if shape is not None:
        value = value.reshape(-1)[: int(np.prod(shape))].reshape(shape)
    _reformed(x, value, "set_")
    return x


@method
def resize_(x: Any, shape: Any, fill_zero: bool = False, name: Any = None) -> Any:
    """Gives a tensor another shape, in place: with `fill_zero`, zeros follow its last element."""
    lengths = lengths_of(shape)
    count, own = int(np.prod(lengths)), np.array(x.detach()).reshape(-1)
    if count > own.size and not fill_zero:
        raise InvalidValueError(
            f"resize_ to {list(lengths)} takes {count} elements and there are {own.size}.",
            remedy="Pass fill_zero=True.",
            site=here(),
        )
    value = np.zeros(count, own.dtype)
    value[: min(count, own.size)] = own[:count]
    _reformed(x, value.reshape(lengths), "resize_")
    return x


def _reformed(x: Any, value: np.ndarray[Any, Any], by: str) -> None:
    if not hasattr(x, "_reform") or not x.stop_gradient:
        raise NotThereError(
            f"{by} only changes tensors that to_tensor created and that do not require a gradient.",
            remedy="Assign the result of reshape or of slicing to a name.",
            site=here(),
        )
    x._reform(value)


# -- questions and other words -------------------------------------------------------------------------------


@method
def type_as(self: Any, other: Any) -> Any:
    """Returns the tensor in the dtype of another."""
    return self if self._spec.dtype == other._spec.dtype else _math.cast(self, other._spec.dtype.name)


@method
def repeat(input: Any, *repeats: Any) -> Any:
    """Returns the tensor repeated along each axis as often as given."""
    given = repeats[0] if len(repeats) == 1 else repeats
    return _manipulation.tile(input, [given] if isinstance(given, int) else given)


@method
def split_with_sizes(self: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Returns the parts of these lengths along an axis."""
    return _manipulation.split(self, list(split_sizes), dim)


@method
def apply(self: Any, func: Any) -> Any:
    """Returns a function of the tensor."""
    if not self.stop_gradient:
        raise RuntimeError("Cannot apply function on a tensor that required gradient.")
    return func(self)


@method
def apply_(self: Any, func: Any) -> Any:
    """Gives the tensor the value of a function of it, in place."""
    return self._change(operand(apply(self, func)), "apply_", _frame(1))


@method
def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    """Says whether gradients are wanted of this tensor; returns it."""
    self.stop_gradient = not requires_grad
    return self


@method
def is_same_shape(self: Any, y: Any) -> bool:
    """Returns whether two tensors have the same shape."""
    return bool(self._spec.shape == y._spec.shape)


@method
def is_contiguous(self: Any) -> bool:
    """Returns whether elements lie in the order of their indices."""
    layout = views.layout_of(self)
    return layout is None or layout.in_order


@method
def get_strides(self: Any) -> list[int]:
    """Returns how far apart the elements along each axis are, in elements."""
    layout = views.layout_of(self)
    strides = views.contiguous(self._spec).strides if layout is None else layout.strides
    return [one // self._spec.dtype.itemsize for one in strides]


@method
def stride(self: Any, dim: int | None = None) -> Any:
    """Returns how far apart the elements along each axis are, or along one."""
    return get_strides(self) if dim is None else get_strides(self)[dim]
