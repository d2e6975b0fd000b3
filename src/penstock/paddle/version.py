"""The version of Paddle that the dialect follows."""

from __future__ import annotations

full_version = "3.3.1"
major, minor, patch, rc = "3", "3", "1", "0"
commit = ""
with_gpu = "OFF"


def show() -> None:
    """Prints the version."""
    print("full_version:", full_version)


def cuda() -> str:
    """Returns "False": Penstock has no special code for CUDA."""
    return "False"


cudnn = cuda
__all__ = ["commit", "cuda", "cudnn", "full_version", "major", "minor", "patch", "rc", "show"]
