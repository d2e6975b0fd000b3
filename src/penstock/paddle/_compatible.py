"""Names that Paddle has from other frameworks: functions of layers at the top, and makers of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation
from penstock.paddle import _views as views
from penstock.paddle._convert import HANDLES, operand, to_tensor
from penstock.paddle._declaring import in_paddle
from penstock.paddle._dtype import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int16,
    int32,
    int64,
)
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import here

for _name, _one in {
    "float": float32, "double": float64, "half": float16, "cfloat": complex64, "cdouble": complex128,
    "short": int16, "int": int32, "long": int64,
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
            found = to_tensor(given[0], dtype=kind)
            shares = isinstance(given[0], HANDLES) and given[0]._spec.dtype == found._spec.dtype
            return views.show(found, given[0], lambda layout: layout) if shares else found
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


@in_paddle("paddle.utils.dlpack.to_dlpack")
def to_dlpack(x: Any) -> Any:
    """Returns a capsule with which other libraries read the tensor's memory: it has a copy."""
    return np.array(operand(x).detach()).__dlpack__()


@in_paddle("paddle.utils.dlpack.from_dlpack")
def from_dlpack(dlpack: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """Returns a tensor with a copy of another library's DLPack array or capsule: `copy` does nothing.

    Raises ValueError for a `device` other than the processor.
    """
    if device is not None and not str(device).startswith(("cpu", "Place(cpu")):
        raise InvalidValueError(
            f"The device should not be {device}, since there is no accelerator.", site=here()
        )

    class Offered:
        """An object that hands out a capsule, as NumPy wants it."""

        def __dlpack__(self, **options: Any) -> Any:
            return dlpack

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    found = dlpack if hasattr(dlpack, "__dlpack__") else Offered()
    return to_tensor(np.array(np.from_dlpack(found)))


@named("paddle.Tensor.get_device")
def get_device(self: Any) -> int:
    """Returns -1, the number of the processor."""
    return -1


@named("paddle.Tensor.is_dense")
def is_dense(self: Any) -> bool:
    """Returns True: sparse tensors are of another class."""
    return True


@named("paddle.Tensor.is_sparse")
def is_sparse(self: Any) -> bool:
    """Returns False: sparse tensors are of another class."""
    return False


@named("paddle.Tensor.dense_dim")
def dense_dim(self: Any) -> int:
    """Returns how many axes the tensor has."""
    return len(operand(self)._spec.shape)


@named("paddle.Tensor.sparse_dim")
def sparse_dim(self: Any) -> int:
    """Returns 0: no axis is sparse."""
    return 0


def _window(name: str, spread: Any, others: str, text: str) -> Any:
    """Declares a window: `spread` maps the places of its points, from 0 to 1, to their values."""

    def window(
        window_length: int, periodic: bool = True, *numbers: float, dtype: Any = "float32",
        requires_grad: bool = False, **words: Any,
    ) -> Any:  # fmt: skip
        names = others.split()
        given = {**dict(zip(names, numbers)), **words}
        for ignored in ("layout", "device", "pin_memory"):
            given.pop(ignored, None)
        if unknown := [one for one in given if one not in names]:
            raise TypeError(f"{name}() got an unexpected keyword argument {unknown[0]!r}")
        count = window_length + 1 if periodic else window_length
        places = np.arange(count) / max(count - 1, 1)
        values = spread(places, **given) if window_length > 1 else np.ones(count)
        made = to_tensor(values[:window_length], dtype=dtype)
        made.stop_gradient = not requires_grad
        return made

    window.__name__ = window.__qualname__ = name
    window.__doc__ = (
        f"Returns {text}: `window_length` points, of a period if `periodic`, else up to both ends.\n\n"
        "There is one place and one layout: `layout`, `device` and `pin_memory` do nothing."
    )
    return in_paddle(window)


def _waves(places: Any, *weights: float) -> Any:
    found: Any = sum(w * np.cos(2 * np.pi * k * places) for k, w in enumerate(weights))
    return found


hann_window = _window("hann_window", lambda x: _waves(x, 0.5, -0.5), "", "the window of Hann")
hamming_window = _window(
    "hamming_window", lambda x, alpha=0.54, beta=0.46: _waves(x, alpha, -beta), "alpha beta",
    "alpha - beta * cos, the window of Hamming",
)  # fmt: skip
blackman_window = _window(
    "blackman_window", lambda x: _waves(x, 0.42, -0.5, 0.08), "", "the window of Blackman"
)
bartlett_window = _window("bartlett_window", lambda x: 1 - np.abs(2 * x - 1), "", "the triangle of Bartlett")
kaiser_window = _window(
    "kaiser_window", lambda x, beta=12.0: np.i0(beta * np.sqrt(1 - (2 * x - 1) ** 2)) / np.i0(beta), "beta",
    "the window of Kaiser",
)  # fmt: skip


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
