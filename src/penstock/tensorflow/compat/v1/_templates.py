"""tf.make_template: a function that creates its variables at its first call, and shares them afterwards."""

from __future__ import annotations

import functools
from typing import Any

from penstock.declared import named
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.scope import variable_scope


@named("tf.compat.v1.make_template")
def make_template(
    name_: str,
    func_: Any,
    create_scope_now_: bool = False,
    unique_name_: Any = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Any:
    """Returns a function whose variables are created at its first call, in a scope of their own.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     scale = tf.make_template("scale", lambda x: x * tf.get_variable("w", []))
    ...     y = scale(tf.constant(2.0)) + scale(tf.constant(3.0))
    ...     print([one.name for one in tf.trainable_variables()])
    ['scale/w:0']
    """
    return _Template(name_, func_, create_scope_now_, unique_name_, custom_getter_, kwargs)


class _Template:
    """A function with a scope of its own for its variables."""

    def __init__(
        self, name: str, function: Any, now: bool, unique: Any, getter: Any, bound: dict[str, Any]
    ) -> None:
        self._function = functools.partial(function, **bound)
        self._name, self._unique, self._getter = name, unique, getter
        self._scope: Any = None
        self._called = False
        if now:
            with self._opened():
                pass

    def _opened(self) -> Any:
        if self._scope is not None:
            return variable_scope(self._scope, reuse=self._called or None, custom_getter=self._getter)
        return variable_scope(self._unique, default_name=self._name, custom_getter=self._getter)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        with self._opened() as scope:
            self._scope = self._scope or scope
            found = self._function(*arguments, **options)
        self._called = True
        return found

    @property
    def var_scope(self) -> Any:
        """The scope of the variables."""
        return self._scope

    variable_scope = var_scope

    @property
    def name(self) -> str:
        """The name of the scope."""
        return str(self._scope.name) if self._scope is not None else self._name

    def _of(self, key: str) -> list[Any]:
        return [] if self._scope is None else mode.default().get_collection(key, f"{self.name}/")

    trainable_variables = property(lambda self: self._of("trainable_variables"), doc="What is trained.")
    global_variables = property(lambda self: self._of("variables"), doc="All variables of sessions.")
    variables = global_variables
