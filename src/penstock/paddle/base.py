"""The names of `paddle.base` that programs use: places, parameters, modes, and compiled features."""

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
    # Functions are composed of primitives that always have derivatives of every order.
    _set_prim_forward_enabled=lambda wanted: None,
    _set_prim_backward_enabled=lambda wanted: None,
    _set_prim_all_enabled=lambda wanted: None,
)
"""The few names of Paddle's compiled part that programs use."""


def use_pir_api() -> bool:
    """Returns True: programs are of the newer of Paddle's two kinds."""
    return True


def in_pir_mode() -> bool:
    """Returns whether calls are written down in a static program."""
    return not _paddle.in_dynamic_mode()


def in_dynamic_or_pir_mode() -> bool:
    """Returns True: calls are made at once, or written down in a program of the newer kind."""
    return True


@contextlib.contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Computes at once inside, also in static mode; there is one `place`."""
    static = not _paddle.in_dynamic_mode()
    _paddle.disable_static()
    try:
        yield
    finally:
        if static:
            _paddle.enable_static()


_path_to(sys.modules[__name__], "dygraph", SimpleNamespace(guard=guard, __name__="guard"), _paddle)
_path_to(sys.modules[__name__], "framework", sys.modules[__name__], _paddle)
__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "core"]


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)
