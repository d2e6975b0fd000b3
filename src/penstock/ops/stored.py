"""A value that XLA computes once and stores, although what reads it could compute it again on the way."""

from __future__ import annotations

from typing import Any

from penstock.ops.pointwise import between
from penstock.ops.table import Primitive, same

LARGE = 1 << 16
"""A value of fewer elements is left to XLA."""


def _stored_xla(jax: Any, x: Any) -> Any:
    """Returns x from a branch, which XLA fuses with nothing, so that the stored value is not recomputed.

    XLA fuses a transposition with all that its operand is made of. The activations that a convolution's
    gradient reads in another order were then computed again in that order, in strides through every operand:
    three times as long as computing, storing and transposing them. A barrier is gone before XLA fuses, and a
    branch whose condition it knows is, too.
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
