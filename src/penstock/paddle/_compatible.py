"""Names that Paddle has from other frameworks: functions of layers at the top, and makers of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation
from penstock.paddle._convert import operand, to_tensor
from penstock.paddle._declaring import in_paddle
from penstock.paddle._dtype import complex64, complex128, float16, float32, float64
from penstock.paddle.nn import functional as F

for _name, _one in {
    "float": float32, "double": float64, "half": float16, "cfloat": complex64, "cdouble": complex128,
}.items():  # fmt: skip
    named(f"paddle.{_name}")(_one)


@in_paddle
def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Returns shares along `dim`: by default the first axis if there are 0, 1 or 3, else the second."""
    x = operand(input)
    if dim is None:
        dim = 0 if x._spec.ndim in (0, 1, 3) else 1
    return F.softmax(x, dim, dtype)


def _maker(name: str, kind: str) -> Any:
    def made(*given: Any, device: Any = None) -> Any:
        if len(given) == 1 and not isinstance(given[0], int):
            return to_tensor(given[0], dtype=kind)
        return _creation.zeros(list(given) or [0], kind)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = (
        f"Returns data as {kind}, or zeros of a shape that is given as lengths; `device` does nothing."
    )
    return in_paddle(made)


BFloat16Tensor, BoolTensor = _maker("BFloat16Tensor", "bfloat16"), _maker("BoolTensor", "bool")
ByteTensor, CharTensor = _maker("ByteTensor", "uint8"), _maker("CharTensor", "int8")
DoubleTensor, FloatTensor = _maker("DoubleTensor", "float64"), _maker("FloatTensor", "float32")
HalfTensor, IntTensor = _maker("HalfTensor", "float16"), _maker("IntTensor", "int32")
LongTensor, ShortTensor = _maker("LongTensor", "int64"), _maker("ShortTensor", "int16")


@in_paddle
def to_dlpack(x: Any) -> Any:
    """Returns a capsule with which other libraries read the tensor's memory: it has a copy."""
    return np.array(operand(x).detach()).__dlpack__()


@in_paddle
def from_dlpack(dlpack: Any) -> Any:
    """Returns a tensor with a copy of another library's DLPack array or capsule."""

    class Offered:
        """An object that hands out a capsule, as NumPy wants it."""

        def __dlpack__(self, **options: Any) -> Any:
            return dlpack

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    found = dlpack if hasattr(dlpack, "__dlpack__") else Offered()
    return to_tensor(np.array(np.from_dlpack(found)))


@in_paddle
def autocast(
    device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
) -> Any:
    """Returns `amp.auto_cast` in the order of arguments that other frameworks have.

    What computes is one device, and casts are not kept: `device_type` and `cache_enabled` do nothing.
    """
    from penstock.paddle import amp

    return amp.auto_cast(enable=enabled, dtype="float16" if dtype is None else dtype)


@in_paddle
class LazyGuard:
    """A context in which layers are made; parameters are given their values there, not later."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: Any) -> None:
        pass
