"""The elements of data sets: rows of arrays, structures of parts, batches."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from penstock.errors import PenstockError
from penstock.tensorflow._convert import as_array
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace import structure as structures
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

UNKNOWN_CARDINALITY = -2


class Elements:
    """An iterable that can be repeated: a function that makes the elements, and the known facts.

    `describe` finds out what describes an element, if that takes long; it may return None.
    """

    def __init__(
        self,
        elements: Callable[[], Iterator[Any]],
        count: int = UNKNOWN_CARDINALITY,
        spec: Any = None,
        describe: Callable[[], Any] | None = None,
    ) -> None:
        self._elements, self._count, self._spec, self._describe = elements, count, spec, describe

    def _known_spec(self) -> Any:
        """Returns what describes an element, as far as that is known without one; otherwise None."""
        describe, self._describe = self._describe, None
        if self._spec is None and describe is not None:
            self._spec = describe()
        return self._spec

    _kind = "_Dataset"
    """The name of TensorFlow's class for it, which is printed."""


M = TypeVar("M", bound=Callable[..., Any])


def shown_as(kind: str, parallel: str | None = None) -> Callable[[M], M]:
    """Gives what a method makes the name of TensorFlow's class; `parallel` is that of work in parallel."""

    def decorate(method: M) -> M:
        names = list(inspect.signature(method).parameters)
        place = names.index("num_parallel_calls") if "num_parallel_calls" in names else len(names)

        @functools.wraps(method)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            made = method(*arguments, **options)
            if any(made is one for one in arguments):
                made = copy.copy(made)
            given = arguments[place] if len(arguments) > place else options.get("num_parallel_calls")
            made._kind = kind if parallel is None or given is None else parallel
            return made

        return cast(M, wrapper)

    return decorate


class Row:
    """One row of arrays that lie together: batches of these rows are taken in one piece."""

    __slots__ = ("number", "source")

    def __init__(self, source: Any, number: int) -> None:
        self.source, self.number = source, number


def _is_part(structure: Any) -> bool:
    """Returns whether something is one part of an element: a list is, which becomes a tensor."""
    return not isinstance(structure, tuple | Mapping)


def mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    return structures.mapped(structure, function, _is_part)


def refilled(structure: Any, leaves: Iterator[Any]) -> Any:
    """Returns a structure with each leaf replaced by the next one given."""
    return structures.packed(structure, leaves, _is_part)


def flat(structure: Any) -> list[Any]:
    return structures.flat(structure, _is_part)


def as_part(value: Any) -> Any:
    """Returns a user's value as a NumPy array, in the dtype that TensorFlow would give it."""
    if isinstance(value, Tensor | Cell):
        return np.asarray(value.numpy())
    if isinstance(value, Elements) or is_special(value):
        return value
    if is_text(value):
        return np.asarray(strings(value))
    return as_array(value)


def is_special(value: Any) -> bool:
    """Returns whether a value is no array, but ragged or sparse, and stays as it is."""
    return type(value).__name__ in ("RaggedTensor", "SparseTensor")


def special(name: str) -> Any:
    """Returns a function about ragged and sparse tensors in data sets, which few programs have."""
    return getattr(import_module("penstock.tensorflow._ragged.in_data_sets"), name)


def element_of(one: Any) -> Any:
    return mapped(lambda array: _row(array, one.number), one.source) if isinstance(one, Row) else one


def _row(array: Any, number: int) -> Any:
    """Returns a row of an array. A string stays in an array: NumPy's own would lose zeros at its end."""
    if is_special(array):
        return as_part(special("chosen")(array, number))
    found = array[number]
    if isinstance(found, bytes):
        held = np.empty((), object)
        held[()] = found
        return held
    return found


def shown(array: Any) -> Any:
    if isinstance(array, Elements) or is_special(array):
        return array
    array = np.asarray(array)
    return StringTensor(array) if array.dtype.kind in "USO" else concrete(array, EagerTensor)


def stacked(elements: list[Any]) -> Any:
    first = elements[0]
    if all(isinstance(one, Row) and one.source is first.source for one in elements):
        rows = np.asarray([one.number for one in elements])
        return mapped(
            lambda array: special("chosen")(array, rows) if is_special(array) else array[rows], first.source
        )
    elements = [element_of(one) for one in elements]
    columns = [flat(one) for one in elements]
    parts = []
    for column in zip(*columns, strict=True):
        if is_special(column[0]):
            parts.append(special("batched")(column))
            continue
        arrays = [np.asarray(one) for one in column]
        if any(one.shape != arrays[0].shape for one in arrays):
            other = next(one.shape for one in arrays if one.shape != arrays[0].shape)
            raise InvalidArgumentError(
                "Cannot batch tensors with different shapes in component 0. First element had shape "
                f"{list(arrays[0].shape)} and another had shape {list(other)}.",
                remedy="Give them one shape in a map(), or use padded_batch.",
                site=here(),
            )
        parts.append(np.stack(arrays))
    return refilled(elements[0], iter(parts))


def spec_for(shape: Any, dtype: Any) -> Any:
    return TensorSpec(shape, as_dtype(dtype) if np.dtype(dtype).kind not in "USO" else "string")


def spec_of_rows(array: Any) -> Any:
    """Returns what describes each row of an array."""
    return special("spec_of_rows")(array) if is_special(array) else spec_for(array.shape[1:], array.dtype)


def batched_spec(one: Any, first: Any) -> Any:
    """Returns what describes a batch, of what describes an element."""
    if isinstance(one, TensorSpec):
        return TensorSpec(as_shape([first]).concatenate(one.shape), one.dtype)
    return special("batched_spec")(one, first)


def spec_of(array: Any) -> Any:
    if isinstance(array, Elements) or is_special(array):
        return import_module("penstock.tensorflow._specs").type_spec_from_value(array)
    array = np.asarray(array)
    return spec_for(array.shape, array.dtype)


class _Skipping(threading.local):
    """What takes the errors of functions of `map` and `filter` in this thread, if they are to be ignored."""

    take: Callable[[PenstockError], None] | None = None


_skipping = _Skipping()


@contextlib.contextmanager
def skipping(take: Callable[[PenstockError], None]) -> Iterator[None]:
    """A block in which functions of data sets leave out the elements that they raise an error for."""
    before, _skipping.take = _skipping.take, take
    try:
        yield
    finally:
        _skipping.take = before


def skipped(error: PenstockError) -> bool:
    """Returns whether an element that could not be made is left out, and hands over its error then."""
    if _skipping.take is None:
        return False
    _skipping.take(error)
    return True


def groups(source: Iterator[Any], size: int) -> Iterator[list[Any]]:
    """Yields lists of `size` elements, of which the last may be shorter.

    An error that is to be ignored takes along what was there of its list, as in TensorFlow.
    """
    while part := (list(itertools.islice(source, size)) if _skipping.take is None else _whole(source, size)):
        yield part


def _whole(source: Iterator[Any], size: int) -> list[Any]:
    part: list[Any] = []
    outer = _skipping.take
    assert outer is not None

    def begin_again(error: PenstockError) -> None:
        part.clear()
        outer(error)

    with skipping(begin_again):
        for one in source:
            part.append(one)
            if len(part) == size:
                break
    return part


def applied(function: Callable[..., Any], element: Any) -> Any:
    given = mapped(shown, element)
    return function(*given) if isinstance(given, tuple) else function(given)


def plain(result: Any) -> Any:
    if isinstance(result, list):
        result = tuple(result)
    return mapped(as_part, result)


def shapes_in(given: Any) -> list[Any]:
    """Returns the shapes in a structure; one axis may be named by its length alone."""
    if isinstance(given, TensorShape | int | np.integer):
        return [given]
    if isinstance(given, dict):
        return [one for key in sorted(given) for one in shapes_in(given[key])]
    if isinstance(given, list | tuple) and not all(isinstance(n, int | np.integer | None) for n in given):
        return [one for part in given for one in shapes_in(part)]
    return [given]


def padded(column: Any, fill: Any, wanted: Any) -> Any:
    arrays = [np.asarray(one) for one in column]
    shape = tuple(max(lengths) for lengths in zip(*(one.shape for one in arrays), strict=True))
    if wanted is not None:
        asked = [None if n in (None, -1) else int(n) for n in as_shape(wanted)]
        if len(asked) != len(shape):
            raise ArgumentError(
                f"The padded shape {asked} is not compatible with the corresponding component of shape "
                f"{list(shape)}.",
                site=here(),
            )
        for axis, (longest, length) in enumerate(zip(shape, asked, strict=True)):
            if length is not None and longest > length:
                raise InvalidArgumentError(
                    f"Attempted to pad to a smaller size than the input element: axis {axis} has length "
                    f"{longest}, and padded_shapes says {length}.",
                    site=here(),
                )
        shape = tuple(longest if n is None else n for longest, n in zip(shape, asked, strict=True))
    made = np.full((len(arrays), *shape), fill, arrays[0].dtype)
    for number, one in enumerate(arrays):
        place: Any = (number, *map(slice, one.shape))
        made[place] = one
    return made
