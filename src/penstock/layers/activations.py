"""Activations by the words that name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.errors import ArgumentError
from penstock.functions import elementwise, nn
from penstock.functions.composite import composite
from penstock.lazy import listed
from penstock.ops import pointwise
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def linear(x: Any) -> Any:
    """Returns x.

    >>> import penstock as ps
    >>> ps.layers.activations.linear(ps.asarray(2.0))
    Tensor(2., dtype=float32)
    """
    return x


@composite(1, wide=True)
def relu(
    x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Tensor:
    """Returns x from `threshold` on, cut at `max_value`, and negative_slope * (x - threshold) below.

    >>> import penstock as ps
    >>> ps.layers.activations.relu(ps.asarray([-2.0, 1.0, 9.0]), 0.5, 6.0)
    Tensor([-1.,  1.,  6.], dtype=float32)
    """
    plain = isinstance(threshold, float | int) and threshold == 0
    above = pointwise.relu(x) if plain else pointwise.where(x > threshold, x, 0.0)
    if max_value is not None:
        above = pointwise.where(above < max_value, above, max_value)
    if isinstance(negative_slope, float | int) and negative_slope == 0:
        return above
    return above - pointwise.relu(threshold - x) * negative_slope


@composite(1, wide=True)
def gelu(x: Any, approximate: bool = False) -> Tensor:
    """Returns x times the probability that a normal value is below it; on request by the tanh formula.

    >>> import penstock as ps
    >>> ps.layers.activations.gelu(ps.asarray(0.0))
    Tensor(0., dtype=float32)
    """
    return nn.gelu(x, approximate)


@composite(1, wide=True)
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Tensor:
    """Returns x where it is positive, `negative_slope` times x elsewhere.

    >>> import penstock as ps
    >>> ps.layers.activations.leaky_relu(ps.asarray([-1.0, 2.0]))
    Tensor([-0.2,  2. ], dtype=float32)
    """
    return nn.leaky_relu(x, negative_slope)


@composite(1, wide=True)
def hard_sigmoid(x: Any) -> Tensor:
    """Returns x / 6 + 0.5, cut to 0 .. 1.

    >>> import penstock as ps
    >>> ps.layers.activations.hard_sigmoid(ps.asarray([-4.0, 0.0, 4.0]))
    Tensor([0. , 0.5, 1. ], dtype=float32)
    """
    return nn.relu6(x + 3.0) / 6.0


@composite(1, wide=True)
def exponential(x: Any) -> Tensor:
    """Returns exp(x).

    >>> import penstock as ps
    >>> ps.layers.activations.exponential(ps.asarray(0.0))
    Tensor(1., dtype=float32)
    """
    return pointwise.exp(x)


@composite(1, wide=True)
def mish(x: Any) -> Tensor:
    """Returns x * tanh(softplus(x)).

    >>> import penstock as ps
    >>> ps.layers.activations.mish(ps.asarray(0.0))
    Tensor(0., dtype=float32)
    """
    return x * pointwise.tanh(pointwise.softplus(x))  # type: ignore[no-any-return]


def log_sigmoid(x: Any) -> Tensor:
    """Returns log(sigmoid(x)), without overflow.

    >>> import penstock as ps
    >>> round(float(ps.layers.activations.log_sigmoid(ps.asarray(0.0))), 4)
    -0.6931
    """
    return -nn.softplus(-x)


WORDS: dict[str, Callable[..., Any]] = {
    "linear": linear, "relu": relu, "relu6": nn.relu6, "leaky_relu": leaky_relu, "elu": nn.elu,
    "selu": nn.selu, "gelu": gelu, "silu": nn.silu, "swish": nn.silu, "mish": mish, "sigmoid": nn.sigmoid,
    "hard_sigmoid": hard_sigmoid, "log_sigmoid": log_sigmoid, "tanh": elementwise.tanh, "softmax": nn.softmax,
    "log_softmax": nn.log_softmax, "softplus": nn.softplus, "softsign": nn.softsign,
    "exponential": exponential,
}  # fmt: skip
"""Activations by the word that names them."""
_LATER = {
    "hard_silu": "hard_swish", "hard_swish": "hard_swish", "hard_tanh": "hard_tanh", "celu": "celu",
    "glu": "glu", "hard_shrink": "hard_shrink", "soft_shrink": "soft_shrink", "squareplus": "squareplus",
    "tanh_shrink": "tanh_shrink", "threshold": "threshold",
}  # fmt: skip
"""Rare words for activations, and their functions, which are imported at the first use."""
_SPARSE = ("sparse_plus", "sparse_sigmoid")


def get(identifier: Any) -> Callable[..., Any]:
    """Returns the activation for a word or a function; None is `linear`.

    >>> import penstock as ps
    >>> ps.layers.activations.get("relu")(ps.asarray([-1.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier  # type: ignore[no-any-return]
    found = WORDS.get(identifier) if isinstance(identifier, str) else None
    if found is None and isinstance(identifier, str) and identifier in _LATER:
        found = getattr(nn, _LATER[identifier])
    if found is None and identifier in _SPARSE:
        from penstock.layers import sparse_activations

        found = getattr(sparse_activations, identifier)
    if found is None:
        raise ArgumentError(
            f"Could not interpret activation function identifier: {identifier}",
            why="A layer takes the number of its outputs alone; it counts its inputs when it is first called."
            if isinstance(identifier, int)
            else "",
            remedy=f"Use a function of a tensor, or one of {', '.join(sorted({*WORDS, *_LATER, *_SPARSE}))}.",
            site=here(),
        )
    return found


def called(function: Callable[..., Any]) -> str:
    """Returns the word for an activation, or the name of the function."""
    found = next((word for word, one in WORDS.items() if one is function), None)
    return found or str(getattr(function, "__name__", function))


__all__ = [
    "exponential", "gelu", "get", "hard_sigmoid", "leaky_relu", "linear", "log_sigmoid", "mish", "relu",
]  # fmt: skip
__dir__ = listed(__name__)
