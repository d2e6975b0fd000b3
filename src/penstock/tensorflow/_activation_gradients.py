"""tensorflow.python.ops.gen_nn_ops and gen_math_ops: gradients of activations, for gradients of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import operand
from penstock.tensorflow.compat.v1._built import built


def _where_positive(gradients: Any, features: Any, below: Callable[[Any], Any]) -> Any:
    given, features = operand(gradients), operand(features)
    return _arrays.where(_elementwise.greater(features, _arrays.zeros_like(features)), given, below(given))


@built(type="ReluGrad")
def relu_grad(gradients: Any, features: Any, name: Any = None) -> Any:
    """Returns gradients where features, or what relu gave for them, are positive, and 0 elsewhere."""
    return _where_positive(gradients, features, _arrays.zeros_like)


@built(type="LeakyReluGrad")
def leaky_relu_grad(gradients: Any, features: Any, alpha: float = 0.2, name: Any = None) -> Any:
    """Returns gradients where features are positive, and `alpha` times them elsewhere."""
    return _where_positive(gradients, features, lambda given: _elementwise.multiply(given, alpha))


@built(type="TanhGrad")
def tanh_grad(y: Any, dy: Any, name: Any = None) -> Any:
    """Returns gradients times the slope of tanh where it gave y."""
    y = operand(y)
    return _elementwise.multiply(dy, _elementwise.subtract(1.0, _elementwise.multiply(y, y)))


@built(type="SigmoidGrad")
def sigmoid_grad(y: Any, dy: Any, name: Any = None) -> Any:
    """Returns gradients times the slope of the sigmoid where it gave y."""
    y = operand(y)
    return _elementwise.multiply(dy, _elementwise.multiply(y, _elementwise.subtract(1.0, y)))


__all__ = ["leaky_relu_grad", "relu_grad", "sigmoid_grad", "tanh_grad"]
