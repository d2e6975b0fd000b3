"""Places under Paddle's names. There is one, and XLA puts arrays on an accelerator where there is one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from penstock.declared import named
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._shape import CPUPlace
from penstock.trace.source_site import here


@in_paddle("paddle.device.get_device")
def get_device() -> str:
    """Returns "cpu"."""
    return "cpu"


@in_paddle("paddle.device.set_device")
def set_device(device: str) -> CPUPlace:
    """Returns the only place, for any `device`; an accelerator's name makes mixed precision take effect."""
    from penstock.paddle._place import choose

    choose(device)
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


@in_paddle("paddle.device.is_compiled_with_custom_device")
def is_compiled_with_custom_device(device_type: str) -> bool:
    """Returns False, for any `device_type`."""
    return False


@in_paddle("paddle.device.is_compiled_with_ipu")
def is_compiled_with_ipu() -> bool:
    """Returns False."""
    return False


@in_paddle("paddle.device.get_cudnn_version")
def get_cudnn_version() -> None:
    """Returns None: there is no cuDNN."""


@in_paddle("paddle.device.get_default_device")
def get_default_device() -> str:
    """Returns "cpu"."""
    return "cpu"


@in_paddle("paddle.device.set_default_device")
def set_default_device(device: Any) -> None:
    """Does nothing, for any `device`."""


def get_all_custom_device_type() -> list[str]:
    """Returns []."""
    return []


def get_available_custom_device() -> list[str]:
    """Returns []."""
    return []


def device_count() -> int:
    """Returns 0: accelerators are counted."""
    return 0


def is_available() -> bool:
    """Returns False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns True, with or without `including_emulation`."""
    return True


def current_device() -> int:
    """Returns 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Starts the random numbers afresh, as `paddle.seed` does."""
    from penstock.paddle._randomness import seed as start

    start(seed)


manual_seed_all = manual_seed


class _Cuda(ModuleType):
    """The answers of `paddle.device.cuda` and `paddle.cuda` about accelerators: there are none."""

    is_available = staticmethod(is_available)
    is_bf16_supported = staticmethod(is_bf16_supported)
    current_device = staticmethod(current_device)
    manual_seed = manual_seed_all = staticmethod(manual_seed)

    def is_initialized(self) -> bool:
        """Returns False."""
        return False

    def _absent(self, device: Any = None) -> Any:
        """Raises ValueError, for any `device`: there is no accelerator."""
        raise InvalidValueError(
            "paddle.device.cuda: there is no accelerator to ask.",
            remedy="Ask paddle.device.cuda.device_count() first: it is 0.",
            site=here(),
        )

    get_device_properties = get_device_name = get_device_capability = set_device = _absent
    current_stream = stream_guard = Stream = Event = _absent
    reset_max_memory_allocated = reset_max_memory_reserved = _absent

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
sys.modules[cuda.__name__] = sys.modules["penstock.paddle.cuda"] = cuda
named("paddle.cuda")(cuda)
__path__: list[str] = []
__getattr__, __dir__, __all__ = _namespace("paddle.device", globals())
