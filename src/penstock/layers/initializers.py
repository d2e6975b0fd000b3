"""Initial values: zeros, ones, and draws from the distributions that keep activations at one size."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions.keys import key
from penstock.lazy import listed
from penstock.ops import random as draws
from penstock.ops.validation import plain
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor

Array = Any


class Initializer:
    """Gives the initial value of a variable: called with a shape and a dtype, it returns a NumPy array.

    Values are drawn immediately, outside the recording, so that layers may be built anywhere. They come from
    the stream of `ps.random.seed`; an initializer with its own `seed` always gives the same values.
    """

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        """Returns an array of this shape and dtype (float32 by default)."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns an initializer with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_config().items())
        return f"{type(self).__name__}({arguments})"


class Zeros(Initializer):
    """Zeros.

    >>> import penstock as ps
    >>> ps.layers.initializers.Zeros()((2,))
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        return np.zeros(_lengths(shape), np.dtype(dtype or np.float32))


class Ones(Initializer):
    """Ones.

    >>> import penstock as ps
    >>> ps.layers.initializers.Ones()((2,))
    array([1., 1.], dtype=float32)
    """

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        return np.ones(_lengths(shape), np.dtype(dtype or np.float32))


class Constant(Initializer):
    """One number, or an array that broadcasts to the shape.

    >>> import penstock as ps
    >>> ps.layers.initializers.Constant(0.5)((2,))
    array([0.5, 0.5], dtype=float32)
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        value = np.asarray(self.value).astype(np.dtype(dtype or np.float32))
        return np.array(np.broadcast_to(value, _lengths(shape)))


class Identity(Initializer):
    """The identity matrix times `gain`.

    >>> import penstock as ps
    >>> ps.layers.initializers.Identity()((2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        lengths = _lengths(shape)
        if len(lengths) != 2:
            raise ArgumentError(
                f"Identity was given the shape {lengths}, which is not a matrix.", site=here()
            )
        return self.gain * np.eye(*lengths, dtype=np.dtype(dtype or np.float32))


class _Random(Initializer):
    """Draws from counter-based random numbers, in float64, and rounds them."""

    def __init__(self, seed: int | None = None) -> None:
        seed = plain(seed)
        if seed is not None and (not isinstance(seed, int) or seed < 0):
            raise ArgumentError(
                f"{type(self).__name__}: seed is {seed!r}.",
                remedy="Give a whole number of at least 0.",
                site=here(),
            )
        self.seed = seed

    def _draw(self, primitive: Any, shape: Sequence[int]) -> Array:
        number = self.seed
        if number is None:
            drawn: Any = key()._value
        else:
            drawn = np.asarray([number >> 32 & 0xFFFFFFFF, number & 0xFFFFFFFF, 0], np.uint32)
        with np.errstate(all="ignore"):
            return np.asarray(primitive.numpy(drawn, shape=_lengths(shape), dtype=np.dtype(np.float64)))


class RandomNormal(_Random):
    """Draws from the normal distribution.

    >>> import penstock as ps
    >>> ps.layers.initializers.RandomNormal(stddev=0.1, seed=1)((2, 3)).shape
    (2, 3)
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        drawn = self.mean + self.stddev * self._draw(draws.random_normal, shape)
        return drawn.astype(np.dtype(dtype or np.float32))


class TruncatedNormal(_Random):
    """Draws from the normal distribution, cut two standard deviations off the mean.

    >>> import penstock as ps
    >>> bool(abs(ps.layers.initializers.TruncatedNormal(stddev=1.0)((99,))).max() <= 2)
    True
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        drawn = self.mean + self.stddev * self._draw(draws.random_truncated_normal, shape)
        return drawn.astype(np.dtype(dtype or np.float32))


class RandomUniform(_Random):
    """Draws between two numbers.

    >>> import penstock as ps
    >>> bool(abs(ps.layers.initializers.RandomUniform()((99,))).max() <= 0.05)
    True
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        drawn = self.minval + (self.maxval - self.minval) * self._draw(draws.random_uniform, shape)
        return drawn.astype(np.dtype(dtype or np.float32))


class VarianceScaling(_Random):
    """Draws with variance scale / n, where n counts what leads in ("fan_in"), out, or their mean ("fan_avg").

    `distribution` is "truncated_normal" (its standard deviation made up for the cut), "untruncated_normal" or
    "uniform" (within sqrt(3 * variance)). A kernel of a convolution counts its places: [*places, in, out].

    >>> import penstock as ps
    >>> kernel = ps.layers.initializers.VarianceScaling(2.0, "fan_in", seed=1)((400, 100))
    >>> round(float(kernel.std()), 3)
    0.071
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        super().__init__(seed)
        if scale <= 0:
            raise ArgumentError(f"VarianceScaling: scale is {scale!r}, which is not positive.", site=here())
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ArgumentError(
                f"VarianceScaling: mode is {mode!r}.", remedy="Use fan_in, fan_out or fan_avg.", site=here()
            )
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise ArgumentError(
                f"VarianceScaling: distribution is {distribution!r}.",
                remedy="Use truncated_normal, untruncated_normal or uniform.",
                site=here(),
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        into, out = fans(_lengths(shape))
        count = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            drawn = limit * (2.0 * self._draw(draws.random_uniform, shape) - 1.0)
        elif self.distribution == "untruncated_normal":
            drawn = math.sqrt(variance) * self._draw(draws.random_normal, shape)
        else:
            # What is left of a normal distribution between -2 and 2 has this standard deviation.
            stddev = math.sqrt(variance) / 0.87962566103423978
            drawn = stddev * self._draw(draws.random_truncated_normal, shape)
        return drawn.astype(np.dtype(dtype or np.float32))

    def along(self, into: Sequence[bool]) -> Callable[..., Array]:
        """Returns an initializer that counts axes for which `into` is true as inputs, others as outputs."""
        order = [*(i for i, one in enumerate(into) if one), *(i for i, one in enumerate(into) if not one)]

        def initial(shape: Sequence[int], dtype: Any = None) -> Array:
            lengths = [shape[i] for i in order]
            count = sum(into)
            flat = self((math.prod(lengths[:count]), math.prod(lengths[count:])), dtype)
            return flat.reshape(lengths).transpose(np.argsort(order))

        return initial


class Orthogonal(_Random):
    """A matrix whose rows, or columns, are orthogonal and of length `gain` (Saxe and others, 2014).

    >>> import penstock as ps
    >>> q = ps.layers.initializers.Orthogonal(seed=1)((3, 3))
    >>> abs(q @ q.T).round(3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Array:
        lengths = _lengths(shape)
        if len(lengths) < 2:
            raise ArgumentError(
                f"Orthogonal was given the shape {lengths}, which is not a matrix.", site=here()
            )
        rows, columns = math.prod(lengths[:-1]), lengths[-1]
        drawn = self._draw(draws.random_normal, (max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        # Signs that make the decomposition unique, and the matrix uniform among the orthogonal ones.
        q = q * np.sign(np.diag(r))
        q = q.T if rows < columns else q
        return (self.gain * q.reshape(lengths)).astype(np.dtype(dtype or np.float32))


def _scaled(name: str, scale: float, mode: str, distribution: str, source: str) -> type[VarianceScaling]:
    def __init__(self: Any, seed: int | None = None) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    def get_config(self: Any) -> dict[str, Any]:
        return {"seed": self.seed}

    what = "uniform" if distribution == "uniform" else "truncated normal"
    text = (
        f"Draws from a {what} distribution of variance {scale:g} / {mode} ({source}).\n\n"
        f"    >>> import penstock as ps\n    >>> ps.layers.initializers.{name}(seed=1)((2, 3)).shape\n"
        "    (2, 3)\n    "
    )
    space = {"__init__": __init__, "get_config": get_config, "__doc__": text, "__module__": __name__}
    return type(name, (VarianceScaling,), space)


GlorotUniform = _scaled("GlorotUniform", 1.0, "fan_avg", "uniform", "Glorot and Bengio, 2010")
GlorotNormal = _scaled("GlorotNormal", 1.0, "fan_avg", "truncated_normal", "Glorot and Bengio, 2010")
HeUniform = _scaled("HeUniform", 2.0, "fan_in", "uniform", "He and others, 2015")
HeNormal = _scaled("HeNormal", 2.0, "fan_in", "truncated_normal", "He and others, 2015")
LecunUniform = _scaled("LecunUniform", 1.0, "fan_in", "uniform", "LeCun and others, 1998")
LecunNormal = _scaled("LecunNormal", 1.0, "fan_in", "truncated_normal", "LeCun and others, 1998")


def fans(shape: Shape) -> tuple[int, int]:
    """Returns how many inputs and outputs meet in a kernel of a shape."""
    if len(shape) < 2:
        count = shape[0] if shape else 1
        return count, count
    places = math.prod(shape[:-2])
    return shape[-2] * places, shape[-1] * places


def _lengths(shape: Sequence[int]) -> Shape:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)


CLASSES: dict[str, type[Initializer]] = {
    "zeros": Zeros, "ones": Ones, "constant": Constant, "identity": Identity, "random_normal": RandomNormal,
    "normal": RandomNormal, "truncated_normal": TruncatedNormal, "random_uniform": RandomUniform,
    "uniform": RandomUniform, "variance_scaling": VarianceScaling, "orthogonal": Orthogonal,
    "glorot_uniform": GlorotUniform, "glorot_normal": GlorotNormal, "he_uniform": HeUniform,
    "he_normal": HeNormal, "lecun_uniform": LecunUniform, "lecun_normal": LecunNormal,
}  # fmt: skip
"""Initializers by the word that names them."""


def get(identifier: Any) -> Callable[..., Any]:
    """Returns the initializer that a word, a class, a number, an array or a function means.

    >>> import penstock as ps
    >>> ps.layers.initializers.get("zeros")
    Zeros()
    """
    if identifier is None:
        return Zeros()
    if isinstance(identifier, str):
        word = identifier.lower()
        named = {kind.__name__.lower(): kind for kind in CLASSES.values()}
        found = CLASSES.get(word) or named.get(word)
        if found is None:
            raise ArgumentError(
                f"Could not interpret initializer identifier: {identifier}",
                remedy=f"Words are {', '.join(sorted(CLASSES))}.",
                site=here(),
            )
        return found()
    if isinstance(identifier, type):
        return identifier()  # type: ignore[no-any-return]
    if isinstance(identifier, int | float | np.ndarray | Tensor | Cell):
        return Constant(np.asarray(identifier))
    if isinstance(identifier, dict):
        kind = CLASSES[_word(identifier["class_name"])]
        return kind.from_config(identifier.get("config", {}))  # type: ignore[no-any-return]
    if callable(identifier):
        given: Callable[..., Any] = identifier
        return given
    raise ArgumentError(
        f"Could not interpret initializer identifier: {identifier}",
        remedy="Give a word such as 'glorot_uniform', a number, or a function of shape and dtype.",
        site=here(),
    )


def _word(name: str) -> str:
    return next(word for word, kind in CLASSES.items() if kind.__name__ == name)


__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "Initializer",
    "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal",
    "VarianceScaling", "Zeros", "get",
]  # fmt: skip
__dir__ = listed(__name__)
