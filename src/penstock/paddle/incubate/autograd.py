"""Derivatives of functions: products with Jacobian matrices from either side, and the matrices themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle import _creation, _manipulation
from penstock.paddle._errors import WeightError
from penstock.paddle._names import absent
from penstock.trace.source_site import here


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _apart(given: Any) -> Any:
    """Returns tensors that want gradients and that no other value depends on; a history stays."""
    if isinstance(given, list | tuple):
        return tuple(_apart(one) for one in given)
    if not given.stop_gradient:
        return given.clone()
    found = given.detach().clone()
    found.stop_gradient = False
    return found


def _called(func: Callable[..., Any], xs: Any) -> Any:
    return func(*xs) if isinstance(xs, list | tuple) else func(xs)


def _gradients(ys: Any, xs: Any, v: Any) -> Any:
    """Returns the gradients of ys by xs; zeros where there is none."""
    weights = None if v is None else _listed(v)
    # By its public name, which has another meaning while a static program is built.
    grad = _paddle.grad
    found = grad(_listed(ys), _listed(xs), weights, create_graph=True, retain_graph=True, allow_unused=True)
    filled = [
        _creation.zeros_like(x) if one is None else one for one, x in zip(found, _listed(xs), strict=True)
    ]
    return filled[0] if not isinstance(xs, list | tuple) else tuple(filled)


def _refuse_shapes(v: Any, like: Any, words: str) -> None:
    if v is None:
        return
    shapes = [[list(one.shape) for one in _listed(given)] for given in (v, like)]
    if shapes[0] != shapes[1]:
        raise WeightError(
            f"The v must have the shapes of {words}, {shapes[1]}, but they are {shapes[0]}.", site=here()
        )


def vjp(func: Callable[..., Any], xs: Any, v: Any = None) -> Any:
    """Returns func(xs), and v times its Jacobian matrix; without v, ones.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> ys, product = paddle.incubate.autograd.vjp(lambda x: x * x, x)
    >>> product.tolist()
    [2.0, 4.0]
    """
    xs = _apart(xs)
    ys = _called(func, xs)
    _refuse_shapes(v, ys, "func's results")
    return ys, _gradients(ys, xs, v)


def jvp(func: Callable[..., Any], xs: Any, v: Any = None) -> Any:
    """Returns func(xs), and its Jacobian matrix times v; without v, ones.

    >>> from penstock import paddle
    >>> x, v = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 1.0])
    >>> paddle.incubate.autograd.jvp(lambda x: x * x, x, v)[1].tolist()
    [0.0, 4.0]
    """
    xs = _apart(xs)
    ys = _called(func, xs)
    _refuse_shapes(v, xs, "xs")
    # The product from the left is linear in its weights, and its gradient by them is the one from the right.
    weights = [_creation.zeros_like(one) for one in _listed(ys)]
    for one in weights:
        one.stop_gradient = False
    # Results of this step, on which no step that is over can depend.
    weights = [one.clone() for one in weights]
    given = tuple(weights) if isinstance(ys, list | tuple) else weights[0]
    products = _gradients(ys, xs, given)
    return ys, _gradients(products, given, v)


class Jacobian:
    """The derivatives of `func` by `xs` as one matrix; several inputs or results are laid flat in a row.

    `J[:]` is the whole of it, [results, inputs]; with `is_batched` each example has its own, and the first
    axis counts examples.
    """

    def __init__(self, func: Callable[..., Any], xs: Any, is_batched: bool = False) -> None:
        self._batched = is_batched
        self._xs = _apart(xs)
        ys = _called(func, self._xs)
        self._ys = self._flat(_listed(ys))
        self._made: Any = None

    def _flat(self, given: Any) -> Any:
        if self._batched:
            return _manipulation.concat([one.reshape([one.shape[0], -1]) for one in given], 1)
        return _manipulation.concat([one.reshape([-1]) for one in given])

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        columns = self._flat(_listed(self._xs)).shape
        return (*columns[:-1], self._ys.shape[-1], columns[-1])

    def _whole(self) -> Any:
        if self._made is None:
            rows = []
            for i in range(self._ys.shape[-1]):
                one = self._ys[:, i] if self._batched else self._ys[i]
                rows.append(self._flat(_listed(_gradients(one, self._xs, None))))
            self._made = _manipulation.stack(rows, 1 if self._batched else 0)
        return self._made

    def __getitem__(self, key: Any) -> Any:
        return self._whole()[key]


class Hessian:
    """The second derivatives of `func` by `xs`, as `Jacobian` has the first; `func` returns one number.

    With `is_batched` it returns one for each example, [examples, 1].
    """

    def __init__(self, func: Callable[..., Any], xs: Any, is_batched: bool = False) -> None:
        def first(*given: Any) -> Any:
            found = Jacobian(func, given, is_batched)
            if found.shape[-2] != 1:
                raise RuntimeError(
                    "The function given to Hessian should return as single element Tensor or batched single "
                    "element Tensor."
                )
            return found[:, 0, :] if is_batched else found[0, :]

        self._first = Jacobian(first, xs, is_batched)

    def __getitem__(self, key: Any) -> Any:
        return self._first[key]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._first.shape


def enable_prim() -> None:
    """Does nothing: functions are composed of primitives that always have derivatives of every order."""


def disable_prim() -> None:
    """Does nothing: functions are composed of primitives that always have derivatives of every order."""


def prim_enabled() -> bool:
    """Returns False, as at the start of a program in Paddle."""
    return False


__all__ = ["Hessian", "Jacobian", "disable_prim", "enable_prim", "jvp", "prim_enabled", "vjp"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.incubate.autograd", name, __all__)
