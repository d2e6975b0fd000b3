"""The logits of an output: Keras' cross-entropies look behind a sigmoid or a softmax.

Probabilities are rounded and cut before their logarithm is taken; their logits are not. So the
losses of Keras take that, where a layer or a function of Keras made the output, and whichever of the two
losses it is: sigmoids that are given to a cross-entropy of classes count as logits of classes.
"""

from __future__ import annotations

from typing import Any

from penstock.functions import nn
from penstock.tensorflow import _activations, _elementwise
from penstock.tensorflow._modes import inside
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import warn

KEEPING = (nn.softmax, nn.sigmoid)
"""The activations of Keras that keep their logits."""
_IN_GRAPHS: tuple[tuple[Any, str], ...] = (
    (_activations.softmax, "Softmax"),
    (_elementwise.sigmoid, "Sigmoid"),
)
"""Functions of TensorFlow itself, which Keras looks behind in graphs, in their own loss only."""


def kept(result: Any, logits: Any, where: str = "") -> Any:
    """Returns the result of an activation, with its logits; `where` is the only loss that uses them."""
    if type(result) is EagerTensor:
        result._logits = (logits, where)
    return result


def activated(activation: Any, x: Any) -> Any:
    """Returns the activation of a layer's value."""
    result = activation(x)
    for one in KEEPING:
        if activation is one:
            return kept(result, x)
    for other, loss in _IN_GRAPHS:
        if activation is other:
            return kept(result, x, loss)
    return result


def behind(output: Any, from_logits: bool, kind: str, loss: str) -> tuple[Any, bool]:
    """Returns logits and True, or an output and whether a program says that these are logits."""
    logits, where = getattr(output, "_logits", (None, ""))
    if logits is None or (where and (where != kind or not inside.depth)):
        return output, from_logits
    if from_logits:
        warn(
            f'"`{loss}` received `from_logits=True`, but the `output` argument was produced by a {kind} '
            "activation and thus does not represent logits. Was this intended?"
        )
    return logits, True
