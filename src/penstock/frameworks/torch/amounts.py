"""What an optimizer holds, and by how much tensors have changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch


def parameters_of(optimizer: Any) -> list[Any]:
    return [one for group in optimizer.param_groups for one in group["params"]]


def state_of(optimizer: Any) -> tuple[str, ...]:
    found = dict.fromkeys(name for state in optimizer.state.values() for name in state if name != "step")
    momentum = any(group.get("momentum") for group in optimizer.param_groups)
    return tuple(found) or (("momentum_buffer",) if momentum else ())


def same(before: Any, after: Any) -> bool:
    return before.shape == after.shape and bool(torch.equal(before.cpu(), after.to(before.dtype).cpu()))


def kept(tensors: Sequence[Any], measured: bool) -> list[tuple[Any, Any]]:
    """Returns tensors with copies of those that are to be measured; what is frozen always is."""
    return [(one, one.detach().clone() if measured or not one.requires_grad else None) for one in tensors]


def distance(after: Any, before: Any) -> float:
    """Returns the Euclidean norm of a change; counted in whole if the tensor was given another shape."""
    if after.shape != before.shape or not after.numel():
        return math.nan if after.numel() else 0.0
    if after.dtype == before.dtype == torch.float32 and after.device == before.device:
        found = float(torch.linalg.vector_norm(after - before))
        if 0.0 < found < math.inf:
            return found
    # Squares of what is tiny or huge need more room, and so do narrow numbers.
    wide = torch.complex128 if after.is_complex() else torch.float64
    return float(torch.linalg.vector_norm(after.to(wide) - before.to(device=after.device, dtype=wide)))


__all__ = ["distance", "kept", "parameters_of", "same", "state_of"]
