"""Adam's update in one pass over memory, by a function in C that XLA calls: docs/decisions/0055."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.ops import ffi

function = ffi.Function("_updates", "penstock_moments")
TARGET, described, lack = function.target, function.described, function.lack


def moments(
    jax: Any, old: Sequence[Any], gradient: Any, numbers: Sequence[Any], outside: bool, decays: bool,
    overwritten: Sequence[int],
) -> list[Any]:  # fmt: skip
    """Returns a value, its mean gradient and its mean square after an update; `old` are those before it.

    Those at the positions `overwritten` give their memory to what they become.

    `numbers` are the weights of the new terms in the mean and the mean square, the rate and the floor of the
    root; with `outside` the divisor of the root; with `decays` the share that the value loses, and its rate.
    """
    made = jax.ShapeDtypeStruct(gradient.shape, np.float32)
    call = jax.ffi.ffi_call(TARGET, [made] * 3, input_output_aliases={place: place for place in overwritten})
    found: list[Any] = call(*old, gradient, *numbers, how=np.array([outside, decays], np.int64))
    return found
