"""`paddle.framework`: the names of `paddle` that concern the framework itself."""

from __future__ import annotations

import sys
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle._shape import CPUPlace, CUDAPinnedPlace, CUDAPlace
from penstock.paddle.base import core as core
from penstock.paddle.base import in_dynamic_or_pir_mode as in_dynamic_or_pir_mode
from penstock.paddle.base import in_pir_mode as in_pir_mode
from penstock.paddle.base import use_pir_api as use_pir_api

_paths_to(sys.modules[__name__], "random io dtype framework", _paddle)


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)


__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "core"]
