"""Paddle's update rules, in the order of operations of its kernels."""

from __future__ import annotations

from typing import Any

from penstock.grad.rows import Rows
from penstock.ops.index import add_rows
from penstock.ops.pointwise import power, sqrt, square
from penstock.optimizers.rules import Numbers, Rule, Update, dense
from penstock.trace.tensor import Tensor


class Decayed(Rule):
    """A rule that may add `decay` times the value to the gradient first (L2), or its sign (L1)."""

    def __init__(self, decay: str = "") -> None:
        self.decay = decay

    def key(self) -> Any:
        """Returns which decay there is."""
        return self.decay

    def whole(self, value: Tensor, gradient: Tensor | Rows, numbers: Numbers) -> Tensor:
        """Returns the dense gradient with the decay added."""
        gradient = dense(gradient)
        if self.decay == "L2":
            return gradient + value * numbers["decay"]
        if self.decay == "L1":
            from penstock.ops.pointwise import sign

            return gradient + sign(value) * numbers["decay"]
        return gradient


class Descent(Decayed):
    """value - rate * gradient."""

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value; there is no state."""
        rate = numbers["learning_rate"]
        if isinstance(gradient, Rows) and not self.decay:
            return Update(add_rows(value, gradient.indices, -(gradient.values * rate)), ())
        return Update(value - self.whole(value, gradient, numbers) * rate, ())


class Momentum(Decayed):
    """velocity = momentum * velocity + gradient, then value - rate * velocity: the rate stands outside."""

    slots = ("velocity",)

    def __init__(self, decay: str, nesterov: bool) -> None:
        super().__init__(decay)
        self.nesterov = nesterov

    def key(self) -> Any:
        """Returns the decay, and whether the look-ahead form is used."""
        return self.decay, self.nesterov

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and velocity."""
        gradient = self.whole(value, gradient, numbers)
        momentum, rate = numbers["momentum"], numbers["learning_rate"]
        velocity = state[0] * momentum + gradient
        step = gradient + velocity * momentum if self.nesterov else velocity
        return Update(value - step * rate, (velocity,))


class Adam(Decayed):
    """Adam, with the powers of the betas kept as state, each in the value's dtype, as Paddle keeps them.

    rate' = rate * sqrt(1 - beta_2^t) / (1 - beta_1^t), value - rate' * mean / (root + epsilon * sqrt(1 -
    beta_2^t)). With `apart` the value is first multiplied by 1 - rate * decay (AdamW, Loshchilov and Hutter).
    """

    slots = ("moment1", "moment2")
    counts = True

    def __init__(self, decay: str, apart: bool = False) -> None:
        super().__init__(decay)
        self.apart = apart

    def key(self) -> Any:
        """Returns the decay, and whether it stands apart from the gradient."""
        return self.decay, self.apart

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and moments."""
        rate, step = numbers["learning_rate"], numbers["step"]
        beta_1, beta_2 = numbers["beta1"], numbers["beta2"]
        if self.apart:
            gradient = dense(gradient)
            value = value * (1.0 - rate * numbers["decay"])
        else:
            gradient = self.whole(value, gradient, numbers)
        mean = state[0] * beta_1 + gradient * numbers["rest1"]
        squares = state[1] * beta_2 + square(gradient) * numbers["rest2"]
        first, second = 1.0 - power(beta_1, step), sqrt(1.0 - power(beta_2, step))
        whole = rate * second / first
        moved = value - mean / (sqrt(squares) + numbers["epsilon"] * second) * whole
        return Update(moved, (mean, squares))


class Adagrad(Decayed):
    """moment = moment + gradient^2, value - rate * gradient / (sqrt(moment) + epsilon)."""

    slots = ("moment",)

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value and moment."""
        gradient = self.whole(value, gradient, numbers)
        moment = state[0] + square(gradient)
        step = gradient * numbers["learning_rate"] / (sqrt(moment) + numbers["epsilon"])
        return Update(value - step, (moment,))


class RMSProp(Decayed):
    """A mean of squares divides the gradient, which goes into a velocity; `centred` subtracts the mean."""

    slots = ("mean_square", "mean_grad", "velocity")

    def __init__(self, decay: str, centred: bool) -> None:
        super().__init__(decay)
        self.centred = centred

    def key(self) -> Any:
        """Returns the decay, and whether the mean is subtracted."""
        return self.decay, self.centred

    def move(
        self, value: Tensor, gradient: Tensor | Rows, state: tuple[Tensor, ...], numbers: Numbers
    ) -> Update:
        """Returns the new value, mean square, mean gradient and velocity."""
        gradient = self.whole(value, gradient, numbers)
        rho = numbers["rho"]
        squares = state[0] * rho + square(gradient) * (1.0 - rho)
        mean, spread = state[1], squares
        if self.centred:
            mean = state[1] * rho + gradient * (1.0 - rho)
            spread = squares - square(mean)
        velocity = state[2] * numbers["momentum"] + gradient * numbers["learning_rate"] / sqrt(
            spread + numbers["epsilon"]
        )
        return Update(value - velocity, (squares, mean, velocity))
