"""Finds the loops whose rows do not depend on each other: docs/decisions/0068.

In such a loop each row of the carried values is computed from the same row before, from the same row of the
stacks, and from values that stay. Recurrent layers are such loops, and so are their gradients, whichever
vocabulary recorded them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penstock.trace.spec import OpenSpec, Spec

SINGLE, CONDITION = np.dtype(np.float32), np.dtype(np.bool_)
ELEMENTWISE = frozenset(
    ("abs", "add", "divide", "exp", "logistic", "maximum", "minimum", "multiply", "negative", "relu",
     "sigmoid", "sqrt", "square", "subtract", "tanh", "where")
)  # fmt: skip
COMPARISONS = frozenset(("equal", "greater", "greater_equal", "less", "less_equal", "not_equal"))
PASSED = frozenset(("broadcast_to", "cast", "identity", "reshape", "stop_gradient"))
"""Operations that may leave their operand as it is."""
LINEAR = frozenset(("add", "concat", "negative", "reshape", "transpose"))
"""Operations that may follow a sum over the rows before it is added to a carried value."""


class Unfit(Exception):
    """An operation that is not computed row by row."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the rows of a value: `width` of them from `start`.

    `base` is the number of the operation that made it, or ("carried", j), ("stack", j) or ("fixed", number,
    width, whether each row has its own).
    """

    base: Any
    start: int
    width: int
    dtype: np.dtype[Any] = SINGLE


@dataclass(slots=True)
class Instruction:
    """An operation on rows: the columns `made` from the columns `given`, and a product's `matrix`."""

    name: str
    made: Columns
    given: tuple[Columns, ...]
    matrix: int = -1


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of `right` over the rows, or of its products with `left`: one sum for all turns together."""

    left: Columns | None
    right: Columns
    shape: tuple[int, ...]

    @property
    def all(self) -> bool:
        """Whether it is a sum over the columns, too."""
        return self.left is None and math.prod(self.shape) != self.right.width


@dataclass(slots=True)
class RowLoop:
    """The work of each turn on the rows, and what is done after the loop.

    `parts` are the values that a concatenation consists of, each of which is in no other; `stacks` are the
    stacks, by their number; `finals` and `others` are the columns of the outputs, with None for a carried
    value that is a sum over the rows. `totals` has, by that carried value, the term of each turn,
    which is computed from `sums` over the rows.
    """

    rows: int
    instructions: list[Instruction] = field(default_factory=list)
    parts: dict[Columns, list[Columns]] = field(default_factory=dict)
    stacks: dict[int, Columns] = field(default_factory=dict)
    finals: list[Columns | None] = field(default_factory=list)
    others: list[Columns] = field(default_factory=list)
    totals: dict[int, int] = field(default_factory=dict)
    sums: dict[int, Sum] = field(default_factory=dict)

    @property
    def stacked(self) -> dict[Columns, None]:
        """The columns whose sums over the rows are wanted."""
        pairs = [(one.left, one.right) for one in self.sums.values()]
        return dict.fromkeys(one for pair in pairs for one in pair if one is not None)


def row_loop(body: Any, constants: int, carried: int) -> RowLoop | None:
    """Returns how the rows of a loop are computed, or None if they depend on each other."""
    key = row_loop, constants, carried
    if key not in body.facts:
        body.facts[key] = _found(body, constants, carried)
    found: RowLoop | None = body.facts[key]
    return found


def _found(body: Any, constants: int, carried: int) -> RowLoop | None:
    program = body.program
    specs = program.every_spec
    if any(type(one) is OpenSpec for one in specs) or any(step.guarded for step in program.steps):
        return None
    # A sum that is carried has another first axis, unless by chance; the first one that works is right.
    lengths = [one.shape[0] for one in body.output_specs[:carried] if one.ndim == 2]
    for rows in dict.fromkeys(lengths):
        try:
            return _Reader(body, specs, constants, carried, rows).read()
        except Unfit:
            continue
    return None


class _Reader:
    """Reads a body from its inputs to its outputs. Values are given by their numbers in its program."""

    def __init__(self, body: Any, specs: list[Spec], constants: int, carried: int, rows: int) -> None:
        self.program, self.specs, self.carried = body.program, specs, carried
        self.count = len(self.program.specs)
        self.first = self.count + len(self.program.constants)
        self.loop = RowLoop(rows)
        self.columns: dict[int, Columns] = {}
        self.turned: dict[int, Columns] = {}
        self.summed: set[int] = set()
        self.within: set[Columns] = set()
        self.readers = Counter(number for step in self.program.steps for number in step.inputs)
        self.fixed = set(range(self.count, self.first))
        self.states: dict[int, int] = {}
        for number, place in enumerate(body.taken):
            spec = specs[number]
            if place < constants:
                self.fixed.add(number)
            elif place < constants + carried:
                self.states[number] = place - constants
                if self.is_row(spec):
                    self.columns[number] = Columns(("carried", place - constants), 0, spec.shape[1])
            elif spec.shape[:1] == (rows,) and spec.ndim <= 2 and spec.dtype in (SINGLE, CONDITION):
                width, stack = spec.shape[1] if spec.ndim == 2 else 1, place - constants - carried
                whole = Columns(("stack", stack), 0, width, spec.dtype)
                self.columns[number] = self.loop.stacks[stack] = whole

    def is_row(self, spec: Spec) -> bool:
        """Returns whether a value has a row of float32 for each row of the loop."""
        return spec.ndim == 2 and spec.shape[0] == self.loop.rows and spec.dtype == SINGLE and spec.size > 0

    def read(self) -> RowLoop:
        """Returns the loop; raises Unfit if its rows depend on each other."""
        outputs = self.program.outputs
        for place, step in enumerate(self.program.steps):
            self.take(self.first + place, step, outputs)
        loop = self.loop
        if not any(one.name == "matmul" for one in loop.instructions):
            # XLA makes a single kernel of what remains.
            raise Unfit
        for place, number in enumerate(outputs):
            if place < self.carried and place in loop.totals:
                loop.finals.append(None)
            else:
                (loop.finals if place < self.carried else loop.others).append(self.row(number))
        for number, state in self.states.items():
            if state not in loop.totals and number not in self.columns:
                raise Unfit
        return loop

    def row(self, number: int) -> Columns:
        """Returns the columns of a value with two axes."""
        if number not in self.columns or not self.is_row(self.specs[number]):
            raise Unfit
        return self.columns[number]

    def take(self, number: int, step: Any, outputs: Sequence[int]) -> None:
        """Decides what a step is."""
        name, inputs, spec = step.primitive.name, step.inputs, step.spec
        if step.primitive.many:
            raise Unfit
        if all(one in self.fixed for one in inputs):
            self.fixed.add(number)
        elif any(one in self.summed for one in inputs):
            self.after(number, step, outputs)
        elif name == "transpose":
            if step.params["axes"] != (1, 0):
                raise Unfit
            self.turned[number] = self.row(inputs[0])
        elif name == "sum" and step.params["axes"] in ((0,), (0, 1)):
            self.sum(number, None, self.row(inputs[0]), spec)
        elif name == "sum" and step.params["axes"] == (1,) and spec.dtype == SINGLE:
            self.made(number, "sum", (self.row(inputs[0]),))
        elif name == "matmul" and inputs[0] in self.turned:
            self.sum(number, self.turned[inputs[0]], self.row(inputs[1]), spec)
        elif name == "matmul":
            given = self.row(inputs[0])
            matrix = self.specs[inputs[1]]
            if inputs[1] not in self.fixed or matrix.ndim != 2 or matrix.dtype != SINGLE:
                raise Unfit
            self.made(number, "matmul", (given,), inputs[1])
        elif name == "slice":
            self.columns[number] = self.part(self.row(inputs[0]), step.params["window"])
        elif name == "concat":
            if step.params["axis"] != 1 or not self.is_row(spec):
                raise Unfit
            whole = self.columns[number] = Columns(number, 0, spec.shape[1])
            self.loop.parts[whole] = [
                self.placed(number, place, self.operand(one, self.specs[one].shape[1]))
                for place, one in enumerate(inputs)
            ]
        elif name == "unslice":
            self.columns[number] = self.padded(number, self.row(inputs[0]), step.params["window"])
        elif name in PASSED:
            self.columns[number] = self.passed(inputs[0], spec)
        elif name in ELEMENTWISE or name in COMPARISONS:
            if spec.ndim != 2:
                raise Unfit
            width, choice = spec.shape[1], name == "where"
            operands = [self.operand(one, width, choice and i == 0) for i, one in enumerate(inputs)]
            self.made(number, name, tuple(operands))
        else:
            raise Unfit

    def made(self, number: int, name: str, given: tuple[Columns, ...], matrix: int = -1) -> None:
        """Adds an instruction."""
        spec = self.specs[number]
        # A sum over the columns may leave no axis for them.
        width = spec.shape[1] if spec.ndim == 2 else 1
        if spec.shape[0] != self.loop.rows or not spec.size:
            raise Unfit
        if spec.dtype != (CONDITION if name in COMPARISONS else SINGLE):
            raise Unfit
        made = self.columns[number] = Columns(number, 0, width, spec.dtype)
        self.loop.instructions.append(Instruction(name, made, given, matrix))

    def placed(self, whole: int, place: int, given: Columns) -> Columns:
        """Returns the value that is a part of a concatenation: a copy, if it is something else already."""
        if given not in self.within and any(one.made == given for one in self.loop.instructions):
            self.within.add(given)
            return given
        return self.part_made("copy", whole, place, given.width, given)

    def part_made(self, name: str, whole: int, place: int, width: int, *given: Columns) -> Columns:
        """Adds an instruction that makes a part of a whole."""
        made = Columns(("part", whole, place), 0, width)
        self.loop.instructions.append(Instruction(name, made, given))
        return made

    def padded(self, number: int, given: Columns, window: Any) -> Columns:
        """Returns columns with zeros on both sides, the gradient of a slice."""
        whole = Columns(number, 0, self.specs[number].shape[1])
        if not self.is_row(self.specs[number]):
            raise Unfit
        start, stop = self.bounds(window)
        sides = [
            self.part_made("zeros", number, place, width)
            for place, width in ((0, start), (2, whole.width - stop))
            if width
        ]
        middle = self.placed(number, 1, given)
        self.loop.parts[whole] = [*sides[: bool(start)], middle, *sides[bool(start) :]]
        return whole

    def sum(self, number: int, left: Columns | None, right: Columns, spec: Spec) -> None:
        """Adds a sum over the rows."""
        self.loop.sums[number] = Sum(left, right, spec.shape)
        self.summed.add(number)

    def after(self, number: int, step: Any, outputs: Sequence[int]) -> None:
        """Takes a step that follows a sum: an addition to a carried value is the last of them."""
        name, inputs = step.primitive.name, step.inputs
        if name not in LINEAR:
            raise Unfit
        if all(one in self.summed for one in inputs):
            self.summed.add(number)
            return
        other = [one for one in inputs if one not in self.summed]
        state = self.states.get(other[0], -1)
        alone = self.readers[other[0]] == 1 and self.readers[number] == 0 and outputs.count(number) == 1
        same = len(other) == 1 and len(inputs) == 2 and self.specs[other[0]] == step.spec
        if name != "add" or not alone or not same or state < 0 or outputs[state] != number:
            raise Unfit
        (self.loop.totals[state],) = (one for one in inputs if one in self.summed)

    def part(self, whole: Columns, window: Any) -> Columns:
        """Returns a slice of columns."""
        start, stop = self.bounds(window)
        return Columns(whole.base, whole.start + start, stop - start, whole.dtype)

    def bounds(self, window: Any) -> tuple[int, int]:
        """Returns the first column of a window of all rows, and the one after the last."""
        rows, (start, stop, by) = window
        if tuple(rows) != (0, self.loop.rows, 1) or by != 1:
            raise Unfit
        return start, stop

    def passed(self, number: int, spec: Spec) -> Columns:
        """Returns the columns of a value that is passed on, or given a row's axis."""
        columns, before = self.columns.get(number), self.specs[number]
        if columns is None or spec.dtype != before.dtype or spec.ndim != 2 or spec.shape[0] != self.loop.rows:
            raise Unfit
        if before.shape not in (spec.shape, spec.shape[:1]) or spec.shape[1] != columns.width:
            if before.shape != (self.loop.rows, 1):
                raise Unfit
            return self.widened(columns, spec.shape[1])
        return columns

    def operand(self, number: int, width: int, condition: bool = False) -> Columns:
        """Returns the columns of an operand of an operation on rows of this width."""
        spec, rows = self.specs[number], self.loop.rows
        if spec.dtype != (CONDITION if condition else SINGLE):
            raise Unfit
        if number in self.fixed:
            if spec.ndim > 2:
                raise Unfit
            each = spec.ndim == 2 and spec.shape[0] == rows
            return Columns(("fixed", number, width, each), 0, width, spec.dtype)
        columns = self.columns.get(number)
        if columns is None or spec.ndim != 2:
            raise Unfit
        return columns if condition or columns.width == width else self.widened(columns, width)

    def widened(self, columns: Columns, width: int) -> Columns:
        """Returns a row's one element at each of `width` places."""
        if columns.width != 1 or columns.dtype != SINGLE:
            raise Unfit
        made = Columns(("spread", columns, width), 0, width)
        if made.base not in {one.made.base for one in self.loop.instructions}:
            self.loop.instructions.append(Instruction("spread", made, (columns,)))
        return made
