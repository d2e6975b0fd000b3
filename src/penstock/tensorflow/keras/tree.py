"""tf.keras.tree: structures of lists, tuples and dictionaries, and their leaves."""

from __future__ import annotations

import warnings as _warnings
from collections import OrderedDict as _OrderedDict
from collections import deque as _deque
from collections.abc import Callable as _Callable
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.source_site import here as _here

_NODES = (list, tuple, dict, _deque)


class MAP_TO_NONE:
    """What a function given to `traverse` returns for None, as None itself means: go on below."""


def _keys(structure: Any) -> list[Any]:
    """Returns the keys of a structure, in the order of its leaves: those of a dict are sorted."""
    if not isinstance(structure, dict):
        return list(range(len(structure)))
    if isinstance(structure, _OrderedDict):
        return list(structure)
    try:
        return sorted(structure)
    except TypeError:
        return list(structure)


def _like(structure: Any, children: dict[Any, Any]) -> Any:
    """Returns a structure of the same kind with other children."""
    if isinstance(structure, dict):
        made = structure.copy()
        made.update({key: children[key] for key in structure})
        return made
    values = [children[key] for key in range(len(structure))]
    if isinstance(structure, _deque):
        return _deque(values, structure.maxlen)
    return type(structure)(*values) if hasattr(structure, "_fields") else type(structure)(values)


def is_nested(structure: Any) -> bool:
    """Returns whether something is a list, a tuple, a dictionary or a deque.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.tree.is_nested([]), tf.keras.tree.is_nested(None)
    (True, False)
    """
    return isinstance(structure, _NODES)


def traverse(func: _Callable[[Any], Any], structure: Any, top_down: bool = True) -> Any:
    """Returns a structure in which each part is what a function returns for it; None goes on below.

    Without `top_down` the function is given each part after those inside it.
    """

    def below() -> Any:
        if not is_nested(structure):
            return structure
        return _like(structure, {key: traverse(func, structure[key], top_down) for key in _keys(structure)})

    given = structure if top_down else below()
    made = func(given)
    if made is None:
        return below() if top_down else given
    return None if made is MAP_TO_NONE else made


def flatten_with_path(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves of a structure, None among them, each with the keys that lead to it."""
    if not is_nested(structure):
        return [((), structure)]
    return [
        ((key, *path), leaf) for key in _keys(structure) for path, leaf in flatten_with_path(structure[key])
    ]


def flatten(structure: Any) -> list[Any]:
    """Returns the leaves of a structure in order, None among them.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.tree.flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    return [leaf for _, leaf in flatten_with_path(structure)]


def _alike(first: Any, others: Any) -> None:
    """Refuses structures that do not begin as another does."""
    for one in others:
        if not is_nested(one):
            raise _ArgumentError(
                f"Expected an instance of {type(first).__name__}, got {one!r}.", site=_here()
            )
        same = type(first) is type(one) or (isinstance(first, dict) and isinstance(one, dict))
        if not same or len(first) != len(one) or (isinstance(first, dict) and set(first) != set(one)):
            raise _ArgumentError("Structures don't have the same nested structure.", site=_here())


def _mapped(func: _Callable[..., Any], first: Any, others: Any, leaf: _Callable[[Any], bool]) -> Any:
    if leaf(first):
        return func(first, *others)
    _alike(first, others)
    made = {key: _mapped(func, first[key], [one[key] for one in others], leaf) for key in _keys(first)}
    return _like(first, made)


def _is_leaf(x: Any) -> bool:
    return not is_nested(x)


def map_structure(func: _Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """Returns a structure of a function's results for the leaves of structures that are alike.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.tree.map_structure(lambda a, b: a + b, {"x": [1, 2]}, {"x": [3, 4]})
    {'x': [4, 6]}
    """
    if not structures:
        raise _ArgumentError("Must provide at least one structure", site=_here())

    def checked(*leaves: Any) -> Any:
        if leaves[0] is None and not none_is_leaf:
            return None
        if any(is_nested(one) for one in leaves):
            raise _ArgumentError("Structures don't have the same nested structure.", site=_here())
        return func(*leaves)

    return _mapped(checked, structures[0], structures[1:], _is_leaf)


def map_structure_up_to(shallow_structure: Any, func: _Callable[..., Any], *structures: Any) -> Any:
    """Returns a structure like `shallow_structure`, of a function's results for the parts at its leaves."""
    if not structures:
        raise _ArgumentError("Must provide at least one structure", site=_here())
    return _mapped(lambda _, *parts: func(*parts), shallow_structure, structures, _is_leaf)


def map_shape_structure(func: _Callable[[Any], Any], structure: Any) -> Any:
    """Returns a structure of a function's results for its shapes: lists and tuples of lengths and None."""

    def shape(x: Any) -> bool:
        whole = isinstance(x, list | tuple) and all(one is None or isinstance(one, int) for one in x)
        return whole or not is_nested(x)

    return _mapped(func, structure, (), shape)


def assert_same_structure(a: Any, b: Any, check_types: bool | None = None) -> None:
    """Raises ArgumentError, a ValueError, for two structures that are not alike."""
    if check_types is not None:
        looser = (
            "please remove."
            if check_types
            else "For a looser check, use `keras.tree.assert_same_paths()`, which considers `list`, `tuple`, "
            "`namedtuple` and `deque` as matching"
        )
        start = "The `check_types` argument is deprecated and no longer has any effect"
        _warnings.warn(f"{start}{', ' if check_types else '. '}{looser}", DeprecationWarning, stacklevel=2)
    map_structure(lambda *leaves: None, a, b)


def assert_same_paths(a: Any, b: Any) -> None:
    """Raises ArgumentError, a ValueError, for two structures with leaves in different places."""
    ours, theirs = ({path for path, _ in flatten_with_path(one)} for one in (a, b))
    if ours == theirs:
        return
    text = "`a` and `b` don't have the same paths."
    for first, second, more in (("a", "b", ours - theirs), ("b", "a", theirs - ours)):
        if more:
            text += f"\nPaths in `{first}` missing in `{second}`:\n{more}"
    raise _ArgumentError(text, site=_here())


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Returns a structure like another, with leaves in order."""
    leaves = list(flat_sequence)
    count = len(flatten(structure))
    if count != len(leaves):
        raise _ArgumentError(
            f"Too {'few' if len(leaves) < count else 'many'} leaves for a structure of {count}: "
            f"{len(leaves)}.",
            site=_here(),
        )
    rest = iter(leaves)
    return _mapped(lambda _: next(rest), structure, (), _is_leaf)


def lists_to_tuples(structure: Any) -> Any:
    """Returns a structure with tuples in place of its lists."""
    return traverse(lambda one: tuple(one) if isinstance(one, list) else None, structure, False)


__getattr__, __dir__, __all__ = _namespace("tf.keras.tree", globals())
