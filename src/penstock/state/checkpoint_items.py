"""The contents of a checkpoint by name: variables, optimizers with their state, plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state.optimizer_state import Kept
from penstock.state.selection import name_of, variables_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell


class Contents:
    """The variables, optimizers and plain values that were passed to `save` or `load`, by name.

    `streams` are the random numbers of layers with their own seed; `unbuilt` names layers that have no
    variables yet; `layers` are the layers that were passed, each with the prefix of its paths.
    """

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.optimizers: dict[str, Kept] = {}
        self.values: dict[str, Any] = {}
        self.streams: dict[str, Any] = {}
        self.unbuilt: list[str] = []
        self.layers: list[tuple[str, Any]] = []

    def add(self, name: str, variable: Any, what: str) -> None:
        """Notes a variable; raises CheckpointError if another one has the name, or no array can have it."""
        if name == "__metadata__" or not name.isprintable():
            raise CheckpointError(
                f"{what}: a Variable has the name {name!r}, which an array in a file cannot have.",
                origin=f"created at {variable.site}",
                remedy=f"Name it, or pass it by name: {what}(path, first=...).",
                site=here(),
            )
        other = self.variables.setdefault(name, variable)
        if other is not variable:
            raise CheckpointError(
                f"{what}: two Variables have the name {name!r}.",
                origin=f"one created at {other.site}\nthe other created at {variable.site}",
                why="A file holds one array per name.",
                remedy="Name them: Variable(..., name='...'), Adam(..., name='...'), or pass them by name: "
                f"{what}(path, first=..., second=...).",
                site=here(),
            )

    def refresh(self, what: str) -> None:
        """Adds the variables that optimizers have created in the meantime."""
        for kept in self.optimizers.values():
            for name, variable in kept.variables():
                self.add(name, variable, what)


def contents_of(things: tuple[Any, ...], named: Mapping[str, Any], what: str) -> Contents:
    """Returns the contents of these things, by name."""
    contents = Contents()
    names: dict[int, str] = {}
    optimizers: list[tuple[str, Any]] = []
    for thing in things:
        _collect(thing, "", None, contents, names, optimizers, what)
    for name, thing in named.items():
        if isinstance(thing, np.bool | np.integer | np.floating):
            thing = thing.item()
        if isinstance(thing, int | float | str | bool) or thing is None:
            contents.values[name] = thing
        else:
            _collect(thing, f"{name}/", name, contents, names, optimizers, what)
    for prefix, optimizer in optimizers:
        kept = Kept(optimizer, prefix, names, list(contents.variables.values()))
        key = prefix + optimizer.name
        if key in contents.optimizers:
            raise CheckpointError(
                f"{what}: two optimizers have the name {key!r}.",
                why="A file holds the state of one optimizer per name.",
                remedy=f"Name them, Adam(..., name='...'), or pass them by name: {what}(path, first=...).",
                site=here(),
            )
        contents.optimizers[key] = kept
    contents.refresh(what)
    return contents


def _collect(
    thing: Any,
    prefix: str,
    alone: str | None,
    contents: Contents,
    names: dict[int, str],
    optimizers: list[tuple[str, Any]],
    what: str,
) -> None:
    """Adds a thing below a prefix; `alone` is its name if it is a Variable."""
    if isinstance(thing, Cell):
        name = alone or name_of(thing)
        contents.add(name, thing, what)
        names.setdefault(thing._uid, name)
    elif hasattr(thing, "apply_gradients") and hasattr(getattr(thing, "_updates", thing), "_state"):
        optimizers.append((prefix, thing))
    elif isinstance(thing, Mapping):
        for key, one in thing.items():
            _collect(one, f"{prefix}{key}/", f"{prefix}{key}", contents, names, optimizers, what)
    elif isinstance(thing, list | tuple):
        for number, one in enumerate(thing):
            _collect(one, prefix, f"{prefix}{number}" if alone else None, contents, names, optimizers, what)
    else:
        for variable in variables_of(thing):
            name = prefix + name_of(variable)
            contents.add(name, variable, what)
            names.setdefault(variable._uid, name)
        if hasattr(thing, "_is_layer"):
            contents.unbuilt += thing._unbuilt()
            contents.layers.append((prefix, thing))
            for name, stream in thing._streams().items():
                contents.streams[prefix + name] = stream


__all__ = ["Contents", "contents_of"]
