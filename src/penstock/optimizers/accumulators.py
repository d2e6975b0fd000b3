"""Optimizers that divide by the size of earlier gradients: Adagrad, Adadelta, RMSprop and Ftrl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import numpy as np

from penstock.ops.pointwise import clip, maximum, power, sqrt, square
from penstock.optimizers.optimizer import Optimizer, Options, Rate
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.optimizers.vocabulary import Flag, Number, Words
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


def _root(squares: Tensor, floor: str, numbers: Numbers) -> Tensor:
    """Returns the root of a square, epsilon added outside or inside of it."""
    if floor == "inside":
        return sqrt(squares + numbers["epsilon"])
    return sqrt(squares) + numbers["epsilon"]


class SummedSquares(Rule):
    """Adagrad: a step along the gradient over the root of the sum of all squares.

    `floor` says whether epsilon is added "outside" the root or "inside". A row without a gradient keeps its
    value and its sum.
    """

    numbers = ("learning_rate", "epsilon")
    rowwise = True

    def __init__(self, initial: float, floor: str = "outside") -> None:
        self.initial, self.floor = initial, floor

    def key(self) -> Any:
        """Returns where epsilon is added; the start value of a sum is not part of an update."""
        return self.floor

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the sum."""
        return (Slot("accumulator", None, self.initial),)

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and sum."""
        total = state[0] + numbers.square(gradient)
        return Update(
            value - gradient * numbers["learning_rate"] / _root(total, self.floor, numbers), (total,)
        )

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the root as a constant."""
        scale = numbers["learning_rate"] / _root(state[0] + numbers.square(gradient), self.floor, numbers)
        return Shares(lambda one: -(one * scale))


class Adagrad(Optimizer):
    """Adagrad (Duchi, Hazan and Singer, JMLR 2011).

        accumulator = accumulator + gradient ** 2
        value       = value - learning_rate * gradient / (sqrt(accumulator) + epsilon)

    Epsilon is added outside the root, as in the paper and PyTorch, which have the same defaults; Keras and
    Optax add it inside and start the sum at 0.1. A table row that was not read has a gradient of zero and
    does not change: row gradients update and accumulate only their rows.

    Args:
        learning_rate: the rate, a number or a schedule.
        initial_accumulator_value: the start value of the sums of squares, from 0.
        epsilon: a number that is added to avoid division by 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> optimizer = ps.optimizers.Adagrad(0.5)
    >>> for _ in range(2):
    ...     optimizer.apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4))
    0.1464
    """

    class _Keras(Words):
        """Adagrad as in Keras: epsilon is added inside the root, and the sum starts at 0.1.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Adagrad(0.5).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.5f}")
        0.50275
        """

        learning_rate: Any = 0.001
        initial_accumulator_value: float = 0.1
        epsilon: float = 1e-7
        _differs: ClassVar = {"_floor": "inside"}

    class _Paddle(Words):
        """Adagrad (Duchi et al., 2011)."""

        learning_rate: Any
        epsilon: Number = 1e-6
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        initial_accumulator_value: Flag = 0.0
        _names: ClassVar = {"accumulator": "moment"}
        _of_each_group: ClassVar = frozenset(["initial_accumulator_value"])

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return SummedSquares(float(own["initial_accumulator_value"]))

    _floor = "outside"

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        initial_accumulator_value: float = 0.0,
        epsilon: float = 1e-10,
        **options: Unpack[Options],
    ) -> None:
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return SummedSquares(float(self.initial_accumulator_value), self._floor)


class AveragedMoves(Rule):
    """Adadelta: the size of a step is the average size of earlier steps over that of gradients."""

    numbers = ("learning_rate", "rho", "epsilon")

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the averages of squared gradients and of squared moves, at zero."""
        return Slot("accumulated_grad"), Slot("accumulated_delta_var")

    def _scale(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor]:
        squares = state[0] * numbers["rho"] + numbers.square(gradient) * numbers.rest("rho")
        return sqrt(state[1] + numbers["epsilon"]) / sqrt(squares + numbers["epsilon"]), squares

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and averages."""
        scale, squares = self._scale(gradient, state, numbers)
        step = gradient * scale
        steps = state[1] * numbers["rho"] + numbers.square_of_step(step, scale) * numbers.rest("rho")
        return Update(value - step * numbers["learning_rate"], (squares, steps))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats both roots as constants."""
        scale, _ = self._scale(gradient, state, numbers)
        return Shares(lambda one: -(one * scale * numbers["learning_rate"]))


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012, algorithm 1).

        accumulated_grad = rho * accumulated_grad + (1 - rho) * gradient ** 2
        step = gradient * sqrt(accumulated_delta_var + epsilon) / sqrt(accumulated_grad + epsilon)
        accumulated_delta_var = rho * accumulated_delta_var + (1 - rho) * step ** 2
        value = value - learning_rate * step

    Keras, PyTorch and Optax agree on the formula. The defaults are the paper's, which has no learning rate:
    1.0, as in PyTorch (Keras: 0.001).

    Args:
        learning_rate: the rate, a number or a schedule.
        rho: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.optimizers.Adadelta().apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 6))
    0.995528
    """

    class _Keras(Words):
        """Adadelta, with Keras' learning rate of 0.001.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Adadelta(1.0).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.5f}")
        0.99859
        """

        learning_rate: Any = 0.001
        rho: float = 0.95
        epsilon: float = 1e-7

    class _Paddle(Words):
        """Adadelta (Zeiler, 2012), with a learning rate."""

        learning_rate: Any = 0.001
        epsilon: Number = 1e-6
        rho: Number = 0.95
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        _names: ClassVar = {
            "accumulated_grad": "_avg_squared_grad", "accumulated_delta_var": "_avg_squared_update",
        }  # fmt: skip

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return AveragedMoves()

    def __init__(
        self,
        learning_rate: Rate = 1.0,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        **options: Unpack[Options],
    ) -> None:
        self.rho, self.epsilon = rho, epsilon
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return AveragedMoves()


class AveragedSquares(Rule):
    """RMSprop: a step along the gradient over the root of a moving average of squares.

    `centered` subtracts the square of the mean gradient, `heavy` adds momentum. `floor` says whether epsilon
    is added "outside" the root or "inside".
    """

    def __init__(self, centered: bool, heavy: bool, floor: str = "outside") -> None:
        self.centered, self.heavy, self.floor = centered, heavy, floor
        self.numbers = ("learning_rate", "rho", "epsilon", *(("momentum",) if heavy else ()))

    def key(self) -> Any:
        """Returns what distinguishes the forms."""
        return self.centered, self.heavy, self.floor

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the averages, and the momentum if there is any."""
        found = [Slot("velocity")]
        found += [Slot("momentum")] * self.heavy
        return (*found, *([Slot("average_gradient")] * self.centered))

    def _averages(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor, State]:
        rho, rest = numbers["rho"], numbers.rest("rho")
        squares = state[0] * rho + numbers.square(gradient) * rest
        if not self.centered:
            return _root(squares, self.floor, numbers), squares, ()
        mean = state[-1] * rho + gradient * rest
        # Rounding may leave a variance just below zero.
        variance = maximum(squares - square(mean), 0.0)
        return _root(variance, self.floor, numbers), squares, (mean,)

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and averages."""
        root, squares, mean = self._averages(gradient, state, numbers)
        step = gradient * numbers["learning_rate"] / root
        if not self.heavy:
            return Update(value - step, (squares, *mean))
        step = state[1] * numbers["momentum"] + step
        return Update(value - step, (squares, step, *mean))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the root as a constant; the earlier momentum belongs to earlier gradients."""
        root, _, _ = self._averages(gradient, state, numbers)
        scale = numbers["learning_rate"] / root
        return Shares(lambda one: -(one * scale), -(state[1] * numbers["momentum"]) if self.heavy else None)


class RMSprop(Optimizer):
    """RMSprop (Hinton, lecture 6e, 2012; centered: Graves, 2013, section 4.2).

        velocity = rho * velocity + (1 - rho) * gradient ** 2
        step     = momentum * step + learning_rate * gradient / (sqrt(velocity) + epsilon)
        value    = value - step

    `centered` divides by sqrt(velocity - mean ** 2) instead, with a moving mean of gradients. Epsilon is
    added outside the root, as in PyTorch; Keras and Optax add it inside. The rate is inside the momentum, as
    in Keras and Optax; PyTorch keeps it outside, which differs only while the rate changes.

    Args:
        learning_rate: the rate, a number or a schedule.
        rho: the share of the mean square that each step keeps, from 0 to 1.
        momentum: the share of the last step that is kept, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        centered: whether to subtract the square of the mean.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.optimizers.RMSprop(0.1).apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4))
    0.6838
    """

    class _Keras(Words):
        """RMSprop as in Keras: epsilon is added inside the root.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.RMSprop(0.1).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.5f}")
        0.68377
        """

        learning_rate: Any = 0.001
        rho: float = 0.9
        momentum: float = 0.0
        epsilon: float = 1e-7
        centered: bool = False
        _differs: ClassVar = {"_floor": "inside"}
        _listed_apart: ClassVar = ("momentum", "average_gradient")

    class _Paddle(Words):
        """RMSProp (Hinton's lecture 6), with epsilon inside the root."""

        learning_rate: Any
        rho: Number = 0.95
        epsilon: Number = 1e-6
        momentum: Number = 0.0
        centered: Flag = False
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        _called = "RMSProp"
        _names: ClassVar = {
            "velocity": "mean_square", "momentum": "momentum", "average_gradient": "mean_grad",
        }  # fmt: skip
        _of_each_group: ClassVar = frozenset(["centered"])

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return AveragedSquares(bool(own["centered"]), True, "inside")

        def _besides(self, state: Mapping[str, Any], steps: int, own: Mapping[str, Any]) -> dict[str, Any]:
            squares = state["velocity"]
            return {} if own["centered"] else {"mean_grad": np.zeros(squares.shape, squares.dtype)}

    _floor = "outside"

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-8,
        centered: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return AveragedSquares(bool(self.centered), self._uses("momentum"), self._floor)


class RegularizedLeader(Rule):
    """FTRL-Proximal: the value that would have been best for all gradients so far, with penalties."""

    numbers = (
        "learning_rate", "learning_rate_power", "l1_regularization_strength", "l2_regularization_strength",
        "l2_shrinkage_regularization_strength", "beta",
    )  # fmt: skip

    def __init__(self, initial: float, half: bool, shrinks: bool) -> None:
        self.initial, self.half, self.shrinks = initial, half, shrinks

    def key(self) -> Any:
        """Returns whether the power is a root, and whether there is shrinkage."""
        return self.half, self.shrinks

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the sum of squares and the linear term."""
        return Slot("accumulator", None, self.initial), Slot("linear")

    def _raised(self, total: Tensor, numbers: Numbers) -> Tensor:
        return sqrt(total) if self.half else power(total, -numbers["learning_rate_power"])

    def _terms(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, ...]:
        rate = numbers["learning_rate"]
        used = gradient
        if self.shrinks:
            used = gradient + value * (numbers["l2_shrinkage_regularization_strength"] * 2.0)
        total = state[0] + numbers.square(gradient)
        raised = self._raised(total, numbers)
        linear = state[1] + used - (raised - self._raised(state[0], numbers)) / rate * value
        quadratic = (
            raised / rate + (numbers["l2_regularization_strength"] + numbers["beta"] / (rate * 2.0)) * 2.0
        )
        limit = numbers["l1_regularization_strength"]
        return total, linear, quadratic, clip(linear, -limit, limit)

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, sum and linear term."""
        total, linear, quadratic, clipped = self._terms(value, gradient, state, numbers)
        return Update((clipped - linear) / quadratic, (total, linear))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the quadratic term as a constant; the penalty on the absolute value counts as decay."""
        _, linear, quadratic, clipped = self._terms(value, gradient, state, numbers)
        before = (gradient - linear) / quadratic - value
        return Shares(lambda one: -(one / quadratic), before, clipped / quadratic)


class Ftrl(Optimizer):
    """FTRL-Proximal (McMahan et al., KDD 2013, algorithm 1).

        sigma       = ((accumulator + gradient ** 2) ** -p - accumulator ** -p) / learning_rate
        accumulator = accumulator + gradient ** 2
        linear      = linear + gradient + 2 * l2_shrinkage * value - sigma * value
        quadratic   = accumulator ** -p / learning_rate + 2 * l2 + beta / learning_rate
        value       = (clip(linear, -l1, l1) - linear) / quadratic

    with p = `learning_rate_power`. This is Keras' form, which calls `l1` and the others
    `l1_regularization_strength` and so on; PyTorch and Optax have no FTRL. The value is recomputed from the
    accumulated state, so an element that never had a gradient becomes 0 at the first update, and row
    gradients are made dense unless `rows="lazy"`.

    Args:
        learning_rate: the rate, a number or a schedule.
        learning_rate_power: the power of the sums, at most 0.
        initial_accumulator_value: the start value of the sums of squares, from 0.
        l1_regularization_strength: the factor of absolute values, from 0.
        l2_regularization_strength: the factor of squares, from 0.
        l2_shrinkage_regularization_strength: the factor of a penalty that shrinks, from 0.
        beta: a number that is added to the roots, from 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable([1.0, 1.0])
    >>> optimizer = ps.optimizers.Ftrl(1.0, l1_regularization_strength=0.5)
    >>> optimizer.apply_gradients([(ps.asarray([-2.0, 0.1]), x)])
    >>> print(x.numpy().round(4))
    [1.5846 0.    ]
    """

    class _Keras(Words):
        """FTRL-Proximal.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Ftrl(1.0).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.4f}")
        -0.0993
        """

        learning_rate: Any = 0.001
        learning_rate_power: float = -0.5
        initial_accumulator_value: float = 0.1
        l1_regularization_strength: float = 0.0
        l2_regularization_strength: float = 0.0
        l2_shrinkage_regularization_strength: float = 0.0
        beta: float = 0.0

        def _refused(self, **common: Any) -> str | None:
            strengths = [f"{one}_regularization_strength" for one in ("l1", "l2", "l2_shrinkage")]
            for name in ("initial_accumulator_value", *strengths):
                value = getattr(self, name)
                if value < 0.0:
                    return f"`{name}` needs to be positive or zero. Received: {name}={value}."
            if self.learning_rate_power > 0.0:
                return (
                    "`learning_rate_power` needs to be negative or zero. Received: "
                    f"learning_rate_power={self.learning_rate_power}."
                )
            return None

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        self.learning_rate_power, self.beta = learning_rate_power, beta
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return RegularizedLeader(
            float(self.initial_accumulator_value),
            self.learning_rate_power == -0.5,
            self._uses("l2_shrinkage_regularization_strength"),
        )


__all__: list[str] = ["Adadelta", "Adagrad", "Ftrl", "RMSprop"]
