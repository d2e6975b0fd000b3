"""Optimizers that scale a mean gradient by its size: Adam and its relatives, coordinate by coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import numpy as np

from penstock.functions.array import sum
from penstock.ops.pointwise import greater, maximum, power, sqrt, square, where
from penstock.optimizers.optimizer import Optimizer, Options, Rate
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update, averaged
from penstock.optimizers.vocabulary import Flag, Number, Share, Size, Words
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class AdaptiveMoments(Rule):
    """Adam: a step along the mean gradient over the root of the mean square.

    `floor="outside"` adds epsilon to the corrected root, `floor="hat"` to the uncorrected one. With `largest`
    the mean square never decreases (AMSGrad).
    """

    numbers: tuple[str, ...] = ("learning_rate", "beta_1", "beta_2", "epsilon")
    counts = True

    def __init__(self, floor: str = "outside", largest: bool = False) -> None:
        self.floor, self.largest = floor, largest

    def key(self) -> Any:
        """Returns where epsilon is added, and whether the mean square may decrease."""
        return self.floor, self.largest

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the mean and the mean square, at zero."""
        found = (Slot("momentum"), Slot("velocity"))
        return (*found, Slot("velocity_hat")) if self.largest else found

    def rate(self, numbers: Numbers) -> Tensor:
        """Returns the learning rate."""
        return numbers["learning_rate"]

    def rest(self, name: str, numbers: Numbers) -> Tensor:
        """Returns the weight of the new term in the mean or the mean square."""
        return numbers.rest(name)

    def correction(self, name: str, numbers: Numbers) -> Tensor:
        """Returns the bias correction of the mean or the mean square, which started at zero."""
        return numbers.correction(name)

    def _moments(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, State]:
        mean = averaged(state[0], gradient, self.rest("beta_1", numbers))
        squares = averaged(state[1], numbers.square(gradient), self.rest("beta_2", numbers))
        if self.largest:
            largest = maximum(state[2], squares)
            return largest, (mean, squares, largest)
        return squares, (mean, squares)

    def _scale(self, squares: Tensor, numbers: Numbers) -> tuple[Tensor, Tensor]:
        """Returns the factor and the divisor of a mean."""
        first, second = self.correction("beta_1", numbers), sqrt(self.correction("beta_2", numbers))
        if self.floor == "hat":
            return self.rate(numbers) * second / first, sqrt(squares) + numbers["epsilon"]
        return self.rate(numbers) / first, sqrt(squares) / second + numbers["epsilon"]

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean and mean square."""
        squares, moments = self._moments(gradient, state, numbers)
        rate, root = self._scale(squares, numbers)
        return Update(value - moments[0] * rate / root, moments)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the root as a constant; this gradient and earlier ones share the mean."""
        squares, _ = self._moments(gradient, state, numbers)
        rate, root = self._scale(squares, numbers)
        rest = self.rest("beta_1", numbers)
        return Shares(lambda one: -(one * rest * rate / root), -(state[0] * (1.0 - rest) * rate / root))


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015, algorithm 1).

        mean   = beta_1 * mean   + (1 - beta_1) * gradient
        square = beta_2 * square + (1 - beta_2) * gradient ** 2
        root   = sqrt(square / (1 - beta_2 ** t)) + epsilon
        value  = value - learning_rate * mean / (1 - beta_1 ** t) / root

    Epsilon is added to the corrected root, as in the paper, PyTorch and Optax; Keras adds it to the
    uncorrected root (the paper's epsilon-hat), and so does `penstock.tensorflow`. `t` counts the optimizer's
    updates. With `amsgrad` the largest mean square so far is used (Reddi et al., 2018), uncorrected before
    the maximum as in PyTorch and Keras; Optax corrects it first. `weight_decay` is decoupled: see `AdamW`.

    Every row of an embedding table keeps moving by its mean, so row gradients are made dense. With
    `rows="lazy"` only the rows that were read are updated and averaged, corrected by the count of all
    updates, as in PyTorch's SparseAdam.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        amsgrad: whether to divide by the largest mean square so far.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0, name="x")
    >>> optimizer = ps.optimizers.Adam(0.1)
    >>> optimizer.apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4), [one.path for one in optimizer.variables])
    0.9 ['adam/step', 'adam/x/momentum', 'adam/x/velocity']
    """

    class _Keras(Words):
        """Adam as in Keras: epsilon is added to the root before it is corrected, the paper's epsilon-hat.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.5f}")
        0.90000
        """

        learning_rate: Any = 0.001
        beta_1: float = 0.9
        beta_2: float = 0.999
        epsilon: float = 1e-7
        amsgrad: bool = False
        _differs: ClassVar = {"_floor": "hat"}
        _listed_apart: ClassVar = ("velocity_hat",)

    class _Paddle(Words):
        """Adam (Kingma and Ba, 2015).

        With `lazy_mode`, an update of a table that is read with `sparse=True` changes only the rows that were
        read. An update is a single operation in any case: `use_multi_tensor` does nothing.
        """

        learning_rate: Any = 0.001
        beta1: Share = 0.9
        beta2: Share = 0.999
        epsilon: Size = 1e-8
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        lazy_mode: bool = False
        multi_precision: Flag = False
        use_multi_tensor: bool = False
        amsgrad: Flag = False
        name: str | None = None
        _names: ClassVar = {"momentum": "moment1", "velocity": "moment2", "velocity_hat": "moment2_max"}
        _powers: ClassVar = {"beta1_pow_acc": ("beta_1", 1), "beta2_pow_acc": ("beta_2", 1)}

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return AdaptiveMoments("outside", bool(own["amsgrad"]))

    _floor = "outside"

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        amsgrad: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return AdaptiveMoments(self._floor, bool(self.amsgrad))


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019): first, value * (1 - rate * decay).

    The decay is multiplied by the learning rate, as in PyTorch, Keras and Optax; the paper has a separate
    schedule for it. The default is PyTorch's (Keras: 0.004, Optax: 1e-4). `exclude_from_weight_decay` lists
    patterns of paths that do not decay. Weight decay changes every row of a table, read or not, unless
    `rows="lazy"`.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        amsgrad: whether to divide by the largest mean square so far.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> kernel, bias = ps.Variable(1.0, name="net/kernel"), ps.Variable(1.0, name="net/bias")
    >>> optimizer = ps.optimizers.AdamW(0.5, weight_decay=0.5, exclude_from_weight_decay=["*/bias"])
    >>> optimizer.apply_gradients([(ps.asarray(0.0), kernel), (ps.asarray(0.0), bias)])
    >>> print(kernel.numpy(), bias.numpy())
    0.75 1.0
    """

    class _Keras(Words):
        """Adam with decoupled weight decay.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.AdamW(0.5, weight_decay=0.5).apply_gradients([(tf.constant(0.0), x)])
        >>> print(x.numpy())
        0.75
        """

        learning_rate: Any = 0.001
        weight_decay: float = 0.004
        beta_1: float = 0.9
        beta_2: float = 0.999
        epsilon: float = 1e-7
        amsgrad: bool = False
        _differs: ClassVar = {"_floor": "hat"}
        _listed_apart: ClassVar = ("velocity_hat",)

        def _refused(self, **common: Any) -> str | None:
            if common["weight_decay"] is None:
                return "Argument `weight_decay` must be a float. Received: weight_decay=None"
            return None

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        amsgrad: bool = False,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("weight_decay", 0.01)
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, **options)


class InfinityNorm(Rule):
    """Adamax: a step along the mean gradient over a decaying maximum of its size.

    `floor="outside"` adds epsilon to the gradient's size, before the maximum; `floor="before"` to the norm
    before it, and `floor="after"` to the maximum.
    """

    numbers = ("learning_rate", "beta_1", "beta_2", "epsilon")
    counts = True

    def __init__(self, floor: str = "outside") -> None:
        self.floor = floor

    def key(self) -> Any:
        """Returns where epsilon is added."""
        return self.floor

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the mean and the norm, at zero."""
        return Slot("momentum"), Slot("norm")

    def _norm(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor]:
        """Returns the norm to keep, and the divisor."""
        if self.floor == "after":
            norm = maximum(state[1] * numbers["beta_2"], numbers.absolute(gradient))
            return norm, norm + numbers["epsilon"]
        before, size = state[1] * numbers["beta_2"], numbers.absolute(gradient)
        if self.floor == "before":
            norm = maximum(before + numbers["epsilon"], size)
        else:
            norm = maximum(before, size + numbers["epsilon"])
        return norm, norm

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean and norm."""
        mean = averaged(state[0], gradient, numbers.rest("beta_1"))
        norm, divisor = self._norm(gradient, state, numbers)
        rate = numbers["learning_rate"] / numbers.correction("beta_1")
        return Update(value - mean * rate / divisor, (mean, norm))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the norm as a constant."""
        _, divisor = self._norm(gradient, state, numbers)
        rate, rest = numbers["learning_rate"] / numbers.correction("beta_1"), numbers.rest("beta_1")
        return Shares(lambda one: -(one * rest * rate / divisor), -(state[0] * (1.0 - rest) * rate / divisor))


class Adamax(Optimizer):
    """Adamax (Kingma and Ba, 2015, algorithm 2): Adam with the infinity norm in place of the root.

        mean  = beta_1 * mean + (1 - beta_1) * gradient
        norm  = max(beta_2 * norm, |gradient| + epsilon)
        value = value - learning_rate / (1 - beta_1 ** t) * mean / norm

    Epsilon, which the paper does not have, is placed as in PyTorch and Optax; Keras adds it to the norm after
    the maximum.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.optimizers.Adamax(0.1).apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4))
    0.9
    """

    class _Keras(Words):
        """Adamax as in Keras: epsilon is added to the norm after the maximum.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Adamax(0.1).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.5f}")
        0.90000
        """

        learning_rate: Any = 0.001
        beta_1: float = 0.9
        beta_2: float = 0.999
        epsilon: float = 1e-7
        _differs: ClassVar = {"_floor": "after"}

    class _Paddle(Words):
        """Adamax (Kingma and Ba, 2015), with epsilon added to the norm before the maximum."""

        learning_rate: Any = 0.001
        beta1: Share = 0.9
        beta2: Share = 0.999
        epsilon: Size = 1e-8
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        _names: ClassVar = {"momentum": "moment", "norm": "inf_norm"}
        _powers: ClassVar = {"beta1_pow_acc": ("beta_1", 1)}

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return InfinityNorm("before")

    _floor = "outside"

    def __init__(
        self,
        learning_rate: Rate = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return InfinityNorm(self._floor)


class RectifiedMoments(AdaptiveMoments):
    """RAdam: Adam with a step as long as the squares so far justify; before that, the mean alone."""

    def __init__(self) -> None:
        super().__init__("hat")

    def _scale(self, squares: Tensor, numbers: Numbers) -> tuple[Tensor, Tensor]:
        beta, step = numbers.wide("beta_2"), numbers.wide_step
        powered = power(beta, step)
        most = 2.0 / (1.0 - beta) - 1.0
        length = most - 2.0 * step * powered / (1.0 - powered)
        rectified = greater(length, 5.0)
        # The unused branch must not divide by zero either.
        n, m = where(rectified, length, 6.0), where(rectified, most, 6.0)
        missing = numbers.wide_correction("beta_2")
        factor = sqrt((n - 4.0) * (n - 2.0) * m / ((m - 4.0) * (m - 2.0) * n) * missing)
        rate = self.rate(numbers) / numbers.correction("beta_1")
        rate = rate * numbers.narrow(where(rectified, factor, 1.0))
        return rate, where(rectified, sqrt(squares) + numbers["epsilon"], 1.0)


class RAdam(Optimizer):
    """RAdam (Liu and others, 2020): Adam that holds back while its mean square rests on few gradients.

        n(t)  = m - 2 * t * beta_2 ** t / (1 - beta_2 ** t), where m = 2 / (1 - beta_2) - 1
        r     = sqrt((n - 4) * (n - 2) * m / ((m - 4) * (m - 2) * n))
        root  = (sqrt(square) + epsilon) / sqrt(1 - beta_2 ** t)
        value = value - learning_rate * r * mean / (1 - beta_1 ** t) / root, while n > 5

    and without r and root before that, which is the first five updates for the usual beta_2. Epsilon is
    placed as by the authors and PyTorch; Optax adds it to the corrected root.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.optimizers.RAdam(0.1).apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4))
    0.7
    """

    class _Paddle(Words):
        """Adam that holds back while its mean square rests on few gradients (Liu and others, 2020)."""

        learning_rate: Any = 0.001
        beta1: Share = 0.9
        beta2: Share = 0.999
        epsilon: Size = 1e-8
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        _names: ClassVar = {"momentum": "moment1", "velocity": "moment2"}
        _powers: ClassVar = {"beta1_pow": ("beta_1", 0), "beta2_pow": ("beta_2", 0)}
        _spread: ClassVar = True

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return RectifiedMoments()

        def _besides(self, state: Mapping[str, Any], steps: int, own: Mapping[str, Any]) -> dict[str, Any]:
            squares = state["velocity"]
            # Paddle's share is of single precision, and 1 - power cancels most of its digits.
            power = float(np.float32(own["beta_2"])) ** steps
            return {"rho": np.full(squares.shape, steps * power / (1 - power), squares.dtype)}

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return RectifiedMoments()


class LookingAheadMoments(Rule):
    """Nadam: Adam whose mean is that of the next update, with a momentum that grows towards beta_1."""

    numbers = ("learning_rate", "beta_1", "beta_2", "epsilon", "momentum_decay")
    counts = True

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the mean and the mean square, at zero, and the product of all momenta so far, at one."""
        return Slot("momentum"), Slot("velocity"), Slot("momentum_product", (), 1.0)

    def _momentum(self, numbers: Numbers, ahead: int) -> Tensor:
        """Returns beta_1 * (1 - 0.96 ** (t * momentum_decay) / 2) for this update or for the next."""
        step = numbers.wide_step + float(ahead) if ahead else numbers.wide_step
        exponent = step * numbers.wide("momentum_decay")
        return numbers.narrow(numbers.wide("beta_1") * (1.0 - 0.5 * power(0.96, exponent)))

    def _weights(self, state: State, numbers: Numbers) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the weights of the gradient and of the mean, and the new product."""
        present, following = self._momentum(numbers, 0), self._momentum(numbers, 1)
        product = state[2] * present
        return (1.0 - present) / (1.0 - product), following / (1.0 - product * following), product

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean, mean square and product."""
        mean = averaged(state[0], gradient, numbers.rest_in_dtype("beta_1"))
        squares = averaged(state[1], numbers.square(gradient), numbers.rest_in_dtype("beta_2"))
        own, others, product = self._weights(state, numbers)
        root = sqrt(squares / numbers.correction("beta_2")) + numbers["epsilon"]
        moved = value - (gradient * own + mean * others) * numbers["learning_rate"] / root
        return Update(moved, (mean, squares, product))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats the root as a constant."""
        squares = averaged(state[1], numbers.square(gradient), numbers.rest_in_dtype("beta_2"))
        own, others, _ = self._weights(state, numbers)
        scale = numbers["learning_rate"] / (sqrt(squares / numbers.correction("beta_2")) + numbers["epsilon"])
        rest = numbers.rest_in_dtype("beta_1")
        return Shares(
            lambda one: -(one * (own + rest * others) * scale), -(state[0] * (1.0 - rest) * others * scale)
        )


class Nadam(Optimizer):
    """Nadam (Dozat, 2016): Adam with Nesterov's momentum.

        mu(t)   = beta_1 * (1 - 0.96 ** (t * momentum_decay) / 2)
        P(t)    = mu(1) * ... * mu(t)
        ahead   = mu(t + 1) * mean / (1 - P(t + 1)) + (1 - mu(t)) * gradient / (1 - P(t))
        value   = value - learning_rate * ahead / (sqrt(square / (1 - beta_2 ** t)) + epsilon)

    Mean and square are Adam's. `momentum_decay` is PyTorch's and has its default, 0.004, from the paper;
    Keras' form is 1.0, and Optax has no schedule: a very large one gives that.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        momentum_decay: how fast the momentum grows.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.optimizers.Nadam(0.1).apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 4))
    0.8944
    """

    class _Keras(Words):
        """Nadam as in Keras: the momentum grows with 0.96 ** t.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable(1.0)
        >>> tf.keras.optimizers.Nadam(0.1).apply_gradients([(tf.constant(3.0), x)])
        >>> print(f"{x.numpy():.3f}")
        0.894
        """

        learning_rate: Any = 0.001
        beta_1: float = 0.9
        beta_2: float = 0.999
        epsilon: float = 1e-7
        _fixed: ClassVar = {"momentum_decay": 1.0}
        _listed_once: ClassVar = ("momentum_product",)

    class _Paddle(Words):
        """Adam with Nesterov's momentum (Dozat, 2016)."""

        learning_rate: Any = 0.002
        beta1: Share = 0.9
        beta2: Share = 0.999
        epsilon: Size = 1e-8
        momentum_decay: Number = 0.004
        parameters: Any = None
        weight_decay: Any = None
        grad_clip: Any = None
        name: str | None = None
        _called = "NAdam"
        _names: ClassVar = {
            "momentum": "moment1", "velocity": "moment2", "momentum_product": "mu_product",
        }  # fmt: skip
        _powers: ClassVar = {"momentum_decay_pow": (0.96, 0), "beta2_pow": ("beta_2", 0)}
        _spread: ClassVar = True

        def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
            return LookingAheadMoments()

    def __init__(
        self,
        learning_rate: Rate = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        momentum_decay: float = 0.004,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.momentum_decay = momentum_decay
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return LookingAheadMoments()


class LayerwiseMoments(AdaptiveMoments):
    """LAMB: Adam's direction, scaled so that each variable moves in proportion to its own norm.

    With `decaying`, weight decay is part of the direction and is scaled with it.
    """

    separable = False
    decays = True

    def __init__(self, decaying: bool) -> None:
        super().__init__("outside")
        self.decaying = decaying
        if decaying:
            self.numbers = (*type(self).numbers, "weight_decay")

    def key(self) -> Any:
        """Returns whether weight decay is part of the direction, and whether this rule applies it."""
        return self.decaying, self.decays

    def _scaled(self, value: Tensor, squares: Tensor, mean: Tensor, numbers: Numbers) -> tuple[Any, ...]:
        first, second = numbers.correction("beta_1"), numbers.correction("beta_2")
        divisor = (sqrt(squares / second) + numbers["epsilon"]) * first
        direction = mean / divisor
        decay = value * numbers["weight_decay"] if self.decaying else None
        if decay is not None:
            direction = direction + decay
        own, other = sqrt(sum(square(value))), sqrt(sum(square(direction)))
        usual = greater(own, 0.0) & greater(other, 0.0)
        ratio = where(usual, own / where(usual, other, 1.0), 1.0)
        return direction, divisor, decay, ratio * numbers["learning_rate"]

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean and mean square."""
        squares, moments = self._moments(gradient, state, numbers)
        direction, _, _, rate = self._scaled(value, squares, moments[0], numbers)
        return Update(value - direction * rate, moments)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """Treats root and norms as constants."""
        squares, moments = self._moments(gradient, state, numbers)
        _, divisor, decay, rate = self._scaled(value, squares, moments[0], numbers)
        rest = numbers.rest("beta_1")
        return Shares(
            lambda one: -(one * rest * rate / divisor),
            -(state[0] * (1.0 - rest) * rate / divisor),
            None if decay is None else -(decay * rate),
        )


class LAMB(Optimizer):
    """LAMB (You et al., 2020, algorithm 2), for large batches.

        root      = sqrt(square / (1 - beta_2 ** t)) + epsilon
        direction = mean / (1 - beta_1 ** t) / root + weight_decay * value
        value     = value - learning_rate * |value| / |direction| * direction

    Mean and square are Adam's; the ratio of the norms is 1 where one of them is 0. Weight decay is part of
    the direction as in the paper and Optax; Keras decays the value before, outside the ratio. The norms are
    those of whole variables, so row gradients are made dense, and `rows="lazy"` is refused.

    Args:
        learning_rate: the rate, a number or a schedule.
        beta_1: the share of the mean that each step keeps, from 0 to 1.
        beta_2: the share of the mean square that each step keeps, from 0 to 1.
        epsilon: a number that is added to avoid division by 0.
        options: options of every optimizer, see `Optimizer`.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable([3.0, 4.0])
    >>> ps.optimizers.LAMB(0.1).apply_gradients([(ps.asarray([1.0, 1.0]), x)])
    >>> print(x.numpy().round(4))
    [2.6464 3.6464]
    """

    class _Keras(Words):
        """LAMB as in Keras: weight decay comes before, outside the ratio of norms.

        >>> from penstock import tensorflow as tf
        >>> x = tf.Variable([3.0, 4.0])
        >>> tf.keras.optimizers.Lamb(0.1).apply_gradients([(tf.constant([1.0, 1.0]), x)])
        >>> print(x.numpy().round(3))
        [2.646 3.646]
        """

        learning_rate: Any = 0.001
        beta_1: float = 0.9
        beta_2: float = 0.999
        epsilon: float = 1e-7
        _called = "Lamb"
        _differs: ClassVar = {"_decays_inside": False}

    _decays_inside = True

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-6,
        **options: Unpack[Options],
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        super().__init__(learning_rate, **options)

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        rule = LayerwiseMoments(decays and self._decays_inside)
        rule.decays = self._decays_inside
        return rule


__all__: list[str] = ["LAMB", "Adam", "AdamW", "Adamax", "Nadam", "RAdam"]
