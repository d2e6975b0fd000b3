"""The optimizers of tf.train that fewer programs use: Adadelta, Ftrl, and descent with penalties."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.functions.array import clip
from penstock.ops.pointwise import sqrt, square
from penstock.optimizers.accumulators import AveragedMoves, RegularizedLeader
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.optimizers import Optimizer
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class Proximal(Rule):
    """Descent, after which l1 times the rate is taken off the size, and the value divided by 1 + l2 * rate.

    With `sums` the rate of each element is divided by the root of the sum of its squared gradients.
    """

    numbers = ("learning_rate", "l1", "l2")

    def __init__(self, sums: bool) -> None:
        self.sums = sums

    def key(self) -> Any:
        """Returns whether there are sums of squares."""
        return self.sums

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the sum of squares, if there is one. `spec` does nothing: it has the variable's shape."""
        return (Slot("accumulator"),) if self.sums else ()

    def _parts(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Any, ...]:
        total = tuple(one + square(gradient) for one in state)
        rate = numbers["learning_rate"] / sqrt(total[0]) if total else numbers["learning_rate"]
        moved = value - gradient * rate
        limit = rate * numbers["l1"]
        return total, rate, moved, clip(moved, -limit, limit), rate * numbers["l2"] + 1.0

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and sum."""
        total, _, moved, taken, divisor = self._parts(value, gradient, state, numbers)
        return Update((moved - taken) / divisor, total)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The root is taken as given; both penalties count as decay."""
        _, rate, _, taken, divisor = self._parts(value, gradient, state, numbers)
        return Shares(lambda one: -(one * rate / divisor), None, (value - taken) / divisor - value)


def _at_least(least: float, **values: float) -> None:
    """Refuses numbers that are too small."""
    for name, value in values.items():
        if value < least:
            words = "positive or zero" if least == 0.0 else "positive"
            raise ArgumentError(f"{name} {value} needs to be {words}", site=here())


@named("tf.compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer):
    """Adadelta: the size of a step is the size that steps have had, over that of gradients.

    `use_locking` does nothing: one thread writes.
    """

    slot_names, starts = ("accum", "accum_update"), (0.0, 0.0)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(
            AveragedMoves(), {"learning_rate": learning_rate, "rho": rho, "epsilon": epsilon}, name
        )


class _FromStart(Optimizer):
    """An optimizer whose sums of squares begin with a number that is given."""

    def _begin(self, initial_accumulator_value: float, *others: float) -> None:
        self._start = (float(initial_accumulator_value), *others)

    def _starting(self) -> tuple[float, ...]:
        return self._start


@named("tf.compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(_FromStart):
    """FTRL-Proximal: the value that would have been best for all gradients so far, with penalties.

    `use_locking` does nothing: one thread writes.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.Variable(0.0)
    ...     train = tf.train.FtrlOptimizer(0.5).minimize((x - 2.0) ** 2)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(train)
    ...     print(f"{session.run(x):.4f}")
    0.4984
    """

    slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: Any = None,
        linear_name: Any = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        if accum_name is not None or linear_name is not None:
            raise NotImplementedError(
                "FtrlOptimizer with accum_name or linear_name is not supported by penstock.tensorflow yet."
            )
        if learning_rate_power > 0.0:
            raise ArgumentError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero", site=here()
            )
        _at_least(
            0.0,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )
        self._begin(initial_accumulator_value, 0.0)
        numbers = {
            "learning_rate": learning_rate,
            "learning_rate_power": learning_rate_power,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
            "beta": 0.0 if beta is None else beta,
        }
        rule = RegularizedLeader(
            initial_accumulator_value, learning_rate_power == -0.5, l2_shrinkage_regularization_strength > 0.0
        )
        super().__init__(rule, numbers, name)


@named("tf.compat.v1.train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with a penalty on absolute values, which makes small ones 0, and one on squares.

    `use_locking` does nothing: one thread writes.
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        numbers = {
            "learning_rate": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(Proximal(False), numbers, name)


@named("tf.compat.v1.train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_FromStart):
    """Adagrad with a penalty on absolute values, which makes small ones 0, and one on squares.

    `use_locking` does nothing: one thread writes.
    """

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ArgumentError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}", site=here()
            )
        self._begin(initial_accumulator_value)
        numbers = {
            "learning_rate": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(Proximal(True), numbers, name)
