"""Adam's update in one pass over memory, by a function in C that XLA calls: docs/decisions/0055."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from penstock.ops import ffi

TARGET = "penstock_moments"
"""The name by which executables call it, those on disk too."""


def described() -> tuple[str, int, int] | None:
    """Returns what distinguishes the function from another build of it; None if it is not used."""
    module = _module()
    return None if module is None else ffi.build_of(Path(module.__file__))


@functools.cache
def lack() -> str | None:
    """Returns why XLA cannot call the function, or None. The first call names the function to XLA."""
    module = _module()
    if module is None:
        return "its part in C is not built, or PENSTOCK_PURE is set"
    if (lacking := ffi.lack()) is None:
        ffi.register(TARGET, module.function())
    return lacking


@functools.cache
def _module() -> Any:
    if os.environ.get("PENSTOCK_PURE"):
        return None
    try:
        from penstock.ops import _updates
    except ImportError:
        return None
    return _updates


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
