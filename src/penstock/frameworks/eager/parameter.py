"""Parameters, buffers and other leaf tensors in the form for reports, and their names."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from penstock.flow.observed import Variable
from penstock.flow.source import assigned_name
from penstock.flow.words import Words
from penstock.frameworks.eager.tensors import Tensors
from penstock.frameworks.eager.ties import Ties
from penstock.frameworks.held import attributes, entries
from penstock.frameworks.places import is_own
from penstock.trace.source_site import Site

_uids = itertools.count()
DEEP = 2
"""How many levels of lists and objects are searched for things that have no name otherwise."""
LONG, SHORT = 1_000, 100
"""The length of the longest list that is examined, and of the longest whose own lists are, too."""
UNKNOWN = Site("unknown", 0, "")
"""Represents the unknown line of creation of tensors made before the watch began."""


class Parameter(Variable):
    """A tensor that a program trains or stores as state: `kind` is "weight" or "state"."""

    __slots__ = (
        "__weakref__", "_dtype", "_shape", "kind", "names", "path", "replaced", "returned", "site",
        "tensor", "tensors", "uid", "unfrozen", "unregistered",
    )  # fmt: skip

    def __init__(
        self, tensors: Tensors, tensor: Any, site: Site | None, kind: str, returned: bool = True
    ) -> None:
        self.uid = next(_uids)
        self.tensors = tensors
        self.tensor = weakref.ref(tensor)
        self.path = ""
        self.names: dict[str, None] = {}
        self.site = site or UNKNOWN
        self.kind = kind
        self._shape: tuple[int, ...] = ()
        self._dtype = ""
        self._look()
        self.unfrozen = tensors.is_trained(tensor)
        self.replaced: Site | None = None
        self.unregistered = ""
        self.returned = returned

    def _look(self) -> None:
        tensor = self.tensor()
        if tensor is not None:
            self._dtype = self.tensors.dtype(tensor)
            self._shape = self.tensors.shape(tensor) or self._shape

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The latest shape: a lazy layer sets that of its parameters on the first call."""
        self._look()
        return self._shape

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The latest dtype: a conversion of a module changes it in place."""
        self._look()
        return self._dtype

    @property
    def unnamed(self) -> bool:
        return not self.path

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether autograd records for it."""
        tensor = self.tensor()
        if tensor is not None:
            self.unfrozen = self.tensors.is_trained(tensor)
        return self.unfrozen

    @property
    def data(self) -> bool:
        return False

    @property
    def words(self) -> Words:
        return self.tensors.words

    @property
    def flag(self) -> str:
        return self.tensors.flag


class Intermediate(Variable):
    """A result whose gradient, or another attribute of parameters only, a program reads."""

    __slots__ = ("_words", "dtype", "path", "shape", "site", "uid")

    trainable = data = True
    replaced: Site | None = None
    unregistered = ""

    def __init__(self, tensors: Tensors, tensor: Any, site: Site | None) -> None:
        self.uid = next(_uids)
        self.site = site or UNKNOWN
        self.path = assigned_name(site) or "the result"
        self.shape = tensors.shape(tensor) or ()
        self.dtype = tensors.dtype(tensor)
        self._words = tensors.words

    @property
    def words(self) -> Words:
        return self._words


class Layer(NamedTuple):
    """The layer that holds a parameter: its kind, the parameter's name in it, and the line that made it.

    `again` says whether the line has made one in an earlier step, too.
    """

    tensor: weakref.ref[Any]
    kind: str
    name: str
    site: Site | None
    again: bool


class Registry:
    """The parameters seen so far, by identity of their tensors, with the lines that created them."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self._known: dict[int, Parameter] = {}
        self._made: dict[int, tuple[weakref.ref[Any], Site | None, bool]] = {}
        self._modules: weakref.WeakKeyDictionary[Any, dict[str, weakref.ref[Any]]] = (
            weakref.WeakKeyDictionary()
        )
        self._replaced: weakref.WeakKeyDictionary[Any, list[tuple[str, Parameter]]] = (
            weakref.WeakKeyDictionary()
        )
        self._registered: set[int] = set()
        self._inner: set[int] = set()
        self._homes: list[tuple[str, weakref.ref[Any]]] = []
        self._layers: dict[int, Layer] = {}
        self._steps: dict[tuple[str, Site | None], int] = {}
        self.left: dict[int, Site | None] = {}
        self.ties = Ties(tensors)

    def note_made(self, tensor: Any, site: Site | None, returned: bool = True) -> None:
        """Notes the line that created a tensor, if it is unknown, and whether the line returned it."""
        known = self._made.get(id(tensor))
        if known is None or known[0]() is not tensor:
            self._made[id(tensor)] = weakref.ref(tensor), site, returned

    def note_inner(self, tensor: Any) -> None:
        """Notes that the framework has created a parameter for its own use, as for sharded ones."""
        self._inner.add(self.of(tensor).uid)

    def is_inner(self, parameter: Parameter) -> bool:
        """Returns whether the framework made a parameter for its own use: one that passes gradients on."""
        return parameter.uid in self._inner

    def made(self) -> Iterator[Any]:
        """Yields the living parameters whose creation was noted; forgets the others."""
        for key, (reference, *_) in list(self._made.items()):
            tensor = reference()
            if tensor is None:
                del self._made[key]
            elif isinstance(tensor, self.tensors.Parameter):
                yield tensor

    def note_registered(self, module: Any, name: str, tensor: Any, site: Site | None, step: int = 0) -> None:
        """Notes that a module got a parameter; a second one of the same name replaces the first."""
        names = self._modules.setdefault(module, {})
        before = names.get(name)
        old = before() if before is not None else None
        if tensor is None:
            names.pop(name, None)
            return
        if old is not None and old is not tensor and not self.ties.is_held(old, module, name):
            self.note_replaced(module, name, old, site)
        names[name] = weakref.ref(tensor)
        if isinstance(tensor, self.tensors.Parameter):
            self.ties.put(module, name, tensor, self.of, site)
            kind = type(module).__name__
            again = self._steps.setdefault((f"{kind}.{name}", site), step) < step
            self._layers[id(tensor)] = Layer(weakref.ref(tensor), kind, name, site, again)
        self.note_made(tensor, site)

    def layer_of(self, tensor: Any) -> Layer | None:
        """Returns the layer that holds a parameter, if a module has registered it."""
        found = self._layers.get(id(tensor))
        return found if found is not None and found.tensor() is tensor else None

    def note_replaced(self, module: Any, name: str, old: Any, site: Site | None) -> None:
        """Notes that a module now has another tensor under an existing name.

        That is a mistake if an optimizer that holds the old one goes on to step.
        """
        parameter = self.of(old)
        self.left[parameter.uid] = site
        self._replaced.setdefault(module, []).append((name, parameter))

    def find(self, tensor: Any) -> Parameter | None:
        """Returns the notes on a tensor, if there are any."""
        found = self._known.get(id(tensor))
        return found if found is not None and found.tensor() is tensor else None

    def of(self, tensor: Any, kind: str = "weight") -> Parameter:
        """Returns the notes on a tensor."""
        found = self.find(tensor)
        if found is None:
            made = self._made.get(id(tensor))
            site, returned = made[1:] if made is not None and made[0]() is tensor else (None, True)
            found = self._known[id(tensor)] = Parameter(self.tensors, tensor, site, kind, returned)
        return found

    def living(self) -> Iterator[tuple[Parameter, Any]]:
        """Yields the notes on living tensors, with the tensors; forgets the others."""
        for key, one in list(self._known.items()):
            tensor = one.tensor()
            if tensor is None:
                del self._known[key]
            else:
                yield one, tensor

    def name(self, frames: list[FrameType]) -> None:
        """Names unnamed tensors after the variables of frames that hold modules and tensors; outer frames
        first.
        """
        if all(one.path for one, _ in self.living()):
            return
        seen: set[int] = set()
        for frame in reversed(frames):
            scopes: list[Mapping[str, Any]] = [frame.f_globals] if frame.f_code.co_name == "<module>" else []
            scopes.append(frame.f_locals)
            for scope in scopes:
                if id(scope) in seen:
                    continue
                seen.add(id(scope))
                self._name_in(scope)
        if not all(one.path for one, _ in self.living()):
            for frame in frames:
                if id(frame.f_globals) not in seen:
                    seen.add(id(frame.f_globals))
                    self._name_in(frame.f_globals)

        if not all(one.path for one, _ in self.living()):
            for name, reference in self._homes:
                if (module := reference()) is not None:
                    self._name_module(name, module)
        if not all(one.path for one, _ in self.living()):
            for frame in frames:
                self._name_in(frame.f_locals, DEEP)

    def note_home(self, name: str, module: Any) -> None:
        """Notes a module, for names of tensors without any other name."""
        self._homes.append((name, weakref.ref(module)))

    def note_homes(self, frames: list[FrameType]) -> None:
        """Notes the modules that frames hold, outer ones first, for names when the frames are gone."""
        for frame in reversed(frames):
            held = dict(frame.f_locals)
            for name, thing in [*held.items(), *attributes(held.get("self"))]:
                if isinstance(thing, self.tensors.Module) and not name.startswith("__"):
                    self.note_home(name, thing)

    def _name_in(self, scope: Mapping[str, Any], depth: int = 0) -> None:
        for name, thing in list(scope.items()):
            if name.startswith("__"):
                continue
            self.name_thing(name, thing, 0 if name == "self" else depth)
            if name == "self":
                for inner, one in attributes(thing):
                    self.name_thing(inner, one, depth)

    def name_thing(self, name: str, thing: Any, depth: int = 0) -> None:
        """Names the contents of a module, a tensor, or a list or dictionary of these.

        Also those of lists inside lists, and of the program's other objects, `depth` levels down.
        """
        if isinstance(thing, self.tensors.Module):
            self._name_module(name, thing)
        elif isinstance(thing, self.tensors.Tensor):
            self._give(thing, name)
        elif isinstance(thing, list | tuple | dict):
            held = entries(thing, LONG)
            for key, one in held:
                inner = f"{name}[{key!r}]"
                if isinstance(one, (self.tensors.Tensor, self.tensors.Module)):
                    self.name_thing(inner, one)
                elif depth and isinstance(one, list | tuple | dict) and len(held) <= SHORT:
                    self.name_thing(inner, one, depth - 1)
        elif depth and is_own(type(thing)):
            for key, one in attributes(thing):
                self.name_thing(f"{name}.{key}", one, depth - 1)

    def _name_module(self, name: str, module: Any) -> None:
        try:
            held = list(self.tensors.named_tensors(module))
        except Exception:
            return
        for path, tensor in held:
            self._give(tensor, f"{name}.{path}" if name != "self" else path)
        prefix = f"{name}." if name != "self" else ""
        for inner, one in list(self.tensors.named_modules(module)):
            for own, parameter in self._replaced.get(one, ()):
                parameter.path = parameter.path or f"{prefix}{inner}{'.' * bool(inner)}{own} (replaced)"
            for tensor in self.tensors.own_parameters(one).values():
                if tensor is not None:
                    self._registered.add(id(tensor))
            for attribute, thing in list(vars(one).items()):
                if isinstance(thing, self.tensors.Tensor):
                    self._give(thing, f"{prefix}{inner}{'.' * bool(inner)}{attribute}")
            # Modules that a plain list, tuple or dictionary of another one holds are not registered.
            for attribute, thing in list(vars(one).items()):
                if isinstance(thing, list | tuple | dict) and not attribute.startswith("_"):
                    prefix = ".".join(part for part in (name if name != "self" else "", inner) if part)
                    self._name_unregistered(
                        f"{prefix}.{attribute}" if prefix else attribute, attribute, thing
                    )

    def _name_unregistered(self, name: str, attribute: str, thing: Any) -> None:
        """Names the contents of a module's plain list or dictionary, and notes that it is not registered."""
        before = {one.uid for one, _ in self.living() if one.path}
        self.name_thing(name, thing, DEEP)
        modules, mappings, parameters, named = self.tensors.containers
        is_dict = isinstance(thing, dict)
        for one, tensor in self.living():
            if one.uid not in before and one.path and isinstance(tensor, self.tensors.Parameter):
                one.unregistered = (
                    f"Let the module register what {attribute!r} holds: self.{attribute} = "
                    f"{mappings if is_dict else modules}(...), or {named if is_dict else parameters}(...) "
                    f"for parameters, in place of a plain {'dictionary' if is_dict else 'list'}. Then make "
                    "the optimizer."
                )

    def _give(self, tensor: Any, name: str) -> None:
        found = self.find(tensor)
        if found is not None:
            found.names[name] = None
            if not found.path:
                found.path = name

    def is_orphan(self, tensor: Any) -> bool:
        """Returns whether a tensor was created as a parameter but belongs to no named module."""
        return isinstance(tensor, self.tensors.Parameter) and id(tensor) not in self._registered

    def name_rest(self, optimizer: Any) -> None:
        """Names an optimizer's tensors that have no other name."""
        for group, held in enumerate(self.tensors.groups_of(optimizer)):
            for number, tensor in enumerate(held):
                found = self.of(tensor)
                if not found.path:
                    found.path = f"parameter {number} of group {group} of {type(optimizer).__name__}"


__all__ = ["UNKNOWN", "Intermediate", "Parameter", "Registry"]
