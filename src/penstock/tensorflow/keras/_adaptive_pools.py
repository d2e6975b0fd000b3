"""Pooling layers whose results have a given size, whatever the lengths of the input are."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock.declared import named
from penstock.functions import array
from penstock.functions.convolution import average_pool, max_pool
from penstock.layers.arguments import data_format_of
from penstock.layers.pooling import _check_rank
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here


class _AdaptivePooling(Layer):
    """A pooling over windows that begin and end where equal parts of an axis do, rounded outwards."""

    rank: ClassVar[int]
    pool: ClassVar[Any]

    def __init__(self, output_size: Any, data_format: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        several = (output_size,) * self.rank if isinstance(output_size, int) else output_size
        if not isinstance(several, list | tuple) or len(several) != self.rank:
            words = ("an integer or", "an integer or (height, width)", "an integer or (depth, height, width)")
            raise SizeError(
                f"`output_size` must be {words[self.rank - 1]} tuple. Received: {output_size} of type "
                f"{type(output_size)}",
                remedy=f"Give one number, or {self.rank} in a tuple.",
                site=here(),
            )
        self.output_size = tuple(several)
        self.data_format = data_format_of(self, data_format)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        _check_rank(self, inputs._spec.shape, self.rank)
        first = 1 if self.data_format == "channels_last" else 2
        for place, count in enumerate(self.output_size):
            inputs = self._along(inputs, first + place, place, count)
        return inputs

    def _along(self, x: Any, axis: int, place: int, count: int) -> Any:
        """Returns x with `count` elements along an axis, of which `place` counts those that are pooled."""
        length = x._spec.shape[axis]
        if not isinstance(length, int):
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: the length of axis {axis} is not known.",
                why="The windows follow from the length.",
                remedy="Give the input a shape: tf.keras.Input((8, 8, 3)).",
                site=here(),
            )
        if length % count == 0:
            return self._pooled(x, place, length // count)
        before = (slice(None),) * axis
        parts = [
            x[(*before, slice(i * length // count, -((i + 1) * length // -count)))] for i in range(count)
        ]
        return array.concat([self._pooled(one, place, one._spec.shape[axis]) for one in parts], axis=axis)

    def _pooled(self, x: Any, place: int, length: int) -> Any:
        window = tuple(length if i == place else 1 for i in range(self.rank))
        return type(self).pool(x, window, window, "valid", self.data_format)


class SizeError(ArgumentError, TypeError):
    """A size of a result that is neither a number nor one for each axis."""


def _adaptive(name: str, rank: int, pool: Any, what: str) -> Any:
    shape = (1, *(5,) * rank, 3)
    text = (
        f"{what} of windows over {rank} ax{'i' if rank == 1 else 'e'}s, `output_size` of them along each.\n\n"
        "    Args:\n        output_size: how many elements the result has: an int, or one for each axis.\n"
        '        data_format: "channels_last" or "channels_first"; None for the first.\n'
        "        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.\n\n"
        "    Raises:\n        SizeError: if `output_size` is not a number for each axis.\n"
        "        ArgumentError: if the input has other axes, or a length that is not known.\n\n"
        "    >>> from penstock import tensorflow as tf\n"
        f"    >>> tf.keras.layers.{name}(2)(tf.zeros({shape})).shape\n"
        f"    TensorShape({[1, *(2,) * rank, 3]})\n    "
    )
    space = {"rank": rank, "pool": staticmethod(pool), "__doc__": text, "__module__": __name__}
    return named(f"tf.keras.layers.{name}")(type(name, (_AdaptivePooling,), space))


AdaptiveAveragePooling1D = _adaptive("AdaptiveAveragePooling1D", 1, average_pool, "The mean")
AdaptiveAveragePooling2D = _adaptive("AdaptiveAveragePooling2D", 2, average_pool, "The mean")
AdaptiveAveragePooling3D = _adaptive("AdaptiveAveragePooling3D", 3, average_pool, "The mean")
AdaptiveMaxPooling1D = _adaptive("AdaptiveMaxPooling1D", 1, max_pool, "The largest element")
AdaptiveMaxPooling2D = _adaptive("AdaptiveMaxPooling2D", 2, max_pool, "The largest element")
AdaptiveMaxPooling3D = _adaptive("AdaptiveMaxPooling3D", 3, max_pool, "The largest element")
