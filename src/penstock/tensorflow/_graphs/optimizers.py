"""The optimizers of tf.train: TensorFlow 1's rules, whose state is kept in variables of the graph."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from penstock.declared import named
from penstock.ops.pointwise import sqrt, square
from penstock.optimizers import optimizer as native
from penstock.optimizers.descent import Accumulated, Descent
from penstock.optimizers.moments import AdaptiveMoments
from penstock.optimizers.refusals import no_gradients
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import call_at, constant
from penstock.tensorflow._graphs.gradients import differentiated, listed, reasons
from penstock.tensorflow._graphs.graph import GraphKeys, Operation, mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._tape import GradientTape, IndexedSlices, UnconnectedGradients
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Tensor

State = tuple[Tensor, ...]

_frame = sys._getframe


# -- rules --------------------------------------------------------------------------------------------------


class SummedSquares(Rule):
    """Adagrad (Duchi et al., 2011): value - rate * gradient / sqrt(sum of squared gradients)."""

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the sum."""
        return (Slot("accumulator"),)

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and sum."""
        total = state[0] + square(gradient)
        return Update(value - gradient * numbers["learning_rate"] / sqrt(total), (total,))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The root is taken as given."""
        scale = numbers["learning_rate"] / sqrt(state[0] + square(gradient))
        return Shares(lambda one: -(one * scale))


class MeanSquares(Rule):
    """RMSProp: momentum over rate * gradient / sqrt(mean square + epsilon), epsilon inside the root.

    With `centered` the square of the mean gradient is taken off the mean square.
    """

    numbers = ("learning_rate", "momentum", "epsilon", "rest")

    def __init__(self, centered: bool) -> None:
        self.centered = centered

    def key(self) -> Any:
        """Returns whether a mean is kept."""
        return self.centered

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the mean square, the momentum, and the mean if it is kept."""
        return Slot("velocity"), Slot("momentum"), *([Slot("mean")] if self.centered else [])

    def _scale(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, State, State]:
        """Returns the factor of a gradient, the mean square, and the mean."""
        squares = state[0] + (square(gradient) - state[0]) * numbers["rest"]
        means = tuple(one + (gradient - one) * numbers["rest"] for one in state[2:])
        variance = squares - square(means[0]) if means else squares
        return numbers["learning_rate"] / sqrt(variance + numbers["epsilon"]), (squares,), means

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, mean square, momentum and mean."""
        scale, squares, means = self._scale(gradient, state, numbers)
        velocity = state[1] * numbers["momentum"] + gradient * scale
        return Update(value - velocity, (*squares, velocity, *means))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The root is taken as given."""
        scale, _, _ = self._scale(gradient, state, numbers)
        return Shares(lambda one: -(one * scale), -(state[1] * numbers["momentum"]))


class KernelMoments(AdaptiveMoments):
    """Adam as TensorFlow's kernel computes it: in the precision of the variable alone.

    The powers of both betas are separate numbers, kept from step to step; 1 - beta is taken of the
    rounded beta, which for 0.999 is 1.3e-5 from 0.001.
    """

    numbers = ("learning_rate", "beta_1", "beta_2", "epsilon", "beta_1_power", "beta_2_power")
    counts = False

    def __init__(self) -> None:
        super().__init__("hat")

    def rest(self, name: str, numbers: Numbers) -> Tensor:
        """Returns 1 - beta, rounded as the kernel rounds it."""
        return 1.0 - numbers[name]

    def correction(self, name: str, numbers: Numbers) -> Tensor:
        """Returns 1 - beta to the power of the step."""
        return 1.0 - numbers[f"{name}_power"]


class _Updates(native.Optimizer):
    """An optimizer that applies a rule in one session; `state` holds the session's cells by variable."""

    _by_call = True
    _strict = False

    def __init__(self, rule: Rule, numbers: Sequence[str], name: str, lazy: bool) -> None:
        self._given_rule = rule
        for number in numbers:
            setattr(self, number, 0.0)
        super().__init__(0.0, name=name, rows="lazy" if lazy else "exact")

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        return self._given_rule


# -- optimizers ---------------------------------------------------------------------------------------------


@named("tf.compat.v1.train.Optimizer")
class Optimizer:
    """Base of the optimizers of tf.train: gradients, and an operation that applies them."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    slot_names: tuple[str, ...] = ()
    starts: tuple[float, ...] = ()
    powered: ClassVar[tuple[str, ...]] = ()
    """The numbers whose powers are kept in variables, multiplied by the number after every update."""
    lazy: ClassVar[bool] = True
    """Whether the gradient of a gather moves only the rows that were read."""

    def __init__(self, rule: Rule, numbers: dict[str, Any], name: str, use_locking: bool = False) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self.rule, self._name = rule, name
        self.given_numbers = {key: _as_tensor_would(value) for key, value in numbers.items()}
        self.site = here()
        self._slots: dict[Any, tuple[Any, ...]] = {}
        self._at_once: _Updates | None = None
        self._powers: dict[str, Any] = {}
        self._asked: Operation | None = None

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def get_slot_names(self) -> list[str]:
        """Returns the names of the state kept for each variable."""
        return sorted(self.slot_names)

    def get_slot(self, var: Any, name: str) -> Any:
        """Returns the state of this name kept for a variable; None if there is none."""
        found = self._slots.get(_key(var))
        return None if found is None else found[self.slot_names.index(name)]

    def variables(self) -> list[GraphVariable]:
        """Returns the state, in the order of names."""
        own = [one for slots in self._slots.values() for one in slots]
        return sorted([*self._powers.values(), *own], key=lambda one: str(one.name))

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns an operation that updates the variables so that the loss becomes smaller.

        Where no graph is being built, `loss` is a function without arguments, and the update is made at once.
        """
        frame = _frame(1)
        pairs = self._computed(loss, var_list, grad_loss, frame)
        self._require_gradients(
            pairs,
            ", check your graph for ops that do not support gradients, between variables {} and loss {}",
            loss,
        )
        return self._applied(pairs, global_step, name, frame)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, GraphVariable]]:
        """Returns (gradient or None, variable) for each trainable variable, or each in `var_list`.

        Where no graph is being built, `loss` is a function without arguments.
        """
        return self._computed(loss, var_list, grad_loss, _frame(1))

    def _computed(
        self, loss: Any, var_list: Any, grad_loss: Any, frame: FrameType
    ) -> list[tuple[Any, GraphVariable]]:
        if mode.building() is None and not isinstance(loss, SymbolicTensor):
            return _differentiated_now(loss, var_list, grad_loss)
        if callable(loss) and not isinstance(loss, SymbolicTensor):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a tensor in graph mode."
            )
        variables = var_list
        if variables is None:
            graph = mode.default()
            variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        variables = listed(variables)
        if not variables:
            raise ValueError("No variables to optimize.")
        for one in variables:
            if not isinstance(one, GraphVariable):
                raise TypeError(f"Argument is not a variable: {one}")
        found, self._asked = differentiated(
            loss, variables, grad_loss, "gradients", None, UnconnectedGradients.NONE, frame, var_list is None
        )
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Any:
        """Returns an operation that updates each variable by its gradient; pairs with None are skipped.

        Where no graph is being built, the update is made at once.
        """
        return self._applied(list(grads_and_vars), global_step, name, _frame(1))

    def _applied(
        self, pairs: list[tuple[Any, Any]], global_step: Any, name: str | None, frame: FrameType
    ) -> Any:
        if not pairs:
            raise ValueError("No variables provided.")
        at_once = all(isinstance(variable, ResourceVariable) for _, variable in pairs)
        for _, variable in pairs if not at_once else ():
            if not isinstance(variable, GraphVariable):
                raise TypeError(f"Variable must be a tf.Variable: {variable}")
        self._require_gradients(pairs, ": {}")
        if at_once:
            return self._apply_now(pairs, global_step, frame)
        kept = []
        for gradient, variable in pairs:
            if gradient is None:
                continue
            tensor = constant(gradient, "gradient", frame, variable._dtype)
            if not variable.shape.is_compatible_with(tensor.shape):
                raise ValueError(f"Shapes must be equal: gradient {tensor} of variable {variable}")
            kept.append((tensor, variable))
        graph = mode.default()
        with graph.control_dependencies(None):
            self._prepare([variable for _, variable in kept])
        numbers, inputs = {}, [tensor for tensor, _ in kept]
        for key, value in self.given_numbers.items():
            if callable(value) and not isinstance(value, SymbolicTensor | GraphVariable):
                value = _as_tensor_would(value())
            if isinstance(value, SymbolicTensor | GraphVariable):
                value = constant(value, key, frame)
                inputs.append(value)
            numbers[key] = value
        operation = graph.add("NoOp", name or self._name, apply_kernel, inputs, frame, writes=True)
        state = [one for _, variable in kept for one in self._slots.get(variable, ())]
        step = [] if global_step is None else [global_step]
        operation.details = {
            "optimizer": self, "pairs": kept, "numbers": numbers, "global_step": global_step,
            "variables": (*(variable for _, variable in kept), *state, *self._powers.values(), *step),
        }  # fmt: skip
        graph.add_to_collection(GraphKeys.TRAIN_OP, operation)
        return operation

    def _require_gradients(self, pairs: list[tuple[Any, Any]], among: str, loss: Any = None) -> None:
        """Raises NoGradientsError if every gradient is None; `among` ends TensorFlow's sentence."""
        if any(gradient is not None for gradient, _ in pairs):
            return
        among = among.format([str(variable) for _, variable in pairs], loss)
        present: list[Cell] = [v for _, v in pairs if isinstance(v, ResourceVariable)]
        if present:
            raise no_gradients("\n".join(engine.reasons(local.trace, present)), among)
        raise no_gradients(reasons(self._asked), among, "Build a loss that depends on the variables.")

    def _apply_now(self, pairs: list[tuple[Any, Any]], global_step: Any, frame: FrameType) -> Any:
        """Applies gradients at once, where no graph is being built."""
        kept = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        updates = self._at_once
        if updates is None:
            updates = self._at_once = self._made()
        for key, value in self.given_numbers.items():
            if callable(value) and not isinstance(value, Tensor | Cell):
                value = _as_tensor_would(value())
            setattr(updates, key, tensor_of(value) if isinstance(value, Cell) else value)
        for _, variable in kept:
            if self.slot_names and variable._uid not in self._slots:
                self._slots[variable._uid] = tuple(
                    [
                        ResourceVariable(
                            np.full(variable._spec.shape, start, variable._spec.dtype),
                            trainable=False,
                            name=f"{variable.path}/{self._name}",
                        )
                        for start in self._starting()
                    ]
                )
                updates._adopt(variable, self._slots[variable._uid])
        for key in self.powered if not self._powers else ():
            self._powers[key] = ResourceVariable(
                self._first_power(key), trainable=False, name=_power_name(key)
            )
            setattr(updates, f"{key}_power", self._powers[key])
        updates._apply(
            [
                (g._rows(v._spec.shape) if type(g) is IndexedSlices else tensor_of(g, v._spec.dtype), v)
                for g, v in kept
            ],
            frame,
        )
        for key, power in self._powers.items():
            power.assign(power * getattr(updates, key))
        if global_step is not None:
            global_step.assign_add(1)
        return None

    def _made(self) -> _Updates:
        """Returns the optimizer that applies the rule; reports show the name of this class."""
        kind = type(type(self).__name__, (_Updates,), {})
        numbers = (*self.given_numbers, *(f"{key}_power" for key in self.powered))
        made: _Updates = kind(self.rule, numbers, self._name, self.lazy)
        made.site = self.site
        return made

    def _prepare(self, variables: Sequence[GraphVariable]) -> None:
        """Makes the variables that hold the state."""
        graph = mode.default()
        for key in self.powered if not self._powers else ():
            self._powers[key] = GraphVariable(self._first_power(key), trainable=False, name=_power_name(key))
        scope = graph.variable_scope
        prefix = f"{scope.name}/" if scope is not None and scope.name else ""
        for variable in variables if self.slot_names else ():
            if variable in self._slots:
                continue
            size = variable._own
            assert size is not None
            with graph.name_scope(None):
                self._slots[variable] = tuple(
                    [
                        GraphVariable(
                            np.full(size.shape, start, size.dtype),
                            trainable=False,
                            name=f"{prefix}{variable.op.name}/{self._name}",
                        )
                        for start in self._starting()
                    ]
                )

    def _starting(self) -> tuple[float, ...]:
        return self.starts

    def _first_power(self, key: str) -> Any:
        """Returns the number itself, in single precision unless it is a tensor."""
        value = self.given_numbers[key]
        value = (
            value() if callable(value) and not isinstance(value, SymbolicTensor | Tensor | Cell) else value
        )
        return np.float32(value) if isinstance(value, int | float) else value

    def in_session(self, session: Any) -> Any:
        """Returns the optimizer that applies the rule in a session."""
        found = session.optimizers.get(self)
        if found is None:
            found = session.optimizers[self] = self._made()
        return found


def _as_tensor_would(value: Any) -> Any:
    """Returns a Python number rounded as in TensorFlow's tensor, independent of the variables' dtypes."""
    return float(np.float32(value)) if isinstance(value, int | float) else value


def _power_name(key: str) -> str:
    """Returns the name of the variable that keeps a power: beta1_power of beta_1."""
    return f"{key.replace('_', '')}_power"


def _key(variable: Any) -> Any:
    """Returns the key of a variable's state."""
    return variable._uid if isinstance(variable, ResourceVariable) else variable


def _differentiated_now(loss: Any, var_list: Any, grad_loss: Any) -> list[tuple[Any, Any]]:
    """Returns (gradient or None, variable) of a loss that a function computes."""
    if not callable(loss):
        raise RuntimeError(
            "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is "
            "enabled."
        )
    tape: Any = GradientTape()
    with tape:
        if var_list is not None:
            tape.watch(listed(var_list))
        value = loss()
    variables = list(tape.watched_variables()) if var_list is None else listed(var_list)
    if not variables:
        raise ValueError("No variables to optimize.")
    return list(zip(tape.gradient(value, variables, output_gradients=grad_loss), variables, strict=True))


def apply_kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> None:
    """Applies the gradients that an operation was given to the variables of a session."""
    details, session = operation.details, runner.session
    if session.trial:
        # Assigned values have no history, so an update does not affect which gradients exist.
        return
    optimizer: Optimizer = details["optimizer"]
    updates = optimizer.in_session(session)
    for key, value in details["numbers"].items():
        value = runner.values[value] if isinstance(value, SymbolicTensor) else float(value)
        setattr(updates, key, value)
    powers = {key: runner.cell(one, operation) for key, one in optimizer._powers.items()}
    for key, power in powers.items():
        if getattr(updates, f"{key}_power") is not power:
            setattr(updates, f"{key}_power", power)
    pairs = []
    for gradient, variable in details["pairs"]:
        cell = runner.cell(variable, operation)
        pairs.append((runner.values[gradient], cell))
        slots = optimizer._slots.get(variable)
        if slots is not None:
            updates._adopt(cell, [runner.cell(one, operation) for one in slots])
    call_at(operation.code, updates.apply_gradients, (pairs,), {})
    for key, power in powers.items():
        following = call_at(operation.code, operator.mul, (power, getattr(updates, key)), {})
        call_at(operation.code, power.assign, (following,), {})
    for key, value in details["numbers"].items():
        if isinstance(value, SymbolicTensor):
            # It belonged to this replay: the captured program computes it again.
            setattr(updates, key, 0.0)
    if details["global_step"] is not None:
        step = runner.cell(details["global_step"], operation)
        call_at(operation.code, step.assign_add, (1,), {})


@named("tf.compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """variable - learning_rate * gradient.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.Variable(0.0)
    ...     train = tf.train.GradientDescentOptimizer(0.1).minimize((x - 2.0) ** 2)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(train)
    ...     print(session.run(x))
    0.4
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(Descent(), {"learning_rate": learning_rate}, name)


@named("tf.compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """Descent along an accumulated gradient; the rate is applied outside the accumulation."""

    slot_names, starts = ("momentum",), (0.0,)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            Accumulated(use_nesterov), {"learning_rate": learning_rate, "momentum": momentum}, name
        )


@named("tf.compat.v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """Adam, with epsilon added to the uncorrected root (the paper's epsilon-hat)."""

    slot_names, starts = ("m", "v"), (0.0, 0.0)
    powered = ("beta_1", "beta_2")
    lazy = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        numbers = {"learning_rate": learning_rate, "beta_1": beta1, "beta_2": beta2, "epsilon": epsilon}
        super().__init__(KernelMoments(), numbers, name)


@named("tf.compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(Optimizer):
    """Adagrad: each element's rate falls with the sum of its squared gradients."""

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ArgumentError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}", site=here()
            )
        self._start = initial_accumulator_value
        super().__init__(SummedSquares(), {"learning_rate": learning_rate}, name)

    def _starting(self) -> tuple[float, ...]:
        return (self._start,)


@named("tf.compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer):
    """RMSProp: each element's rate falls with the mean of its squared gradients, less that mean squared.

    The second part belongs to `centered`. `use_locking` does nothing: one thread writes.
    """

    slot_names: tuple[str, ...] = ("rms", "momentum")
    starts: tuple[float, ...] = (1.0, 0.0)

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        if centered:
            self.slot_names, self.starts = ("rms", "momentum", "mg"), (1.0, 0.0, 0.0)
        numbers = {
            "learning_rate": learning_rate,
            "momentum": momentum,
            "epsilon": epsilon,
            "rest": float(np.float32(1.0) - np.float32(decay)) if isinstance(decay, float) else 1.0 - decay,
        }
        super().__init__(MeanSquares(centered), numbers, name)
