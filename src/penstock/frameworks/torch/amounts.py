"""The tensors of an optimizer, and the amounts by which tensors have changed."""

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


SMALL = 1 << 14
"""Changes of tensors with at most this many elements are measured together: separate calls would cost
more."""


def distances(pairs: Sequence[tuple[Any, Any]]) -> list[float]:
    """Returns the Euclidean norms of changes of tensors, each given with its previous value."""
    found: list[float | None] = [None] * len(pairs)
    alike = [at for at, (after, before) in enumerate(pairs) if _is_small(after) and _is_alike(after, before)]
    if len(alike) > 1:
        changes = torch._foreach_sub([pairs[at][0] for at in alike], [pairs[at][1] for at in alike])
        for at, size in zip(alike, torch.stack(torch._foreach_norm(changes)).tolist(), strict=True):
            found[at] = size if 0.0 < size < math.inf else None
    return [distance(*pairs[at]) if size is None else size for at, size in enumerate(found)]


def _is_small(tensor: Any) -> bool:
    """Returns whether a tensor is a small, ordinary one in memory of the processor."""
    usual = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout == torch.strided
    return bool(usual and 0 < tensor.numel() <= SMALL and tensor.device.type == "cpu")


def _is_alike(after: Any, before: Any) -> bool:
    return bool(after.dtype == before.dtype == torch.float32 and after.shape == before.shape)


def distance(after: Any, before: Any) -> float:
    """Returns the Euclidean norm of a change; if the tensor got another shape, all of it counts."""
    if after.shape != before.shape or not after.numel():
        return math.nan if after.numel() else 0.0
    if after.dtype == before.dtype == torch.float32 and after.device == before.device:
        found = float(torch.linalg.vector_norm(after - before))
        if 0.0 < found < math.inf:
            return found
    # Squares of tiny or huge numbers need more range, and so do narrow dtypes.
    wide = torch.complex128 if after.is_complex() else torch.float64
    return float(torch.linalg.vector_norm(after.to(wide) - before.to(device=after.device, dtype=wide)))


__all__ = ["distance", "distances", "parameters_of", "same", "state_of"]
