"""Strings in functions that arrange, select and compare: numbers replace them, and are converted back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from penstock.tensorflow import _dispatch
from penstock.tensorflow._convert import constant
from penstock.tensorflow._ragged.broadcasting import named_arguments
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.structure import mapped

NO_DATA = ("name", "mode", "indexing", "direction")
"""Arguments that are words themselves."""
_APART = ("values", "data")
"""Arguments that are several values, each of which becomes a tensor."""
_ARRANGED = """
boolean_mask broadcast_to concat dynamic_stitch ensure_shape expand_dims gather gather_nd identity repeat
reshape reverse roll slice split squeeze stack stop_gradient strided_slice tensor_scatter_nd_update tile
transpose unstack where dynamic_partition random.shuffle
"""
_FILLED = """
pad scatter_nd
"""
"""Functions that fill places with empty strings."""
_COMPARED = """
equal not_equal shape size rank
"""
_UNIQUE = """
unique unique_with_counts
"""


def _with_numbers(words_in: Callable[[Any], Any], *more: bytes) -> Any:
    """Returns the implementation of a function for strings; `words_in` puts strings into its result.

    Its attribute `strings` says which of the results they are. With an empty string in `more` its number
    is 0, since no string comes before it.
    """

    def way(function: Any, *arguments: Any, **options: Any) -> Any:
        given = named_arguments(function, arguments, options)
        found: list[Any] = []

        def note(one: Any) -> Any:
            if isinstance(one, StringTensor) or is_text(one):
                found.append(np.asarray(strings(one)))
            return one

        chosen = {name: one for name, one in given.items() if name not in NO_DATA}

        def replaced(change: Any) -> dict[str, Any]:
            return {
                name: [mapped(part, change, _whole) for part in one]
                if name in _APART and isinstance(one, list | tuple)
                else mapped(one, change, _whole)
                for name, one in chosen.items()
            }

        replaced(note)
        # Equal words have one number, and numbers are in the order of the words.
        words = sorted({*more, *(word for array in found for word in array.ravel().tolist())})
        numbers = {word: number for number, word in enumerate(words)}

        def numbered(one: Any) -> Any:
            if not (isinstance(one, StringTensor) or is_text(one)):
                return one
            array = np.asarray(strings(one))
            codes = np.array([numbers[word] for word in array.ravel().tolist()], np.int64)
            return constant(codes.reshape(array.shape))

        made = function(**(given | replaced(numbered)))
        table = np.empty(len(words), object)
        table[:] = words
        return words_in((made, lambda one: StringTensor(table[np.asarray(one.numpy())])))

    way.strings = words_in.__name__.removeprefix("_")  # type: ignore[attr-defined]
    return way


def _whole(one: Any) -> bool:
    """Returns whether a value is one argument: a list of words is, which becomes a tensor."""
    return isinstance(one, list | tuple) and is_text(one)


def _all(made: Any) -> Any:
    found, spelled = made
    return mapped(found, lambda one: spelled(one) if isinstance(one, EagerTensor) else one)


def _first(made: Any) -> Any:
    found, spelled = made
    return type(found)(spelled(found[0]), *found[1:])


def _none(made: Any) -> Any:
    return made[0]


def _zeros_like(function: Any, input: Any, dtype: Any = None, name: Any = None) -> Any:
    input = strings(input)
    if dtype is not None and dtype != "string":
        return function(np.zeros(tuple(input.shape), np.int32), dtype)
    empty = np.empty(tuple(input.shape), object)
    empty[...] = b""
    return StringTensor(empty)


def ways() -> Mapping[str, Any]:
    """Returns the implementation of each public function for strings."""
    return (
        {f"tf.{name}": _with_numbers(_all) for name in _ARRANGED.split()}
        | {f"tf.{name}": _with_numbers(_all, b"") for name in _FILLED.split()}
        | {f"tf.{name}": _with_numbers(_none) for name in _COMPARED.split()}
        | {f"tf.{name}": _with_numbers(_first) for name in _UNIQUE.split()}
        | {"tf.zeros_like": _zeros_like, "tf.map_fn": _map_fn, "tf.add": _add}
    )


def _add(function: Any, x: Any, y: Any, name: Any = None) -> Any:
    return strings(x) + y


def _map_fn(function: Any, *arguments: Any, **options: Any) -> Any:
    from penstock.tensorflow._ragged.mapping import map_fn

    return map_fn(function, *arguments, **options)


_dispatch.teach(StringTensor, ways)

__all__ = ["ways"]
