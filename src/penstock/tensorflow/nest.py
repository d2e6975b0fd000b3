"""tf.nest: structures of lists, tuples and mappings, walked in TensorFlow's order.

That is the order of `trace/structure.py`, keys sorted. In TensorFlow None is a leaf, as is a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from penstock.declared import named as _named
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import CallableError as _TypeRefused
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.kinds import kind_of as _kind_of
from penstock.trace.source_site import here as _here
from penstock.trace.structure import flatten as _flatten


@_named("tf.nest.is_nested")
def is_nested(structure: Any) -> bool:
    """Returns whether a value is a list, a tuple or a dictionary."""
    return isinstance(structure, list | tuple | Mapping)


def _is_leaf(structure: Any) -> bool:
    return not is_nested(structure)


def _is_whole(structure: Any) -> bool:
    """Returns whether a value is a leaf even if composite tensors are split into their parts."""
    parted = getattr(_kind_of(structure, True), "composite", False) or hasattr(structure, "_type_spec")
    return not (is_nested(structure) or parted)


@_named("tf.nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure, in order; those of dictionaries by their keys, sorted.

    >>> from penstock import tensorflow as tf
    >>> tf.nest.flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    return _flatten(structure, _is_whole if expand_composites else _is_leaf, expand_composites)[0]


@_named("tf.nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises ValueError for structures of other forms, and TypeError for those of other types."""
    first, second = _kind_of(nest1), _kind_of(nest2)
    if is_nested(nest1) != is_nested(nest2):
        raise _unlike(nest1, nest2)
    if not is_nested(nest1) or first is None or second is None:
        return
    if check_types and type(nest1) is not type(nest2):
        raise _TypeRefused(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(nest1)}, while second structure has type {type(nest2)}.",
            site=_here(),
        )
    (rest, parts), (other, others) = first.apart(nest1), second.apart(nest2)
    if len(parts) != len(others) or (first is second and rest != other):
        raise _unlike(nest1, nest2, "They have not the same number of elements.")
    for one, another in zip(parts, others, strict=True):
        assert_same_structure(one, another, check_types)


def _unlike(nest1: Any, nest2: Any, why: str = "") -> _ArgumentError:
    return _ArgumentError(
        "The two structures don't have the same nested structure.",
        why=why,
        origin=f"First structure: {nest1!r}\nSecond structure: {nest2!r}"[:400],
        site=_here(),
    )


@_named("tf.nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns a structure like another, with these leaves in place of its own."""
    given = list(flat_sequence)
    opaque = _is_whole if expand_composites else _is_leaf
    leaves, form = _flatten(structure, opaque, expand_composites)
    if len(given) != len(leaves):
        raise _ArgumentError(
            f"Could not pack sequence. Structure had {len(leaves)} atoms, but flat_sequence had "
            f"{len(given)} items.  Structure: {structure}, flat_sequence: {flat_sequence}.",
            site=_here(),
        )
    return form.packed(iter(given))


@_named("tf.nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Returns a structure of a function's results for the leaves of others of the same form.

    >>> from penstock import tensorflow as tf
    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": (2, 3)}, {"a": 10, "b": (20, 30)})
    {'a': 11, 'b': (22, 33)}
    """
    if not callable(func):
        raise _TypeRefused(f"Argument `func` must be callable, got: {func}", site=_here())
    if not structure:
        raise _ArgumentError("Must provide at least one structure", site=_here())
    for other in structure[1:]:
        assert_same_structure(structure[0], other, kwargs.get("check_types", True))
    parted = bool(kwargs.get("expand_composites", False))
    leaves = zip(*(flatten(one, parted) for one in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*one) for one in leaves], parted)


__getattr__, __dir__, __all__ = _namespace("tf.nest", globals())
