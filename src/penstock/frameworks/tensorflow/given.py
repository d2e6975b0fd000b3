"""The arguments of a watched block: models, variables and optimizers that were created before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock.frameworks.leaves import leaves
from penstock.frameworks.tensorflow.source import TensorFlow


def register(source: TensorFlow, given: Mapping[str, Any]) -> None:
    """Tells a started source about existing things, by the names they were passed under.

    The lines that created them are unknown.
    """
    watcher = source.begin()
    registry = watcher.registry
    found = []
    for name, thing in given.items():
        several = list(leaves(thing))
        for number, one in enumerate(several):
            found.append((name if len(several) == 1 else f"{name}[{number}]", one))
    watcher.names.give(found)
    for _, one in found:
        for variable in _variables(one):
            parameter = registry.of(variable)
            if parameter is not None:
                watcher.made(parameter)
                if hasattr(one, "apply_gradients"):
                    source.sink.subject(parameter).owned = True


def _variables(thing: Any) -> Iterator[Any]:
    """Yields the variables that a thing has, or trains."""
    if hasattr(thing, "apply_gradients"):
        yield from getattr(thing, "_trainable_variables", ())
    elif hasattr(thing, "assign"):
        yield thing
    else:
        weights: Any = getattr(thing, "weights", None) or getattr(thing, "variables", ())
        yield from weights


__all__ = ["register"]
