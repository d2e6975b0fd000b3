"""A value that XLA computes once and stores, although its readers could compute it again."""

from __future__ import annotations

from typing import Any

from penstock.ops.pointwise import between
from penstock.ops.table import Primitive, same

LARGE = 1 << 16
"""A value of fewer elements is left to XLA."""


def _stored_xla(jax: Any, x: Any) -> Any:
    """Returns x from a branch, which XLA does not fuse, so that the stored value is not recomputed.

    XLA fuses a transposition with everything behind its operand. The activations that a convolution's
    gradient reads in another order were then computed again in that order, in strides through every operand,
    which took three times as long as computing, storing and transposing them. XLA removes barriers before it
    fuses, and also branches with a known condition.
    """
    if x.size < LARGE or x.dtype.kind != "f" or jax.default_backend() != "cpu":
        return x
    always = x.reshape(-1)[0] * 0 != 1
    return jax.lax.cond(always, lambda value: value, lambda value: -value, x)


stored = Primitive(
    "stored",
    shape=same,
    numpy=lambda x: x,
    xla=_stored_xla,
    vjp=(lambda ct, y, x: ct,),
    samples=between((-2, 2)),
)
