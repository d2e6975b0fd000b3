"""Numbers drawn with a key, as every random function of the dialect makes them: TensorFlow's on a CPU."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from penstock.functions.philox_keys import PhiloxKey, key_of_words
from penstock.ops import philox, pointwise, table
from penstock.ops.validation import plain
from penstock.tensorflow._convert import operand, record, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor, concrete


def uniform(key: Any, shape: Shape, low: Any, high: Any, dtype: Any, frame: FrameType) -> EagerTensor:
    """Returns draws from `low`, included, to `high`, not included; without both, any integers."""
    if dtype.kind in "iu":
        return _integers(key, shape, low, high, dtype, frame)
    drawn = record(philox.philox_uniform, (key,), {"shape": shape, "dtype": dtype}, frame)
    low, high = _plain(low), _plain(1.0 if high is None else high)
    if isinstance(low, int | float) and isinstance(high, int | float):
        # In the dtype of the draws, as TensorFlow subtracts them.
        ends = float(dtype.type(low)), float(dtype.type(high) - dtype.type(low))
        return _scaled(drawn, *ends, frame)
    low, high = _cast(low, dtype, frame), _cast(high, dtype, frame)
    return _scaled(drawn, low, record(pointwise.subtract, (high, low), {}, frame), frame)


def normal(
    key: Any, shape: Shape, mean: Any, stddev: Any, dtype: Any, frame: FrameType, cut: bool = False
) -> EagerTensor:
    """Returns draws from the normal distribution, with `cut` from its middle, four deviations wide."""
    primitive = philox.philox_truncated_normal if cut else philox.philox_normal
    drawn = record(primitive, (key,), {"shape": shape, "dtype": dtype}, frame)
    ends = [_plain(one) for one in (mean, stddev)]
    offset, scale = (
        float(dtype.type(one)) if isinstance(one, int | float) else _cast(one, dtype, frame) for one in ends
    )
    return _scaled(drawn, offset, scale, frame)


def _integers(key: Any, shape: Shape, low: Any, high: Any, dtype: Any, frame: FrameType) -> EagerTensor:
    wide = np.dtype(f"uint{dtype.itemsize * 8}")
    bits = record(philox.philox_bits, (key,), {"shape": shape, "dtype": wide}, frame)
    if low is None and high is None:
        return spoken(_as(bits, dtype, frame))
    first, last = (int(np.asarray(tensor_of(one).numpy())) for one in (low, high))
    if first >= last:
        raise InvalidArgumentError(f"Need minval < maxval, got {first} >= {last}", site=here())
    if last - first < 1 << dtype.itemsize * 8:
        bits = record(pointwise.remainder, (bits, last - first), {}, frame)
    # The sum wraps around, so that it comes out right for every range.
    return spoken(record(pointwise.add, (_as(bits, dtype, frame), first), {}, frame))


def _as(x: Any, dtype: Any, frame: FrameType) -> Any:
    return x if x._spec.dtype == dtype else record(table.cast, (x,), {"dtype": dtype}, frame)


def _plain(value: Any) -> Any:
    value = plain(value)
    return value if isinstance(value, int | float) else operand(value)


def _cast(value: Any, dtype: Any, frame: FrameType) -> Any:
    return value if isinstance(value, int | float) else _as(value, dtype, frame)


def _scaled(drawn: EagerTensor, offset: Any, scale: Any, frame: FrameType) -> EagerTensor:
    if not (isinstance(scale, float) and scale == 1):
        drawn = record(pointwise.multiply, (drawn, scale), {}, frame)
    if not (isinstance(offset, float) and offset == 0):
        drawn = record(pointwise.add, (drawn, offset), {}, frame)
    return spoken(drawn)


def checked_algorithm(alg: Any) -> None:
    """Raises an error for an algorithm that a CPU does not have in TensorFlow, or that there is none of."""
    word = str(getattr(alg, "name", alg)).lower()
    if word in ("none", "1", "3", "philox", "auto_select"):
        return
    if word in ("2", "threefry"):
        raise ArgumentError(
            f"alg is {alg!r}, which TensorFlow has on a TPU alone: a CPU draws by Philox.",
            remedy='Leave alg out, or give alg="philox".',
            site=here(),
        )
    raise ArgumentError(
        f"Argument `alg` got unsupported value {alg}. Supported values are 1 or 'philox' for the Philox "
        "algorithm, 2 or 'threefry' for the ThreeFry algorithm, and 3 or 'auto_select' for auto-selection.",
        site=here(),
    )


def key_of_seed(seed: Any, alg: Any, frame: FrameType) -> Tensor:
    """Returns the key of a seed of two whole numbers: the same draws, whatever was drawn before."""
    checked_algorithm(alg)
    pair = operand(tensor_of(seed))
    if pair._spec.shape != (2,) or pair._spec.dtype.kind not in "iu":
        raise ArgumentError(
            f"seed must have shape [2], not {list(pair._spec.shape)}"
            if pair._spec.shape != (2,)
            else f"seed must be two whole numbers, not {pair._spec.dtype.name}.",
            remedy="Give two whole numbers: seed=(1, 2).",
            site=here(),
        )
    if getattr(pair, "_value", None) is None:
        return philox.philox_key.record((pair,), {}, frame)
    one, other = np.asarray(pair._value).tolist()
    # A seed that is an argument of the program: no DrawKey, which the next run would move on.
    return concrete(key_of_words(philox.mixed(one, other), None)._value, Tensor)


__all__ = ["PhiloxKey", "checked_algorithm", "key_of_seed", "normal", "uniform"]
