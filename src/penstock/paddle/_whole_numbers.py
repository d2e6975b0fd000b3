"""Whole numbers in gradients: Paddle differentiates them like others, where its kernels take their dtype.

A gradient has the dtype of its tensor, so what is not whole is cut off. See decision 0070.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock.paddle._errors import KernelError, NotThereError
from penstock.paddle._record import WITHOUT_GRADIENT
from penstock.trace.leaf import Leaf
from penstock.trace.source_site import here
from penstock.trace.spec import differentiable
from penstock.trace.tree import Call

_IN_PARTS = frozenset(["diff"])
"""Functions of several operations in Paddle, too: their gradients meet like those of several functions."""
_KERNELS: dict[str, str] = {
    **dict.fromkeys(["inner", "matmul", "tensordot"], "has no kernel for it"),
    **dict.fromkeys(WITHOUT_GRADIENT, "has a kernel that gives floats"),
    "prod": "has a kernel that divides whole numbers: it gives 0 for most factors",
}
_OF_BYTES = frozenset(["sum"])
"""Functions whose gradient has no kernel for int8 and uint8."""


def refuse_without_kernel(record: Any, slots: Iterable[int]) -> None:
    """Raises ValueError or RuntimeError where Paddle has no gradient of whole numbers, or a wrong one."""
    calls = record.calls
    for slot in slots:
        call = calls[slot]
        if isinstance(call.primitive, Leaf):
            continue
        whole = [
            calls[one].spec
            for one in call.inputs
            if one in record.carrying and not differentiable(calls[one].spec)
        ]
        if not whole:
            continue
        name = call.within or call.primitive.name
        why = _KERNELS.get(name)
        if why is None and name in _OF_BYTES and whole[0].dtype.itemsize == 1 and whole[0].dtype.kind in "iu":
            why = "has no kernel for it"
        if why is not None:
            raise KernelError(
                f"The gradient of {name} at {call.site} is not computed for {whole[0].dtype.name}.",
                why=f"Paddle {why}.",
                remedy="Convert the tensor first: x = x.astype('float32'); or cut the gradient: x.detach().",
                site=here(),
            )


def refuse_meeting(value: Call, one: Call | None, other: Call | None) -> None:
    """Raises NotImplementedError where two gradients of whole numbers are to be added up, as in Paddle.

    `one` and `other` are the calls that gave them. Those of one function of Paddle count as one.
    """
    if (
        one is not None
        and other is not None
        and one.within not in (None, *_IN_PARTS)
        and (one.within, one.site) == (other.within, other.site)
    ):
        return
    users = [f"{call.within or call.primitive.name} at {call.site}" for call in (one, other) if call]
    raise unaccumulated(
        f"{value.spec!r}, made at {value.site}",
        value.spec.dtype.name,
        f"they come from {' and '.join(dict.fromkeys(users))}" if users else "",
    )


def unaccumulated(where: str, dtype: str, origin: str = "") -> NotThereError:
    """Returns the error for two gradients of whole numbers that meet."""
    return NotThereError(
        f"Two gradients meet at {where}. Gradient accumulation of data type ({dtype}) is not supported in "
        "imperative mode.",
        origin=origin,
        why="Paddle adds up gradients of floats alone.",
        remedy="Convert the tensor first: x = x.astype('float32'); or cut one of the paths: x.detach().",
        site=here(),
    )


__all__ = ["refuse_meeting", "refuse_without_kernel", "unaccumulated"]
