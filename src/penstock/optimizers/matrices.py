"""Optimizers that treat a matrix as a whole: Adafactor, which keeps row and column means, and Muon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

from penstock.errors import PenstockError
from penstock.functions.array import expand_dims, matrix_transpose, mean, sum
from penstock.ops.linear import matmul
from penstock.ops.pointwise import maximum, minimum, power, sqrt, square
from penstock.optimizers.moments import AdaptiveMoments
from penstock.optimizers.optimizer import Optimizer, Options, Rate
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.optimizers.vocabulary import Words
from penstock.state.selection import matches
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class FactoredSquares(Rule):
    """Adafactor: a mean square stored as means of rows and columns, and steps relative to the value."""

    numbers = ("learning_rate", "beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold")
    counts = True
    separable = False

    def __init__(self, relative: bool) -> None:
        self.relative = relative

    def key(self) -> Any:
        """Returns whether the rate decreases with the root of the step."""
        return self.relative

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the means of rows and columns, or of single elements for a variable of one axis."""
        if spec.ndim < 2:
            return (Slot("velocity"),)
        return Slot("row", spec.shape[:-1]), Slot("column", (*spec.shape[:-2], spec.shape[-1]))

    def _divisor(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, State]:
        rest = numbers.narrow(power(numbers.wide_step, numbers.wide("beta_2_decay")))
        beta = 1.0 - rest
        squares = numbers.square(gradient) + numbers["epsilon_1"]
        if len(state) == 1:
            velocity = state[0] * beta + squares * rest
            return sqrt(velocity), (velocity,)
        row = state[0] * beta + mean(squares, axis=-1) * rest
        column = state[1] * beta + mean(squares, axis=-2) * rest
        share = expand_dims(row / mean(row, axis=-1, keepdims=True), axis=-1)
        return sqrt(share * expand_dims(column, axis=-2)), (row, column)

    def _scale(self, value: Tensor, gradient: Tensor, divisor: Tensor, numbers: Numbers) -> Tensor:
        """Returns the factor of a gradient."""
        rate = numbers["learning_rate"]
        if self.relative:
            rate = minimum(rate, numbers.narrow(1.0 / sqrt(numbers.wide_step)))
        size = maximum(numbers["epsilon_2"], sqrt(mean(square(value))))
        squares = numbers.square_of_step(gradient / divisor, 1.0 / divisor)
        excess = maximum(sqrt(mean(squares)) / numbers["clip_threshold"], 1.0)
        return size * rate / (divisor * excess)

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and means."""
        divisor, means = self._divisor(gradient, state, numbers)
        return Update(value - gradient * self._scale(value, gradient, divisor, numbers), means)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the means as constants."""
        divisor, _ = self._divisor(gradient, state, numbers)
        scale = self._scale(value, gradient, divisor, numbers)
        return Shares(lambda one: -(one * scale))


class Adafactor(Optimizer):
    """Adafactor (Shazeer and Stern, 2018, algorithms 4 to 6): its memory grows with the sides of a matrix.

        beta   = 1 - t ** beta_2_decay
        row    = beta * row    + (1 - beta) * mean of (gradient ** 2 + epsilon_1) along the last axis
        column = beta * column + (1 - beta) * mean of (gradient ** 2 + epsilon_1) along the last but one
        step   = gradient / sqrt(row * column / mean(row))
        value  = value - max(epsilon_2, rms(value)) * rate * step / max(1, rms(step) / clip_threshold)

    `rate` is the smaller of `learning_rate` and 1 / sqrt(t), or with `relative_step=False` the learning rate.
    A variable with one axis keeps its full mean square; one with more than two has rows and columns in its
    last two axes. This is Keras' form and default; PyTorch adds no epsilon_1 to the squares but bounds their
    estimate from below, and Optax factors the two longest axes, if both are at least 128 long. The means are
    those of whole variables, so row gradients are made dense, and `rows="lazy"` is refused.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_2_decay: the exponent with which the share grows, a negative number.
        epsilon_1: a number that is added to squares.
        epsilon_2: the smallest scale of a parameter, a number.
        clip_threshold: the largest root mean square of a step.
        relative_step: whether the rate follows from the count of steps.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> optimizer = ps.optimizers.Adafactor(0.1)
    >>> optimizer.apply_gradients([(ps.asarray([[1.0, 1.0], [1.0, 1.0]]), x)])
    >>> print(x.numpy().astype(float).round(4).tolist(), [one.shape for one in optimizer.variables])
    [[0.7261, 1.7261], [2.7261, 3.7261]] [(), (2,), (2,)]
    """

    class _Keras(Words):
        """Adafactor: the mean square of a matrix is kept as the means of its rows and columns.

        The rate is the smaller of `learning_rate` and 1 / sqrt(step); `relative_step` does not change that,
        as in Keras.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.keras.optimizers.Adafactor(0.1).apply_gradients([(tf.ones([2, 2]), x)])
        >>> print(x.numpy().astype(float).round(3).tolist())
        [[0.726, 1.726], [2.726, 3.726]]
        """

        learning_rate: Any = 0.001
        beta_2_decay: float = -0.8
        epsilon_1: float = 1e-30
        epsilon_2: float = 1e-3
        clip_threshold: float = 1.0
        relative_step: bool = True
        _differs: ClassVar = {"_capped": True}
        _slots_in_files: ClassVar = {"row": False, "column": False, "velocity": True}

    _capped = False
    """Whether the rate never exceeds 1 / sqrt(step), whatever `relative_step` says."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **options: Unpack[Options],
    ) -> None:
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return FactoredSquares(bool(self._capped or self.relative_step))


class Orthogonalized(Rule):
    """Muon: a step along the momentum, with its singular values moved close to one."""

    numbers = ("learning_rate", "momentum")
    separable = False

    def __init__(
        self, nesterov: bool, steps: int, coefficients: tuple[float, float, float], scale: Any
    ) -> None:
        self.nesterov, self.steps, self.coefficients, self.scale = nesterov, steps, coefficients, scale

    def key(self) -> Any:
        """Returns the settings of the polynomial, and the scale."""
        return self.nesterov, self.steps, self.coefficients, self.scale

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the momentum, at zero."""
        return (Slot("momentum"),)

    def _factor(self, shape: tuple[int, ...]) -> float:
        """Returns the factor of the rate for a matrix of this shape, inputs by outputs."""
        rows, columns = shape
        if self.scale is None:
            return 1.0
        if self.scale == "original":
            return math.sqrt(max(1.0, columns / rows))
        return float(0.2 if self.scale == "match_rms_adamw" else self.scale) * math.sqrt(max(rows, columns))

    def _direction(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor]:
        momentum = state[0] * numbers["momentum"] + gradient
        return (gradient + momentum * numbers["momentum"] if self.nesterov else momentum), momentum

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and momentum."""
        direction, momentum = self._direction(gradient, state, numbers)
        step = orthogonalized(direction, self.steps, self.coefficients)
        return Update(value - step * (numbers["learning_rate"] * self._factor(value.shape)), (momentum,))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the matrix that moves the singular values close to one as a constant."""
        direction, _ = self._direction(gradient, state, numbers)
        apply = orthogonalizer(direction, self.steps, self.coefficients)
        rate, momentum = numbers["learning_rate"] * self._factor(value.shape), numbers["momentum"]
        own = 1.0 + momentum if self.nesterov else momentum * 0.0 + 1.0
        before = state[0] * momentum
        return Shares(
            lambda one: -(apply(one * own) * rate),
            -(apply(before * momentum if self.nesterov else before) * rate),
        )


def _polynomials(x: Tensor, steps: int, coefficients: tuple[float, float, float]) -> tuple[Any, Tensor]:
    """Returns the polynomial of each Newton-Schulz step, applied from the left, and their overall result."""
    a, b, c = coefficients
    found = []
    for _ in range(steps):
        gram = matmul(x, matrix_transpose(x))
        bent = gram * b + matmul(gram * c, gram)
        found.append(bent)
        x = x * a + matmul(bent, x)
    return found, x


def _length(x: Tensor) -> Tensor:
    return sqrt(sum(square(x))) + 1e-7


def orthogonalized(x: Tensor, steps: int, coefficients: tuple[float, float, float]) -> Tensor:
    """Returns a matrix with the singular vectors of `x` and singular values close to one.

    It uses a quintic Newton-Schulz iteration (Jordan et al., 2024) on the shorter side.
    """
    tall = x.shape[0] > x.shape[1]
    _, found = _polynomials((matrix_transpose(x) if tall else x) / _length(x), steps, coefficients)
    return matrix_transpose(found) if tall else found


def orthogonalizer(x: Tensor, steps: int, coefficients: tuple[float, float, float]) -> Any:
    """Returns the linear function that takes `x` to `orthogonalized(x)`."""
    tall, length = x.shape[0] > x.shape[1], _length(x)
    polynomials, _ = _polynomials((matrix_transpose(x) if tall else x) / length, steps, coefficients)

    def apply(other: Tensor) -> Tensor:
        other = (matrix_transpose(other) if tall else other) / length
        for bent in polynomials:
            other = other * coefficients[0] + matmul(bent, other)
        return matrix_transpose(other) if tall else other

    return apply


class MomentsBeside(AdaptiveMoments):
    """Adam for the variables that Muon does not update, with its own hyper-parameters."""

    numbers = ("learning_rate", "adam_beta_1", "adam_beta_2", "epsilon", "adam_learning_rate_ratio")
    decay_number = "adam_weight_decay"

    def rate(self, numbers: Numbers) -> Tensor:
        """Returns Adam's learning rate."""
        return numbers["learning_rate"] * numbers["adam_learning_rate_ratio"]

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean and mean square."""
        return super().move(value, gradient, state, _Renamed(numbers))  # type: ignore[arg-type]

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """As Adam."""
        return super().shares(value, gradient, state, _Renamed(numbers))  # type: ignore[arg-type]


class _Renamed:
    """Numbers that find Adam's betas under their names in Muon."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def _name(self, name: str) -> str:
        return f"adam_{name}" if name.startswith("beta") else name

    def __getitem__(self, name: str) -> Tensor:
        return self._numbers[self._name(name)]

    def rest(self, name: str) -> Tensor:
        """Returns 1 - number."""
        return self._numbers.rest(self._name(name))

    def correction(self, name: str) -> Tensor:
        """Returns 1 - number ** step."""
        return self._numbers.correction(self._name(name))

    def square(self, gradient: Tensor) -> Tensor:
        """Returns the square of the gradient."""
        return self._numbers.square(gradient)


class Muon(Optimizer):
    """Muon (Jordan et al., 2024): momentum whose matrices are orthogonalized; Adam for everything else.

        momentum  = momentum_rate * momentum + gradient
        direction = gradient + momentum_rate * momentum      (without nesterov: momentum)
        value     = value - learning_rate * scale * orthogonalized(direction)

    Variables with two axes are moved this way. Others, and those whose path matches a pattern of `exclude`
    (embedding tables and the last layer should be there), are moved by Adam with `adam_beta_1`, `adam_beta_2`
    and the learning rate times `adam_learning_rate_ratio`.

    `scale` depends on the shape, inputs by outputs as in Penstock's layers: "original" is
    sqrt(max(1, outputs / inputs)) as in PyTorch (which stores outputs first) and Optax; "match_rms_adamw" is
    0.2 * sqrt(max(inputs, outputs)) (Liu et al., 2025), as in Keras; a number takes the place of 0.2, and
    None leaves it out. `ns_steps` and `ns_coefficients` are those of the Newton-Schulz iteration, which runs
    in the variable's dtype as in Keras and Optax; PyTorch's runs in bfloat16. PyTorch keeps the momentum as a
    moving average, which has the same direction; Optax with nesterov corrects its bias, which changes the
    direction.

    Args:
        learning_rate: the rate, a number or a schedule.
        momentum: the share of the last step that is kept, from 0 to 1.
        nesterov: whether to look ahead by the momentum.
        ns_steps: how many rounds of the iteration, an int.
        ns_coefficients: the three coefficients of the iteration.
        scale: how a step is scaled by the shape of its matrix.
        exclude: patterns of variables that Adam updates.
        adam_beta_1: `beta_1` of Adam.
        adam_beta_2: `beta_2` of Adam.
        epsilon: a number that is added to avoid division by 0.
        adam_learning_rate_ratio: Adam's learning rate, relative to this one.
        adam_weight_decay: Adam's weight decay; None for the same.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> kernel = ps.Variable([[3.0, 0.0], [0.0, 1.0]], name="kernel")
    >>> optimizer = ps.optimizers.Muon(0.1)
    >>> optimizer.apply_gradients([(ps.asarray([[3.0, 0.0], [0.0, 1.0]]), kernel)])
    >>> print(kernel.numpy().astype(float).round(2).tolist())
    [[2.92, 0.0], [0.0, 0.89]]
    """

    def __init__(
        self,
        learning_rate: Rate = 0.02,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_steps: int = 5,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        scale: str | float | None = "original",
        exclude: Sequence[str] = (),
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        epsilon: float = 1e-8,
        adam_learning_rate_ratio: float = 1.0,
        adam_weight_decay: float | None = None,
        **options: Unpack[Options],
    ) -> None:
        if isinstance(scale, str) and scale not in ("original", "match_rms_adamw"):
            raise PenstockError(
                f"Muon: scale is {scale!r}.",
                remedy="Use 'original', 'match_rms_adamw', a number or None.",
                site=here(),
            )
        self.momentum, self.nesterov, self.ns_steps = momentum, nesterov, ns_steps
        self.ns_coefficients, self.scale, self.exclude = ns_coefficients, scale, tuple(exclude)
        self.adam_beta_1, self.adam_beta_2, self.epsilon = adam_beta_1, adam_beta_2, epsilon
        self.adam_learning_rate_ratio = adam_learning_rate_ratio
        self.adam_weight_decay = adam_weight_decay
        super().__init__(learning_rate, **options)

    _floor = "outside"
    _mixed = True

    def _patterns(self) -> dict[str, Sequence[str]]:
        return {**super()._patterns(), "exclude": self.exclude}

    def _excluded(self, variable: Any) -> bool:
        if variable._spec.ndim != 2:
            return True
        return any(matches(pattern, variable.path) for pattern in self.exclude)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        if variable is not None and self._excluded(variable):
            return MomentsBeside(self._floor)
        return Orthogonalized(
            bool(self.nesterov),
            int(self.ns_steps),
            self.ns_coefficients,
            self.scale,
        )

    def _rules(self) -> tuple[Rule, ...]:
        return MomentsBeside(self._floor), self._rule()


__all__: list[str] = ["Adafactor", "Muon"]
