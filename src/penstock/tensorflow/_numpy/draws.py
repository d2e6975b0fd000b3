"""tf.experimental.numpy.random: draws with NumPy's names, of TensorFlow's generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import random
from penstock.tensorflow._numpy.promotion import PLACE, common, given, refused

_HERE = f"{PLACE}.random"


def _lengths(size: Any) -> Any:
    return () if size is None else (size,) if np.ndim(size) == 0 else size


@named(f"{_HERE}.seed")
def seed(s: Any) -> None:
    """Sets the seed of all draws: `tf.random.set_seed`."""
    try:
        s = int(s)
    except TypeError:
        raise refused(f"Argument `s` got an invalid value {s}. Only integers are supported.") from None
    random.set_seed(s)


@named(f"{_HERE}.standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Returns float64 draws of the standard normal distribution."""
    return random.normal(_lengths(size), dtype=np.float64)


@named(f"{_HERE}.randn")
def randn(*args: int) -> Any:
    """Returns float64 draws of the standard normal distribution, in this shape."""
    return standard_normal(args)


@named(f"{_HERE}.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Returns float64 draws between two limits."""
    low, high = given(low, np.float64), given(high, np.float64)
    lengths = np.broadcast_shapes(tuple(low.shape), tuple(high.shape)) if size is None else _lengths(size)
    return random.uniform(lengths, low, high, np.float64)


@named(f"{_HERE}.random")
def random_(size: Any = None) -> Any:
    """Returns float64 draws between 0 and 1."""
    return uniform(size=size)


@named(f"{_HERE}.rand")
def rand(*size: int) -> Any:
    """Returns float64 draws between 0 and 1, in this shape."""
    return uniform(size=size)


@named(f"{_HERE}.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Returns int64 draws of Poisson's distribution."""
    return random.poisson(_lengths(size), lam, np.int64)


@named(f"{_HERE}.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Returns whole numbers from `low` to before `high`, or from 0 to before `low`."""
    first, last = (0, int(low)) if high is None else (int(low), high)
    wanted = common(dtype)
    if wanted not in (np.int32, np.int64):
        raise refused(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to "
            f"{(np.int32, np.int64)} are supported."
        )
    return random.uniform(_lengths(size), first, last, wanted)
