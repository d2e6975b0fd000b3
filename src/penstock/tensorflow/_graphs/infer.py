"""Shapes in a graph: a function is tried out on operands without values, by the primitives' own shape rules.

An axis of unknown length has a name for a length, with which the rules compute: see `penstock.trace.lengths`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.functions import scratch as _scratch
from penstock.functions.scratch import SMALL, Call, Found, Place, Scratch, folded, valueless
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec, shown_shape
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import concrete

RANKS = (2, 1, 4, 0, 3)


class GraphShapeError(ShapeError):
    """Shapes that do not fit together, seen while a graph is built."""


class GraphDTypeError(DTypeError):
    """Dtypes that an operation does not mix, seen while a graph is built."""


class Output:
    """The known facts of one output: its dtype, its spec, the lengths it holds, and its constant value.

    Strings have no spec: `shape` is that of a tensor of strings, as far as it is known. `kind` makes the
    tensor that represents the output, if that does not follow from the dtype.
    """

    def __init__(
        self,
        dtype: Any,
        spec: Spec | None,
        known: Any = None,
        constant: Any = None,
        shape: Any = None,
        kind: Any = None,
    ) -> None:
        self.dtype, self.spec, self.known, self.constant, self.shape = dtype, spec, known, constant, shape
        self.kind = kind

    @classmethod
    def like(cls, tensor: SymbolicTensor, own: Spec | None, shape: Any = None) -> Output:
        """Returns the facts of an output of the kind of a tensor, with this spec, or shape of strings."""
        return cls(tensor._dtype, own, shape=shape, kind=getattr(tensor, "_alike", None))


def infer(call: Call, inputs: Sequence[SymbolicTensor], fresh: bool) -> tuple[Any, list[Output]]:
    """Returns the structure of a call's result, a Place for each tensor, and the known facts of each."""
    if any(one.spec is None for one in inputs):
        return _without_ranks(call, inputs)
    structure, found = _inferred(call, [one.spec for one in inputs], [one.known for one in inputs], fresh)
    outputs = []
    for dtype, own, known in found:
        constant = not inputs and not fresh and known is not None
        outputs.append(Output(dtype, own, known, concrete(known, EagerTensor) if constant else None))
    return structure, outputs


@contextlib.contextmanager
def scratch() -> Iterator[Scratch]:
    """Records into a trace that is thrown away, under the names of TensorFlow."""
    with mode.computing(), _scratch.scratch() as trace:
        yield trace


def _inferred(call: Call, specs: Sequence[Any], values: Sequence[Any], fresh: bool) -> Found:
    with mode.computing():
        return _scratch.inferred(call, specs, values, EagerTensor, not fresh)


def _without_ranks(call: Call, inputs: Sequence[SymbolicTensor]) -> tuple[Any, list[Output]]:
    """Tries numbers of axes for operands whose rank is unknown."""
    results: list[Any] = []
    failure: Exception | None = None
    for rank in RANKS:
        guessed = [open_spec([None] * rank, one._dtype) if one.spec is None else one.spec for one in inputs]
        try:
            results.append(_inferred(call, guessed, [one.known for one in inputs], True))
        except PenstockError as error:
            failure = failure or error
    if not results:
        assert failure is not None
        raise failure
    structure, found = results[0]
    outputs = []
    for number, (dtype, own, _) in enumerate(found):
        shapes = {str(shown_shape(other[number][1])) for _, other in results if len(other) == len(found)}
        sure = len(results) > 1 and len(shapes) == 1
        outputs.append(Output(dtype, own if sure else None))
    return structure, outputs


_DTYPES = re.compile(
    r"cannot compute (\w+) as input #(\d+)\(zero-based\) was expected to be a (\w+) tensor "
    r"but is a (\w+) tensor"
)
_SHAPES = re.compile(r"\[([\d,?]*)\][^\[]*\[([\d,?]*)\]")
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
    first, second = ([None if n == "?" else int(n) for n in text.split(",") if n] for text in shapes.groups())
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


def _unequal(type: str, first: list[int | None], second: list[int | None]) -> tuple[int, int] | None:
    if type == "MatMul" and len(first) == len(second) == 2 and None not in (first[1], second[0]):
        return first[1], second[0]  # type: ignore[return-value]
    for a, b in zip(reversed(first), reversed(second), strict=False):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            return a, b
    return None


def _written(shape: Any) -> str:
    if shape is UNKNOWN:
        return "<unknown>"
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"


__all__ = ["SMALL", "Output", "Place", "folded", "in_graph_words", "infer", "scratch", "valueless"]
