"""`paddle.autograd.jacobian` and `hessian`: matrices of derivatives, computed when they are looked at."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.paddle import _manipulation
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._gradients import grad
from penstock.trace.source_site import here


@named("paddle.autograd.Jacobian")
class Jacobian:
    """The derivatives of each element of `ys` by each of `xs`; `J[:]` is the whole of it, as a tensor.

    Without a `batch_axis` its shape is that of `ys` followed by that of `xs`; with `batch_axis=0` the first
    axis of both is one and the same.
    """

    def __init__(self, ys: Any, xs: Any, batch_axis: int | None = None) -> None:
        if batch_axis not in (None, 0):
            raise InvalidValueError(f"batch_axis should be 0 or None, but got {batch_axis}", site=here())
        self._ys, self._xs, self._batched = ys, xs, batch_axis == 0
        self._made: Any = None

    @property
    def shape(self) -> list[int]:
        """The lengths of the axes."""
        return [*self._ys.shape, *self._xs.shape[int(self._batched) :]]

    def _whole(self) -> Any:
        if self._made is None:
            ys = self._ys.reshape([self._ys.shape[0], -1]) if self._batched else self._ys.reshape([-1])
            rows = []
            for i in range(ys.shape[-1]):
                one = ys[:, i].sum() if self._batched else ys[i]
                (found,) = grad(one, self._xs, create_graph=True, retain_graph=True, allow_unused=True)
                rows.append(self._xs.detach() * 0 if found is None else found)
            made = _manipulation.stack(rows, 1 if self._batched else 0)
            self._made = made.reshape(self.shape)
        return self._made

    def __getitem__(self, key: Any) -> Any:
        return self._whole()[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._whole(), name)


@named("paddle.autograd.Hessian")
class Hessian(Jacobian):
    """The second derivatives of a scalar."""


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
    rows: list[Any] = []
    for y in _each(ys):
        found = tuple(Jacobian(y, x, batch_axis) for x in _each(xs))
        rows.append(found if isinstance(xs, list | tuple) else found[0])
    return tuple(rows) if isinstance(ys, list | tuple) else rows[0]


@named("paddle.autograd.hessian")
def hessian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """Returns the matrix of second derivatives of a scalar by xs, one for each pair of several."""
    if ys._spec.size != (1 if batch_axis is None else ys._spec.shape[0]):
        raise InvalidValueError(
            f"Only support ys.numel()(={ys._spec.size})==1 when batch_axis is None.", site=here()
        )
    total = ys.sum()
    first = grad(total, _each(xs), create_graph=True, retain_graph=True)
    found = tuple(tuple(Hessian(one, x, batch_axis) for x in _each(xs)) for one in first)
    return found if isinstance(xs, list | tuple) else found[0][0]
