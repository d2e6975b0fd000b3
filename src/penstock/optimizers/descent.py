"""Optimizers that follow the gradient itself: SGD with momentum, and Lion, which keeps only its sign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from penstock.functions.array import sign
from penstock.grad.rows import Rows
from penstock.ops.pointwise import absolute, equal, where
from penstock.optimizers.optimizer import Optimizer, Options, Rate
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update, add_to_rows
from penstock.optimizers.vocabulary import Flag, Words
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor


class Descent(Rule):
    """value - rate * gradient. A row gradient moves only its rows, which is the same."""

    rowwise = True
    complex = True

    def move(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Update:
        """Returns the new value; there is no state."""
        return Update(value - gradient * numbers["learning_rate"], ())

    def shares(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Shares:
        """The gradient causes the whole change."""
        return Shares(lambda one: -(one * numbers["learning_rate"]))

    def move_rows(self, value: Tensor, gradient: Rows, numbers: Numbers) -> Tensor | None:
        """Returns the new table."""
        return add_to_rows(value, gradient, numbers["learning_rate"])


class Momentum(Rule):
    """Descent with a velocity: velocity = momentum * velocity - rate * gradient, then value + velocity.

    With `nesterov`, value + momentum * velocity - rate * gradient.
    """

    numbers = ("learning_rate", "momentum")
    complex = True

    def __init__(self, nesterov: bool) -> None:
        self.nesterov = nesterov

    def key(self) -> Any:
        """Returns whether the look-ahead form is used."""
        return self.nesterov

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the velocity, at zero."""
        return (Slot("momentum"),)

    def move(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Update:
        """Returns the new value and velocity."""
        step, momentum = gradient * numbers["learning_rate"], numbers["momentum"]
        velocity = state[0] * momentum - step
        moved = value + (velocity * momentum - step) if self.nesterov else value + velocity
        return Update(moved, (velocity,))

    def shares(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Shares:
        """The old velocity belongs to earlier gradients."""
        rate, momentum = numbers["learning_rate"], numbers["momentum"]
        before = state[0] * momentum
        if self.nesterov:
            return Shares(lambda one: -(one * rate * (1.0 + momentum)), before * momentum)
        return Shares(lambda one: -(one * rate), before)


class Accumulated(Rule):
    """accumulation = momentum * accumulation + gradient; value - rate * accumulation.

    Momentum as in TensorFlow 1 and Paddle: the rate is applied outside the velocity, so a change takes effect
    at once. With `nesterov`, value - rate * (gradient + momentum * accumulation).
    """

    numbers = ("learning_rate", "momentum")
    complex = True

    def __init__(self, nesterov: bool) -> None:
        self.nesterov = nesterov

    def key(self) -> Any:
        """Returns whether the look-ahead form is used."""
        return self.nesterov

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the accumulation."""
        return (Slot("momentum"),)

    def move(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Update:
        """Returns the new value and accumulation."""
        rate = numbers["learning_rate"]
        velocity = state[0] * numbers["momentum"] + gradient
        if self.nesterov:
            return Update(value - gradient * rate - velocity * numbers["momentum"] * rate, (velocity,))
        return Update(value - velocity * rate, (velocity,))

    def shares(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Shares:
        """The old velocity counts as the share of earlier gradients."""
        rate, momentum = numbers["learning_rate"], numbers["momentum"]
        before = state[0] * momentum * rate
        if self.nesterov:
            return Shares(lambda one: -(one * rate * (momentum + 1.0)), -(before * momentum))
        return Shares(lambda one: -(one * rate), -before)


class SGD(Optimizer):
    """Gradient descent, with momentum on request.

        velocity = momentum * velocity - learning_rate * gradient
        value    = value + velocity

    With `nesterov`, momentum * velocity - learning_rate * gradient is added instead. This is Keras' form
    (Sutskever et al., ICML 2013); PyTorch and Optax keep the rate outside the velocity, which differs only
    while the rate changes. `momentum` is in [0, 1]. Without momentum, a table row without a gradient does not
    change, so row gradients update only their rows; with momentum they are made dense unless `rows="lazy"`.
    For the other options see `Optimizer`.

    Args:
        learning_rate: the rate, a number or a schedule.
        momentum: the share of the last step that is kept, from 0 to 1.
        nesterov: whether to look ahead by the momentum.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(0.0)
    >>> optimizer = ps.optimizers.SGD(0.1)
    >>> with ps.GradientTape() as tape:
    ...     loss = (x - 2) ** 2
    >>> optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    >>> print(x.numpy())
    0.4
    """

    class _Keras(Words):
        """Gradient descent, with momentum and Nesterov's look-ahead on request.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(0.0)
        >>> with tf.GradientTape() as tape:
        ...     loss = (x - 2) ** 2
        >>> tf.keras.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, x), x)])
        >>> print(x.numpy())
        0.4
        """

        learning_rate: Any = 0.01
        momentum: float = 0.0
        nesterov: bool = False

        def _refused(self, **common: Any) -> str | None:
            if not isinstance(self.momentum, float) or not 0 <= self.momentum <= 1:
                return "`momentum` must be a float between [0, 1]."
            return None

    class _Paddle(Words):
        """Gradient descent."""

        learning_rate: Any = 0.001
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        multi_precision: Flag = False
        name: str | None = None

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return Descent()

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.momentum, self.nesterov = momentum, nesterov
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return Momentum(self.nesterov) if self._uses("momentum") else Descent()


class SignMomentum(Rule):
    """A step of one length, along the sign of a mix of the gradient and the momentum."""

    numbers = ("learning_rate", "beta_1", "beta_2")

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the momentum, at zero."""
        return (Slot("momentum"),)

    def move(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Update:
        """Returns the new value and momentum."""
        mixed = state[0] * numbers["beta_1"] + gradient * numbers.rest_in_dtype("beta_1")
        momentum = state[0] * numbers["beta_2"] + gradient * numbers.rest_in_dtype("beta_2")
        return Update(value - sign(mixed) * numbers["learning_rate"], (momentum,))

    def shares(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Shares:
        """The sign of a sum is divided in proportion to its terms."""
        before, rest = state[0] * numbers["beta_1"], numbers.rest_in_dtype("beta_1")
        size = absolute(before + gradient * rest)
        scale = numbers["learning_rate"] / where(equal(size, 0.0), 1.0, size)
        return Shares(lambda one: -(one * rest * scale), -(before * scale))


class Lion(Optimizer):
    """Lion (Chen et al., 2023, "Symbolic Discovery of Optimization Algorithms", algorithm 2).

        value    = value - learning_rate * sign(beta_1 * momentum + (1 - beta_1) * gradient)
        momentum = beta_2 * momentum + (1 - beta_2) * gradient

    Keras and Optax agree. The authors recommend a rate three to ten times smaller than Adam's, and a weight
    decay larger by the same factor. `weight_decay` is decoupled.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the momentum in the mix whose sign is taken, from 0 to 1.
        beta_2: the share of the momentum that each step keeps, from 0 to 1.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable([1.0, 1.0])
    >>> ps.optimizers.Lion(0.25).apply_gradients([(ps.asarray([3.0, -0.1]), x)])
    >>> print(x.numpy())
    [0.75 1.25]
    """

    class _Keras(Words):
        """Lion: steps of one length, along the sign of a mix of gradient and momentum.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Lion(0.25).apply_gradients([(tf.constant(3.0), x)])
        >>> print(x.numpy())
        0.75
        """

        learning_rate: Any = 0.001
        beta_1: float = 0.9
        beta_2: float = 0.99

        def _refused(self, **common: Any) -> str | None:
            if self.beta_1 <= 0 or self.beta_1 > 1:
                return (
                    "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to "
                    f"SignSGD. Received: beta_1={self.beta_1}."
                )
            return None

    def __init__(
        self,
        learning_rate: Rate = 1e-4,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2 = beta_1, beta_2
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return SignMomentum()


__all__: list[str] = ["SGD", "Lion"]
