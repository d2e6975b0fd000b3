"""What `paddle.base` is asked for by programs: places, parameters, modes, and what was compiled in."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle._shape import CPUPlace, CUDAPinnedPlace, CUDAPlace
from penstock.paddle._tensor import Tensor

core = SimpleNamespace(
    CPUPlace=CPUPlace,
    CUDAPlace=CUDAPlace,
    CUDAPinnedPlace=CUDAPinnedPlace,
    is_compiled_with_cuda=lambda: False,
    get_cuda_device_count=lambda: 0,
    eager=SimpleNamespace(Tensor=Tensor),
)
"""The few names of Paddle's compiled part that programs ask for."""
_paths_to(sys.modules[__name__], "dygraph framework", _paddle)
__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "core"]


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)
