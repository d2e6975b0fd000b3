"""Arrays of other libraries, recognized by their protocols and not by name: `__array__` or DLPack."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.source_site import here, warn

ON_HOST = frozenset((1, 3, 11, 13))
"""DLPack's numbers of the devices whose memory the processor reads: its own, pinned, and managed."""
_HOST = (1, 0)
"""The processor, as DLPack names a device: its kind and its number."""


def taken(value: Any) -> Any:
    """Returns the data of another library's array as a NumPy array, or as a JAX array if it is on a device.

    Raises DTypeError for memory that cannot be reached; an error of the library itself passes through.
    """
    if getattr(value, "requires_grad", False) is True and hasattr(value, "detach"):
        _tell_cut(value)
        value = value.detach()
    refused: Exception | None = None
    if hasattr(type(value), "__array__") or hasattr(type(value), "__array_interface__"):
        try:
            return np.asanyarray(value)
        except Exception as error:
            if hasattr(value, "resolve_conj") and hasattr(value, "resolve_neg"):
                # PyTorch stores conjugation and negation as flags, and applies them on request.
                value = value.resolve_conj().resolve_neg()
                with contextlib.suppress(Exception):
                    return np.asanyarray(value)
            refused = error
    if hasattr(type(value), "__dlpack__"):
        try:
            return _by_dlpack(value)
        except DTypeError:
            raise
        except Exception as error:
            refused = refused or error
    if refused is None:
        refused = TypeError("its memory is on a device, and it does not support DLPack")
    refused.add_note(f"Penstock read the {called(value)} given at {here()}.")
    raise refused


def called(value: Any) -> str:
    """Returns how to describe an array of a library: its class, the package, and its shape."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    shape = getattr(value, "shape", None)
    of = f" of {package}" if package not in ("builtins", "__main__") else ""
    return f"{kind.__name__}{of}" + (f" of shape {tuple(shape)}" if isinstance(shape, tuple) else "")


def _tell_cut(value: Any) -> None:
    name = getattr(value, "name", None)
    named = f" {name!r}" if isinstance(name, str) and name else ""
    warn(
        f"The gradient of a {called(value)}{named} ends here: it requires one, and the library that it "
        "belongs to cannot follow what Penstock computes.\nFor a gradient of both, compute the part in one "
        "of the two. If no gradient is wanted, write x.detach()."
    )


class _OnHost:
    """An array on a device, presented as one on the host: its library copies it when it is read.

    NumPy asks for such a copy itself from 2.1 on.
    """

    def __init__(self, value: Any) -> None:
        self._value = value

    def __dlpack_device__(self) -> tuple[int, int]:
        return _HOST

    def __dlpack__(self, **options: Any) -> Any:
        return self._value.__dlpack__(**{**options, "dl_device": _HOST, "copy": True})


def _by_dlpack(value: Any) -> Any:
    device = value.__dlpack_device__()
    if int(device[0]) in ON_HOST:
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError):
            found = _narrow(value)
            if found is None:
                raise
            return found
    jax = sys.modules.get("jax")
    if hasattr(jax, "dlpack"):
        try:
            return jax.dlpack.from_dlpack(value)  # type: ignore[union-attr]
        except Exception:
            pass
    try:
        return np.from_dlpack(_OnHost(value))
    except Exception as error:
        raise DTypeError(
            f"The memory of a {called(value)} is on a device that the CPU cannot read.",
            origin=f"{type(error).__name__}: {' '.join(str(error).split())}",
            why="Its library does not copy it for others, and JAX does not compute on that device here.",
            remedy="Copy it to the host first: x.cpu() in PyTorch, x.get() in CuPy.",
            site=here(),
        ) from None


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class _DType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Managed(ctypes.Structure):
    """DLTensor, as dlpack.h lays it out."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _DType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )  # fmt: skip


BFLOAT = 4
"""DLPack's code for bfloat16, which NumPy does not read."""


def _narrow(value: Any) -> Any:
    """Returns a copy of the bfloat16 data in a DLPack capsule; None for any other dtype."""
    capsule = value.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    held = _Managed.from_address(pointer(capsule, b"dltensor"))
    dtype = held.dtype
    if (dtype.code, dtype.bits, dtype.lanes) != (BFLOAT, 16, 1):
        return None
    import ml_dtypes

    narrow = np.dtype(ml_dtypes.bfloat16)
    shape = tuple(held.shape[: held.ndim])
    strides = tuple(2 * n for n in held.strides[: held.ndim]) if held.strides else None
    if 0 in shape:
        return np.zeros(shape, narrow)
    reach = 2 + sum((n - 1) * step for n, step in zip(shape, strides or (), strict=False))
    size = reach if strides is not None else 2 * int(np.prod(shape, dtype=np.int64))
    # The capsule is not marked as taken, so its library frees the memory with it: after the copy.
    memory: Any = (ctypes.c_uint8 * size).from_address(held.data + held.offset)
    return np.ndarray(shape, narrow, memory, strides=strides).copy()


__all__ = ["called", "taken"]
