"""`paddle.hapi`: `paddle.Model` and what belongs to it, by the paths that Paddle's own files have."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle import callbacks as callbacks
from penstock.paddle._paths import path_to as _path_to


def to_list(value: Any) -> Any:
    """Returns a list of what is one, a tuple or a value of its own; None stays None."""
    if value is None:
        return None
    return list(value) if isinstance(value, list | tuple) else [value]


Model, summary, flops = _paddle.Model, _paddle.summary, _paddle.flops
_own = sys.modules[__name__]
_path_to(_own, "model", SimpleNamespace(Model=Model, to_list=to_list, __name__="model"))
_path_to(_own, "model_summary", SimpleNamespace(summary=summary, __name__="model_summary"))
_path_to(_own, "dynamic_flops", SimpleNamespace(flops=flops, __name__="dynamic_flops"))
sys.modules[f"{__name__}.callbacks"] = callbacks
__all__: list[str] = []
