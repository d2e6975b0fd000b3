"""Selecting variables: by path pattern, by object, by anything that has variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from typing import Any

from penstock.errors import SelectionError
from penstock.state.variable import living
from penstock.trace.engine import engine
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

NEAR = 4
"""How many names are suggested for a pattern that matches nothing."""
_WILD = frozenset("*?[")


def names(variable: Any) -> tuple[str, ...]:
    """Returns the names by which a pattern may find a variable: its path, and the name on its line."""
    path: str = variable.path
    name = engine.called(variable)
    return (path,) if name == path else (path, name)


def name_of(variable: Any) -> str:
    """Returns the name of a variable in messages: its path, or the name it was assigned to if it has none."""
    return names(variable)[-1]


def matches(pattern: str, path: str) -> bool:
    """Returns whether a path fits a pattern.

    `*` matches any characters, slashes included, `?` matches one, `[ab]` one of these: `encoder/*` is
    everything in the encoder at any depth, `*/bias` every bias inside something. A pattern without these
    signs is a path or the start of one: `encoder` is `encoder` itself and `encoder/*`. Matching is
    case-sensitive.

    >>> matches("encoder/*", "encoder/0/kernel"), matches("encoder", "encoder/0/kernel")
    (True, True)
    >>> matches("*/bias", "encoder/0/bias"), matches("encoder", "encoder_2/kernel")
    (True, False)
    """
    if _WILD.isdisjoint(pattern):
        return path == pattern or path.startswith(pattern.rstrip("/") + "/")
    return fnmatchcase(path, pattern)


def variables_of(thing: Any) -> list[Cell]:
    """Returns the variables in a variable, anything with `variables`, or a nest of these, each once.

    Raises SelectionError for anything else.
    """
    found: dict[int, Cell] = {}
    for variable in _variables(thing):
        found.setdefault(variable._uid, variable)
    return list(found.values())


def _variables(thing: Any) -> Iterator[Cell]:
    if isinstance(thing, Cell):
        yield thing
        return
    if getattr(thing, "_is_random_state", False):
        # Keras lists it among the variables of a layer; the numbers of streams are selected with their layer.
        return
    own = getattr(thing, "variables", None)
    if callable(own):
        own = own()
    if own is not None:
        thing = own
    elif isinstance(thing, str | bytes) or not isinstance(thing, Mapping | Iterable):
        raise SelectionError(
            f"{thing!r} ({type(thing).__name__}) is neither a Variable nor something that has variables.",
            why="A selection is made of Variables or of objects that own them, such as layers and "
            "optimizers.",
            remedy="Pass a Variable, an object with a `variables` attribute, a list of these, or a pattern "
            "such as 'encoder/*'.",
            site=here(),
        )
    for one in thing.values() if isinstance(thing, Mapping) else thing:
        yield from _variables(one)


def everywhere() -> list[Any]:
    """Returns all living variables of the program itself, in the order of their creation."""
    return [variable for variable in list(living.values()) if not variable.own]


def select(wanted: Any, among: Any = None, *, what: str = "select", missing_ok: bool = False) -> list[Any]:
    """Returns the variables that `wanted` selects, each once, in the order of their creation.

    `wanted` is a path pattern (see `matches`), a Variable, anything with `variables`, or a list of these; a
    pattern that begins with `!` excludes variables that the others have selected. Patterns choose `among` the
    variables of something, or among all living variables except those that optimizers keep for themselves.

    Raises SelectionError if a pattern matches nothing, or if nothing is left, unless `missing_ok` allows it;
    `what` is the caller's name in the message.

    >>> import penstock as ps
    >>> model = [ps.Variable(0.0, name=name) for name in ("net/0/kernel", "net/0/bias", "net/1/kernel")]
    >>> [v.path for v in select("net/0/*", model)]
    ['net/0/kernel', 'net/0/bias']
    >>> [v.path for v in select(["net", "!*/bias"], model)]
    ['net/0/kernel', 'net/1/kernel']
    """
    candidates: list[Any] | None = None
    found: dict[int, Any] = {}
    without: list[str] = []
    for one in _parts(wanted):
        if isinstance(one, str):
            if candidates is None:
                candidates = everywhere() if among is None else variables_of(among)
            matching = of_pattern(one.removeprefix("!"), candidates)
            if not matching and not missing_ok:
                raise _unmatched(one, candidates, what)
            if one.startswith("!"):
                without.append(one)
                for variable in matching:
                    found.pop(variable._uid, None)
            else:
                found.update((variable._uid, variable) for variable in matching)
        else:
            found.update((variable._uid, variable) for variable in variables_of(one))
    if without and not found and not missing_ok:
        raise SelectionError(
            f"{what}: nothing is left of {wanted!r}: the patterns with `!` exclude all of it.",
            remedy="First name what to include, then what to exclude: ['encoder/*', '!*/bias'].",
            site=here(),
        )
    return [found[uid] for uid in sorted(found)]


def of_pattern(pattern: str, candidates: Iterable[Any]) -> list[Any]:
    """Returns the candidates that have a name which fits a pattern."""
    return [one for one in candidates if any(matches(pattern, name) for name in names(one))]


def _parts(wanted: Any) -> Iterator[Any]:
    """Yields the patterns and objects in a nest of lists, with excluding patterns last."""
    late = []
    if isinstance(wanted, list | tuple | AbstractSet):
        for one in wanted:
            for part in _parts(one):
                if isinstance(part, str) and part.startswith("!"):
                    late.append(part)
                else:
                    yield part
        yield from late
    else:
        yield wanted


def first_of(names: Sequence[str], shown: int) -> str:
    """Returns the first names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def near(pattern: str, paths: Sequence[str]) -> list[str]:
    """Returns paths and patterns similar to one that matches none of these paths."""
    import difflib

    groups: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            group = "/".join(parts[:depth]) + "/*"
            groups[group] = groups.get(group, 0) + 1
    pool = list(dict.fromkeys([*groups, *paths]))
    folded: dict[str, str] = {}
    for one in pool:
        folded.setdefault(one.casefold(), one)
    close = [folded[one] for one in difflib.get_close_matches(pattern.casefold(), folded, NEAR, 0.5)]
    first = pattern.split("/")[0].strip("*").casefold()
    close += [one for one in pool if first and first in one.casefold() and one not in close]
    found = close[:NEAR] or [*groups, *(path for path in paths if "/" not in path)][:NEAR]
    return [f"{one!r} ({groups[one]})" if one in groups else repr(one) for one in found]


def _unmatched(pattern: str, candidates: Sequence[Any], what: str) -> SelectionError:
    offered = near(pattern.removeprefix("!"), [name_of(one) for one in candidates])
    count = len(candidates)
    return SelectionError(
        f"{what}: the pattern {pattern!r} matches none of {count} variable{'s' * (count != 1)}.",
        origin=f"Near: {', '.join(offered)}" if offered else "",
        why="A pattern that matches nothing would silently do nothing.",
        remedy="Use one of the names above, or pass the variables themselves."
        if offered
        else "Create the variables first: layers create theirs when they are built.",
        site=here(),
    )


__all__ = ["everywhere", "first_of", "matches", "name_of", "names", "near", "select", "variables_of"]
