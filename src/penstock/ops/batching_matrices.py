"""Batching rules of matrices and spectra: primitives that accept leading axes, and transforms along axes."""

from __future__ import annotations

from typing import Any

from penstock.ops import customary, determinants, eigen, exponential, fft, matrices, pivoted, spectral
from penstock.ops import shape as shapes
from penstock.ops.batch_rules import (
    Flags,
    Operands,
    Rule,
    all_batched,
    along_axis,
    batching,
    moved,
    own_shape,
    padded,
    rules,
)
from penstock.ops.shape import reshape
from penstock.ops.table import Primitive
from penstock.trace.tensor import Tensor

# -- matrices in the last two axes ------------------------------------------------------------------------


def _each(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        return primitive(operands[0], **params)

    return rule


for _primitive in (matrices.cholesky, determinants.det, determinants.cofactor, determinants.signed_logarithm,
                   spectral.eigh, spectral.qr, spectral.svd, spectral.leading, shapes.triangle,
                   customary.turns, exponential.expm, eigen.eig, pivoted.lu):  # fmt: skip
    rules[_primitive] = _each(_primitive)


def _system(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        a, b = operands
        if not batched[0] and len(a.shape) == 2 and len(b.shape) == 3:
            # One matrix, factored once: the right-hand sides of all examples are side by side.
            beside = reshape(moved(b, 0, 1), shape=(b.shape[1], size * b.shape[2]))
            found = primitive(a, beside, **params)
            return moved(reshape(found, shape=(b.shape[1], size, b.shape[2])), 1, 0)
        rank = max(len(own_shape(x, has)) for x, has in zip(operands, batched, strict=True))
        lined_up = (padded(x, rank) if has else x for x, has in zip(operands, batched, strict=True))
        return primitive(*lined_up, **params)

    return rule


for _primitive in (matrices.solve, matrices.solve_triangular):
    rules[_primitive] = _system(_primitive)


def _along(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags) -> Tensor:
        return primitive(*all_batched(size, operands, batched))

    return rule


for _primitive in (determinants.second_cofactor, determinants.third_cofactor, exponential.expm_along):
    rules[_primitive] = _along(_primitive)


@batching(matrices.pinv)
def _pinv(size: int, operands: Operands, batched: Flags) -> Tensor:
    if not batched[1]:
        return matrices.pinv(*operands)
    x, rtol = all_batched(size, operands, batched)
    return matrices.pinv(x, padded(rtol, len(x.shape) - 3))


# -- transforms along axes --------------------------------------------------------------------------------


@batching(fft.transform)
def _transform(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...], **params: Any) -> Tensor:
    return fft.transform(operands[0], axes=tuple(axis + 1 for axis in axes), **params)


for _primitive in (fft.half_spectrum, fft.whole_spectrum, fft.doubled):
    rules[_primitive] = along_axis(_primitive)
