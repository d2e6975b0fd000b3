"""Gradients under Paddle's names."""

from __future__ import annotations

import sys
from typing import Any

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool = False,
    *,
    dump_backward_graph_path: Any = None,
) -> None:
    """Calls `backward` of each tensor, weighted with its own of `grad_tensors`.

    No picture of the graph is written: `dump_backward_graph_path` does nothing.
    """
    given = tensors if isinstance(tensors, list | tuple) else [tensors]
    weights = grad_tensors if isinstance(grad_tensors, list | tuple) else [grad_tensors] * len(given)
    last = len(given) - 1
    for i, (one, weight) in enumerate(zip(given, weights)):
        # The parts that several of them share are freed by the last.
        one.backward(weight, retain_graph=retain_graph or i < last)


path_to(sys.modules[__name__], "py_layer")
__getattr__, __dir__, __all__ = _namespace(
    "paddle.autograd", globals(), "_custom _derivatives _grad_mode _gradients _saved"
)
