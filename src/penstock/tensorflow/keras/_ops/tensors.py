"""Functions of keras.ops that create and describe tensors."""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.tensorflow import (
    _arrays,
    _elementwise,
)
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow.keras import _functional
from penstock.tensorflow.keras._ops.base import _given, _made, _numpy, _public
from penstock.tensorflow.keras._ops.networks import _refuse_sparse


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """Returns the argument as a tensor, cast to a dtype on request."""
    _refuse_sparse(sparse or ragged)
    if isinstance(x, _functional.KerasTensor):
        return x if dtype is None else cast(x, dtype)
    from penstock.tensorflow._convert import tensor_of

    made = tensor_of(x)
    return made if dtype is None else _elementwise.cast(made, dtype)


_made["convert_to_tensor"] = convert_to_tensor
_made["array"] = convert_to_tensor
array = convert_to_tensor


def convert_to_numpy(x: Any) -> Any:
    """Returns a tensor as a NumPy array."""
    return _np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def is_tensor(x: Any) -> bool:
    """Returns whether x is a tensor."""
    return isinstance(x, _EagerTensor | _functional.KerasTensor)


def shape(x: Any) -> tuple[Any, ...]:
    """Returns the lengths of the axes."""
    return tuple(x.shape) if isinstance(x, _functional.KerasTensor) else tuple(_given(x).shape)


def ndim(x: Any) -> int:
    """Returns the number of axes."""
    return len(shape(x))


def size(x: Any) -> Any:
    """Returns the number of elements."""
    return _given(int(_np.prod(shape(x))))


def dtype(x: Any) -> str:
    """Returns the name of the dtype."""
    return str(x.dtype) if isinstance(x, _functional.KerasTensor) else _as_dtype(_given(x)._spec.dtype).name


_one: Any
for _one in (convert_to_numpy, is_tensor, shape, ndim, size, dtype):
    _made[_one.__name__] = _one


@_public
def cast(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype."""
    return _elementwise.cast(_given(x), dtype)


@_public
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype; numbers beyond its range become its largest or smallest number."""
    from penstock.tensorflow._special import saturate_cast as apply

    return apply(_given(x), dtype)


@_public
def copy(x: Any) -> Any:
    """Returns a tensor with the elements of x."""
    return _arrays.identity(_given(x))


@_public
def stop_gradient(variable: Any) -> Any:
    """Returns x, through which no gradient passes."""
    return _arrays.stop_gradient(_given(variable))


def _filled(name: str) -> None:
    function, like = getattr(_arrays, name), getattr(_arrays, f"{name}_like")

    def made(shape: Any, dtype: Any = None) -> Any:
        return function(shape, dtype or "float32")

    def made_like(x: Any, dtype: Any = None) -> Any:
        return like(_given(x), dtype)

    made.__doc__ = f"Returns a tensor of {name}."
    made_like.__doc__ = f"Returns {name} in the shape of x."
    _public(made, name)
    _public(made_like, f"{name}_like")


for _name in ("zeros", "ones"):
    _filled(_name)
empty, empty_like = _made["zeros"], _made["zeros_like"]
_made.update(empty=empty, empty_like=empty_like)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor of one number."""
    return _arrays.broadcast_to(_given(fill_value, dtype or "float32"), shape)


@_public
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns one number in the shape of x."""
    x = _given(x)
    return _arrays.broadcast_to(_given(fill_value, dtype or x._spec.dtype), x._spec.shape)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Returns numbers from `start` to `stop`, which is not among them."""
    given = [one for one in (start, stop, step) if one is not None]
    whole = all_(isinstance(one, int | _np.integer) for one in given)
    step = 1 if step is None else step
    bounds: Any = (0, start) if stop is None else (start, stop)
    return _given(
        _numpy.arange(*bounds, step).astype(
            _as_dtype(dtype or ("int32" if whole else "float32")).as_numpy_dtype
        )
    )


all_ = all


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on a diagonal."""
    return _given(_np.eye(N, M, k, dtype=_as_dtype(dtype or "float32").as_numpy_dtype))


def identity(n: int, dtype: Any = None) -> Any:
    """Returns a square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns numbers at equal distances; with `retstep`, also the distance."""
    ends: Any = [_np.asarray(_given(one).numpy()) for one in (start, stop)]
    made, step = _numpy.linspace(*ends, num, endpoint, True, None, axis)
    made = _given(made.astype(_as_dtype(dtype or "float32").as_numpy_dtype))
    return (made, step) if retstep else made


def tri(N: int, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on and below a diagonal."""
    return _given(_np.tri(N, M, k, _as_dtype(dtype or "float32").as_numpy_dtype))


for _one in (full, arange, eye, identity, linspace, tri):
    _made[_one.__name__] = _one
