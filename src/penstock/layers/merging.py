"""Layers of several inputs: sums, products, means, concatenation."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from penstock.errors import ArgumentError
from penstock.functions import array, elementwise
from penstock.layers.base import Layer
from penstock.trace.site import here


class _Merge(Layer):
    """A layer that is called on a list of tensors."""

    least: ClassVar[int] = 1

    def _checked(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, list | tuple) or len(inputs) < self.least:
            raise ArgumentError(
                f"A merge layer should be called on a list of at least {self.least} "
                f"input{'s' if self.least > 1 else ''}. Received: inputs={inputs}",
                site=here(),
            )
        return list(inputs)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return self._merged(self._checked(inputs))

    def _merged(self, inputs: list[Any]) -> Any:
        raise NotImplementedError


def _folding(name: str, function: Any, what: str, result: str) -> type[_Merge]:
    def _merged(self: Any, inputs: list[Any]) -> Any:
        return functools.reduce(function, inputs)

    text = (
        f"{what} of tensors, elementwise.\n\n    >>> import penstock as ps\n"
        f"    >>> ps.layers.{name}()([ps.asarray([2.0]), ps.asarray([3.0])])\n    {result}\n    "
    )
    return type(name, (_Merge,), {"_merged": _merged, "__doc__": text, "__module__": __name__})


Add = _folding("Add", elementwise.add, "The sum", "Tensor([5.], dtype=float32)")
Multiply = _folding("Multiply", elementwise.multiply, "The product", "Tensor([6.], dtype=float32)")
Maximum = _folding("Maximum", elementwise.maximum, "The largest", "Tensor([3.], dtype=float32)")
Minimum = _folding("Minimum", elementwise.minimum, "The smallest", "Tensor([2.], dtype=float32)")


class Subtract(_Merge):
    """The first of two tensors minus the second.

    >>> import penstock as ps
    >>> ps.layers.Subtract()([ps.asarray([2.0]), ps.asarray([3.0])])
    Tensor([-1.], dtype=float32)
    """

    least = 2

    def _merged(self, inputs: list[Any]) -> Any:
        if len(inputs) != 2:
            raise ArgumentError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: inputs={inputs}",
                site=here(),
            )
        return array.subtract(inputs[0], inputs[1])


class Average(_Merge):
    """The mean of tensors, elementwise.

    >>> import penstock as ps
    >>> ps.layers.Average()([ps.asarray([2.0]), ps.asarray([3.0])])
    Tensor([2.5], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(array.add, inputs) / float(len(inputs))


class Concatenate(_Merge):
    """Tensors joined along an axis.

    >>> import penstock as ps
    >>> ps.layers.Concatenate()([ps.zeros((1, 2)), ps.zeros((1, 3))]).shape
    (1, 5)
    """

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def _merged(self, inputs: list[Any]) -> Any:
        return array.concat(inputs, axis=self.axis)


class Dot(_Merge):
    """The product of two tensors summed over one axis of each, batch by batch.

    >>> import penstock as ps
    >>> ps.layers.Dot(axes=1)([ps.asarray([[1.0, 2.0]]), ps.asarray([[3.0, 4.0]])])
    Tensor([[11.]], dtype=float32)
    """

    least = 2

    def __init__(self, axes: Any, normalize: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.axes, self.normalize = axes, normalize

    def _merged(self, inputs: list[Any]) -> Any:
        axes = (self.axes,) * 2 if isinstance(self.axes, int) else tuple(self.axes)
        first, second = inputs
        if self.normalize:
            first, second = (
                x / array.sqrt(array.maximum(array.sum(x * x, axis=axis, keepdims=True), 1e-12))
                for x, axis in zip((first, second), axes, strict=True)
            )
        ranks = [len(x._spec.shape) for x in (first, second)]
        one, other = (axis % rank for axis, rank in zip(axes, ranks, strict=True))
        first = array.permute_dims(first, [*(i for i in range(ranks[0]) if i != one), one])
        order = [i for i in range(1, ranks[1]) if i != other]
        second = array.permute_dims(second, [0, other, *order])
        lengths = [x._spec.shape for x in (first, second)]
        batch, summed = lengths[0][0], lengths[0][-1]
        a = array.reshape(first, (batch, -1, summed))
        b = array.reshape(second, (batch, summed, -1))
        product = array.matmul(a, b)
        final = (batch, *lengths[0][1:-1], *lengths[1][2:])
        return array.reshape(product, final if len(final) > 1 else (batch, 1))
