"""paddle.nn.utils: gradients clipped in place, and parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as _np

from penstock.functions import array as _native
from penstock.functions.composite import composite as _composite
from penstock.paddle._convert import data as _data
from penstock.paddle._errors import InvalidValueError as _InvalidValueError
from penstock.paddle._grad_mode import switch as _switch
from penstock.paddle._handing import dense as _dense
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._standing import ZERO as _ZERO
from penstock.trace.engine import engine as _engine
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import user_frame as _user_frame
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor


def _gradients(parameters: Any) -> tuple[list[Any], list[Any]]:
    """Returns the parameters that have a gradient, and these as tensors."""
    given = [parameters] if hasattr(parameters, "_spec") else list(parameters)
    held = [one for one in given if one._gradient is not None and one._gradient is not _ZERO]
    return held, [_dense(one._gradient) for one in held]


def _note_clipped(parameters: Any, limit: float) -> None:
    """Tells a check that gradients are clipped; a very large bound only serves to measure the norm."""
    if _engine.slots.functions and limit < 1e5:
        given = [parameters] if hasattr(parameters, "_spec") else list(parameters)
        _engine.slots.tell("clipped", _user_frame(2), "", [one for one in given if isinstance(one, _Cell)])


@_composite(1, "norm", wide=True)
def _norm(x: Any, word: str) -> _Tensor:
    # The order as a word: it selects the formula.
    size, order = _native.abs(x), float(word)
    if order == float("inf"):
        return _native.max(size)
    if order == 0.0:
        return _native.sum((size != 0).astype(x.dtype))
    return _native.sum(size**order) ** (1.0 / order)


def clip_grad_norm_(
    parameters: Any, max_norm: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Any:
    """Scales the gradients of parameters, together, to a norm of `max_norm` at most; returns the norm.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> norm = paddle.nn.utils.clip_grad_norm_([x], 1.0)
    >>> print(round(norm.item(), 4), [round(one, 4) for one in x.grad.tolist()])
    10.0 [0.6, 0.8]
    """
    order = float(norm_type)
    if order not in (float("inf"), 0.0, 1.0, 2.0):
        raise ValueError('norm_type only support "inf", "-inf", 0, 1, 2')
    held, gradients = _gradients(parameters)
    _note_clipped(parameters, float(max_norm))
    if not held:
        return _data(_np.zeros((), _np.float32))
    norms = [_norm(one, str(order)) for one in gradients]
    total = norms[0] if len(norms) == 1 else _norm(_native.stack(norms), str(order))
    if error_if_nonfinite and not bool(_np.isfinite(total.numpy())):
        raise RuntimeError(
            f"The total norm of {order} order of the gradients from `parameters` is non-finite, so it cannot "
            "be clipped. In any case, disable this error and scale the gradient by non-finite norm, set "
            "`error_if_nonfinite=False`"
        )
    factor = _native.clip(float(max_norm) / (total + 1e-6), None, 1.0)
    for one, gradient in zip(held, gradients, strict=True):
        one._gradient = gradient * factor
    return total


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Holds every element of the gradients of parameters between -clip_value and clip_value."""
    held, gradients = _gradients(parameters)
    _note_clipped(parameters, float(clip_value))
    for one, gradient in zip(held, gradients, strict=True):
        one._gradient = _native.clip(gradient, -float(clip_value), float(clip_value))


def parameters_to_vector(parameters: Iterable[Any], name: Any = None) -> Any:
    """Returns a copy of the elements of all parameters as one vector.

    It is a leaf, as in Paddle: it gets a gradient, which does not continue to the parameters.
    """
    frame = _user_frame(1)
    before = _switch(False, frame)
    try:
        vector: Any = _native.concat([_native.reshape(one, (-1,)) for one in parameters], axis=0)
    finally:
        _switch(before, frame)
    vector._watch(frame)
    return vector


def vector_to_parameters(vec: Any, parameters: Iterable[Any], name: Any = None) -> None:
    """Writes the elements of a vector into parameters, one after another."""
    given = list(parameters)
    counts = [one._spec.size for one in given]
    if sum(counts) != vec._spec.size:
        raise _InvalidValueError(
            f"vector_to_parameters: the vector has {vec._spec.size} elements, the parameters have "
            f"{sum(counts)}.",
            site=_here(),
        )
    frame, start = _user_frame(1), 0
    for one, count in zip(given, counts, strict=True):
        one._replace(_native.reshape(vec[start : start + count], one._spec.shape), "set_value", frame)
        start += count


__getattr__, __dir__, _public = _namespace("paddle.nn.utils", globals(), rest="nn._reparametrized")
