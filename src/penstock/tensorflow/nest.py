"""tf.nest: structures of lists, tuples and dictionaries, walked in TensorFlow's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import CallableError as _TypeRefused
from penstock.tensorflow._names import absent as _absent
from penstock.trace.site import here as _here


def is_nested(structure: Any) -> bool:
    """Returns whether something is a list, a tuple or a dictionary."""
    return isinstance(structure, list | tuple | Mapping)


def _parts(structure: Any) -> list[Any]:
    return (
        [structure[key] for key in sorted(structure)] if isinstance(structure, Mapping) else list(structure)
    )


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Returns what a structure holds, in order; dictionaries by their keys, sorted.

    >>> from penstock import tensorflow as tf
    >>> tf.nest.flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    if not is_nested(structure):
        return [structure]
    return [leaf for one in _parts(structure) for leaf in flatten(one)]


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises ValueError for structures of other forms, and TypeError for those of other types."""
    if is_nested(nest1) != is_nested(nest2):
        raise _ArgumentError(
            "The two structures don't have the same nested structure.",
            origin=f"First structure: {nest1!r}\nSecond structure: {nest2!r}"[:400],
            site=_here(),
        )
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise _TypeRefused(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(nest1)}, while second structure has type {type(nest2)}.",
            site=_here(),
        )
    same_keys = not isinstance(nest1, Mapping) or not isinstance(nest2, Mapping) or set(nest1) == set(nest2)
    if len(nest1) != len(nest2) or not same_keys:
        raise _ArgumentError(
            "The two structures don't have the same nested structure.",
            why="They have not the same number of elements.",
            origin=f"First structure: {nest1!r}\nSecond structure: {nest2!r}"[:400],
            site=_here(),
        )
    for one, other in zip(_parts(nest1), _parts(nest2), strict=True):
        assert_same_structure(one, other, check_types)


def _filled(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, Mapping):
        made = {key: _filled(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)  # type: ignore[call-arg]
    parts = [_filled(one, leaves) for one in structure]
    kind: Any = type(structure)
    return kind(*parts) if hasattr(structure, "_fields") else kind(parts)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Returns a structure like another, with these things in the place of what it holds."""
    given = list(flat_sequence)
    wanted = len(flatten(structure))
    if len(given) != wanted:
        raise _ArgumentError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had {len(given)} "
            f"items.  Structure: {structure}, flat_sequence: {flat_sequence}.",
            site=_here(),
        )
    return _filled(structure, iter(given))


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Returns a structure of what a function makes of the things in others of its form.

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
    leaves = zip(*(flatten(one) for one in structure), strict=True)
    return _filled(structure[0], iter([func(*one) for one in leaves]))


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.nest", name, __all__)


__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
