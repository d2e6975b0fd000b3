"""The initial values of parameters, under Paddle's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import random as draws
from penstock.functions import special
from penstock.paddle import _seeded as seeded
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.trace.source_site import here

_Lengths = tuple[int, ...]


class Initializer:
    """Base of the initializers: called with a tensor, it gives it new values; `block` does nothing.

    One of a program's own says in `forward(var, block)` how.
    """

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        own = type(self)
        if own.forward is Initializer.forward and own.__call__ is Initializer.__call__:
            raise NotImplementedError
        from penstock.paddle._tensor import Leaf

        held = Leaf(np.zeros(lengths, dtype))
        self(held)
        return np.asarray(held)

    def __call__(self, param: Any, block: Any = None) -> Any:
        return self.forward(param, block)

    def forward(self, var: Any, block: Any = None) -> Any:
        """Gives a tensor new values; `block` does nothing.

        As in Paddle, drawn ones get memory of their own: `Normal()(weight.data)` leaves the weight
        as it is, while `Constant` and `Assign` write into the memory that both show.
        """
        from penstock.paddle import _views as views
        from penstock.paddle._grad_mode import no_grad

        with no_grad():
            if not isinstance(self, Constant | Assign) and views.family(var) is not None:
                views.leave(var)
            var.set_value(np.asarray(self._made(var._spec.shape, var._spec.dtype), var._spec.dtype))


class Constant(Initializer):
    """One value everywhere."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        return np.full(lengths, self.value, dtype)


class Assign(Initializer):
    """The values given: an array, a list or a tensor."""

    def __init__(self, value: Any, name: Any = None) -> None:
        self.value = value

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        array = np.asarray(self.value, dtype)
        if array.size != math.prod(lengths):
            raise InvalidValueError(
                f"Assign was given {array.size} values of shape {list(array.shape)} for a parameter of shape "
                f"{list(lengths)}.",
                site=here(),
            )
        return array.reshape(lengths)


NumpyArrayInitializer = Assign


class Normal(Initializer):
    """Draws from the normal distribution."""

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: Any = None) -> None:
        self.mean, self.std = mean, std

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        mean, std = float(self.mean), float(self.std)
        found = seeded.array("normal", lengths, mean, std, dtype, seed=seeded.fixed.seed)
        return np.asarray(draws.normal(lengths, mean, std, dtype=dtype)) if found is None else found


class TruncatedNormal(Initializer):
    """Draws from the normal distribution between `a` and `b`, by the inverse of its distribution function."""

    def __init__(
        self, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, name: Any = None
    ) -> None:
        self.mean, self.std, self.a, self.b = float(mean), float(std), float(a), float(b)

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        given = self.mean, self.std, self.a, self.b, dtype
        found = seeded.array("truncated_normal", lengths, *given, seed=seeded.fixed.seed)
        if found is not None:
            return found
        ends = (np.asarray([self.a, self.b]) - self.mean) / self.std
        low, high = np.asarray(special.ndtr(ends))
        drawn = draws.uniform(lengths, float(low), float(high), dtype=np.float64)
        made = self.mean + self.std * np.asarray(special.ndtri(drawn))
        return np.clip(made, self.a, self.b).astype(dtype)


class Uniform(Initializer):
    """Draws from between two values."""

    def __init__(self, low: float = -1.0, high: float = 1.0, name: Any = None) -> None:
        self.low, self.high = low, high

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        low, high = float(self.low), float(self.high)
        found = seeded.array("uniform", lengths, low, high, dtype, seed=seeded.fixed.seed)
        return np.asarray(draws.uniform(lengths, low, high, dtype=dtype)) if found is None else found


def _fans(lengths: _Lengths) -> tuple[int, int]:
    if len(lengths) < 2:
        count = lengths[0] if lengths else 1
        return count, count
    if len(lengths) == 2:
        return lengths[0], lengths[1]
    field = math.prod(lengths[2:])
    return lengths[1] * field, lengths[0] * field


class XavierUniform(Initializer):
    """Uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    _normal = False

    def __init__(
        self, fan_in: float | None = None, fan_out: float | None = None, gain: float = 1.0, name: Any = None
    ) -> None:
        self.fan_in, self.fan_out, self.gain = fan_in, fan_out, gain

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        fan_in, fan_out = _fans(lengths)
        total = (fan_in if self.fan_in is None else self.fan_in) + (
            fan_out if self.fan_out is None else self.fan_out
        )
        if self._normal:
            return Normal(0.0, self.gain * math.sqrt(2.0 / total))._made(lengths, dtype)
        limit = self.gain * math.sqrt(6.0 / total)
        return Uniform(-limit, limit)._made(lengths, dtype)


class XavierNormal(XavierUniform):
    """Normal with the deviation sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    _normal = True


class KaimingUniform(Initializer):
    """Uniform within gain * sqrt(3 / fan_in) (He et al., 2015)."""

    _normal = False

    def __init__(
        self,
        fan_in: float | None = None,
        negative_slope: float = 0.0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ) -> None:
        self.fan_in, self.negative_slope, self.nonlinearity, self.mode = (
            fan_in, negative_slope, nonlinearity, mode,
        )  # fmt: skip

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        fans = _fans(lengths)
        fan = self.fan_in if self.fan_in is not None else fans[0 if self.mode == "fan_in" else 1]
        gain = calculate_gain(self.nonlinearity, self.negative_slope)
        if self._normal:
            return Normal(0.0, gain / math.sqrt(fan))._made(lengths, dtype)
        limit = gain * math.sqrt(3.0 / fan)
        return Uniform(-limit, limit)._made(lengths, dtype)


class KaimingNormal(KaimingUniform):
    """Normal with the deviation gain / sqrt(fan_in) (He et al., 2015)."""

    _normal = True


class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns, times `gain`: the first axis against all the others."""

    def __init__(self, gain: float = 1.0, name: Any = None) -> None:
        self.gain = gain

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        if len(lengths) < 2:
            raise InvalidValueError(
                "Only Tensor with 2 or more dimensions is supported in Orthogonal initializer.", site=here()
            )
        rows, columns = lengths[0], math.prod(lengths[1:])
        longer, shorter = max(rows, columns), min(rows, columns)
        drawn = np.asarray(Normal()._made((longer, shorter), dtype), np.float64)
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diagonal(r))
        found = q.T if rows < columns else q
        return (self.gain * found).reshape(lengths).astype(dtype)


class Dirac(Initializer):
    """Filters that pass each channel on as it is, within each of `groups`."""

    def __init__(self, groups: int = 1, name: Any = None) -> None:
        self.groups = groups

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        if len(lengths) not in (3, 4, 5) or lengths[0] % self.groups:
            raise InvalidValueError(
                "Dirac is for filters of 3 to 5 axes, whose first length the groups divide; this is "
                f"{list(lengths)} with {self.groups} groups.",
                site=here(),
            )
        found = np.zeros(lengths, dtype)
        each = lengths[0] // self.groups
        middle = tuple(n // 2 for n in lengths[2:])
        for place in range(lengths[0]):
            channel = place % each
            if channel < lengths[1]:
                found[(place, channel, *middle)] = 1
        return found


class Bilinear(Initializer):
    """Square filters that interpolate linearly, for transposed convolutions which make images larger."""

    def __init__(self, name: Any = None) -> None:
        """Takes a `name`, which does nothing."""

    def _made(self, lengths: _Lengths, dtype: np.dtype[Any]) -> Any:
        if len(lengths) != 4 or lengths[2] != lengths[3]:
            raise InvalidValueError(
                f"Bilinear is for filters [out, in, n, n]; this is {list(lengths)}.", site=here()
            )
        factor = -(-lengths[3] // 2)
        centre = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        # As in Paddle, whose row number has a fraction: it is the place in the filters over their width.
        place = np.arange(math.prod(lengths))
        across, down = place % lengths[3], place / lengths[3] % lengths[3]
        found = (1 - np.abs(across / factor - centre)) * (1 - np.abs(down / factor - centre))
        return found.reshape(lengths).astype(dtype)


_defaults: list[Any] = [None, None]


def set_global_initializer(weight_init: Any, bias_init: Any = None) -> None:
    """Says what weights and biases start with where nothing else is said; None takes that back."""
    _defaults[:] = [weight_init, bias_init]


def _default_for(is_bias: bool) -> Any:
    """Returns what `set_global_initializer` has said, or None."""
    return _defaults[is_bias]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Returns by how much weights are to be larger before a nonlinearity."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    return {"relu": math.sqrt(2.0), "tanh": 5.0 / 3.0, "selu": 0.75}.get(nonlinearity, 1.0)


__getattr__, __dir__, __all__ = _namespace("paddle.nn.initializer", globals())
__all__.remove("NumpyArrayInitializer")  # An older name, which Paddle does not show.
