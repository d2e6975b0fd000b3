"""The methods of tensors and variables that every array library has; the functions do the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from penstock.errors import ArgumentError, ImmutableError
from penstock.foreign import ATTRIBUTES, OF_RESULTS
from penstock.functions import array
from penstock.functions.arguments import Axis, whole_axis
from penstock.functions.operators import entitle
from penstock.state.variable import Variable, read
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def _refuse(method: str, slips: dict[str, Any], takes: str) -> None:
    """Raises ArgumentError for arguments that a method does not have."""
    from penstock.functions.slips import unknown_argument

    unknown_argument(method, slips, takes.split())


def sum(self: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the sum over all axes, or over those named: see `penstock.sum`.

    >>> import penstock as ps
    >>> ps.asarray([[1.0, 2.0], [3.0, 4.0]]).sum(axis=0)
    Tensor([4., 6.], dtype=float32)
    """
    if slips:
        _refuse("sum", slips, "axis dtype keepdims")
    return array.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)


def mean(self: Any, axis: Axis = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the mean over all axes, or over those named: see `penstock.mean`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 3.0]).mean()
    Tensor(2., dtype=float32)
    """
    if slips:
        _refuse("mean", slips, "axis keepdims")
    return array.mean(self, axis=axis, keepdims=keepdims)


def prod(self: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the product over all axes, or over those named: see `penstock.prod`.

    >>> import penstock as ps
    >>> ps.asarray([2.0, 3.0]).prod()
    Tensor(6., dtype=float32)
    """
    if slips:
        _refuse("prod", slips, "axis dtype keepdims")
    return array.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)


def max(self: Any, axis: Axis = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the largest element, over all axes or over those named: see `penstock.max`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 3.0]).max()
    Tensor(3., dtype=float32)
    """
    if slips:
        _refuse("max", slips, "axis keepdims")
    return array.max(self, axis=axis, keepdims=keepdims)


def min(self: Any, axis: Axis = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the smallest element, over all axes or over those named: see `penstock.min`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 3.0]).min()
    Tensor(1., dtype=float32)
    """
    if slips:
        _refuse("min", slips, "axis keepdims")
    return array.min(self, axis=axis, keepdims=keepdims)


def var(
    self: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False, **slips: Any
) -> Tensor:
    """Returns the variance; it divides by the number of elements minus `correction`: see `penstock.var`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0, 3.0]).var(correction=1)
    Tensor(1., dtype=float32)
    """
    if slips:
        _refuse("var", slips, "axis correction keepdims")
    return array.var(self, axis=axis, correction=correction, keepdims=keepdims)


def std(
    self: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False, **slips: Any
) -> Tensor:
    """Returns the standard deviation, the root of the variance: see `penstock.std`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0, 3.0]).std(correction=1)
    Tensor(1., dtype=float32)
    """
    if slips:
        _refuse("std", slips, "axis correction keepdims")
    return array.std(self, axis=axis, correction=correction, keepdims=keepdims)


def all(self: Any, axis: Axis = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns whether all elements are true, over all axes or over those named.

    >>> import penstock as ps
    >>> bool(ps.asarray([True, False]).all())
    False
    """
    if slips:
        _refuse("all", slips, "axis keepdims")
    return array.all(self, axis=axis, keepdims=keepdims)


def any(self: Any, axis: Axis = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns whether an element is true, over all axes or over those named.

    >>> import penstock as ps
    >>> bool(ps.asarray([True, False]).any())
    True
    """
    if slips:
        _refuse("any", slips, "axis keepdims")
    return array.any(self, axis=axis, keepdims=keepdims)


def argmax(self: Any, axis: int | None = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the position of the largest element (discrete: no gradient): see `penstock.argmax`.

    >>> import penstock as ps
    >>> int(ps.asarray([1.0, 3.0, 2.0]).argmax())
    1
    """
    if slips:
        _refuse("argmax", slips, "axis keepdims")
    return array.argmax(self, axis=axis, keepdims=keepdims)


def argmin(self: Any, axis: int | None = None, keepdims: bool = False, **slips: Any) -> Tensor:
    """Returns the position of the smallest element (discrete: no gradient): see `penstock.argmin`.

    >>> import penstock as ps
    >>> int(ps.asarray([1.0, 3.0, 2.0]).argmin())
    0
    """
    if slips:
        _refuse("argmin", slips, "axis keepdims")
    return array.argmin(self, axis=axis, keepdims=keepdims)


def cumsum(self: Any, axis: int | None = None, dtype: Any = None, **slips: Any) -> Tensor:
    """Returns running sums along an axis, or over all elements in order: see `penstock.cumulative_sum`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0, 3.0]).cumsum()
    Tensor([1., 3., 6.], dtype=float32)
    """
    if slips:
        _refuse("cumsum", slips, "axis dtype")
    x, axis = (self, axis) if axis is not None else (flatten(self), 0)
    return array.cumulative_sum(x, axis=axis, dtype=dtype)


def cumprod(self: Any, axis: int | None = None, dtype: Any = None, **slips: Any) -> Tensor:
    """Returns running products along an axis, or over all elements in order.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0, 3.0]).cumprod()
    Tensor([1., 2., 6.], dtype=float32)
    """
    if slips:
        _refuse("cumprod", slips, "axis dtype")
    x, axis = (self, axis) if axis is not None else (flatten(self), 0)
    return array.cumulative_prod(x, axis=axis, dtype=dtype)


def _one(given: tuple[Any, ...]) -> Any:
    """Returns items that were given as one sequence or as separate arguments."""
    return given[0] if len(given) == 1 and not isinstance(given[0], int) else given


def reshape(self: Any, *shape: Any) -> Tensor:
    """Returns the elements in another shape, given as a tuple or as lengths; one length may be -1.

    >>> import penstock as ps
    >>> x = ps.zeros((2, 3))
    >>> x.reshape(3, 2).shape, x.reshape((-1,)).shape
    ((3, 2), (6,))
    """
    return array.reshape(self, _one(shape))


def transpose(self: Any, *axes: Any) -> Tensor:
    """Returns the value with its axes in this order, a tuple or separate arguments; by default reversed.

    >>> import penstock as ps
    >>> x = ps.zeros((2, 3, 4))
    >>> x.transpose().shape, x.transpose(0, 2, 1).shape
    ((4, 3, 2), (2, 4, 3))
    """
    if not axes or axes == (None,):
        return self.T  # type: ignore[no-any-return]
    order = _one(axes)
    if len(order) == 2 != self.ndim:
        raise ArgumentError(
            f"transpose{tuple(order)} names 2 of the {self.ndim} axes.",
            why="The axes are those of the result, in order: each is named once.",
            remedy=f"To exchange two axes write x.swapaxes({order[0]}, {order[1]}).",
            site=here(),
        )
    return array.permute_dims(self, order)


def swapaxes(self: Any, axis1: int, axis2: int) -> Tensor:
    """Returns the value with two of its axes exchanged.

    >>> import penstock as ps
    >>> ps.zeros((2, 3, 4)).swapaxes(0, -1).shape
    (4, 3, 2)
    """
    order = [*range(self.ndim)]
    first, second = (whole_axis("swapaxes", one, self.ndim) for one in (axis1, axis2))
    order[first], order[second] = order[second], order[first]
    return array.permute_dims(self, order)


def flatten(self: Any) -> Tensor:
    """Returns all elements along one axis, the last index varying fastest.

    >>> import penstock as ps
    >>> ps.asarray([[1.0, 2.0], [3.0, 4.0]]).flatten()
    Tensor([1., 2., 3., 4.], dtype=float32)
    """
    return array.reshape(self, (-1,))


def squeeze(self: Any, axis: Axis = None, **slips: Any) -> Tensor:
    """Returns the value without the named axes of length 1, or without all of them.

    >>> import penstock as ps
    >>> ps.zeros((2, 1)).squeeze().shape
    (2,)
    """
    if slips:
        _refuse("squeeze", slips, "axis")
    return array.squeeze(self, axis=axis)


def repeat(self: Any, repeats: Any, axis: int | None = None, **slips: Any) -> Tensor:
    """Returns each element, or each slice along an axis, repeated in place: see `penstock.repeat`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0]).repeat(2)
    Tensor([1., 1., 2., 2.], dtype=float32)
    """
    if slips:
        _refuse("repeat", slips, "repeats axis")
    return array.repeat(self, repeats, axis=axis)  # type: ignore[no-any-return]


def take(self: Any, indices: Any, axis: int | None = None, **slips: Any) -> Tensor:
    """Returns the slices at `indices` along an axis; without an axis, elements in order.

    >>> import penstock as ps
    >>> ps.asarray([[1.0, 2.0], [3.0, 4.0]]).take(ps.asarray([1]), axis=1)
    Tensor([[2.],
     [4.]], dtype=float32)
    """
    if slips:
        _refuse("take", slips, "indices axis")
    x, axis = (self, axis) if axis is not None else (flatten(self), 0)
    return array.take(x, indices, axis=axis)


def clip(self: Any, min: Any = None, max: Any = None, **slips: Any) -> Tensor:
    """Returns every element brought into min .. max: see `penstock.clip`.

    >>> import penstock as ps
    >>> ps.asarray([-2.0, 0.5]).clip(-1.0, 1.0)
    Tensor([-1. ,  0.5], dtype=float32)
    """
    if slips:
        _refuse("clip", slips, "min max")
    return array.clip(self, min, max)


def round(self: Any, decimals: int = 0) -> Tensor:
    """Returns every element rounded to whole numbers, ties to even; no gradient passes.

    >>> import penstock as ps
    >>> ps.asarray([0.5, 1.6]).round()
    Tensor([0., 2.], dtype=float32)
    """
    if decimals:
        raise ArgumentError(
            f"round() rounds to whole numbers; decimals is {decimals!r}.",
            remedy=f"Write ps.round(x * 10**{decimals}) / 10**{decimals}.",
            site=here(),
        )
    return array.round(self)


def dot(self: Any, other: Any) -> Tensor:
    """Returns the product with another value: see `penstock.dot`.

    >>> import penstock as ps
    >>> ps.asarray([1.0, 2.0]).dot(ps.asarray([3.0, 4.0]))
    Tensor(11., dtype=float32)
    """
    return array.dot(self, other)


def nonzero(self: Any) -> tuple[Tensor, ...]:
    """Returns the positions of the elements that are not zero, an array of indices for each axis.

    >>> import penstock as ps
    >>> [index.tolist() for index in ps.asarray([0.0, 5.0]).nonzero()]
    [[1]]
    """
    return array.nonzero(self)


def argsort(self: Any, axis: int = -1, descending: bool = False, **slips: Any) -> Tensor:
    """Returns the positions that sort an axis; equal elements keep their order.

    >>> import penstock as ps
    >>> ps.asarray([3.0, 1.0]).argsort().tolist()
    [1, 0]
    """
    if slips:
        _refuse("argsort", slips, "axis descending")
    return array.argsort(self, axis=axis, descending=descending)


def conj(self: Any) -> Tensor:
    """Returns complex conjugates.

    >>> import penstock as ps
    >>> ps.asarray([1.0 + 2.0j]).conj().tolist()
    [(1-2j)]
    """
    return array.conj(self)


def copy(self: Any) -> Tensor:
    """Returns a tensor of this value. A tensor never changes: it is its own copy. Gradients pass.

    >>> import penstock as ps
    >>> variable = ps.Variable([1.0])
    >>> before = variable.copy()
    >>> _ = variable.assign([5.0])
    >>> before
    Tensor([1.], dtype=float32)
    """
    return read(self) if isinstance(self, Cell) else self


def _real(self: Any) -> Tensor:
    """The real parts."""
    return array.real(self)


def _imaginary(self: Any) -> Tensor:
    """The imaginary parts."""
    return array.imag(self)


def _item_size(self: Any) -> int:
    """The bytes of one element."""
    return self.dtype.itemsize  # type: ignore[no-any-return]


def _bytes(self: Any) -> int:
    """The bytes of all elements."""
    return self.size * self.dtype.itemsize  # type: ignore[no-any-return]


METHODS: dict[str, Callable[..., Any] | property] = {
    **{
        one.__name__: one
        for one in (
            sum, mean, prod, max, min, var, std, all, any, argmax, argmin, argsort, cumsum, cumprod, reshape,
            transpose, swapaxes, flatten, squeeze, repeat, take, clip, round, dot, nonzero, conj, copy,
        )
    },
    "ravel": flatten,
    "real": property(_real),
    "imag": property(_imaginary),
    "itemsize": property(_item_size),
    "nbytes": property(_bytes),
}  # fmt: skip


class Native:
    """An attribute of native tensors and variables alone: a dialect has those of its framework."""

    def __init__(self, name: str, attribute: Any) -> None:
        self.name, self.attribute = name, attribute
        self.__doc__ = attribute.__doc__

    @property
    def __wrapped__(self) -> Any:
        """The function that `inspect.signature` reads the parameters from."""
        return self.attribute

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self.attribute
        if instance._tensor_class is not Tensor:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self.name!r}")
        return self.attribute.__get__(instance, owner)


class Foreign:
    """An attribute of other libraries' tensors: reading it raises an error that says what to write here."""

    __slots__ = ("name", "remedy")

    def __init__(self, name: str, remedy: str) -> None:
        self.name, self.remedy = name, remedy

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        kind = owner if instance is None else type(instance)
        told = f". {self.remedy}" if kind._tensor_class is Tensor else ""
        raise AttributeError(f"{kind.__name__!r} object has no attribute {self.name!r}{told}")

    def __set__(self, instance: Any, value: Any) -> NoReturn:
        raise ImmutableError(
            f"A {type(instance).__name__} has no attribute {self.name!r} to set.",
            remedy=self.remedy,
            site=here(),
        )


def _listed(self: Any) -> list[str]:
    """Returns the existing attributes, without those that only say what to write instead."""
    found = object.__dir__(self)
    space = {name: one for base in reversed(type(self).__mro__) for name, one in vars(base).items()}
    own = type(self)._tensor_class is Tensor
    hidden = Foreign if own else (Foreign, Native)
    return [name for name in found if not isinstance(space.get(name), hidden)]


def _page(self: Any) -> str:
    """Returns the display in a notebook: values in a table, and their range."""
    from penstock.functions.display import as_html

    return as_html(self)


for _kind in (Tensor, Variable):
    setattr(_kind, "_repr_html_", Native("_repr_html_", _page))  # noqa: B010
    for _name, _attribute in METHODS.items():
        setattr(_kind, _name, Native(_name, _attribute))
    for _name, _remedy in (ATTRIBUTES | OF_RESULTS).items():
        if not hasattr(_kind, _name):
            setattr(_kind, _name, Foreign(_name, _remedy))
    setattr(_kind, "__dir__", _listed)  # noqa: B010
    entitle(_kind, "__dir__")

__all__ = ["METHODS", "Foreign", "Native"]
