"""TensorFlow's variables in the form for reports, by the identity of their handles."""

from __future__ import annotations

import itertools
import re
import sys
import weakref
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.flow.bindings import bound_before
from penstock.flow.observed import Variable
from penstock.flow.words import Words
from penstock.frameworks.tensorflow.lines import line_of
from penstock.frameworks.tensorflow.words import TENSOR, TENSORFLOW
from penstock.trace.source_site import Site, exactly_at

_uids = itertools.count()
UNKNOWN = Site("unknown", 0, "")
"""Represents the unknown line of creation of variables made before the watch began."""
_NAMELESS = ("Variable", "")
"""Names of variables that the program has not named."""
_KEEPERS = ("optimizers", "optimizer", "metrics", "random")
"""Folders of Keras whose objects keep variables for their own use."""
_INTERNAL = ("tensorflow.python.checkpoint", "tensorflow.python.distribute.cross_device")
"""Modules of TensorFlow that make variables for their own use."""
_STATISTICS = ("moving_mean", "moving_var")
"""The beginnings of the names that layers give to statistics of their own."""
_COPY = re.compile(r"/replica_[1-9]\d*(:\d+)?$")
"""The end of the name of a mirrored variable's copy in a replica after the first."""


class Parameter(Variable):
    """A variable of the program. `keras` refers to Keras' object for it, if it has one.

    `home` is the name by which the program holds its model, or the variable; `statistic` says that a layer
    writes it. `set_at` numbers the settings of its flag among those of all variables.
    """

    __slots__ = (
        "__weakref__", "_dtype", "_given", "_shape", "_statistic", "_trainable", "home", "keras", "name",
        "owner", "path_", "replaced", "returned", "set_at", "settings_", "site", "tensor", "uid",
        "unregistered",
    )  # fmt: skip

    def __init__(self, variable: Any, site: Site | None) -> None:
        self.uid = next(_uids)
        self.tensor = weakref.ref(variable)
        self.site = site or UNKNOWN
        self.name = str(variable.name).rpartition(":")[0] or str(variable.name)
        self.keras: weakref.ref[Any] | None = None
        self.home = self.path_ = ""
        self.owner = ""
        self.replaced: Site | None = None
        self.unregistered = ""
        self.returned = True
        self._statistic = self._given = False
        self._shape = tuple(variable.shape) if variable.shape.rank is not None else ()
        self._dtype = str(variable.dtype.name)
        self._trainable = bool(variable.trainable)
        self.settings_: list[tuple[bool, Site | None]] = [(self._trainable, self.site)]
        self.set_at = [0]

    @property
    def path(self) -> str:  # type: ignore[override]
        """Its name: Keras' path, the name the program gave it, or the name that the program holds it by."""
        if self.path_:
            return self.path_
        one = self.keras() if self.keras is not None else None
        if one is not None:
            return str(one.path)
        return self.home or "Variable" if self._is_nameless else self.name

    @property
    def _is_nameless(self) -> bool:
        return self.name.rpartition("/")[2].rstrip("0123456789_") in _NAMELESS

    @property
    def unnamed(self) -> bool:
        return not (self.path_ or self.home or self.keras is not None) and self._is_nameless

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Its shape."""
        return self._shape

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The name of its dtype."""
        return self._dtype

    @property
    def watched(self) -> bool:
        """Whether a tape watches it when it is read."""
        return self._trainable

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether the program trains it: for a layer's variable, Keras' flag decides."""
        one = self.keras() if self.keras is not None else None
        return bool(one.trainable) if one is not None else self._trainable

    @property
    def settings(self) -> Sequence[tuple[bool, Site | None]]:
        return self.settings_

    @property
    def statistic(self) -> bool:
        return self._statistic

    @property
    def given(self) -> bool:
        return self._given

    @property
    def words(self) -> Words:
        return TENSORFLOW

    def setting_at(self, number: int) -> bool:
        """Returns its flag as it was after this many settings of all variables."""
        found = self.settings_[0][0]
        for at, (value, _) in zip(self.set_at, self.settings_, strict=True):
            found = value if at <= number else found
        return found

    def note_state(self) -> None:
        """Notes that a layer writes it."""
        self._statistic = True

    def note_given(self) -> None:
        """Notes that the program has given it a value before it was trained."""
        self._given = True

    def is_there(self) -> Any:
        reference = self.tensor
        return lambda: reference() is not None


class Requested(Variable):
    """A tensor whose gradient the program requests: `position` is its place among the sources."""

    __slots__ = ("dtype", "path", "place", "shape", "site", "tensor", "uid")

    trainable = data = True
    replaced: Site | None = None
    unregistered = ""
    words: Words = TENSOR

    def __init__(self, uid: int, path: str, place: int, site: Site | None, dtype: str, shape: Any) -> None:
        self.uid, self.path, self.place = uid, path, place
        self.site = site or UNKNOWN
        self.dtype, self.shape = dtype, shape

    @property
    def position(self) -> int | None:
        return self.place


class Registry:
    """The variables seen so far."""

    def __init__(self) -> None:
        self._known: dict[int, Parameter] = {}
        self._ignored: dict[int, weakref.ref[Any]] = {}
        self._begun: dict[int, tuple[weakref.ref[Any], Site | None]] = {}
        self._requested: dict[tuple[str, Site | None], int] = {}

    @property
    def count(self) -> int:
        """How many variables it has."""
        return len(self._known)

    def note_made(self, variable: Any, depth: int) -> Parameter | None:
        """Notes a new variable; returns None for one that Keras keeps, or the copy of another replica."""
        keras, owner, direct, frame = _makers(depth + 1)
        if owner or _COPY.search(str(variable.name)):
            self._ignored[id(variable.handle)] = weakref.ref(variable.handle)
            return None
        site = line_of(frame) if frame is not None else None
        if frame is not None and site is not None and site.instruction is not None:
            site = exactly_at(frame)
        begun = self._begun.pop(id(keras), None)
        if begun is not None and begun[0]() is keras:
            site = begun[1] or site
        one = self._add(variable, site)
        one.returned = direct
        if keras is not None:
            one.keras = weakref.ref(keras)
            if not one.trainable and one.name.rpartition("/")[2].startswith(_STATISTICS):
                one.note_state()
        return one

    def note_begun(self, variable: Any, site: Site | None) -> None:
        """Notes the line that makes a variable of Keras, which may get its value later."""
        self._begun[id(variable)] = weakref.ref(variable), site

    def _add(self, variable: Any, site: Site | None) -> Parameter:
        handle = variable.handle
        one = self._known[id(handle)] = Parameter(variable, site)
        self._ignored.pop(id(handle), None)
        return one

    def of_handle(self, handle: Any) -> Parameter | None:
        """Returns the variable with a handle, if it is known and not one that Keras keeps for itself."""
        found = self._known.get(id(handle))
        if found is None:
            return None
        variable = found.tensor()
        return found if variable is not None and variable.handle is handle else None

    def of_key(self, key: Any) -> Parameter | None:
        """Returns the variable whose handle has this identity."""
        found = self._known.get(key)
        variable = found.tensor() if found is not None else None
        return found if variable is not None and id(variable.handle) == key else None

    def of(self, thing: Any) -> Parameter | None:
        """Returns the notes on a variable of TensorFlow or Keras; None for a tensor, or one kept by Keras."""
        inner: Any = getattr(thing, "value", None) if _is_keras(thing) else thing
        if not hasattr(inner, "assign"):
            return None
        try:
            handle = inner.handle
        except (AttributeError, ValueError):
            # One with copies on several devices has no handle of its own.
            return None
        found = self.of_handle(handle)
        if found is None:
            kept = self._ignored.get(id(handle))
            if (kept is not None and kept() is handle) or not hasattr(inner, "trainable"):
                return None
            found = self._add(inner, None)
        if inner is not thing and found.keras is None:
            found.keras = weakref.ref(thing)
        return found

    def living(self) -> Iterator[tuple[Parameter, Any]]:
        """Yields the notes on living variables, with the variables; forgets the others."""
        for key, one in list(self._known.items()):
            variable = one.tensor()
            if variable is None:
                del self._known[key]
            else:
                yield one, variable

    def requested(self, tensor: Any, name: str, place: int, site: Site | None) -> Requested:
        """Returns a tensor whose gradient is requested; the same line and name always give the same one."""
        path = name or f"source {place}"
        if name and site is not None:
            site = bound_before(site, name) or site
        uid = self._requested.get((path, site))
        if uid is None:
            uid = self._requested[path, site] = next(_uids)
        dtype = getattr(getattr(tensor, "dtype", None), "name", "float32")
        shape = getattr(tensor, "shape", None)
        rank = getattr(shape, "rank", None)
        return Requested(uid, path, place, site, dtype, tuple(shape) if rank is not None and shape else ())


def _is_keras(thing: Any) -> bool:
    return type(thing).__module__.startswith("keras.") and hasattr(thing, "path")


def _makers(depth: int) -> tuple[Any, str, bool, FrameType | None]:
    """Returns Keras' object for a new variable, the owner if Keras keeps it, and the user's frame.

    The third result says whether the user's line gets the variable itself.
    """
    frame: FrameType | None = sys._getframe(depth)
    keras, owner, direct = None, "", True
    while frame is not None and line_of(frame) is None:
        module = frame.f_globals.get("__name__") or ""
        if module.startswith(_INTERNAL):
            owner = owner or "TensorFlow"
        if module.startswith(("keras.", "tf_keras.")):
            one = frame.f_locals.get("self")
            if one is not None:
                if keras is None and _is_keras(one) and hasattr(one, "assign"):
                    keras = one
                elif frame.f_code.co_name == "_create_counter_variable" or _keeps(type(one)):
                    owner = owner or type(one).__name__
                elif hasattr(one, "add_weight"):
                    direct = False
        frame = frame.f_back
    return keras, owner, direct, frame


def _keeps(kind: type) -> bool:
    """Returns whether objects of a class keep variables for their own use."""
    parts = {
        part for base in kind.__mro__ for part in base.__module__.split(".") if "keras" in base.__module__
    }
    return not parts.isdisjoint(_KEEPERS)


__all__ = ["UNKNOWN", "Parameter", "Registry", "Requested"]
