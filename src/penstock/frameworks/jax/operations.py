"""JAX's primitives in the form for reports: names, roles, and why a derivative does not pass."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax._src import dtypes

STOP = "stop_gradient"
FLAT = frozenset(("round", "floor", "ceil", "sign"))
"""Primitives that are constant between jumps."""
SAME = frozenset(("convert_element_type", "copy", "copy_p", "reshape", "squeeze", "optimization_barrier"))
"""Primitives whose result is their operand in another form."""
_ROLES = {
    **dict.fromkeys(("add", "add_any", "sub"), "sum"),
    **dict.fromkeys(("mul", "div"), "scale"),
    **dict.fromkeys(
        ("neg", "reduce_sum", "broadcast_in_dim", "convert_element_type", "reshape", "squeeze", "transpose"),
        "linear",
    ),
}
_NAMES = {
    "reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min", "dot_general": "dot",
    "integer_pow": "power",
    "convert_element_type": "astype", "select_n": "where", "broadcast_in_dim": "broadcast",
}  # fmt: skip


def is_differentiable(dtype: Any) -> bool:
    """Returns whether values of a dtype can have a derivative."""
    return dtype is None or bool(
        not dtypes.issubdtype(dtype, dtypes.extended) and jnp.issubdtype(dtype, jnp.inexact)
    )


def link_of(name: str, source: Any, result: Any) -> str:
    """Returns "" if a derivative passes from a result to an operand, and otherwise why none does."""
    if name == STOP:
        return "stopped"
    if not is_differentiable(source) or not is_differentiable(result):
        return "discrete"
    return "flat" if name in FLAT else ""


def role_of(name: str) -> str:
    """Returns the role of a primitive among the terms of a sum."""
    return _ROLES.get(name, "")


def name_of(name: str) -> str:
    """Returns the name under which users know a primitive.

    >>> name_of("reduce_sum"), name_of("_mean"), name_of("tanh")
    ('sum', 'mean', 'tanh')
    """
    known = _NAMES.get(name)
    if known is not None:
        return known
    bare = name.strip("_")
    return _NAMES.get(bare, bare) or name


__all__ = ["FLAT", "SAME", "STOP", "is_differentiable", "link_of", "name_of", "role_of"]
