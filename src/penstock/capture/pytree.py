"""Arguments and results of a captured step: the parts that may vary, and their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from penstock.capture.objects import (
    NESTED,
    Refusal,
    Role,
    arguments_by_name,
    attributes_of,
    fix,
    has_hash,
    refusal,
    role_of,
    roles,
)
from penstock.errors import CaptureError
from penstock.trace.kinds import kind_of
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.structure import LEAF, Outline, flatten, named
from penstock.trace.tensor import Tensor, concrete

DATA, VALUE, ROW, TABLE, VARIABLE = Role.DATA, Role.VALUE, Role.ROW, Role.TABLE, Role.VARIABLE
_known = roles.known


def leaves_of(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[list[Any], tuple[Any, ...]]:
    """Returns the parts of a call's arguments that may vary, and a hashable key of the rest.

    Raises CaptureError for objects that may change but cannot be compared.
    """
    leaves: list[Any] = []
    key: list[Any] = [len(arguments)]
    try:
        for one in arguments:
            take(one, leaves, key)
        for name, one in options.items():
            key.append(name)
            take(one, leaves, key)
    except Refusal:
        raise _located(function, arguments, options) from None
    except RecursionError:
        raise CaptureError(
            f"{function.__name__}: an argument contains itself.",
            why="The search through its contents for values that vary would never end.",
            remedy="Remove that reference.",
            site=here(),
        ) from None
    return leaves, tuple(key)


def take(one: Any, leaves: list[Any], key: list[Any]) -> None:
    """Appends the parts of an argument that may vary to `leaves`, and the rest to `key`."""
    role = _known.get(type(one)) or roles.of(one)
    if role is DATA:
        leaves.append(one)
        key.append(DATA)
    elif role is ROW:
        key += (type(one), len(one))
        for part in one:
            take(part, leaves, key)
    elif role is TABLE:
        # In the user's order, because a function may iterate over it; to code that computes with keys, 1 is
        # not True.
        names = tuple(one)
        key += (dict, names, tuple(map(type, names)))
        for part in one.values():
            take(part, leaves, key)
    elif role is VALUE:
        key += (type(one), one)
    elif role is VARIABLE:
        key += (VARIABLE, one._uid)
    elif is_nested(one, role):
        kind: Any = kind_of(one, composites=True)
        rest, parts = kind.apart(one)
        exact = kind.exact(rest)
        if not has_hash(exact):
            raise Refusal(one)
        key += (type(one), exact)
        for part in parts:
            take(part, leaves, key)
    else:
        fix(one, key)


def is_nested(one: Any, role: Role) -> bool:
    """Returns whether an argument is a structure of parts that may vary, and not a fixed value."""
    if role is not Role.FROZEN:
        return role in NESTED
    if has_hash(one):
        with suppress(Refusal):
            fix(one, [])
            return False
    return True


def rebuilt(one: Any, leaves: Iterator[Any]) -> Any:
    """Returns an argument with each leaf replaced by the next one in `leaves`."""
    role = role_of(one)
    if role is DATA:
        return next(leaves)
    if role is TABLE:
        return {key: rebuilt(part, leaves) for key, part in one.items()}
    if not is_nested(one, role):
        return one
    kind: Any = kind_of(one, composites=True)
    rest, parts = kind.apart(one)
    return kind.together(type(one), rest, [rebuilt(part, leaves) for part in parts])


def _located(function: Callable[..., Any], arguments: Any, options: Any) -> Exception:
    """Returns the error about the first part of the arguments that is refused."""
    for name, one in arguments_by_name(function, arguments, options).items():
        found = _refused(one)
        if found is not None:
            return refusal(function.__name__, f"argument {name + found.path!r}", found)
    raise AssertionError("nothing is refused")


def _refused(one: Any) -> Refusal | None:
    """Returns the refused part of an argument, with the path that leads there."""
    try:
        take(one, [], [])
    except Refusal as refused:
        if is_nested(one, role_of(one)):
            kind: Any = kind_of(one, composites=True)
            rest, parts = kind.apart(one)
            for number, part in enumerate(parts):
                found = _refused(part)
                if found is not None:
                    found.path = kind.label(type(one), rest, number) + found.path
                    return found
        return refused
    return None


# -- results ----------------------------------------------------------------------------------------------

COMPUTED, GIVEN, FIXED = range(3)


class Template:
    """A captured result: its outline, and what each leaf is: a computed tensor, an argument or a constant.

    `alone` says that it is one computed tensor, `nothing` that it is None.
    """

    __slots__ = ("alone", "leaves", "nothing", "outline")

    def __init__(self, outline: Outline, leaves: list[tuple[int, Any]]) -> None:
        self.outline, self.leaves = outline, leaves
        self.alone = outline is LEAF and leaves[0][0] == COMPUTED
        self.nothing = not leaves and outline.packed(iter(())) is None


def template(result: Any, trace: Trace, wrapped: Sequence[Tensor], kept: list[int]) -> Template:
    """Returns a result with a place for each computed tensor; the position of its handle goes into `kept`.

    Raises CaptureError for a result that hides tensors of the recording in places that no call can renew.
    """
    leaves, outline = flatten(result, composites=True)
    places = []
    for number, one in enumerate(leaves):
        given = next((place for place, tensor in enumerate(wrapped) if tensor is one), None)
        if given is not None:
            places.append((GIVEN, given))
        elif isinstance(one, Tensor) and one._trace is trace:
            index = next(i for i, handle in enumerate(trace.handles) if handle is one)
            if index not in kept:
                kept.append(index)
            places.append((COMPUTED, kept.index(index)))
        else:
            if not isinstance(one, Tensor):
                _check_fixed(result, number, one, trace)
            places.append((FIXED, one))
    return Template(outline, places)


def fill(outline: Template, tensors: Sequence[Tensor], arguments: Sequence[Any]) -> Any:
    """Returns a result with the tensors and arguments of one call filled in."""
    if outline.alone:
        return tensors[outline.leaves[0][1]]
    made = [
        tensors[one] if source == COMPUTED else concrete(arguments[one]) if source == GIVEN else one
        for source, one in outline.leaves
    ]
    return outline.outline.packed(iter(made))


def _check_fixed(result: Any, number: int, leaf: Any, trace: Trace) -> None:
    """Refuses a part of a result that hides tensors of the recording, or that one call uses up."""
    used_up = role_of(leaf) is Role.UNKNOWN and (hasattr(leaf, "__next__") or hasattr(leaf, "__await__"))
    if used_up or any(isinstance(one, Tensor) and one._trace is trace for one in _hidden(leaf)):
        path, _ = list(named(result, "its result", composites=True))[number]
        raise refusal(str(trace.capturing), path, Refusal(leaf))


def _hidden(thing: Any) -> Iterator[Any]:
    """Yields the contents of a thing that is not a structure, at any depth."""
    stack, seen = [thing], {id(thing)}
    while stack:
        one = stack.pop()
        role = role_of(one)
        parts: Iterator[Any] = iter(())
        if role in (Role.OBJECT, Role.HASHED, Role.UNKNOWN):
            parts = (part for _, part in attributes_of(one))
        if isinstance(one, set | frozenset):
            parts = iter(list(one))
        elif (kind := kind_of(one, composites=True)) is not None:
            parts = iter(kind.apart(one)[1])
        for part in parts:
            if id(part) not in seen:
                seen.add(id(part))
                stack.append(part)
                yield part


__all__ = ["Template", "fill", "is_nested", "leaves_of", "rebuilt", "template"]
