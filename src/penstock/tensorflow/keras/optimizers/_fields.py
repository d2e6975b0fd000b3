"""Keras' optimizers are declared by their fields, which make the constructor and are the configuration.

The fields stand beside the native optimizer: `penstock/optimizers/vocabulary.py`. A class lists its arguments
with their defaults, in order, and says in `_refused` which values Keras does not take.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from penstock.optimizers import optimizer as native
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
    found = inspect.get_annotations(kind)
    words = {name: word for name, word in found.items() if not word.startswith("ClassVar")}
    defaults = {name: kind.__dict__[name] for name in words}
    for name in defaults:
        delattr(kind, name)
    kind._numbers = tuple(name for name in defaults if name not in COMMON)
    # A function of its own, written out as dataclasses write theirs: what Python says of a wrong call
    # names the class and counts its arguments.
    given = "".join(f", {name}: {words[name]} = _{name}" for name in defaults)
    kept = "".join(f"    self.{name} = {name}\n" for name in kind._numbers)
    passed = ", ".join(f"{name}={name}" for name in COMMON if name in defaults)
    text = (
        "from __future__ import annotations\n"
        f"def __init__(self{given}, **options: Any) -> None:\n{kept}"
        f"    self._check({passed})\n"
        f"    _start(self, {passed}, **options)\n"
    )
    space = {**{f"_{name}": value for name, value in defaults.items()}, "_start": Optimizer._begin}
    # Under the name of this file, so that errors are told of the line that calls it.
    exec(compile(text, __file__, "exec"), space)
    made: Any = space["__init__"]
    made.__qualname__, made.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    setattr(kind, "__init__", made)  # noqa: B010 - written at run time
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
