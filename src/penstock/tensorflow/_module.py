"""tf.Module, which finds the variables in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._restores import made_variables, waiting
from penstock.tensorflow._scopes import below, scope_of
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell

_WORDS = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))")
"""Where a word of a class's name begins, as TensorFlow has it."""


@named("tf.Module")
class Module:
    """A base for classes with variables: finds those in attributes, lists, dictionaries and other modules.

    >>> from penstock import tensorflow as tf
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(2.0)
    >>> len(Scale().trainable_variables)
    1
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = _WORDS.sub(r"_\1", type(self).__name__).lower() if name is None else name
        self._scope_name = below(self._name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if waiting:
            made_variables()

    @property
    def name(self) -> str:
        """The name given, or that of the class."""
        return self._name

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables found, in the order of the attributes' names."""
        return tuple(_found(self, set(), {}))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training updates."""
        return tuple(one for one in self.variables if one.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training leaves alone."""
        return tuple(one for one in self.variables if not one.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules found in attributes."""
        seen: dict[int, Any] = {}
        list(_found(self, set(), seen))
        return tuple(one for one in seen.values() if one is not self)

    @property
    def name_scope(self) -> Any:
        """A scope of the module's name, below that in which the module was created, for `with`."""
        return scope_of(self._scope_name)

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        """Returns the method as one that creates its variables in the module's scope."""

        @functools.wraps(method)
        def scoped(self: Any, *arguments: Any, **options: Any) -> Any:
            with self.name_scope:
                return method(self, *arguments, **options)

        return scoped


def _found(module: Any, known: set[int], modules: dict[int, Any]) -> Iterator[Any]:
    """Yields a module's variables, then those of the modules in it, with attributes sorted by name."""
    known.add(id(module))
    modules[id(module)] = module
    inner: list[Any] = []
    for name in sorted(vars(module)):
        for one in flat(vars(module)[name]):
            yield from _variables(one, known, inner)
    for one in inner:
        if id(one) not in known:
            yield from _found(one, known, modules)


def _variables(thing: Any, known: set[int], inner: list[Any]) -> Iterator[Any]:
    """Yields a variable, or those of a layer, unless they are known; a module is noted."""
    if isinstance(thing, Cell):
        if id(thing) not in known:
            known.add(id(thing))
            yield thing
    elif isinstance(thing, Module):
        inner.append(thing)
    elif hasattr(thing, "_is_layer"):
        yield from (one for cell in thing.variables for one in _variables(cell, known, inner))
