"""Places under Paddle's names. There is one, and XLA puts arrays on an accelerator where there is one."""

from __future__ import annotations

from penstock.paddle._shape import CPUPlace


def get_device() -> str:
    """Returns "cpu"."""
    return "cpu"


def set_device(device: str) -> CPUPlace:
    """Accepts any place; there is one."""
    return CPUPlace()


def is_compiled_with_cuda() -> bool:
    """Returns False: Penstock has no code of its own for one kind of accelerator."""
    return False


__all__ = ["get_device", "is_compiled_with_cuda", "set_device"]
