"""Initializers: the initial value of a variable, given its shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, linalg, random
from penstock.tensorflow import _elementwise as elementwise
from penstock.tensorflow._convert import as_array
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype, numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import lift
from penstock.trace.source_site import here

_zeros, _ones, _filled = lift(_arrays.zeros), lift(_arrays.ones), lift(_constant)
_normal, _uniform, _truncated = lift(random.normal), lift(random.uniform), lift(random.truncated_normal)


class Initializer:
    """Called with a shape, gives a tensor to start with."""

    dtype: Any = None

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns a tensor of this shape."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the initializer."""
        return {key: value for key, value in vars(self).items() if not key.startswith("_")}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns an initializer made with this."""
        return cls(**config)

    def _dtype(self, dtype: Any) -> Any:
        return numpy_dtype(dtype or self.dtype or "float32")


@named("tf.compat.v1.initializers.zeros", "tf.compat.v1.zeros_initializer")
class Zeros(Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = "float32") -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns zeros."""
        return _zeros(shape, self._dtype(dtype))


@named("tf.compat.v1.initializers.ones", "tf.compat.v1.ones_initializer")
class Ones(Initializer):
    """Ones."""

    def __init__(self, dtype: Any = "float32") -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns ones."""
        return _ones(shape, self._dtype(dtype))


@named("tf.compat.v1.initializers.constant", "tf.compat.v1.constant_initializer")
class Constant(Initializer):
    """One number everywhere, or a list or array arranged to the shape; the last number fills the rest."""

    def __init__(self, value: Any = 0, dtype: Any = None, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value, self.dtype = value, None if dtype is None else as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: Any = None
    ) -> Any:
        """Returns the number or the data in this shape."""
        wanted = numpy_dtype(dtype or self.dtype) if dtype or self.dtype else None
        given = as_array(self.value).reshape(-1)
        count = math.prod(shape)
        if given.size > count:
            raise TypeError(f"Too many elements provided. Needed at most {count}, but received {given.size}")
        if given.size < count:
            given = np.concatenate([given, np.full(count - given.size, given[-1], given.dtype)])
        made = given.reshape(tuple(shape))
        return _filled(made if wanted is None else made.astype(wanted))


class _Drawn(Initializer):
    def __init__(self, first: Any, second: Any, seed: Any, dtype: Any, names: tuple[str, str]) -> None:
        self._names = names
        setattr(self, names[0], first)
        setattr(self, names[1], second)
        self.seed, self.dtype = seed, as_dtype(dtype)

    def _ends(self) -> tuple[Any, Any]:
        return getattr(self, self._names[0]), getattr(self, self._names[1])


@named("tf.compat.v1.initializers.random_normal", "tf.compat.v1.random_normal_initializer")
class RandomNormal(_Drawn):
    """Draws from the normal distribution."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(mean, stddev, seed, dtype, ("mean", "stddev"))

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns draws."""
        return _normal(shape, *self._ends(), self._dtype(dtype), self.seed)


@named("tf.compat.v1.initializers.truncated_normal", "tf.compat.v1.truncated_normal_initializer")
class TruncatedNormal(_Drawn):
    """Draws from the normal distribution between two standard deviations below and above the mean."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(mean, stddev, seed, dtype, ("mean", "stddev"))

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns draws."""
        return _truncated(shape, *self._ends(), self._dtype(dtype), self.seed)


@named("tf.compat.v1.initializers.random_uniform", "tf.compat.v1.random_uniform_initializer")
class RandomUniform(_Drawn):
    """Draws between two ends."""

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(minval, maxval, seed, dtype, ("minval", "maxval"))

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns draws."""
        return _uniform(shape, *self._ends(), self._dtype(dtype), self.seed)


@named("tf.compat.v1.initializers.variance_scaling", "tf.compat.v1.variance_scaling_initializer")
class VarianceScaling(Initializer):
    """Draws whose variance is scale / n, n being the number of inputs, of outputs, or their mean.

    `distribution`: "truncated_normal" (its deviation corrected for the truncation), "untruncated_normal" or
    "uniform". Glorot and Bengio, AISTATS 2010; He et al., ICCV 2015.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = "float32",
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}"
            )
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ArgumentError(
                "Argument `distribution` should be one of ('uniform', 'truncated_normal', "
                "'untruncated_normal'). "
                f"Received: {distribution}",
                site=here(),
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns draws."""
        incoming, outgoing = fans(shape)
        count = {"fan_in": incoming, "fan_out": outgoing, "fan_avg": (incoming + outgoing) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        wanted = self._dtype(dtype)
        if self.distribution == "uniform":
            end = math.sqrt(3.0 * variance)
            return _uniform(shape, -end, end, wanted, self.seed)
        if self.distribution == "untruncated_normal":
            return _normal(shape, 0.0, math.sqrt(variance), wanted, self.seed)
        # The deviation of a standard normal distribution that is cut at two.
        return _truncated(shape, 0.0, math.sqrt(variance) / 0.87962566103423978, wanted, self.seed)


@named("tf.compat.v1.initializers.glorot_uniform", "tf.compat.v1.glorot_uniform_initializer")
class GlorotUniform(VarianceScaling):
    """Uniform draws of variance 2 / (inputs + outputs)."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


@named("tf.compat.v1.initializers.glorot_normal", "tf.compat.v1.glorot_normal_initializer")
class GlorotNormal(VarianceScaling):
    """Normal draws of variance 2 / (inputs + outputs)."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


@named("tf.compat.v1.initializers.he_normal")
def he_normal(seed: Any = None) -> VarianceScaling:
    """Returns an initializer of normal draws of variance 2 / inputs."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


@named("tf.compat.v1.initializers.he_uniform")
def he_uniform(seed: Any = None) -> VarianceScaling:
    """Returns an initializer of uniform draws of variance 2 / inputs."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """Returns how many inputs an output has, and how many outputs an input has."""
    lengths = tuple(shape)
    if len(lengths) < 2:
        only = float(lengths[0]) if lengths else 1.0
        return only, only
    field = math.prod(lengths[:-2])
    return float(lengths[-2] * field), float(lengths[-1] * field)


@named("tf.compat.v1.initializers.orthogonal", "tf.compat.v1.orthogonal_initializer")
class Orthogonal(Initializer):
    """A matrix whose rows, or columns if they are fewer, are orthogonal and have the length `gain`.

    The axes before the last count as one.
    """

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        self.gain, self.seed, self.dtype = gain, seed, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns a matrix made of draws from the normal distribution."""
        lengths = tuple(int(n) for n in shape)
        if len(lengths) < 2:
            raise ArgumentError("The tensor to initialize must be at least two-dimensional.", site=here())
        rows, columns = math.prod(lengths[:-1]), lengths[-1]
        drawn = _normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, self._dtype(dtype), self.seed)
        return _scaled(_orthogonal(drawn, lengths, rows < columns), self.gain)


def _made_orthogonal(drawn: Any, lengths: Any, turned: bool) -> Any:
    factor, rest = linalg.qr(drawn)
    factor = factor * elementwise.sign(linalg.diag_part(rest))
    return _arrays.reshape(linalg.matrix_transpose(factor) if turned else factor, lengths)


_orthogonal, _scaled = lift(_made_orthogonal, "Qr"), lift(elementwise.multiply)


@named("tf.compat.v1.initializers.identity")
class Identity(Initializer):
    """The identity matrix, times `gain`."""

    def __init__(self, gain: Any = 1.0, dtype: Any = "float32") -> None:
        self.gain, self.dtype = gain, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns the matrix."""
        if len(shape) != 2:
            raise ArgumentError("Identity matrix initializer can only be used for 2D matrices.", site=here())
        kind = self._dtype(dtype)
        return _filled((np.eye(int(shape[0]), int(shape[1])) * self.gain).astype(kind))


@named("tf.compat.v1.uniform_unit_scaling_initializer", "tf.compat.v1.initializers.uniform_unit_scaling")
class UniformUnitScaling(Initializer):
    """Uniform draws that keep the size of what goes through: up to the root of 3 / inputs, times `factor`."""

    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        self.factor, self.seed, self.dtype = factor, seed, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Returns draws."""
        inputs = max(1.0, float(math.prod(int(n) for n in list(shape)[:-1])))
        end = math.sqrt(3.0 / inputs) * self.factor
        return _uniform(shape, -end, end, self._dtype(dtype), self.seed)


@named("tf.compat.v1.initializers.lecun_normal")
def lecun_normal(seed: Any = None) -> VarianceScaling:
    """Returns an initializer of normal draws of variance 1 / inputs."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


@named("tf.compat.v1.initializers.lecun_uniform")
def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """Returns an initializer of uniform draws of variance 1 / inputs."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)
