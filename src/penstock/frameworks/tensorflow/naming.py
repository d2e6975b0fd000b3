"""Names of variables, from the objects that the program holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from types import FrameType, ModuleType
from typing import Any

from tensorflow.python.module import module as modules

from penstock.frameworks.held import attributes, entries
from penstock.frameworks.places import is_installed_file
from penstock.frameworks.sampling import is_measured
from penstock.frameworks.tensorflow.variable import Registry

MANY = 1_000
"""Longer lists are not examined."""
DEEP = 4
"""How many names lead to a model at most: `trainer.agent.actor.model`."""
Path = tuple[str, ...]


class Names:
    """Names variables after the variables of frames that hold them, or hold their models."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._count = self._times = 0

    def is_due(self) -> bool:
        """Returns whether to look for names: those that were not found are looked for less and less often."""
        count = self._registry.count
        if count != self._count:
            self._count, self._times = count, 0
        self._times += 1
        return is_measured(self._times)

    def name(self, frames: list[FrameType]) -> None:
        """Names the variables without a name; those of outer frames come first."""
        if all(one.home for one, _ in self._registry.living()):
            return
        found: list[tuple[str, Any]] = []
        scopes: dict[int, Mapping[str, Any]] = {}
        for frame in reversed(frames):
            for scope in (frame.f_globals, frame.f_locals):
                scopes.setdefault(id(scope), scope)
        held: dict[int, tuple[Path, Any]] = {}
        for names in scopes.values():
            for path, one in _held(names):
                held.setdefault(id(one), (path, one))
        paths = [path for path, _ in held.values()]
        found = [(_label(path, paths), one) for path, one in held.values()]
        self.give(found)

    def give(self, found: list[tuple[str, Any]]) -> None:
        """Names the variables of things, each with its name: those of small models before those of large."""
        layers = [(name, one) for name, one in found if _is_layer(one)]
        layers.sort(key=lambda pair: len(pair[1].weights))
        for name, layer in layers:
            self._name_layer(name, layer)
        for name, one in found:
            if isinstance(one, modules.Module) and not _is_layer(one):
                self._name_module(name, one)
            elif (parameter := self._registry.of(one)) is not None and not parameter.home:
                parameter.home = name

    def _name_layer(self, name: str, layer: Any) -> None:
        own = str(layer.name)
        label = name if _is_automatic(layer) else own
        for variable in layer.weights:
            parameter = self._registry.of(variable)
            if parameter is None or parameter.home:
                continue
            path = str(getattr(variable, "path", parameter.path))
            # A model around it may have built it, whose name comes first then.
            rest = f"/{path}".rpartition(f"/{own}/")[2].removeprefix("/")
            parameter.home, parameter.path_ = label, f"{label}/{rest}"

    def _name_module(self, name: str, module: Any) -> None:
        try:
            inside = list(module._flatten(predicate=_is_variable, with_path=True))
        except (AttributeError, TypeError, ValueError):
            return
        for path, variable in inside:
            parameter = self._registry.of(variable)
            if parameter is not None and not parameter.home:
                parameter.home = name
                parameter.path_ = "/".join((name, *map(str, path)))


def _held(scope: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yields the models, layers, modules and variables that a scope holds, with the names that lead there.

    Objects of the program's own classes are looked into.
    """
    waiting: list[tuple[Path, Any]] = [
        ((name,), thing) for name, thing in list(scope.items()) if not name.startswith("__")
    ]
    seen: set[int] = set()
    for path, thing in waiting:
        if id(thing) in seen or isinstance(thing, ModuleType | type):
            continue
        seen.add(id(thing))
        if _is_layer(thing) or isinstance(thing, modules.Module) or _is_variable(thing):
            yield path, thing
        elif isinstance(thing, list | tuple | dict):
            items = entries(thing, MANY)
            waiting += [((*path[:-1], f"{path[-1]}[{key!r}]"), one) for key, one in items]
        elif len(path) < DEEP and _is_own(thing):
            waiting += [((*path, name), one) for name, one in attributes(thing) if not name.startswith("__")]


def _label(path: Path, paths: list[Path]) -> str:
    """Returns the shortest end of a path that no other path has."""
    path = path[path[0] == "self" and len(path) > 1 :]
    for count in range(1, len(path)):
        if sum(other[-count:] == path[-count:] for other in paths) <= 1:
            return ".".join(path[-count:])
    return ".".join(path)


def _is_layer(thing: Any) -> bool:
    return hasattr(type(thing), "add_weight") and hasattr(type(thing), "weights")


def _is_variable(thing: Any) -> bool:
    return hasattr(type(thing), "assign") and hasattr(type(thing), "trainable")


def _is_own(thing: Any) -> bool:
    """Returns whether an object's class belongs to the program."""
    if _is_layer(thing) or not hasattr(thing, "__dict__"):
        return False
    module = sys.modules.get(type(thing).__module__)
    file = getattr(module, "__file__", None)
    return file is not None and not is_installed_file(file)


def _is_automatic(layer: Any) -> bool:
    """Returns whether Keras has made up the name of a layer from that of its class."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", type(layer).__name__)
    snake = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()
    return re.fullmatch(rf"({re.escape(snake)}|functional|sequential)(_\d+)?", str(layer.name)) is not None


__all__ = ["Names"]
