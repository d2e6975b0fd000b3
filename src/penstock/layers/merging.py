"""Layers of several inputs: sums, products, means, concatenation."""

from __future__ import annotations

import functools
from typing import Any, ClassVar, Unpack

from penstock.errors import ArgumentError
from penstock.functions import array, elementwise
from penstock.layers.arguments import along, refuse_input, wholes
from penstock.layers.base import Layer
from penstock.layers.options import Options
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


class _Merge(Layer):
    """A layer that is called on a list of tensors."""

    supports_masking, _makes_masks = True, False
    least: ClassVar[int] = 1

    def _checked(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, list | tuple) or len(inputs) < self.least:
            raise ArgumentError(
                f"A merge layer should be called on a list of at least {self.least} "
                f"input{'s' if self.least > 1 else ''}. Received: inputs={inputs}",
                site=here(),
            )
        for one in inputs:
            if not isinstance(one, Tensor | Cell):
                refuse_input(self, inputs, "It takes a list of tensors.")
        return list(inputs)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return self._merged(self._checked(inputs))

    def _merged(self, inputs: list[Any]) -> Any:
        raise NotImplementedError

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """A step counts if it counts in one of the inputs; if an input has no mask, all steps count."""
        if mask is None or any(one is None for one in mask):
            return None
        return functools.reduce(elementwise.logical_or, mask)


class _Among(_Merge):
    """A merge in which inputs with a masked step do not contribute to the result of that step."""

    function: ClassVar[Any]

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the layer."""
        tensors = self._checked(inputs)
        return self._merged(tensors) if mask is None else self._folded(tensors, mask)[0]

    def _folded(self, inputs: list[Any], masks: list[Any]) -> tuple[Any, Any]:
        """Returns the result, and where any of the inputs counts."""
        spread = [None if one is None else array.expand_dims(one, axis=-1) for one in masks]
        result, counts = inputs[0], spread[0]
        for x, mask in zip(inputs[1:], spread[1:], strict=True):
            both, alone = type(self).function(result, x), x
            if mask is not None:
                both, alone = array.where(mask, both, result), array.where(mask, x, result)
            result = both if counts is None else array.where(counts, both, alone)
            counts = None if counts is None or mask is None else elementwise.logical_or(counts, mask)
        return result, counts


class _Product(_Among):
    """A product, which is 0 where no input counts."""

    def _folded(self, inputs: list[Any], masks: list[Any]) -> tuple[Any, Any]:
        result, counts = super()._folded(inputs, masks)
        return result if counts is None else array.where(counts, result, 0.0), counts


def _folding(name: str, function: Any, what: str, result: str, base: type[_Merge] = _Among) -> type[_Merge]:
    def _merged(_: Any, inputs: list[Any]) -> Any:
        return functools.reduce(function, inputs)

    text = (
        f"{what} of tensors, elementwise.\n\n"
        "    Raises:\n        ArgumentError: if it is not called with a list of tensors.\n"
        "        ShapeError: if their shapes do not broadcast.\n\n    >>> import penstock as ps\n"
        f"    >>> ps.layers.{name}()([ps.asarray([2.0]), ps.asarray([3.0])])\n    {result}\n    "
    )
    space = {"_merged": _merged, "function": staticmethod(function), "__doc__": text, "__module__": __name__}
    return type(name, (base,), space)


Add = _folding("Add", elementwise.add, "The sum", "Tensor([5.], dtype=float32)", _Merge)
Multiply = _folding("Multiply", elementwise.multiply, "The product", "Tensor([6.], dtype=float32)", _Product)
Maximum = _folding("Maximum", elementwise.maximum, "The largest", "Tensor([3.], dtype=float32)")
Minimum = _folding("Minimum", elementwise.minimum, "The smallest", "Tensor([2.], dtype=float32)")


class Subtract(_Merge):
    """The first of two tensors minus the second.

    Raises:
        ArgumentError: if an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.

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

    Raises:
        ArgumentError: if an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.layers.Average()([ps.asarray([2.0]), ps.asarray([3.0])])
    Tensor([2.5], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(array.add, inputs) / float(len(inputs))


class Concatenate(_Merge):
    """Tensors joined along an axis.

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `axis` or an input has the wrong shape, or names an axis that is not there.
        DTypeError: if `axis` has the wrong dtype or type.
        ArgumentError: if an input has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.layers.Concatenate()([ps.zeros((1, 2)), ps.zeros((1, 3))]).shape
    (1, 5)
    """

    def __init__(self, axis: int = -1, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.axis = axis

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Joins the masks; if features are joined, a step counts if it counts in any of the inputs."""
        if mask is None:
            return None
        spread = []
        for x, one in zip(inputs, mask, strict=True):
            shape = x._spec.shape
            if one is None:
                one = array.ones((1,) * len(shape), dtype="bool")
            elif len(one._spec.shape) < len(shape):
                one = array.reshape(one, (*one._spec.shape, 1))
            spread.append(array.broadcast_to(one, shape))
        return array.any(array.concat(spread, axis=self.axis), axis=-1)

    def _merged(self, inputs: list[Any]) -> Any:
        return array.concat(inputs, axis=self.axis)


class Dot(_Merge):
    """The product of two tensors summed over one axis of each, batch by batch.

    Args:
        axes: the axis to sum over, an int, or one for each tensor.
        normalize: whether vectors are first scaled to length 1.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `axes` or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.layers.Dot(axes=1)([ps.asarray([[1.0, 2.0]]), ps.asarray([[3.0, 4.0]])])
    Tensor([[11.]], dtype=float32)
    """

    least = 2

    def __init__(self, axes: Any, normalize: bool = False, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        if len(wholes(self, "axes", axes)) > 2 or axes == ():
            raise ArgumentError(
                f"Dot: axes is {axes!r}.", remedy="Give one axis for both inputs, or a pair.", site=here()
            )
        self.axes, self.normalize = axes, normalize

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns None: the result has no steps."""
        return None

    def _merged(self, inputs: list[Any]) -> Any:
        axes = (self.axes,) * 2 if isinstance(self.axes, int) else tuple(self.axes)
        first, second = inputs
        if self.normalize:
            first, second = (
                x / array.sqrt(array.maximum(array.sum(x * x, axis=axis, keepdims=True), 1e-12))
                for x, axis in zip((first, second), axes, strict=True)
            )
        for x, axis in zip((first, second), axes, strict=True):
            along(self, x._spec.shape, (axis,))
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


__all__: list[str] = ["Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract"]
