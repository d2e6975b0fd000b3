"""Writes the code of a loop as _row_loops.c reads it: docs/decisions/0068."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.ops.row_reading import Columns, Instruction, RowLoop

# In the order of _row_loops.c.
NAMES = (
    "copy", "matmul", "spread", "where", "add", "subtract", "multiply", "divide", "maximum", "minimum",
    "negative", "square", "sqrt", "exp", "sigmoid", "logistic", "tanh", "relu", "abs",
    "sum", "zeros", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip
_CODE = {name: number for number, name in enumerate(NAMES)}
_OWN, _PASSING = -1, -2
_ITEM, _LINE = 4, 64


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value is: see _row_loops.c."""

    buffer: int
    offset: int
    row: int
    turn: int = 0

    def moved(self, size: int) -> _Place:
        """Returns the place this number of bytes further in each row."""
        if self.buffer == _OWN:
            return _Place(_OWN, self.offset, self.row, self.turn + size)
        return _Place(self.buffer, self.offset + size, self.row, self.turn)

    @property
    def words(self) -> tuple[int, int, int, int]:
        """Returns its numbers in the order of _row_loops.c."""
        return self.buffer, self.offset, self.row, self.turn


_NOWHERE = (0, 0, 0, 0)


class RowCode:
    """The code of a loop: what its turns do, and where in memory.

    `arguments` has the sources of the arguments, and `results` the widths of the results: first the values
    `carried`, each with its number, then the stacks. `given` are the stacks that the loop is given.
    """

    def __init__(
        self, loop: RowLoop, carried: dict[int, int], packed_length: Callable[[int, int], int]
    ) -> None:
        self.loop, self.packed_length = loop, packed_length
        self.carried = {j: place for place, j in enumerate(carried)}
        # The function copies the carried values from the first arguments into the first results.
        self.arguments: dict[Any, int] = {("carried", j): place for j, place in self.carried.items()}
        self.results = list(carried.values())
        self.given = {("stack", number) for number in loop.stacks}
        self.instructions: list[Instruction] = []
        self.stacks: dict[Hashable, int] = {}
        self.within: dict[Hashable, tuple[Columns, int]] = {}
        """By the part of a concatenation: the whole, and how many bytes of its row are before the part."""
        for whole, parts in loop.parts.items():
            before = 0
            for part in parts:
                self.within[part.base] = whole, before
                before += part.width * _ITEM
        self.own = self.passing = self.packed = 0
        self.homes: dict[Hashable, _Place] = {}
        self.matrices: dict[int, int] = {}

    def stack(self, columns: Columns) -> int:
        """Returns the result that stacks these columns of every turn."""
        base = columns.base
        made = columns in self.loop.parts or any(one.made == columns for one in self.instructions)
        if not made or base in self.within:
            base = "stacked", columns
            if base not in self.stacks:
                self.instructions.append(Instruction("copy", Columns(base, 0, columns.width), (columns,)))
        if base not in self.stacks:
            self.stacks[base] = len(self.results)
            self.results.append(columns.width)
        return self.stacks[base]

    def carry_on(self) -> None:
        """Ends the turn: copies the values for the next turn to where it reads them."""
        updates = []
        for j in self.carried:
            final = self.loop.finals[j]
            assert final is not None
            own = Columns(("carried", j), 0, final.width)
            if final == own:
                continue
            if isinstance(final.base, tuple) and final.base[0] == "carried":
                # It must be read before it is overwritten.
                kept = Columns(("kept", j), 0, final.width)
                self.instructions.append(Instruction("copy", kept, (final,)))
                final = kept
            updates.append(Instruction("copy", own, (final,)))
        self.instructions += updates

    def words(self, turns: int, backwards: bool) -> Any:
        """Returns the code as the function reads it."""
        self.arrange()
        code = [word for one in self.instructions for word in self.of(one)]
        counts = len(self.instructions), len(self.carried)
        sizes = self.own, self.passing, self.packed
        return np.array([turns, backwards, self.loop.rows, *counts, *sizes, *code], np.int64)

    def arrange(self) -> None:
        """Finds a place for each value that an instruction makes."""
        segment = 0
        made: dict[Hashable, int] = {}
        used: dict[Hashable, int] = {}
        for one in self.instructions:
            # Products are between two segments; what one of them reads or makes is kept for all rows.
            segment += 2 * (one.name == "matmul")
            here = segment - (one.name == "matmul")
            made[one.made.base] = here
            for given in one.given:
                used[given.base] = here
                if isinstance(given.base, tuple) and given.base[0] in ("stack", "fixed"):
                    self.argument(given.base)
            if one.name == "matmul":
                self.argument(("matrix", one.matrix))
        wholes = {one.base for one in self.loop.parts}
        for value in [*self.loop.parts, *(one.made for one in self.instructions)]:
            # Rows of truths are filled up, so that numbers after them are where the processor wants them.
            base, size = value.base, -(-value.width * value.dtype.itemsize // _ITEM) * _ITEM
            if base in self.stacks:
                self.homes[base] = self.result(self.stacks[base], stacked=True)
            elif isinstance(base, tuple) and base[0] == "carried":
                self.homes[base] = self.result(self.carried[base[1]])
            elif base in self.within:
                whole, before = self.within[base]
                self.homes[base] = self.homes[whole.base].moved(before)
            elif base in wholes or made[base] % 2 or used.get(base, made[base]) != made[base]:
                self.homes[base] = _Place(_OWN, self.own, size)
                self.own += size
            else:
                self.homes[base] = _Place(_PASSING, self.passing, 0)
                self.passing += -(-size // _LINE) * _LINE
        for j, place in self.carried.items():
            self.homes.setdefault(("carried", j), self.result(place))

    def argument(self, source: Any) -> int:
        """Returns the number of an argument."""
        return self.arguments.setdefault(source, len(self.arguments))

    def result(self, number: int, stacked: bool = False) -> _Place:
        """Returns the place of a result."""
        row = self.results[number] * _ITEM
        return _Place(len(self.arguments) + number, 0, row, self.loop.rows * row * stacked)

    def place(self, columns: Columns) -> _Place:
        """Returns the place of the operand of an instruction."""
        base: Any = columns.base
        size = columns.dtype.itemsize
        if base in self.homes:
            return self.homes[base].moved(columns.start * size)
        kind, number, *rest = base
        if kind == "stack":
            row = self.loop.stacks[number].width * size
            return _Place(self.arguments[base], columns.start * size, row, self.loop.rows * row)
        width, each = rest
        return _Place(self.arguments[base], columns.start * size, width * size * each)

    def of(self, one: Instruction) -> list[int]:
        """Returns the words of an instruction."""
        places = [self.place(given).words for given in one.given]
        inner = flag = 0
        if one.name == "matmul":
            inner, matrix = one.given[0].width, self.arguments["matrix", one.matrix]
            places.append((matrix, 0, 0, 0))
            if one.matrix not in self.matrices:
                self.matrices[one.matrix] = self.packed
                self.packed += self.packed_length(inner, one.made.width)
            flag = self.matrices[one.matrix]
        elif one.name == "sum":
            inner = one.given[0].width
        elif one.name == "where":
            flag = int(one.given[0].width == 1)
        places += [_NOWHERE] * (3 - len(places))
        made = self.homes[one.made.base].words
        return [
            _CODE[one.name],
            one.made.width,
            inner,
            flag,
            *made,
            *(word for one in places for word in one),
        ]
