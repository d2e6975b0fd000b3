"""Gradients under Paddle's names."""

from __future__ import annotations

import sys
from typing import Any

from penstock.paddle._custom import PyLayer, PyLayerContext
from penstock.paddle._derivatives import Hessian, Jacobian, hessian, jacobian
from penstock.paddle._grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from penstock.paddle._names import absent
from penstock.paddle._paths import path_to
from penstock.paddle._saved import saved_tensors_hooks


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False) -> None:
    """Calls `backward` of each tensor, weighted with its own of `grad_tensors`."""
    given = tensors if isinstance(tensors, list | tuple) else [tensors]
    weights = grad_tensors if isinstance(grad_tensors, list | tuple) else [grad_tensors] * len(given)
    last = len(given) - 1
    for i, (one, weight) in enumerate(zip(given, weights)):
        # The parts that several of them share are freed by the last.
        one.backward(weight, retain_graph=retain_graph or i < last)


path_to(sys.modules[__name__], "py_layer")
__all__ = [
    "Hessian", "Jacobian", "PyLayer", "PyLayerContext", "backward", "enable_grad", "hessian",
    "is_grad_enabled", "jacobian", "no_grad", "saved_tensors_hooks", "set_grad_enabled",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.autograd", name, __all__)
