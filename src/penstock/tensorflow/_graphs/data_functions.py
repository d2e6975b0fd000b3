"""Functions of data sets as graphs: traced once, when the data set is made, on tensors without values.

Python's code then runs as TensorFlow runs it: once, with None for a length that elements do not share. What a
graph cannot say, such as a loop over a tensor, is run for each element instead.
"""

from __future__ import annotations

import dis
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions.scratch import scratch
from penstock.tensorflow import compat
from penstock.tensorflow._elements import flat as parts_of
from penstock.tensorflow._elements import mapped, plain, refilled, spec_for
from penstock.tensorflow._graphs.build import call_kernel
from penstock.tensorflow._graphs.functions import placeholder
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.infer import GraphDTypeError, GraphShapeError
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import SymbolicText
from penstock.tensorflow._graphs.traced_functions import FunctionGraph
from penstock.tensorflow._modes import inside, print_once_per_trace
from penstock.tensorflow._session import Plan, Session, placeholder_kernel
from penstock.tensorflow._shared_generators import restore, states
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace.source_site import is_library
from penstock.trace.tensor import Cell, Tensor


class Untraceable(Exception):
    """A graph cannot say what a function does."""


class _Graph(FunctionGraph):
    """A graph without variables of its own: a layer that the function builds is built where elements are."""

    def admit_variable(self) -> None:
        """Raises Untraceable."""
        raise Untraceable


class DataGraph:
    """The graph of a function of a data set: what describes its result, and a call if the graph says all.

    `compute` is None where the code has to run for each element: it draws, or does more than compute.
    """

    def __init__(self, function: Callable[..., Any], described: Any) -> None:
        specs = parts_of(described)
        if not all(type(one) is TensorSpec for one in specs):
            raise Untraceable
        self._graph = _Graph()
        with self._graph.as_default(), scratch() as aside:
            self._given = [
                placeholder(one.dtype, None if one.shape.rank is None else list(one.shape), name=f"args_{n}")
                for n, one in enumerate(specs)
            ]
            element = refilled(described, iter(self._given))
            result = _call(function, element)
            result = tuple(result) if isinstance(result, list) else result
            self._result = mapped(self._tensor, result)
            if aside.written or aside.variables:
                # It reads or writes variables, whose values are those of each element's turn.
                raise Untraceable
        self.spec = mapped(_described, self._result)
        self.compute = self._compute if all(map(_only_computes, self._graph.operations)) else None
        self._plan: Plan | None = None

    def _tensor(self, one: Any) -> Any:
        """Returns a part of the result: a tensor of the graph, or an array that each element has."""
        if isinstance(one, SymbolicTensor):
            return one
        if isinstance(one, bool | int | float | complex | str | bytes | np.ndarray | np.generic):
            return plain(one)
        if isinstance(one, Tensor | StringTensor) and not isinstance(one, Cell):
            return plain(one)
        raise Untraceable

    def _compute(self, *arguments: Any) -> Any:
        if self._plan is None:
            wanted = [one for one in parts_of(self._result) if isinstance(one, SymbolicTensor)]
            self._plan = Plan(Session(graph=self._graph), wanted, self._given)
        element = arguments if len(arguments) != 1 else arguments[0]
        with mode.computing():
            found: Iterator[Any] = iter(self._plan._computed(parts_of(element)))
        return mapped(lambda one: next(found) if isinstance(one, SymbolicTensor) else one, self._result)


def _call(function: Callable[..., Any], element: Any) -> Any:
    return function(*element) if isinstance(element, tuple) else function(element)


def _described(one: Any) -> Any:
    if isinstance(one, SymbolicTensor):
        dtype = "string" if isinstance(one, SymbolicText) else one.dtype
        return TensorSpec(None if one.shape is UNKNOWN else one.shape, dtype)
    return spec_for(one.shape, one.dtype)


def _only_computes(operation: Any) -> bool:
    """Returns whether an operation gives the same for the same operands, and does nothing else."""
    if operation.fresh or operation.writes or "variable" in operation.details:
        return False
    computed = operation.kernel in (call_kernel, placeholder_kernel) or operation.constants is not None
    call = getattr(operation.details.get("call"), "__module__", "")
    return computed and "keras" not in call and "_printing" not in call


def traced(function: Callable[..., Any], described: Any) -> DataGraph | None:
    """Returns the graph of a function of elements that are described; None if no graph can say what it does.

    What Python prints is written if there is a graph. Raises what the function itself raises, and what
    shapes and dtypes do not allow.
    """
    # With it, the names of TensorFlow 2 build while a graph is being built.
    _ = compat.v1
    print_once_per_trace()
    start, said = states(), inside.said
    printed: list[Any] = []
    inside.said = printed
    try:
        made = DataGraph(function, described)
    except (GraphShapeError, GraphDTypeError):
        inside.said = said
        _write(printed)
        raise
    except Exception as error:
        inside.said = said
        if not isinstance(error, PenstockError | Untraceable) and _is_raised(error):
            _write(printed)
            raise
        restore(start)
        return None
    finally:
        inside.said = said
    _write(printed)
    return made


def _write(printed: Sequence[Any]) -> None:
    for values, options in printed:
        print(*values, **options)


def _is_raised(error: Exception) -> bool:
    """Returns whether the program's own `raise` or `assert` has raised an exception."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    assert place is not None
    if is_library(frame.f_code):
        return False
    at = {one.offset: one.opname for one in dis.get_instructions(frame.f_code)}
    return at.get(place.tb_lasti) == "RAISE_VARARGS"


__all__ = ["DataGraph", "traced"]
