"""Layers that prepare numbers: shifted and scaled by what data has, or put into bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.layers.cloning import arguments_of
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._encoded_rows import MODES, encoded, encoded_tensor, mode_of
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._vocabulary_counts import array_of, batches
from penstock.trace.source_site import here


class Prepares(Layer):
    """A layer that takes lists and arrays too."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer."""
        given = [
            operand(np.asarray(one)) if isinstance(one, list | tuple | np.ndarray | int | float) else one
            for one in inputs
        ]
        return super().__call__(*given, **options)


@named("tf.keras.layers.Normalization")
class Normalization(Prepares):
    """(x - mean) / sqrt(variance), along the axes named in `axis`; `adapt` takes both from data.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.Normalization(axis=None)
    >>> layer.adapt([1.0, 2.0, 3.0])
    >>> layer(tf.constant([2.0])).numpy().tolist()
    [0.0]
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        if (mean is None) != (variance is None):
            raise ArgumentError(
                "When setting values directly, both `mean` and `variance` must be set. Got "
                f"mean={mean} and variance={variance}",
                site=here(),
            )
        self.input_mean, self.input_variance, self.invert = mean, variance, invert
        self._moments: Any = None

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer; several axes, as Keras writes them."""
        return {**arguments_of(self), **super().get_config(), "axis": self.axis}

    def build(self, input_shape: Any) -> None:
        """Makes the mean and the variance."""
        rank = len(input_shape)
        self._kept_axes = sorted(one % rank for one in self.axis)
        shape = tuple(input_shape[one] for one in self._kept_axes)
        if None in shape:
            raise ArgumentError(
                f"All `axis` values to be kept must have a known shape. Received axis={self.axis}, "
                f"inputs.shape={input_shape}",
                site=here(),
            )
        self._around = [n if axis in self._kept_axes else 1 for axis, n in enumerate(input_shape)]
        if self.input_mean is None:
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", dtype="int64", trainable=False, name="count")
            self._moments = (self.adapt_mean, self.adapt_variance)
        else:
            mean, variance = (np.asarray(one, np.float32) for one in (self.input_mean, self.input_variance))
            self._moments = tuple(constant(np.broadcast_to(one, shape)) for one in (mean, variance))

    @property
    def mean(self) -> Any:
        """What is subtracted, in a shape that broadcasts; None before the layer is built."""
        return self._around_inputs(0)

    @property
    def variance(self) -> Any:
        """What is divided by, squared; None before the layer is built."""
        return self._around_inputs(1)

    def _around_inputs(self, place: int) -> Any:
        if self._moments is None:
            return None
        shape = [1 if n is None else n for n in self._around]
        return _arrays.reshape(self._moments[place], shape)

    def adapt(self, data: Any) -> None:
        """Takes the mean and the variance from data."""
        if self.input_mean is not None:
            raise ArgumentError("Cannot adapt a layer whose mean and variance were given.", site=here())
        whole = isinstance(data, np.ndarray)
        mean: Any = np.float32(0)
        variance: Any = np.float32(0)
        total = 0
        for one in _in_batches(data):
            array = array_of(one)
            # Keras computes in the dtype of an array, and in that of the layer for batches.
            array = array if whole else array.astype(self._compute)
            if not self.built:
                self.build(tuple(array.shape))
                self.built = True
                object.__setattr__(self, "_first_shape", tuple(array.shape))
            axes = tuple(n for n in range(array.ndim) if n not in self._kept_axes)
            own_mean, own_variance = np.mean(array, axis=axes), np.var(array, axis=axes)
            count = math.prod(array.shape[n] for n in axes)
            total += count
            weight = float(count) / total
            if count == total:
                mean, variance = own_mean, own_variance
                continue
            new = mean * (1.0 - weight) + own_mean * weight
            variance = (variance + (mean - new) ** 2) * (1.0 - weight) + (
                own_variance + (own_mean - new) ** 2
            ) * weight
            mean = new
        self.adapt_mean.assign(np.asarray(mean, np.float32))
        self.adapt_variance.assign(np.asarray(variance, np.float32))

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        inputs = _elementwise.cast(operand(inputs), self.compute_dtype)
        deviation = ps.maximum(ps.sqrt(self.variance), 1e-7)
        return inputs * deviation + self.mean if self.invert else (inputs - self.mean) / deviation


def _in_batches(data: Any) -> Any:
    """Yields data batch by batch: 128 examples of a data set without batches, and each array of a list."""
    spec = getattr(data, "element_spec", None)
    first = spec[0] if isinstance(spec, tuple) else spec
    if first is not None and len(first.shape) == 1:
        data = data.batch(128)
    several = isinstance(data, list | tuple) and len(data) > 0 and np.ndim(data[0]) > 1
    for one in data if several else batches(data):
        yield one[0] if isinstance(one, tuple) else one


@named("tf.keras.layers.Discretization")
class Discretization(Prepares):
    """Numbers as those of the bins they lie in; bounds are given, or taken from data as quantiles."""

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: Any = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if (bin_boundaries is None) == (num_bins is None):
            raise ArgumentError("You need to set either `num_bins` or `bin_boundaries`.", site=here())
        self.bin_boundaries = None if bin_boundaries is None else list(bin_boundaries)
        self.num_bins, self.epsilon, self.sparse = num_bins, epsilon, sparse
        self.output_mode = mode_of(self, output_mode, sparse, MODES)

    def adapt(self, data: Any) -> None:
        """Takes the bounds from a summary of data, of about 1 / `epsilon` values."""
        summary = np.zeros((2, 0), np.float32)
        for one in batches(data):
            values = np.sort(array_of(one).ravel())
            step = max(len(values) * self.epsilon, 1)
            kept = values[int(step - 1) :: int(step)]
            each = np.concatenate([summary, np.stack([kept, np.full(len(kept), step, kept.dtype)])], axis=1)
            summary = _summarized(each[:, np.argsort(each[0])], self.epsilon)
        self.bin_boundaries = _summarized(summary, 1 / self.num_bins)[0, :-1].astype(np.float32).tolist()

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer, and the bounds taken from data."""
        config = {**arguments_of(self), **super().get_config(), "bin_boundaries": self.bin_boundaries,
                  "dtype": self.dtype}  # fmt: skip
        # Keras' own layer does not take this one.
        config.pop("trainable")
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a layer with these arguments, and with bounds that were taken from data."""
        bounds, count = config.get("bin_boundaries"), config.get("num_bins")
        if bounds is None or count is None:
            return super().from_config(config)
        made = super().from_config({**config, "bin_boundaries": None})
        made.bin_boundaries = list(bounds)
        return made

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for numbers with only a known shape."""
        count = self.num_bins if self.bin_boundaries is None else len(self.bin_boundaries) + 1
        made = encoded_tensor(given.shape, count, self.output_mode, self.compute_dtype)
        return KerasTensor(made.shape, "int32") if self.output_mode == "int" else made

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        if self.bin_boundaries is None:
            raise ArgumentError("You need to `adapt` the layer, or give `bin_boundaries`.", site=here())
        x = operand(inputs)
        bounds = np.asarray(self.bin_boundaries, x._spec.dtype if x._spec.dtype.kind == "f" else np.float32)
        above = ps.greater_equal(_elementwise.cast(x, bounds.dtype)[..., None], operand(bounds))
        found = ps.sum(_elementwise.cast(above, "int32"), axis=-1)
        if self.output_mode == "int":
            return _elementwise.cast(found, "int32")
        count = len(self.bin_boundaries) + 1
        return encoded(found, count, self.output_mode, self.compute_dtype, sparse=self.sparse)


def _summarized(summary: Any, epsilon: float) -> Any:
    """Returns values and their weights at parts of `epsilon` of the whole weight; few of them as they are."""
    if summary.shape[1] * epsilon < 1:
        return summary
    weights = np.cumsum(summary[1])
    parts = epsilon + np.arange(0.0, 1.0, epsilon)
    values = np.interp(parts, weights / weights[-1], summary[0])
    up_to = np.interp(parts, weights / weights[-1], weights)
    return np.stack([values, np.diff(up_to, prepend=0)]).astype(np.float32)
