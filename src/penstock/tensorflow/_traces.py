"""Which calls of a function TensorFlow traces: one for each new signature, which is what this remembers."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from penstock.functions.scratch import shown_shape
from penstock.tensorflow._type_spec import TypeSpec, within
from penstock.trace.spec import OpenSpec, Spec, spec
from penstock.trace.structure import mapped
from penstock.trace.tensor import Cell, Tensor

KEPT = 10_000
"""How many calls of different arguments a function remembers before it forgets all of them."""


class Signatures:
    """The signatures with which a function has been called, and how many TensorFlow would have traced.

    With `relaxed`, a length that differs from an earlier call's is any length from then on. `of_object` says
    that the first parameter is the object whose method it is, which is not among the arguments. `draws` are
    the random numbers that belong to the calls, `asked` what `get_concrete_function` has returned for each
    signature.
    """

    __slots__ = ("_function", "_of_object", "_relaxed", "_seen", "asked", "draws", "traced")

    def __init__(self, function: Callable[..., Any], relaxed: bool = False, of_object: bool = False) -> None:
        self._function, self._relaxed, self._of_object = function, relaxed, of_object
        self._seen: set[Any] = set()
        self.traced: list[Any] = []
        self.asked: list[Any] = []
        self.draws: Any = None

    def met(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
        """Returns whether TensorFlow has a trace for these arguments by now; remembers them."""
        key: Any = tuple([one._spec if isinstance(one, Tensor) else kind_of(one) for one in arguments])
        if options:
            key = key, tuple([(name, kind_of(one)) for name, one in options.items()])
        if key in self._seen:
            return True
        if len(self._seen) >= KEPT:
            self._seen.clear()
        self._seen.add(key)
        whole: Any = tuple([(name, kind_of(one)) for name, one in self._bound(arguments, options)])
        if any(_general(known, whole) == known for known in self.traced):
            return True
        if self._relaxed:
            for known in self.traced:
                found = _general(known, whole)
                whole = whole if found is DIFFERENT else found
        self.traced.append(whole)
        return False

    def named(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
        """Yields each argument by the name that TensorFlow gives its tensors, and what its signature knows.

        Arguments without a parameter of their own are named after the one that collects them, and a number,
        or have names already.
        """
        known = dict(self.traced[-1]) if self.traced and isinstance(self.traced[-1], tuple) else {}
        kinds = {one.name: one.kind for one in _parameters(self._function)}
        for name, value in self._bound(arguments, options):
            kind = kinds.get(name)
            if kind is inspect.Parameter.VAR_POSITIONAL:
                yield from ((f"{name}_{number}", one, None) for number, one in enumerate(value))
            elif kind is inspect.Parameter.VAR_KEYWORD:
                yield from ((key, one, None) for key, one in value.items())
            else:
                yield name, value, known.get(name)

    def known(self, concrete: Any) -> Any:
        """Returns the function that was asked for before and takes what this one takes; else this one."""
        wanted = _told_apart(concrete)
        for one in self.asked:
            if within(wanted, _told_apart(one)):
                return one
        self.asked.append(concrete)
        return concrete

    def met_its_own(self) -> bool:
        """Returns whether the function has been called, where one signature is given for all calls."""
        known = bool(self.traced)
        if not known:
            self.traced.append(())
        return known

    def _bound(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> list[tuple[str, Any]]:
        """Returns arguments by name, with defaults, in the order of the parameters."""
        owner = (None,) if self._of_object else ()
        try:
            bound = inspect.signature(self._function).bind(*owner, *arguments, **options)
        except (TypeError, ValueError):
            # The call itself raises the error.
            return [*((str(at), one) for at, one in enumerate(arguments)), *options.items()]
        bound.apply_defaults()
        return list(bound.arguments.items())[len(owner) :]


def _told_apart(concrete: Any) -> Any:
    """Returns the signature of a function, in which 1, 1.0 and True differ."""
    given, _ = concrete.structured_input_signature
    return mapped(given, lambda one: one if isinstance(one, TypeSpec) else (type(one), kind_of(one)))


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


DIFFERENT = object()


PLAIN = frozenset({type(None), bool, int, str, bytes, complex, type, type(Ellipsis)})


def kind_of(value: Any) -> Any:
    """Returns what tells a value apart for a trace: shape and dtype, a number itself, which object it is."""
    if isinstance(value, Tensor):
        own = value._spec
        return Relaxed(own.dtype, shown_shape(own.shape)) if isinstance(own, OpenSpec) else own
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is float:
        return value if value == value else "NaN"
    if isinstance(value, Cell):
        return Cell, value._spec
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        return spec(value.shape, value.dtype)
    if isinstance(value, list | tuple):
        return (kind, *map(kind_of, value))
    if isinstance(value, Mapping):
        return (kind, *((name, kind_of(one)) for name, one in value.items()))
    if hasattr(kind, "_type_spec"):
        return kind, repr(value._type_spec)
    if hasattr(kind, "element_spec"):
        return kind, repr(value.element_spec)
    if hasattr(kind, "shape") and hasattr(kind, "dtype"):
        # A tensor of strings, a sparse or a ragged one.
        return kind, str(value.shape), str(value.dtype)
    try:
        found: Any = weakref.ref(value)
    except TypeError:
        found = value
    try:
        hash(found)
    except TypeError:
        # No other has its place while it lives.
        return id(value)
    return found


class Relaxed:
    """A dtype with a shape in which None stands for any length; the shape None is any shape."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: Any, shape: tuple[Any, ...] | None) -> None:
        self.dtype, self.shape = dtype, shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relaxed) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))


def _general(one: Any, other: Any) -> Any:
    """Returns what describes two arguments that differ in their lengths alone; DIFFERENT for any others."""
    if one is other:
        return one
    if isinstance(one, Spec | Relaxed) and isinstance(other, Spec | Relaxed):
        if one.dtype != other.dtype:
            return DIFFERENT
        if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
            return Relaxed(one.dtype, None)
        return Relaxed(one.dtype, tuple([n if n == m else None for n, m in zip(one.shape, other.shape)]))
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        parts = [_general(a, b) for a, b in zip(one, other, strict=True)]
        return DIFFERENT if any(part is DIFFERENT for part in parts) else tuple(parts)
    return one if type(one) is not Spec and one == other else DIFFERENT


__all__ = ["Signatures", "kind_of"]
