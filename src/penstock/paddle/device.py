"""Places under Paddle's names. There is one, and XLA puts arrays on an accelerator where there is one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from penstock.paddle._declaring import in_paddle
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._shape import CPUPlace


@in_paddle("paddle.device.get_device")
def get_device() -> str:
    """Returns "cpu"."""
    return "cpu"


@in_paddle("paddle.device.set_device")
def set_device(device: str) -> CPUPlace:
    """Returns the only place, for any `device`."""
    return CPUPlace()


@in_paddle("paddle.device.is_compiled_with_cuda")
def is_compiled_with_cuda() -> bool:
    """Returns False: Penstock has no special code for any kind of accelerator."""
    return False


def get_all_device_type() -> list[str]:
    """Returns ["cpu"]."""
    return ["cpu"]


def get_available_device() -> list[str]:
    """Returns ["cpu"]."""
    return ["cpu"]


def synchronize(device: Any = None) -> None:
    """Does nothing, for any `device`: a value is ready when it is read."""


def _no(word: str) -> Callable[[], bool]:
    def function() -> bool:
        return False

    function.__name__ = function.__qualname__ = f"is_compiled_with_{word}"
    function.__doc__ = "Returns False: Penstock has no special code for any kind of accelerator."
    return in_paddle(f"paddle.device.{function.__name__}")(function)


is_compiled_with_rocm, is_compiled_with_xpu = _no("rocm"), _no("xpu")
is_compiled_with_cinn, is_compiled_with_distribute = _no("cinn"), _no("distribute")


class _Cuda(ModuleType):
    """The answers of `paddle.device.cuda` about accelerators: there are none."""

    def device_count(self) -> int:
        """Returns 0."""
        return 0

    def synchronize(self, device: Any = None) -> None:
        """Does nothing, for any `device`."""

    def empty_cache(self) -> None:
        """Does nothing."""

    def _bytes(self, device: Any = None) -> int:
        """Returns 0, at whichever `device`: memory is the host's."""
        return 0

    max_memory_allocated = max_memory_reserved = memory_allocated = memory_reserved = _bytes


cuda = _Cuda("penstock.paddle.device.cuda")
sys.modules[cuda.__name__] = cuda
__path__: list[str] = []
__getattr__, __dir__, __all__ = _namespace("paddle.device", globals())
