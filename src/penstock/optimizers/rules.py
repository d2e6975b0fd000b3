"""Update rules: each is two pure functions of a gradient, a value and its state."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from penstock.grad.rows import Rows
from penstock.ops.index import add_rows
from penstock.ops.pointwise import absolute, power, square
from penstock.ops.products import has_products, power_by_products
from penstock.trace.spec import Shape, Spec
from penstock.trace.tensor import Tensor

WIDE = np.dtype(np.float64)
SINGLE = np.dtype(np.float32)


class Numbers:
    """The hyper-parameters of one update, each a tensor of no dimensions in the dtype of the computation.

    `find(name, dtype)` gives a number as a tensor, `known(name)` its value if it is part of the program, and
    `constant(value, dtype)` makes one. `step` is the number of this update, from 1, as int64; None for a rule
    that does not count. Terms that are sensitive to rounding (1 - beta, beta to a power) are computed in
    double precision and rounded once; with `rounded`, beta and its power are rounded first, as Keras does.
    With `multiplied`, 1 - beta is taken of the rounded beta, and the power is the product of as many factors
    in single precision, each product rounded, as Paddle keeps it.
    """

    def __init__(
        self,
        dtype: np.dtype[Any],
        find: Callable[[str, Any], Tensor],
        known: Callable[[str], float | None],
        constant: Callable[[float, Any], Tensor],
        step: Tensor | None,
        rounded: bool = False,
        multiplied: bool = False,
    ) -> None:
        self.dtype, self._step, self._rounded = dtype, step, rounded
        self._multiplied = multiplied and dtype == SINGLE
        self._find, self._known, self._constant = find, known, constant
        self._found: dict[Any, Tensor] = {}
        self._by_row: tuple[Tensor, Tensor] | None = None

    def __getitem__(self, name: str) -> Tensor:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._find(name, self.dtype)
        return found

    def wide(self, name: str) -> Tensor:
        """Returns a number in double precision."""
        return self._find(name, WIDE)

    @property
    def wide_step(self) -> Tensor:
        """The number of this update, from 1, in double precision."""
        assert self._step is not None, "a rule that reads the step has to say that it counts"
        return self._step.astype(WIDE)

    def narrow(self, wide: Tensor) -> Tensor:
        """Converts a number from double precision to the dtype of the computation."""
        return wide if self.dtype == WIDE else wide.astype(self.dtype)

    def rest(self, name: str) -> Tensor:
        """Returns 1 - number: the weight of the new term in a moving average."""
        if self._multiplied:
            return 1.0 - self[name]
        key = ("rest", name)
        if key not in self._found:
            value = self._known(name)
            self._found[key] = (
                self.narrow(1.0 - self.wide(name))
                if value is None
                else self._constant(1.0 - value, self.dtype)
            )
        return self._found[key]

    def rest_in_dtype(self, name: str) -> Tensor:
        """Returns `rest`; with `rounded`, that of the rounded number, as some of Keras' optimizers do."""
        return 1.0 - self[name] if self._rounded else self.rest(name)

    def correction(self, name: str, ahead: int = 0) -> Tensor:
        """Returns 1 - number ** step: the bias correction of a moving average that started at zero.

        With `ahead`, it is that of as many updates more.
        """
        key = ("correction", name, ahead)
        if key not in self._found:
            if self._rounded:
                self._found[key] = 1.0 - self._power(name, ahead)
            else:
                self._found[key] = self.narrow(1.0 - power(self.wide(name), self._wide_steps(ahead)))
        return self._found[key]

    def wide_correction(self, name: str) -> Tensor:
        """Returns `correction` in double precision; with `multiplied`, as exact as single precision is."""
        if self._multiplied:
            return self.correction(name).astype(WIDE)
        return 1.0 - power(self.wide(name), self.wide_step)

    def _wide_steps(self, ahead: int) -> Tensor:
        return self.wide_step + float(ahead) if ahead else self.wide_step

    def _power(self, name: str, ahead: int) -> Tensor:
        """Returns the rounded number to the power of the step, rounded."""
        value = self._known(name)
        if self._multiplied and value is not None and has_products(value):
            assert self._step is not None
            return power_by_products(self._step + ahead if ahead else self._step, base=value)
        base = self[name] if self.dtype == WIDE else self[name].astype(WIDE)
        return self.narrow(power(base, self._wide_steps(ahead)))

    def of_rows(self, squares: Tensor, sizes: Tensor) -> Self:
        """Returns these numbers for a row gradient with these sums of squares and of sizes."""
        own = copy(self)
        own._by_row = squares, sizes
        return own

    def square(self, gradient: Tensor) -> Tensor:
        """Returns the square of the gradient of this update."""
        return square(gradient) if self._by_row is None else self._by_row[0]

    def square_of_step(self, step: Tensor, scale: Tensor) -> Tensor:
        """Returns the square of a step, which is the gradient of this update times `scale`."""
        return square(step) if self._by_row is None else self._by_row[0] * square(scale)

    def absolute(self, gradient: Tensor) -> Tensor:
        """Returns the size of each element of the gradient of this update."""
        return absolute(gradient) if self._by_row is None else self._by_row[1]


class Slot(NamedTuple):
    """One piece of a rule's state for a variable: name, shape (None: that of the variable), start value.

    A slot of the variable's shape is kept row by row where gradients are rows.
    """

    name: str
    shape: Shape | None = None
    start: float = 0.0


class Update(NamedTuple):
    """The result of a rule: the new value and the new state, in the order of its slots."""

    value: Tensor
    state: tuple[Tensor, ...]


class Shares(NamedTuple):
    """An update split by cause: the shares of the given gradient, of earlier ones, and of weight decay.

    `of_gradient` is linear: it gives the share of any other gradient in place of the given one, all else
    being equal.
    """

    of_gradient: Callable[[Tensor], Tensor]
    momentum: Tensor | None = None
    decay: Tensor | None = None


class Rule:
    """One update rule. It consists of numbers and tensors only, and owns no state.

    `numbers` names the hyper-parameters it reads, and `counts` says whether it reads the number of the
    update. `rowwise` says that a row whose gradient is zero stays exactly as it is, state included, so that
    row gradients need not be made dense; `separable` that each row is updated without looking at the others,
    so that rows may be updated alone on request. `decays` marks a rule that applies weight decay itself, and
    `complex` one that also updates complex numbers.
    """

    numbers: tuple[str, ...] = ("learning_rate",)
    counts = False
    rowwise = False
    separable = True
    decays = False
    complex = False
    decay_number: ClassVar[str] = "weight_decay"

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the slots for the state of a variable of this shape and dtype."""
        return ()

    def move(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Update:
        """Returns the new value and state."""
        raise NotImplementedError

    def shares(self, value: Tensor, gradient: Tensor, state: tuple[Tensor, ...], numbers: Numbers) -> Shares:
        """Returns the same change as a sum of named parts; see `Shares`."""
        raise NotImplementedError

    def move_rows(self, value: Tensor, gradient: Rows, numbers: Numbers) -> Tensor | None:
        """Returns the new table if the update only adds to its rows, otherwise None."""
        return None

    def key(self) -> Any:
        """Returns what distinguishes this rule from others of its class, as a hashable value."""
        return ()


def averaged(average: Tensor, new: Tensor, rest: Tensor) -> Tensor:
    """Returns a moving average after one more value of weight `rest`."""
    return average + (new - average) * rest


def add_to_rows(value: Tensor, gradient: Rows, rate: Tensor) -> Tensor:
    """Returns a table after descent along a row gradient; rows that occur more than once add up."""
    return add_rows(value, gradient.indices, -(gradient.values * rate))
