"""Trying a function on tensors without values, to find the shapes, dtypes and lengths of its result.

Nothing is computed. Lengths may be unknown: see `penstock.trace.lengths`.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import CaptureError, PenstockError
from penstock.functions import keys as _keys
from penstock.ops.table import cast
from penstock.state.variable import read
from penstock.trace.leaf import Constant, Leaf, TensorArgument
from penstock.trace.lengths import LengthError, alike, explore, is_symbolic, names_in, unknown, value
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here, is_library, site_of, user_frame
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.structure import mapped
from penstock.trace.tensor import Cell, Tensor, concrete, held
from penstock.trace.tree import Node, tree

SMALL = 4096
"""The most elements of a value that is known while a function is tried out, if only lengths decide it."""


GUESSED = 65_536
"""The most elements of a value that is made up: numbers in place of lengths may make any many."""
Guess = Callable[[Spec], Any]


class Scratch(Trace):
    """A separate trace, off the tree, in which nothing is ever computed or written.

    `numbers` says that unknown lengths are replaced by numbers in it: nothing permanent may be created from
    those. `guess` invents values for a spec, for functions that read some. `written` are the variables that
    would have been written.
    """

    __slots__ = ("guess", "numbers", "outer", "source", "written")

    def __init__(self, numbers: bool = False, guess: Guess | None = None) -> None:
        self.begin("graph")
        self.numbers, self.guess = numbers, guess
        self.node = self.start = self.checkpoint = Node(None, None)
        self.outer, self.source = local.trace, _keys.source()
        self.written: list[Cell] = []

    def look(self, slot: int, how: str, frame: FrameType) -> None:
        """Provides a value that depends only on lengths and data; raises CaptureError for any other."""
        found = folded(self, slot)
        for one in self.handles:
            if one._slot == slot:
                if found is None and self.guess is not None and one._spec.size <= GUESSED:
                    found = self.guess(one._spec)
                one._value = found
        if found is None:
            raise CaptureError(
                f"{how} needs a value, but only shapes are known here.",
                site=site_of(frame if not is_library(frame.f_code) else user_frame(1)),
                why="The result of a layer or function is worked out before any values exist.",
                remedy="Use tensor operations: `where` to choose between values, `cond` to choose between "
                "programs.",
            )

    def assigned(self, variable: Cell, slot: int) -> None:
        """Notes the value that a variable would have."""
        self.current[variable._uid] = slot
        self.written.append(variable)


exact: ContextVar[bool] = ContextVar("exact", default=False)
"""Whether a recording off the tree will be computed, so that values matter and not only shapes."""


def shape_is_all(what: str, length: Any) -> bool:
    """Returns whether only the shapes of the present recording are needed.

    Raises LengthError if values are needed too, but `length`, which determines the program, is unknown.
    """
    if exact.get() and is_symbolic(length):
        raise LengthError(
            f"{what} is not known.",
            why="The program depends on it.",
            remedy="Give a number.",
            site=here(),
        )
    return not exact.get()


@contextlib.contextmanager
def scratch(
    numbers: bool = False, guess: Guess | None = None, kind: type[Scratch] = Scratch
) -> Iterator[Scratch]:
    """Records into a trace of this kind, which is thrown away."""
    count = tree.count
    made = kind(numbers, guess)
    local.trace = made
    try:
        with _keys.aside():
            yield made
    finally:
        local.trace, tree.count = made.outer, count


@contextlib.contextmanager
def aside() -> Iterator[bool]:
    """Leaves a scratch trace, if this is one, so that new variables are permanent; yields whether it is."""
    trace = local.trace
    if not isinstance(trace, Scratch):
        yield False
        return
    if trace.numbers:
        raise LengthError("The shape of a new variable depends on a length that is not known.")
    local.trace = trace.outer
    try:
        with _keys.taking_from(trace.source):
            yield True
    finally:
        local.trace = trace


def valueless(trace: Trace, one: Spec, kind: type[Tensor] = Tensor) -> Tensor:
    """Returns a tensor of this trace with only the spec known."""
    made = concrete(np.zeros((), one.dtype), kind)
    made._spec = one
    slot = trace.enter(made)
    trace.arguments[-1] = None
    made._trace, made._slot, made._value = trace, slot, None
    trace.handles.append(made)
    return made


def open_shape(shape: Sequence[Any], name: str = "", first: str = "") -> Shape:
    """Returns a shape with a name for each length that is None: of the value and the axis, or `first`."""
    labels = [f"{name}.shape[{axis}]" if name else "None" for axis in range(len(shape))]
    labels[:1] = [first or one for one in labels[:1]]
    return tuple([unknown(label) if n is None else n for label, n in zip(labels, shape, strict=True)])


def shown_shape(shape: Shape) -> tuple[Any, ...]:
    """Returns a shape with None for each length that is not known."""
    return tuple([None if is_symbolic(n) else n for n in shape])


class Place:
    """Stands for the i-th output in the structure that a function returns."""

    def __init__(self, number: int) -> None:
        self.number = number


Call = Callable[[list[Any]], Any]
Outcome = tuple[Any, Spec | None, Any]
"""The dtype of an output, its spec if that is known, and its value if that is."""
Found = tuple[Any, list[Outcome]]


def inferred(
    call: Call,
    specs: Sequence[Spec],
    values: Sequence[Any],
    kind: type[Tensor] = Tensor,
    foldable: bool = False,
) -> Found:
    """Returns the result of a call for operands of these specs: its structure of Places, and the output at
    each.

    With `foldable`, results computed only from known values are known too.
    """

    def attempt() -> Found:
        return _tried(call, specs, values, kind, foldable)

    open_lengths = any(is_symbolic(one.shape) for one in specs) or any(map(_holds_names, values))
    try:
        return explore(attempt, _reduced, _joined) if open_lengths else attempt()
    except Exception as error:
        if not open_lengths and not isinstance(error, CaptureError):
            raise
        failure = error
    if isinstance(failure, CaptureError) and not isinstance(failure, LengthError):
        found = _guessed(call, specs, values, kind, False)
        if found is not None:
            return found
    # What refuses a length may yet take a number.
    return _with_numbers(call, specs, values, kind, failure)


def _holds_names(known: Any) -> bool:
    return known is not None and known.dtype == object


def _reduced(result: Found, reduce: Callable[[Any], Any]) -> Found:
    """Returns a result with names replaced by the values found for them."""
    structure, found = result
    return structure, [
        (
            dtype,
            None if own is None else spec(tuple(map(reduce, own.shape)), own.dtype),
            _settled([reduce(one) for one in known.ravel()], known.shape, dtype)
            if _holds_names(known)
            else known,
        )
        for dtype, own, known in found
    ]


def _settled(values: list[Any], shape: Any, dtype: Any) -> Any:
    """Returns lengths as an array: of a dtype if all of them are known by now, otherwise of objects."""
    made = np.empty(len(values), object if is_symbolic(values) else dtype)
    made[:] = values
    return made.reshape(shape)


def _joined(result: Found, other: Found, same: Callable[[Any, Any], bool] = alike) -> Found:
    """Returns the common part of two results of one call, between which an unknown length decides."""
    structure, found = result
    if len(found) != len(other[1]):
        return result
    joined: list[Outcome] = []
    for (dtype, own, known), (_, others, other_known) in zip(found, other[1], strict=True):
        if own is None or others is None or own.ndim != others.ndim:
            joined.append((dtype, None, None))
            continue
        kept = [a if same(a, b) else unknown("None") for a, b in zip(own.shape, others.shape, strict=True)]
        if known is not None and (
            other_known is None
            or known.shape != other_known.shape
            or not all(map(same, known.ravel().tolist(), other_known.ravel().tolist()))
        ):
            known = None
        joined.append((dtype, spec(tuple(kept), own.dtype), known))
    return structure, joined


def _tried(
    call: Call,
    specs: Sequence[Spec],
    values: Sequence[Any],
    kind: type[Tensor],
    foldable: bool,
    numbers: bool = False,
    guess: Guess | None = None,
) -> Found:
    """Calls in a scratch trace; returns the structure, and the known facts of each tensor in it."""
    with scratch(numbers, guess) as trace:
        operands = [
            valueless(trace, own, kind) if one is None else held(one, own.dtype, kind)
            for own, one in zip(specs, values, strict=True)
        ]
        leaves: list[Any] = []
        structure = _places(call(operands), leaves)
        pending = [leaf._value is None for leaf in leaves]
    fold = foldable and all(one is not None for one in values)
    found = []
    for leaf, lazy in zip(leaves, pending, strict=True):
        known = None
        small = not is_symbolic(leaf._spec.shape) and leaf._spec.size <= SMALL
        if (not lazy or fold) and (small or (not values and not lazy)):
            known = leaf._value if not lazy else folded(trace, leaf._slot)
        found.append((leaf._spec.dtype, leaf._spec, known))
    return structure, found


_REFUSED = (PenstockError, ArithmeticError, LookupError, TypeError, ValueError)


def folded(trace: Trace, slot: int) -> Any:
    """Returns the value of a slot of a scratch trace, None if it depends on more than lengths and data."""
    program = list(trace.node.program())
    needed: set[int] = {slot}
    values: dict[int, Any] = {}
    for call in reversed(program):
        if call.slot in needed:
            needed.update(call.inputs)
    for call in program:
        if call.slot not in needed:
            continue
        leaf = call.primitive
        if isinstance(leaf, TensorArgument):
            made = trace.arguments[leaf.position]
        elif isinstance(leaf, Constant):
            made = leaf.value
        elif isinstance(leaf, Leaf):
            return None
        else:
            given = [values[one] for one in call.inputs]
            made = None if any(one is None for one in given) else _computed(call, given)
        if made is None:
            return None
        values[call.slot] = made
    return values[slot]


def _computed(call: Any, given: Sequence[Any]) -> Any:
    """Returns the result of a primitive for data and lengths; None if it needs the values of lengths."""
    if call.primitive is cast and call.params["dtype"].kind in "iu" and given[0].dtype == object:
        return given[0]
    try:
        if call.primitive.guard is not None and call.primitive.guard(*given, **call.params):
            return None
        with np.errstate(all="ignore"):
            return np.asarray(call.primitive.numpy(*given, **call.params))
    except _REFUSED:
        return None


TRIALS = 64
"""How many numbers are tried in place of lengths if a function needs numbers."""


def _with_numbers(
    call: Call, specs: Sequence[Spec], values: Sequence[Any], kind: type[Tensor], failure: Exception
) -> Found:
    """Calls a function with numbers in place of lengths, and with values if it reads some.

    Facts that agree for several numbers are known; numbers that the function refuses do not count. No message
    names such a number.
    """
    named = names_in([list(one.shape) for one in specs])
    named |= names_in([one for known in values if _holds_names(known) for one in known.ravel().tolist()])
    order = sorted(named, key=lambda name: (name.label, id(name)))
    result: Found | None = None
    for numbers in numbers_for(order, {n for one in specs for n in one.shape if type(n) is int}):
        plain = [spec(tuple(value(n, numbers) for n in one.shape), one.dtype) for one in specs]
        fixed = [
            None if one is None else _settled([value(n, numbers) for n in one.ravel()], one.shape, own.dtype)
            for one, own in zip(values, specs, strict=True)
        ]
        try:
            found = _tried(call, plain, fixed, kind, False, bool(order))
        except CaptureError:
            guessed = _guessed(call, plain, fixed, kind, bool(order))
            if guessed is None:
                continue
            found = guessed
        except Exception:
            continue
        if result is None:
            result = found
        elif len(result[1]) != len(found[1]):
            # The number of tensors depends on a length.
            raise failure
        else:
            return _joined(result, found, alike)
    if result is not None and not order:
        return result
    if result is not None:
        return _joined(result, _opened(result), alike)
    if isinstance(failure, LengthError):
        raise LengthError(failure.fact, why=failure.why, remedy=failure.remedy, site=here()) from None
    raise failure


def numbers_for(names: Sequence[Any], known: set[int]) -> Iterator[dict[Any, int]]:
    """Yields numbers for names: long ones at first, then those that occur among the lengths."""
    if not names:
        yield {}
        return
    for first, step in ((24, 12), (48, 24), (48, 12), (720, 360)):
        yield {name: first + i * step for i, name in enumerate(names)}
    choices = sorted({1, *known})
    for combination in itertools.islice(itertools.product((24, *choices), repeat=len(names)), TRIALS):
        yield dict(zip(names, combination, strict=True))


def _opened(result: Found) -> Found:
    """Returns a result without any known length."""
    structure, found = result
    return structure, [
        (dtype, None if own is None else spec(open_shape([None] * own.ndim), dtype), None)
        for dtype, own, _ in found
    ]


GUESSES: tuple[Guess, ...] = (
    lambda own: np.ones(own.shape, own.dtype),
    lambda own: np.zeros(own.shape, own.dtype),
    lambda own: np.arange(own.size).reshape(own.shape).astype(own.dtype),
)


def _guessed(
    call: Call, specs: Sequence[Spec], values: Sequence[Any], kind: type[Tensor], numbers: bool
) -> Found | None:
    """Calls a function that reads values with several guesses; returns the common result, or None."""
    found: list[Found] = []
    for guess in GUESSES:

        def attempt(guess: Guess = guess) -> Found:
            return _tried(call, specs, values, kind, False, numbers, guess)

        with contextlib.suppress(Exception):
            found.append(explore(attempt, _reduced, _joined))
    if not found or any(len(one[1]) != len(found[0][1]) for one in found):
        return None
    result = found[0] if len(found) > 1 else _opened(found[0])
    for one in found[1:]:
        result = _joined(result, one, alike)
    structure, leaves = result
    return structure, [(dtype, own, None) for dtype, own, _ in leaves]


def _places(result: Any, leaves: list[Any]) -> Any:
    """Returns a structure with a Place for each tensor, and adds the tensors to `leaves`."""

    def place(one: Any) -> Any:
        if hasattr(one, "_dense"):
            return _places(one._dense(), leaves)
        if not isinstance(one, Tensor | Cell):
            return one
        leaves.append(read(one) if isinstance(one, Cell) else one)
        return Place(len(leaves) - 1)

    return mapped(result, place, lambda one: one is None)


__all__ = [
    "SMALL",
    "Found",
    "Place",
    "Scratch",
    "aside",
    "exact",
    "folded",
    "inferred",
    "numbers_for",
    "open_shape",
    "scratch",
    "shape_is_all",
    "shown_shape",
    "valueless",
]
