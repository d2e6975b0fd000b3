"""tf.variable_creator_scope: functions of a program through which variables are made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._scopes import scopes

Creator = Callable[..., Any]


@named("tf.variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Lets a function make the variables in a `with` block: `variable_creator(next_creator, **kwargs)`.

    `kwargs` are the arguments of `tf.Variable`; `next_creator(**kwargs)` is the function of the scope around,
    or makes the variable. What the innermost function returns is the variable. Of a variable of Keras, only
    a changed `initial_value` is followed.

    >>> from penstock import tensorflow as tf
    >>> def doubled(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "initial_value": 2 * kwargs["initial_value"]})
    >>> with tf.variable_creator_scope(doubled):
    ...     print(tf.Variable(3.0).numpy())
    6.0
    """
    before = scopes.creators
    scopes.creators = (*before, variable_creator)
    try:
        yield
    finally:
        scopes.creators = before


def created(make: Creator, options: dict[str, Any]) -> Any:
    """Returns the variable that the functions in force make of these arguments, with `make` as the last."""
    present, scopes.creators = scopes.creators, ()

    def next_of(number: int) -> Creator:
        if number < 0:
            return make
        return lambda **given: present[number](next_of(number - 1), **given)

    try:
        return next_of(len(present) - 1)(**options)
    finally:
        scopes.creators = present


__all__ = ["created", "variable_creator_scope"]
