"""Keras' optimizers are declared by their fields, which make the constructor and are the configuration.

The fields are next to the native optimizer: `penstock/optimizers/vocabulary.py`. A class lists its arguments
with their defaults, in order, and says in `_refused` which values Keras does not take.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from penstock.optimizers import optimizer as native
from penstock.tensorflow.keras._constructors import construct, fields_of
from penstock.tensorflow.keras.optimizers._base import Optimizer, over

T = TypeVar("T", bound=type[Any])
COMMON = ("learning_rate", "weight_decay")
"""Fields that every optimizer has; a class that lists one gives it another default."""


def fields(kind: T) -> T:
    """Gives an optimizer the constructor that its fields describe.

    >>> from penstock import tensorflow as tf
    >>> import inspect
    >>> list(inspect.signature(tf.keras.optimizers.Adadelta).parameters)
    ['learning_rate', 'rho', 'epsilon', 'options']
    """
    words, defaults = fields_of(kind)
    kind._numbers = tuple(name for name in words if name not in COMMON)
    kept = "".join(f"    self.{name} = {name}\n" for name in kind._numbers)
    passed = ", ".join(f"{name}={name}" for name in COMMON if name in words)
    body = f"{kept}    self._check({passed})\n    _start(self, {passed}, **options)\n"
    construct(kind, words, defaults, body, _start=Optimizer._begin)
    return kind


def made(kind: type[native.Optimizer], base: type[Optimizer], module: str) -> type[Optimizer]:
    """Returns Keras' optimizer for a native one, of the words that the native one has for Keras."""
    words = vars(kind)["_Keras"]
    unused = ("__dict__", "__weakref__", "_called", "_differs")
    space = {name: one for name, one in vars(words).items() if name not in unused}
    name = words._called or kind.__name__
    own = {"__module__": module, "__qualname__": name, "__annotations__": inspect.get_annotations(words)}
    space.update(own, _native=over(kind, name, **words._differs))
    return fields(type(name, (base,), space))
