"""Operations: functions with a name that are called on tensors, or on symbolic tensors; and lists of them."""

from __future__ import annotations

import abc
import inspect
from typing import Any

from penstock.declared import named
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._layer import Layer


@named("tf.keras.Operation")
class Operation(abc.ABC):
    """A function of tensors with a name; write one as a subclass with `call`. Layers are operations.

    >>> from penstock import tensorflow as tf
    >>> class Double(tf.keras.Operation):
    ...     def call(self, x):
    ...         return x * 2.0
    >>> Double()(tf.keras.Input((3,))).shape
    (None, 3)
    """

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        """Returns a new operation, which knows the arguments that it is made with."""
        made = super().__new__(cls)
        try:
            bound = inspect.signature(cls.__init__).bind(made, *arguments, **options)
        except TypeError:
            made._given = None  # __init__ refuses them.
        else:
            bound.apply_defaults()
            made._given = dict(list(bound.arguments.items())[1:])
        return made

    _given: dict[str, Any] | None

    def __init__(self, name: str | None = None) -> None:
        self.name = automatic_name(type(self).__name__) if name is None else name
        self._latest: tuple[Any, Any] | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Calls the operation; on symbolic tensors, notes the call for a model of inputs and outputs."""
        if not functional.symbolic((arguments, options)):
            return self.call(*arguments, **options)
        found = self.symbolic_call(*arguments, **options)
        self._latest = (arguments[0] if len(arguments) == 1 else arguments, found)
        return found

    def call(self, *arguments: Any, **options: Any) -> Any:
        """Computes the operation; a subclass writes this."""
        raise NotImplementedError

    def symbolic_call(self, *arguments: Any, **options: Any) -> Any:
        """Returns the symbolic result of a call."""
        word = functional.snake(type(self).__name__)
        return functional.note(self.call, arguments, options, word, self.name)

    def compute_output_spec(self, *arguments: Any, **options: Any) -> Any:
        """Returns symbolic tensors with the shapes and dtypes of the result."""
        return functional.note(self.call, arguments, options)

    def _seen(self) -> tuple[Any, Any]:
        if self._latest is None:
            raise AttributeError(
                f"The layer {self.name} has never been called and thus has no defined output."
            )
        return self._latest

    @property
    def input(self) -> Any:
        """The symbolic tensor that the operation was last called on."""
        return self._seen()[0]

    @property
    def output(self) -> Any:
        """The symbolic tensor that the operation last gave."""
        return self._seen()[1]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"name": self.name, **{key: one for key, one in (self._given or {}).items() if key != "name"}}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns the operation with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<Operation name={self.name}>"


Operation.register(Layer)


@named("tf.keras.Function")
class Function(Operation):
    """The calls that lead from symbolic inputs to outputs, as a function.

    >>> from penstock import tensorflow as tf
    >>> x = tf.keras.Input((2,))
    >>> f = tf.keras.Function(x, x * 3.0)
    >>> print(f(tf.ones((1, 2))))
    tf.Tensor([[3. 3.]], shape=(1, 2), dtype=float32)
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None) -> None:
        from penstock.tensorflow.keras.models import Model

        super().__init__(name)
        self._model = Model(inputs, outputs)

    @property
    def inputs(self) -> list[Any]:
        """The symbolic inputs, as a list."""
        return functional.flat(self._model.input)

    @property
    def outputs(self) -> list[Any]:
        """The symbolic outputs, as a list."""
        return functional.flat(self._model.output)

    @property
    def operations(self) -> list[Any]:
        """The layers and the calls of functions, in order."""
        return list(self._model.operations)

    def call(self, inputs: Any) -> Any:
        """Computes the outputs."""
        return self._model(inputs)
