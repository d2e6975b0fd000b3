"""Models whose weights follow those of another, by lines of the program; their buffers may not."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import torch

from penstock.flow.noted import Unfollowed
from penstock.frameworks.eager.copies import print_of
from penstock.frameworks.eager.parameter import Parameter, Registry
from penstock.frameworks.held import attributes
from penstock.frameworks.places import user_frames
from penstock.frameworks.torch.tensors import TENSORS
from penstock.trace.source_site import Site


@dataclass(slots=True)
class _Line:
    """A line that writes parameters from others: pairs of them, by identity, and the models in its frames."""

    pairs: dict[int, int] = field(default_factory=dict)
    models: list[tuple[str, weakref.ref[Any]]] = field(default_factory=list)


@dataclass(slots=True)
class _Behind:
    """A buffer of a model that follows another, with its earlier value, and the other model's buffer."""

    fact: Unfollowed
    path: str
    mine: Any
    theirs: Any
    print: int
    layer: weakref.ref[Any]
    name: str

    def stands_still(self) -> bool:
        """Returns whether it is unchanged although the other has changed."""
        layer = self.layer()
        same = layer is None or layer._buffers.get(self.name) is self.mine
        return same and print_of(TENSORS, self.mine) == self.print != print_of(TENSORS, self.theirs)


class Followers:
    """The lines that make one model follow another."""

    def __init__(self, registry: Registry, trained: Set[int]) -> None:
        """`trained` are the numbers of the parameters known to belong to optimizers."""
        self._registry, self._trained = registry, trained
        self._lines: dict[tuple[str, Site | None], _Line] = {}
        self._behind: list[_Behind] = []

    def wrote(self, target: Any, source: Any, by: str, site: Site | None) -> None:
        """Notes that a line has written a parameter from another one."""
        line = self._lines.get((by, site))
        if line is None:
            line = self._lines[by, site] = _Line()
            found = dict.fromkeys(_models())
            line.models = [(name, weakref.ref(model)) for name, model in found]
        if id(target) in line.pairs:
            # It runs again: all its copies are known.
            self._settle(by, site, line)
        else:
            line.pairs[id(target)] = id(source)

    def settle(self) -> None:
        """Finds models of which all parameters follow those of another model."""
        for (by, site), line in self._lines.items():
            self._settle(by, site, line)
        self._lines.clear()

    def _settle(self, by: str, site: Site | None, line: _Line) -> None:
        if line.models:
            for name, mine in _living(line):
                held = dict(mine.named_parameters())
                if not held or any(id(one) not in line.pairs for one in held.values()):
                    continue
                known = (self._registry.find(one) for one in held.values())
                if any(one is not None and one.uid in self._trained for one in known):
                    # Models that learn from each other have their own statistics.
                    continue
                for other, theirs in _living(line):
                    own = dict(theirs.named_parameters())
                    if own.keys() == held.keys() and all(
                        line.pairs[id(one)] == id(own[path]) for path, one in held.items()
                    ):
                        self._behind += self._buffers(Unfollowed(by, site, other), name, mine, theirs)
                        break
            line.models.clear()

    def _buffers(self, fact: Unfollowed, name: str, mine: Any, theirs: Any) -> Iterator[_Behind]:
        others = dict(theirs.named_buffers())
        for path, layer in mine.named_modules():
            for own, one in layer._buffers.items():
                whole = f"{path}.{own}" if path else own
                other = others.get(whole)
                known = self._registry.find(other) if other is not None else None
                if known is not None and known.kind == "state" and one is not None and one is not other:
                    reference = weakref.ref(layer)
                    yield _Behind(fact, f"{name}.{whole}", one, other, print_of(TENSORS, one), reference, own)

    def unfollowed(self) -> Iterator[tuple[Unfollowed, Sequence[Parameter]]]:
        """Yields the buffers that did not change to the end."""
        for one in self._behind:
            if one.stands_still():
                parameter = self._registry.of(one.mine, "state")
                parameter.path = parameter.path or one.path
                yield one.fact, [parameter]
        self._behind.clear()


def _living(line: _Line) -> list[tuple[str, Any]]:
    return [(name, one) for name, model in line.models if (one := model()) is not None]


def _models() -> Iterator[tuple[str, Any]]:
    """Yields the models in the user's frames, with their names: outer frames first."""
    for frame in reversed(user_frames(3)):
        for name, thing in list(frame.f_locals.items()):
            if isinstance(thing, torch.nn.Module):
                yield name, thing
            if name == "self":
                modules = thing._modules if isinstance(thing, torch.nn.Module) else {}
                for inner, one in [*attributes(thing), *modules.items()]:
                    if isinstance(one, torch.nn.Module):
                        yield inner, one


__all__ = ["Followers"]
