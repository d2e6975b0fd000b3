"""What `paddle.tensor` has: the functions of `paddle`, by the same names."""

from __future__ import annotations

import sys
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle._paths import paths_to as _paths_to

_paths_to(
    sys.modules[__name__],
    "attribute creation einsum linalg logic manipulation math ops random search stat to_string",
    _paddle,
    _paddle.linalg,
)
__all__: list[str] = []


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)
