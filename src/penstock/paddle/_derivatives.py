"""`paddle.autograd.jacobian` and `hessian`: matrices of derivatives, computed when they are looked at."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.paddle import _manipulation
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._gradients import grad
from penstock.trace.source_site import here


@named("paddle.autograd.Jacobian")
class Jacobian:
    """The derivatives of each element of `ys` by each of `xs`; `J[:]` is the whole of it, as a tensor.

    Tensors have at most one axis: [n] and [m] make a matrix [n, m], and an axis that is not there is left
    out. With `batch_axis=0` the first axis of both is one and the same, in front. It is computed once, and
    with it like with a tensor.

    Raises ValueError for tensors of more axes: flatten them inside the function.
    """

    def __init__(self, ys: Any, xs: Any, batch_axis: int | None = None) -> None:
        if batch_axis not in (None, 0) or isinstance(batch_axis, bool):
            raise InvalidValueError(f"batch_axis should be None or 0, but got {batch_axis}.", site=here())
        self._batched = batch_axis == 0
        for word, one in (("xs", xs), ("ys", ys)):
            if not 0 <= len(one.shape) - self._batched <= 1:
                raise InvalidValueError(
                    f"{word}.ndim should be {int(self._batched)} or {1 + self._batched} when "
                    f"is_batched={self._batched} but got {len(one.shape)}",
                    remedy=f"Flatten {word}, and reshape them inside the function: x.reshape(...).",
                    site=here(),
                )
        self._ys, self._xs, self._made = ys, xs, None

    @property
    def shape(self) -> list[int]:
        """The lengths of the axes."""
        return [*self._ys.shape, *self._xs.shape[int(self._batched) :]]

    def _whole(self) -> Any:
        if self._made is None:
            # What is a matrix of derivatives itself is taken as the tensor that it is.
            ys = self._ys._whole() if isinstance(self._ys, Jacobian) else self._ys
            ys = ys.reshape([ys.shape[0], -1]) if self._batched else ys.reshape([-1])
            rows = []
            for i in range(ys.shape[-1]):
                one = ys[:, i].sum() if self._batched else ys[i]
                (found,) = grad(one, self._xs, create_graph=True, retain_graph=True, allow_unused=True)
                rows.append(self._xs.detach() * 0 if found is None else found)
            made = _manipulation.stack(rows, 1 if self._batched else 0)
            self._made = made.reshape(self.shape)
        return self._made

    def __getitem__(self, key: Any) -> Any:
        if not self.shape:
            raise IndexError("0-D tensor can not be indexed.")
        if any(one is Ellipsis for one in (key if isinstance(key, tuple) else (key,))):
            raise IndexError("Ellipsis index currently is not supported.")
        return self._whole()[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._whole(), name)

    __hash__ = object.__hash__


@named("paddle.autograd.Hessian")
class Hessian(Jacobian):
    """The second derivatives of a scalar."""


def _with(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return function(self._whole(), other._whole() if isinstance(other, Jacobian) else other)

    return method


_OPERATORS = "add sub mul truediv pow mod floordiv matmul eq ne lt le gt ge"
for _word in _OPERATORS.split(" "):
    setattr(Jacobian, f"__{_word}__", _with(getattr(operator, _word)))


def _each(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


@named("paddle.autograd.jacobian")
def jacobian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """Returns the matrix of derivatives of ys by xs, one for each pair of several.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.jacobian(x * x, x)[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    return _matrices(Jacobian, ys, xs, batch_axis)


def _matrices(kind: type[Jacobian], ys: Any, xs: Any, batch_axis: int | None) -> Any:
    rows: list[Any] = []
    for y in _each(ys):
        found = tuple(kind(y, x, batch_axis) for x in _each(xs))
        rows.append(found if isinstance(xs, list | tuple) else found[0])
    return tuple(rows) if isinstance(ys, list | tuple) else rows[0]


@named("paddle.autograd.hessian")
def hessian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """Returns the matrix of second derivatives of a scalar by xs, one for each pair of several.

    With `batch_axis=0` there is one scalar for each example.
    """
    if batch_axis is not None and not isinstance(batch_axis, int):
        raise InvalidValueError(f"batch_axis should be None or int, but got {type(batch_axis)}.", site=here())
    if batch_axis not in (None, 0):
        raise InvalidValueError("Only support batch_axis=0 yet.", site=here())
    if ys._spec.size != (1 if batch_axis is None else ys._spec.shape[0]):
        raise InvalidValueError(
            f"Only support ys.numel()({ys._spec.size})==1 when batch_axis is None."
            if batch_axis is None
            else f"Only support ys[0].numel()({ys._spec.size})==1 when batch_axis is int",
            site=here(),
        )
    first = jacobian(ys.reshape([] if batch_axis is None else [-1]), xs, batch_axis)
    return _matrices(Hessian, first, xs, batch_axis)
