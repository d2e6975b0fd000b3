"""PaddlePaddle's names over Penstock.

Use them as `from penstock import paddle`, or run a script by `penstock run --as paddle`. Files whose name
begins with an underscore define what the names mean, and declare them; the others are Paddle's own modules.
"""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.paddle import _methods
from penstock.paddle._families import ALONE as _ALONE
from penstock.paddle._families import REST as _REST
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._tensor import Tensor as Tensor

__version__, __git_commit__ = "3.3.1", ""
newaxis = None
inf, nan, pi, e = _np.inf, _np.nan, _np.pi, _np.e
_SOURCES = (
    "_convert _creation _dtype _environment _gradients _grad_mode _manipulation _math _printing _saving "
    "_shape _tensor device"
)
_MODULES = (
    "amp audio autograd base callbacks device distributed distribution fft framework geometric hapi incubate "
    "inference io jit linalg metric nn optimizer pir profiler random regularizer signal sparse static "
    "tensor text utils version vision"
)
"""Modules, of which some are imported on first use."""
_find, __dir__, _public = _namespace(
    "paddle", globals(), _SOURCES, rest=f"_autocast {_ALONE} {_REST}", later={__name__: _MODULES}
)
_public += [
    "amp", "autograd", "callbacks", "device", "distribution", "io", "jit", "linalg", "metric", "nn",
    "optimizer", "random", "regularizer",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "paddle":
        # Paddle's package imports itself, so that programs can write `paddle.paddle.randint`.
        return _sys.modules[__name__]
    if name.endswith("_") and not name.startswith("_") and _methods.in_place(name):
        # The methods that change a tensor, as functions of it.
        return getattr(Tensor, name)
    return _find(name)
