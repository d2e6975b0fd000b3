"""`paddle.tensor`: the functions of `paddle`, by the same names."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from penstock import paddle as _paddle
from penstock.paddle._paths import paths_to as _paths_to

_paths_to(
    sys.modules[__name__],
    "array attribute creation einsum linalg logic manipulation math ops random search stat to_string",
    _paddle,
    _paddle.linalg,
)
__all__: list[str] = []


class _Called(ModuleType):
    """The module, which is a function too: `paddle.tensor([1.0])` makes a tensor."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from penstock.paddle._filling import tensor

        return tensor(*arguments, **options)


sys.modules[__name__].__class__ = _Called


def __getattr__(name: str) -> Any:
    return getattr(_paddle, name)
