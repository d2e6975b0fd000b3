"""tf.linalg.experimental: linear equations solved step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.tensorflow import _arrays, _elementwise, _products
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here


class CGState(NamedTuple):
    """Where the iteration of conjugate gradients is: steps, solution, residual, direction, and its size."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def _dot(x: Any, y: Any) -> Any:
    x = native.conj(x) if x._spec.dtype.kind == "c" else x
    return _products.matmul(x[..., None, :], y[..., None])[..., 0, 0]


def conjugate_gradient(
    operator: Any, rhs: Any, preconditioner: Any = None, x: Any = None, tol: float = 1e-5, max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:  # fmt: skip
    """Returns the x with operator @ x = rhs, and where the iteration of conjugate gradients ended.

    It ends when the residual is `tol` times as long as `rhs`, or after `max_iter` steps.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ArgumentError("Expected a self-adjoint, positive definite operator.", site=here())
    right = tensor_of(rhs)
    others = [one for one in (operator, preconditioner) if one is not None]
    batch = np.broadcast_shapes(tuple(right.shape)[:-1], *(tuple(one.batch_shape) for one in others))
    rest = _arrays.broadcast_to(right, (*batch, int(right.shape[-1])))
    least = float(tol) * np.asarray(_products.norm(rest, axis=-1).numpy())
    if x is None:
        found = _arrays.zeros_like(rest)
    else:
        found = tensor_of(x)
        rest = _elementwise.subtract(right, operator.matvec(found))
    step = rest if preconditioner is None else preconditioner.matvec(rest)
    size = _dot(rest, step)
    count = 0
    while count < max_iter and (np.asarray(_products.norm(rest, axis=-1).numpy()) > least).any():
        moved = operator.matvec(step)
        share = _elementwise.divide(size, _dot(step, moved))[..., None]
        found = _elementwise.add(found, _elementwise.multiply(share, step))
        rest = _elementwise.subtract(rest, _elementwise.multiply(share, moved))
        turned = rest if preconditioner is None else preconditioner.matvec(rest)
        before, size = size, _dot(rest, turned)
        step = _elementwise.add(
            turned, _elementwise.multiply(_elementwise.divide(size, before)[..., None], step)
        )
        count += 1
    return CGState(constant(np.int32(count)), found, rest, step, size)


@named("tf.linalg.experimental")
class experimental:
    """tf.linalg.experimental."""

    conjugate_gradient = staticmethod(conjugate_gradient)


__all__ = ["CGState", "conjugate_gradient", "experimental"]
