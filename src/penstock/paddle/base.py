"""What `paddle.base` is asked for by programs: places, parameters, modes, and what was compiled in."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle._paths import path_to as _path_to
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
"""The few names of Paddle's compiled part that programs use."""


@contextlib.contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Computes at once inside, whatever the mode outside; there is one `place`."""
    static = not _paddle.in_dynamic_mode()
    _paddle.disable_static()
    try:
        yield
    finally:
        if static:
            _paddle.enable_static()


_path_to(sys.modules[__name__], "dygraph", SimpleNamespace(guard=guard, __name__="guard"), _paddle)
_path_to(sys.modules[__name__], "framework", _paddle)
__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "core"]


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)
