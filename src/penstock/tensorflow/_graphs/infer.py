"""Shapes in a graph: a function is tried out on operands without values, by the primitives' own shape rules.

An axis of unknown length gets one length in a first world and another in a second: an axis of the result that
comes out the same in both has that length, any other is of unknown length too.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from penstock.errors import CaptureError, DTypeError, PenstockError, ShapeError
from penstock.functions import keys as _keys
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.tensor import (
    LENGTHS,
    UNKNOWN,
    SymbolicTensor,
    World,
    shape_in,
    worlds,
)
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.recorder import Trace, local, value_of
from penstock.trace.site import here
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor, concrete
from penstock.trace.tree import Node, tree

SMALL = 4096
"""Values of so many elements are known while a graph is built, where nothing fed can change them."""
TRIALS = 400
RANKS = (2, 1, 4, 0, 3)


class GraphShapeError(ShapeError):
    """Shapes that do not fit together, seen while a graph is built."""


class GraphDTypeError(DTypeError):
    """Dtypes that an operation does not mix, seen while a graph is built."""


class Scratch(Trace):
    """A trace of its own, off the tree, in which nothing is ever computed."""

    __slots__ = ()

    def __init__(self) -> None:
        self.begin("graph")
        self.node = self.start = self.checkpoint = Node(None, None)


@contextlib.contextmanager
def scratch() -> Iterator[Scratch]:
    """Records into a trace that is thrown away."""
    outer, count = local.trace, tree.count
    made = local.trace = Scratch()
    try:
        with mode.computing(), _keys.aside():
            yield made
    finally:
        local.trace, tree.count = outer, count


def valueless(trace: Trace, one: Spec) -> EagerTensor:
    """Returns a tensor of this trace of which only the spec is known."""
    made = concrete(np.broadcast_to(np.zeros((), one.dtype), one.shape), EagerTensor)
    slot = trace.enter(made)
    made._trace, made._slot, made._value = trace, slot, None
    return made  # type: ignore[return-value]


class Output:
    """What is known of one output: its dtype, its specs and values in both worlds, and its constant value."""

    def __init__(
        self,
        dtype: Any,
        sizes: World,
        known: tuple[Any, Any] | None = None,
        constant: EagerTensor | None = None,
    ) -> None:
        self.dtype, self.sizes, self.known, self.constant = dtype, sizes, known, constant


class Place:
    """Stands for the i-th output in the structure that a function returns."""

    def __init__(self, number: int) -> None:
        self.number = number


Call = Callable[[list[Any]], Any]


def infer(call: Call, inputs: Sequence[SymbolicTensor], fresh: bool) -> tuple[Any, list[Output]]:
    """Returns the structure of what a call returns, a Place for each tensor, and what is known of each."""
    if any(one.sizes[0] is None for one in inputs):
        return _without_ranks(call, inputs)
    same = all(one.sizes[0] is one.sizes[1] for one in inputs) and all(
        one.known is None or one.known[0] is one.known[1] for one in inputs
    )
    first = _in_world(call, inputs, 0, fresh)
    second = first if same else _in_world(call, inputs, 1, fresh)
    return _joined(first, second, constant=not inputs and not fresh)


def _joined(first: Any, second: Any, constant: bool) -> tuple[Any, list[Output]]:
    structure, found = first
    outputs = []
    for (own, value, certain), (other, other_value, _) in zip(found, second[1], strict=True):
        known = None if value is None or other_value is None else (value, other_value)
        leaf = concrete(value, EagerTensor) if constant and value is not None else None
        sizes: World = (own, other)
        if not certain:
            sizes = tuple(spec((length,) * own.ndim, own.dtype) for length in LENGTHS)  # type: ignore[assignment]
        outputs.append(Output(own.dtype, sizes, known, leaf))  # type: ignore[arg-type]
    return structure, outputs


def _in_world(call: Call, inputs: Sequence[SymbolicTensor], world: int, fresh: bool) -> Any:
    sizes: list[Spec] = [one.sizes[world] for one in inputs]  # type: ignore[misc]
    values = [None if one.known is None else one.known[world] for one in inputs]
    try:
        return _tried(call, sizes, values, not fresh)
    except CaptureError:
        pass
    except PenstockError as error:
        failure: Exception = error
    else:  # pragma: no cover
        raise AssertionError
    try:
        return _tried(call, sizes, [None] * len(sizes), False)
    except CaptureError:
        return _with_values(call, sizes, values)
    except PenstockError as error:
        failure = error
    for lengths in _other_lengths(inputs, sizes):
        with contextlib.suppress(PenstockError):
            return _tried(call, lengths, [None] * len(sizes), False)
    raise failure


def _tried(call: Call, sizes: Sequence[Spec], values: Sequence[Any], foldable: bool) -> Any:
    """Calls in a scratch trace; returns the structure and (spec, value if known, whether that is certain)."""
    with scratch() as trace:
        operands = [
            valueless(trace, own) if value is None else concrete(value, EagerTensor)
            for own, value in zip(sizes, values, strict=True)
        ]
        leaves: list[Any] = []
        structure = _places(call(operands), leaves)
        pending = [leaf._value is None for leaf in leaves]
    fold = foldable and all(value is not None for value in values)
    found = []
    for leaf, lazy in zip(leaves, pending, strict=True):
        value = None
        if (not lazy or fold) and (leaf._spec.size <= SMALL or (not values and not lazy)):
            with contextlib.suppress(PenstockError, ArithmeticError):
                value = np.asarray(value_of(leaf)) if lazy else leaf._value
        found.append((leaf._spec, value, True))
    return structure, found


def _with_values(call: Call, sizes: Sequence[Spec], values: Sequence[Any]) -> Any:
    """Gives a function that looks at values some values; the lengths it comes to are not certain then."""
    made = [
        np.broadcast_to(np.ones((), one.dtype), one.shape) if value is None else value
        for one, value in zip(sizes, values, strict=True)
    ]
    structure, found = _tried(call, sizes, made, False)
    return structure, [(own, None, False) for own, _, _ in found]


def _other_lengths(inputs: Sequence[SymbolicTensor], sizes: Sequence[Spec]) -> Iterator[list[Spec]]:
    """Yields other lengths for the axes of unknown length, those with the fewest changes first."""
    unknown = [
        (number, axis)
        for number, one in enumerate(inputs)
        for axis, length in enumerate(one.shape)
        if length is None
    ]
    known = {length for one in inputs for length in one.shape if length is not None}
    choices = [None, *sorted({1, *known})]
    combinations = itertools.product(choices, repeat=len(unknown))
    ordered = sorted(
        itertools.islice(combinations, TRIALS), key=lambda chosen: sum(n is not None for n in chosen)
    )
    for chosen in ordered[1:]:
        lengths = [list(one.shape) for one in sizes]
        for (number, axis), length in zip(unknown, chosen, strict=True):
            if length is not None:
                lengths[number][axis] = length
        yield [spec(tuple(n), one.dtype) for n, one in zip(lengths, sizes, strict=True)]


class _Guess:
    """An operand of unknown rank, taken to be of some rank."""

    known = None

    def __init__(self, one: SymbolicTensor, rank: int) -> None:
        self.sizes = worlds([None] * rank, one._dtype)
        self.shape = shape_in(self.sizes)


def _without_ranks(call: Call, inputs: Sequence[SymbolicTensor]) -> tuple[Any, list[Output]]:
    """Tries numbers of axes for operands of which not even that is known."""
    results = []
    failure: Exception | None = None
    for rank in RANKS:
        guessed: Any = [_Guess(one, rank) if one.sizes[0] is None else one for one in inputs]
        try:
            first, second = (_in_world(call, guessed, world, True) for world in (0, 1))
            results.append(_joined(first, second, False))
        except PenstockError as error:
            failure = failure or error
    if not results:
        assert failure is not None
        raise failure
    structure, found = results[0]
    outputs = []
    for number, one in enumerate(found):
        shapes = {str(shape_in(other[number].sizes)) for _, other in results if len(other) == len(found)}
        sure = len(results) > 1 and len(shapes) == 1
        outputs.append(Output(one.dtype, one.sizes if sure else (None, None)))
    return structure, outputs


def _places(result: Any, leaves: list[Any]) -> Any:
    if isinstance(result, Tensor):
        leaves.append(result)
        return Place(len(leaves) - 1)
    if isinstance(result, list | tuple):
        made = [_places(one, leaves) for one in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    if hasattr(result, "_dense"):
        return _places(result._dense(), leaves)
    return result


_DTYPES = re.compile(
    r"cannot compute (\w+) as input #(\d+)\(zero-based\) was expected to be a (\w+) tensor "
    r"but is a (\w+) tensor"
)
_SHAPES = re.compile(r"\[([\d,]*)\][^\[]*\[([\d,]*)\]")
_LETTERS = "xyzab"


def in_graph_words(error: PenstockError, name: str, type: str, inputs: Sequence[SymbolicTensor]) -> Exception:
    """Returns what TensorFlow says of a mistake that it sees while a graph is built."""
    found = _DTYPES.match(error.fact)
    if found:
        kind, position, wanted, given = found.groups()
        letter = _LETTERS[int(position)]
        full = {"float": "float32", "double": "float64", "half": "float16"}
        return GraphDTypeError(
            f"Input {letter!r} of {kind!r} Op has type {full.get(given, given)} that does not match type "
            f"{full.get(wanted, wanted)} of argument 'x'.",
            why=error.why,
            remedy=error.remedy,
            site=error.site,
        )
    # The kernels write In[0] for the first operand.
    shapes = _SHAPES.search(re.sub(r"In\[\d\]", "In", error.fact))
    if isinstance(error, DTypeError | ValueError) or shapes is None:
        return error
    first, second = ([int(n) for n in text.split(",") if n] for text in shapes.groups())
    shown = ", ".join(_written(one.shape) for one in inputs)
    pair = _unequal(type, first, second)
    if pair is None:
        fact = f"Shape mismatch for '{{{{node {name}}}}} = {type}' with input shapes: {shown}."
    else:
        fact = (
            f"Dimensions must be equal, but are {pair[0]} and {pair[1]} for '{{{{node {name}}}}} = "
            f"{type}' with "
            f"input shapes: {shown}."
        )
    origin = "\n".join(f"{one} was built at {one.op.site}" for one in inputs)
    return GraphShapeError(fact, origin=origin, why=error.fact, remedy=error.remedy, site=here())


def _unequal(type: str, first: list[int], second: list[int]) -> tuple[int, int] | None:
    if type == "MatMul" and len(first) == len(second) == 2:
        return first[1], second[0]
    for a, b in zip(reversed(first), reversed(second), strict=False):
        if a != b and 1 not in (a, b):
            return a, b
    return None


def _written(shape: Any) -> str:
    if shape is UNKNOWN:
        return "<unknown>"
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"


__all__ = ["Output", "Place", "in_graph_words", "infer", "scratch", "valueless"]
