"""Pooling layers whose results have a given size, whatever the lengths of the input are."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock.declared import named
from penstock.functions.convolution import average_pool, max_pool
from penstock.layers.arguments import data_format_of
from penstock.layers.pooling import _check_rank
from penstock.tensorflow.keras._adaptive_windows import pooled, sizes
from penstock.tensorflow.keras._layer import Layer


class _AdaptivePooling(Layer):
    """A pooling over windows that begin and end where equal parts of an axis do, rounded outwards."""

    rank: ClassVar[int]
    pool: ClassVar[Any]

    def __init__(self, output_size: Any, data_format: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.output_size = sizes(f"{type(self).__name__} {self.name!r}", output_size, self.rank)
        self.data_format = data_format_of(self, data_format)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        _check_rank(self, inputs._spec.shape, self.rank)
        name = f"{type(self).__name__} {self.name!r}"
        return pooled(inputs, self.output_size, type(self).pool, self.data_format, name)


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
