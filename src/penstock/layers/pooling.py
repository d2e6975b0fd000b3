"""Pooling layers: the largest element or the mean of windows, or of everything except the channels."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

from penstock.errors import ArgumentError
from penstock.functions import array
from penstock.functions.convolution import average_pool, hashable, lengths_of, max_pool
from penstock.layers.arguments import data_format_of
from penstock.layers.base import Layer
from penstock.layers.options import Options
from penstock.trace.source_site import here


def _check_rank(layer: Any, shape: Any, rank: int) -> None:
    if len(shape) != rank + 2:
        raise ArgumentError(
            f"{layer._input_words} {layer.name!r} is incompatible with the layer: expected ndim={rank + 2}, "
            f"found ndim={len(shape)}. Full shape received: {tuple(shape)}",
            why=f"{type(layer).__name__} takes [batch, {rank} lengths, channels].",
            site=here(),
        )


class _Pooling(Layer):
    """A pooling over windows of 1 to 3 axes."""

    _takes_one = True

    rank: ClassVar[int]
    pool: ClassVar[Any]

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = "valid",
        data_format: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        name = type(self).__name__
        self.pool_size = lengths_of(name, "pool_size", pool_size, self.rank)
        self.strides = self.pool_size if strides is None else lengths_of(name, "strides", strides, self.rank)
        self.padding = padding.lower() if isinstance(padding, str) else hashable(padding)
        self.data_format = data_format_of(self, data_format)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        _check_rank(self, inputs._spec.shape, self.rank)
        return type(self).pool(inputs, self.pool_size, self.strides, self.padding, self.data_format)


class _GlobalPooling(Layer):
    """A pooling over all but the batch and the channels."""

    _takes_one = True

    rank: ClassVar[int]
    reduce: ClassVar[Any]

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **options: Unpack[Options]
    ) -> None:
        super().__init__(**options)
        self.data_format = data_format_of(self, data_format)
        self.keepdims = bool(keepdims)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        _check_rank(self, inputs._spec.shape, self.rank)
        first = 1 if self.data_format == "channels_last" else 2
        axes = tuple(range(first, first + self.rank))
        return type(self).reduce(inputs, axis=axes, keepdims=self.keepdims)


class _MeanOfSteps(_GlobalPooling):
    """The mean over steps, not counting masked ones."""

    supports_masking, _makes_masks = True, False

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns None: the result has no steps."""
        return None

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the layer."""
        if mask is None:
            return super().call(inputs)
        _check_rank(self, inputs._spec.shape, 1)
        steps, channels = (1, 2) if self.data_format == "channels_last" else (2, 1)
        weights = array.expand_dims(array.astype(mask, inputs.dtype), axis=channels)
        total = array.sum(inputs * weights, axis=steps, keepdims=self.keepdims)
        return total / array.sum(weights, axis=steps, keepdims=self.keepdims)


_FORMAT = '        data_format: "channels_last" or "channels_first"; None for the first.\n'
_OPTIONS = "        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.\n\n"
_RAISED = (
    "    Raises:\n        ArgumentError: if an argument has a value that is not allowed.\n        "
    "DTypeError: if an input is not a tensor of numbers.\n        ShapeError: if an input has the wrong "
    "number of axes.\n\n"
)
_WINDOW_ARGUMENTS = (
    "    Args:\n        pool_size: the lengths of a window: an int, or one for each axis.\n        "
    'strides: the distance between windows: an int, or one for each axis.\n        padding: "valid" for '
    f'windows inside the input only, "same" for as many windows as positions.\n{_FORMAT}{_OPTIONS}{_RAISED}'
)
_GLOBAL_ARGUMENTS = (
    f"    Args:\n{_FORMAT}        keepdims: whether the axes stay, with length 1.\n{_OPTIONS}{_RAISED}"
)


def _windows(name: str, rank: int, pool: Any, what: str) -> type[_Pooling]:
    shape = (1, *(4,) * rank, 3)
    text = (
        f"{what} of each window over {rank} ax{'i' if rank == 1 else 'e'}s; `strides` is `pool_size` unless "
        f"given.\n\n{_WINDOW_ARGUMENTS}"
        f"    >>> import penstock as ps\n    >>> ps.layers.{name}(2)(ps.zeros({shape})).shape\n"
        f"    {(1, *(2,) * rank, 3)}\n    "
    )
    space = {"rank": rank, "pool": staticmethod(pool), "__doc__": text, "__module__": __name__}
    return type(name, (_Pooling,), space)


def _global(
    name: str, rank: int, reduce: Any, what: str, base: type[_GlobalPooling] = _GlobalPooling
) -> type[_GlobalPooling]:
    shape = (1, *(4,) * rank, 3)
    text = (
        f"{what} over {rank} ax{'i' if rank == 1 else 'e'}s: [batch, lengths, channels] gives "
        "[batch, channels]."
        f"\n\n{_GLOBAL_ARGUMENTS}"
        f"    >>> import penstock as ps\n    >>> ps.layers.{name}()(ps.zeros({shape})).shape\n"
        "    (1, 3)\n    "
    )
    space = {"rank": rank, "reduce": staticmethod(reduce), "__doc__": text, "__module__": __name__}
    return type(name, (base,), space)


MaxPooling1D = _windows("MaxPooling1D", 1, max_pool, "The largest element")
MaxPooling2D = _windows("MaxPooling2D", 2, max_pool, "The largest element")
MaxPooling3D = _windows("MaxPooling3D", 3, max_pool, "The largest element")
AveragePooling1D = _windows("AveragePooling1D", 1, average_pool, "The mean")
AveragePooling2D = _windows("AveragePooling2D", 2, average_pool, "The mean")
AveragePooling3D = _windows("AveragePooling3D", 3, average_pool, "The mean")
GlobalAveragePooling1D = _global("GlobalAveragePooling1D", 1, array.mean, "The mean", _MeanOfSteps)
GlobalAveragePooling2D = _global("GlobalAveragePooling2D", 2, array.mean, "The mean")
GlobalAveragePooling3D = _global("GlobalAveragePooling3D", 3, array.mean, "The mean")
GlobalMaxPooling1D = _global("GlobalMaxPooling1D", 1, array.max, "The largest element")
GlobalMaxPooling2D = _global("GlobalMaxPooling2D", 2, array.max, "The largest element")
GlobalMaxPooling3D = _global("GlobalMaxPooling3D", 3, array.max, "The largest element")


__all__: list[str] = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
]
