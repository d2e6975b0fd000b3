"""Operations on a whole module: putting one in the place of another, and loading its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.eager.told import Written
from penstock.frameworks.places import here, user_frames
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager


class Modules:
    """Replacements and loads, each reported once for the module."""

    def __init__(self, source: Eager) -> None:
        self.source, self.tensors = source, source.registry.tensors
        self._replaced = False

    def _named(self, module: Any) -> dict[str, Any]:
        """Returns the parameters of a module and those inside it."""
        return {
            f"{path}.{name}" if path else name: tensor
            for path, one in self.tensors.named_modules(module)
            for name, tensor in self.tensors.own_parameters(one).items()
            if tensor is not None
        }

    def kind_of(self, tensor: Any) -> str:
        """Returns whether a tensor of a module is a "weight" or its "state"."""
        known = self.source.registry.find(tensor)
        if known is not None:
            return known.kind
        return "weight" if self.tensors.is_trained(tensor) else "state"

    def put(self, owner: Any, name: str, module: Any) -> None:
        """Notes that a module gets another one under a name: an optimizer may hold parameters of the old one.

        Those that the new one contains, or that stay elsewhere in the owner, are not replaced. A module
        without parameters, such as nn.Identity, replaces none.
        """
        old = self.tensors.own_modules(owner).get(name)
        if (
            not isinstance(module, self.tensors.Module)
            or old is module
            or (old is None and not self._replaced)
        ):
            return
        registry = self.source.registry
        new = list(self._named(module).values())
        if self._replaced:
            for tensor in new:
                if (known := registry.find(tensor)) is not None:
                    known.replaced = None
                    registry.left.pop(known.uid, None)
        if old is None or not any(map(self.tensors.is_trained, new)):
            return
        kept = {id(one) for one in new}
        for key, other in self.tensors.own_modules(owner).items():
            if key != name and other is not None:
                kept.update(map(id, self._named(other).values()))
        held = self.source.updates.holds()
        for path, tensor in self._named(old).items():
            if id(tensor) in held and id(tensor) not in kept:
                self._replaced = True
                registry.note_replaced(owner, f"{name}.{path}", tensor, here(3))

    def loaded(self, held: Mapping[str, Any], given: Any, by: str, site: Site | None) -> None:
        """Reports the values that a load has written into tensors of a module, by their names."""
        if not self.source.began:
            return
        self.source.registry.name(user_frames(2))
        writes: list[Written] = []
        loaded: list[Parameter] = []
        event = next(self.source.events)
        for name, tensor in held.items():
            source = given.get(name) if isinstance(given, Mapping) else None
            if not isinstance(source, self.tensors.Tensor):
                continue
            parameter = self.source.registry.of(tensor, self.kind_of(tensor))
            loaded.append(parameter)
            itself = self.source.is_itself(source, tensor)
            amount = 0.0 if itself else None
            writes.append(
                self.source.Written(parameter, by, site, "write", ("load",), event, amount, idle=itself)
            )
        if self.source.window is not None:
            self.source.window.forget_reads(loaded)
        self.source.tell(writes)
        for one in writes:
            tensor = one.variable.tensor()
            if tensor is not None and not one.idle:
                self.source.copies.wrote(one.variable, tensor, one.by, site)


__all__ = ["Modules"]
