"""Gradients under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import namespace as _namespace


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False) -> None:
    """Calls `backward` of each tensor, weighted with its own of `grad_tensors`."""
    given = tensors if isinstance(tensors, list | tuple) else [tensors]
    weights = grad_tensors if isinstance(grad_tensors, list | tuple) else [grad_tensors] * len(given)
    last = len(given) - 1
    for i, (one, weight) in enumerate(zip(given, weights)):
        # The parts that several of them share are freed by the last.
        one.backward(weight, retain_graph=retain_graph or i < last)


__getattr__, __dir__, __all__ = _namespace("paddle.autograd", globals(), "_custom _derivatives _grad_mode")
