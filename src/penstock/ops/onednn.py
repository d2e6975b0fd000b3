"""Convolutions by oneDNN, where the extra `onednn` is installed: docs/decisions/0052.

PENSTOCK_ONEDNN=off leaves all convolutions to XLA.
"""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from penstock.ops import ffi

SETTING = "PENSTOCK_ONEDNN"
PACKAGE = "onednn-cpu-gomp"
"""The wheel whose library is used: the only one whose threads Penstock can keep from starting."""
TARGET = "penstock_onednn_convolution"
"""The name by which executables call it, those on disk too."""
LARGE = 1 << 24
"""Convolutions of at least this many arithmetic operations use oneDNN instead of Eigen."""


@functools.cache
def library() -> Path | None:
    """Returns the file of the library, or None if its package is not installed."""
    # Imported here because importlib.metadata is large.
    from importlib import metadata

    try:
        files = metadata.files(PACKAGE) or ()
    except metadata.PackageNotFoundError:
        return None
    for one in files:
        if one.name == "libdnnl.so.3":
            found = Path(str(one.locate())).resolve()
            return found if found.is_file() else None
    return None


def described() -> tuple[str, int, int] | None:
    """Returns what distinguishes the library from another, without opening it; None if it is not used."""
    if os.environ.get(SETTING) == "off" or (found := library()) is None:
        return None
    return ffi.build_of(found)


def lack() -> str | None:
    """Returns why oneDNN computes nothing, or None if it does. Opens the library."""
    if os.environ.get(SETTING) == "off":
        return f"{SETTING}=off"
    if library() is None:
        return 'it is not installed: pip install "penstock[onednn]"'
    return _loaded()


@functools.cache
def _loaded() -> str | None:
    """Opens the library and names its function to XLA; returns why it cannot, or None."""
    try:
        from penstock.ops import _onednn
    except ImportError:
        return "its part in C is not built"
    if (lacking := ffi.lack()) is not None:
        return lacking
    try:
        ffi.register(TARGET, _onednn.load(str(library())))
    except Exception as error:
        return f"it cannot be opened: {error}"
    return None


def convolution(
    jax: Any,
    x: Any,
    kernel: Any,
    made: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    spread: tuple[int, ...],
    dilation: tuple[int, ...],
) -> Any:
    """Returns a convolution as ops/window.py defines it, of the shape `made`, or None if XLA computes it.

    A kernel with more places than the result is the other factor of a gradient by a kernel: then the batch
    and the channels have traded places, and oneDNN's own method for that gradient reads both as they were.
    XLA drops the transposition here together with the one in ops/window.py.
    """
    rank, groups = len(strides), x.shape[-2]
    if not ffi.is_allowed() or rank != 2 or groups != 1 or x.dtype != np.float32 or max(spread) > 1:
        return None
    work = 2 * math.prod(made) * math.prod(kernel.shape[:3])
    if work < LARGE or jax.default_backend() != "cpu" or lack() is not None:
        return None
    gradient = math.prod(kernel.shape[:2]) > math.prod(made[1:3])
    batch, *lengths, _, channels = x.shape
    if gradient:
        # XLA drops two transpositions in a row, but only if nothing is reshaped in between.
        source, window, places = x.transpose(4, 1, 2, 3, 0)[..., 0, :], made[1:3], kernel.shape[:2]
        batch, channels, strides, dilation = channels, batch, dilation, strides
        other = kernel.transpose(2, 0, 1, 3, 4)[..., 0, :]
    else:
        source, window, places, other = x[..., 0, :], kernel.shape[:2], made[1:3], kernel[..., 0, :]
    filters = made[-1]
    before = tuple(low for low, _ in padding)
    # Where strides leave places over at the end, the padding there is shorter: oneDNN takes it exactly.
    after = tuple(
        (window[i] - 1) * dilation[i] + 1 + (places[i] - 1) * strides[i] - lengths[i] - before[i]
        for i in (0, 1)
    )
    if min(before) < 0:
        return None
    key = (int(gradient), batch, *lengths, channels, *window, filters, *places, *strides)
    key = (*key, *(one - 1 for one in dilation), *before, *after)
    from penstock.ops import _onednn

    if not _onednn.supports(*key):
        return None
    shape = (*window, channels, filters) if gradient else (batch, *places, filters)
    call = jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct(shape, np.float32))
    found = call(source, other, key=np.array(key, np.int64))
    if gradient:
        found = found.transpose(2, 0, 1, 3)
    return found.reshape(made)
