"""Update rules as pure functions: of a gradient, a value and the optimizer's state for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from penstock.grad.rows import Rows
from penstock.ops.index import add_rows
from penstock.ops.pointwise import divide, multiply, power, sqrt, square
from penstock.trace.tensor import Tensor

Numbers = Mapping[str, Tensor]
"""The hyper-parameters of one update, each a tensor of no dimensions."""


class Update(NamedTuple):
    """What a rule returns: the new value and the new state, in the order of the rule's `slots`."""

    value: Tensor
    state: tuple[Tensor, ...]


class Rule:
    """One update rule.

    `slots` names the state kept for each variable (arrays like it, starting at zero); `counts` says whether
    the rule needs the number of the step, which it then finds in `numbers["step"]`.
    """

    slots: tuple[str, ...] = ()
    counts = False

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and state."""
        raise NotImplementedError

    def key(self) -> Any:
        """Returns what distinguishes this rule from others of its class, as a hashable value."""
        return ()


def dense(gradient: Tensor | Rows) -> Tensor:
    """Returns a gradient as one tensor of the variable's shape."""
    return gradient.dense() if isinstance(gradient, Rows) else gradient


class Descent(Rule):
    """value - rate * gradient. A row gradient moves only its rows, which is the same."""

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value; there is no state."""
        rate = numbers["learning_rate"]
        if isinstance(gradient, Rows):
            return Update(add_rows(value, gradient.indices, -(gradient.values * rate)), ())
        return Update(value - gradient * rate, ())


class Momentum(Rule):
    """Descent with a velocity: velocity = momentum * velocity - rate * gradient, then value + velocity.

    With `nesterov`, value + momentum * velocity - rate * gradient. This is Keras' form; PyTorch keeps the
    rate outside the velocity, which differs only when the rate changes. Sutskever et al., ICML 2013.
    """

    slots = ("velocity",)

    def __init__(self, nesterov: bool) -> None:
        self.nesterov = nesterov

    def key(self) -> Any:
        """Returns whether the look-ahead form is used."""
        return self.nesterov

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and velocity."""
        step = dense(gradient) * numbers["learning_rate"]
        momentum = numbers["momentum"]
        velocity = state[0] * momentum - step
        moved = value + (velocity * momentum - step) if self.nesterov else value + velocity
        return Update(moved, (velocity,))


def _raised(base: Tensor, step: Tensor) -> Tensor:
    """Returns base ** step, rounded once: its last place decides how far the first steps go."""
    return power(base.astype(np.float64), step.astype(np.float64)).astype(base.dtype)


class AdaptiveMoments(Rule):
    """Adam (Kingma and Ba, 2015): a step along the mean gradient over the root of the mean square.

    mean = beta_1 * mean + (1 - beta_1) * gradient, square likewise with beta_2; both are corrected for having
    started at zero. `floor="outside"` adds epsilon to the corrected root, as in the paper's algorithm 1,
    PyTorch and Optax. `floor="hat"` adds it to the uncorrected root, the paper's epsilon-hat, as in Keras.
    """

    slots = ("mean", "square")
    counts = True

    def __init__(self, floor: str = "outside") -> None:
        self.floor = floor

    def key(self) -> Any:
        """Returns where epsilon is added."""
        return self.floor

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and (mean, square)."""
        gradient = dense(gradient)
        step, beta_1, beta_2 = numbers["step"], numbers["beta_1"], numbers["beta_2"]
        mean = state[0] + (gradient - state[0]) * numbers["rest_1"]
        squares = state[1] + (square(gradient) - state[1]) * numbers["rest_2"]
        first, second = 1.0 - _raised(beta_1, step), 1.0 - _raised(beta_2, step)
        if self.floor == "hat":
            rate = divide(multiply(numbers["learning_rate"], sqrt(second)), first)
            return Update(value - (mean * rate) / (sqrt(squares) + numbers["epsilon"]), (mean, squares))
        root = sqrt(squares) / sqrt(second) + numbers["epsilon"]
        return Update(value - mean * (numbers["learning_rate"] / first) / root, (mean, squares))
