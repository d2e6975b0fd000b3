"""Initializers that draw, as Keras draws them: of a seed that each is given when it is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.layers import initializers as native
from penstock.ops import philox
from penstock.ops.table import Primitive
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow.keras._defaults import floatx
from penstock.tensorflow.keras._seed_generator import Same, SeedGenerator, default_seed


class Seeded(native._Random):
    """An initializer with a seed of its own, that of Python's `random` if it is given none.

    It gives the same values each time it is called with one shape, as in Keras.
    """

    _own_seed: Callable[[], Any] = staticmethod(default_seed)

    def __init__(self, seed: Any = None) -> None:
        self._given_seed = seed
        if not isinstance(seed, SeedGenerator):
            super().__init__(seed if seed is None or isinstance(seed, bool) else abs(seed))
        self.seed = self._own_seed() if seed is None else seed

    def _drawn(self, primitive: Primitive, shape: Sequence[int], dtype: Any) -> Any:
        seed: Any = self.seed
        source = seed if isinstance(seed, SeedGenerator) else Same(seed)
        with np.errstate(all="ignore"):
            return primitive.numpy(source.key()._value, shape=tuple(shape), dtype=dtype)

    def _scaled(self, primitive: Primitive, shape: Any, offset: float, scale: float, dtype: Any) -> Any:
        drawn = self._drawn(primitive, shape, dtype)
        # In the dtype of the draws, and in two steps, as Keras computes them.
        return drawn * dtype.type(scale) + dtype.type(offset)

    def _between(self, shape: Any, low: float, high: float, dtype: Any) -> Any:
        width = dtype.type(high) - dtype.type(low)
        return self._scaled(philox.philox_uniform, shape, low, width, dtype)


def dtype_of(dtype: Any) -> Any:
    """Returns a dtype as NumPy's, and Keras' default for None."""
    return numpy_dtype(floatx() if dtype is None else dtype)


def _normal(self: Any, shape: Any, dtype: Any) -> Any:
    return self._scaled(philox.philox_normal, shape, self.mean, self.stddev, dtype)


def _truncated(self: Any, shape: Any, dtype: Any) -> Any:
    return self._scaled(philox.philox_truncated_normal, shape, self.mean, self.stddev, dtype)


def _uniform(self: Any, shape: Any, dtype: Any) -> Any:
    return self._between(shape, self.minval, self.maxval, dtype)


def _varied(self: Any, shape: Any, dtype: Any, fans: tuple[int, int] | None = None) -> Any:
    into, out = native.fans(tuple(shape)) if fans is None else fans
    count = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2}[self.mode]
    variance = self.scale / max(1.0, count)
    if self.distribution == "uniform":
        limit = math.sqrt(3.0 * variance)
        return self._between(shape, -limit, limit, dtype)
    if self.distribution == "untruncated_normal":
        return self._scaled(philox.philox_normal, shape, 0.0, math.sqrt(variance), dtype)
    # What is left of a normal distribution between -2 and 2 has this standard deviation.
    stddev = math.sqrt(variance) / 0.87962566103423978
    return self._scaled(philox.philox_truncated_normal, shape, 0.0, stddev, dtype)


def along(self: Any, into: Sequence[bool]) -> Callable[..., Any]:
    """Returns an initializer that counts the axes for which `into` is true as inputs, others as outputs."""

    def initial(shape: Sequence[int], dtype: Any = None) -> Any:
        pairs = list(zip(shape, into, strict=True))
        fans = tuple([math.prod(n for n, one in pairs if one is way) for way in (True, False)])
        return _varied(self, tuple(shape), dtype_of(dtype), (fans[0], fans[1]))

    return initial


def _orthogonal(self: Any, shape: Any, dtype: Any) -> Any:
    # It draws where the native one does, which makes the matrix.
    self._draw = lambda primitive, flat: self._drawn(philox.philox_normal, flat, dtype)
    return native.Orthogonal.__call__(self, shape, dtype)


WAYS: dict[Any, Callable[..., Any]] = {
    native.RandomNormal: _normal,
    native.TruncatedNormal: _truncated,
    native.RandomUniform: _uniform,
    native.VarianceScaling: _varied,
    native.Orthogonal: _orthogonal,
}
"""How each native class draws under Keras' names, in a dtype."""


def way_of(kind: type) -> Callable[..., Any] | None:
    """Returns how a native class draws; None for one that does not."""
    way = next((way for base, way in WAYS.items() if issubclass(kind, base)), None)
    if way is None:
        return None

    def drawn(self: Any, shape: Any, dtype: Any) -> Any:
        lengths = (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)
        return way(self, lengths, dtype_of(dtype))

    return drawn


__all__ = ["Seeded", "along", "dtype_of", "way_of"]
