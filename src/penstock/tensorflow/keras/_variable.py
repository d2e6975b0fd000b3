"""Variables as Keras shows them: those of layers, of optimizers and of metrics."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.datatypes import astype
from penstock.layers.calls import calls
from penstock.state.flags import Flag, maker
from penstock.state.members import flag_set
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._scopes import keras_scope, scopes
from penstock.tensorflow._tensor_shape import shape_of
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.convert import refuse_masked
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Flags, Tensor

_frame = sys._getframe


@named("tf.keras.Variable")
class KerasVariable(ResourceVariable):
    """A variable as Keras shows it: with a path, a dtype that is a word, and operators that mix dtypes."""

    _promotes = True

    @classmethod
    def _created(cls, *arguments: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
        own = dict(zip(("initializer", "shape", "dtype", "trainable", "name"), arguments, strict=False))
        own.update(options)
        names = {"initializer": "initial_value"}
        _, given = ResourceVariable._created(**{names.get(key, key): one for key, one in own.items()})

        if given["name"] is not None:
            given["name"] = str(given["name"]).rpartition("/")[2]

        def make(initial_value: Any = None, **_: Any) -> KerasVariable:
            return cls(**{**own, "initializer": initial_value})

        return make, given

    def __init__(
        self, initializer: Any, shape: Any = None, dtype: Any = None, trainable: bool = True, name: Any = None
    ) -> None:
        if isinstance(initializer, str) and shape is not None:
            from penstock.tensorflow.keras import initializers

            initializer = initializers.get(initializer)
        if callable(initializer) and shape is not None:
            initializer = initializer(shape, dtype=dtype)
        name = "variable" if name is None else name
        if scopes.of_keras and "/" not in name and (around := keras_scope(len(calls.layers))):
            name = f"{around}/{name}"
        super().__init__(initializer, trainable=trainable, dtype=dtype, name=name)
        self.regularizer: Any = None
        self._wanted = self._reported = bool(trainable)

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The dtype's name."""
        return self._spec.dtype.name

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def value(self) -> Any:
        """The variable itself, which can be read wherever a tensor can."""
        return self

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._spec.ndim

    @property
    def trainable(self) -> bool:
        """Whether training updates this variable. It may be set.

        What a tape watches was settled when the variable was made, as in Keras 3: setting this takes the
        variable out of `trainable_variables`, but a program can still take its gradient.
        """
        return self._wanted and self._locked is None

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        self._wanted = bool(wanted)
        flag_set(self)
        self._note(Flag("trainable", self._wanted, maker(sys._getframe(1))[0], here()))
        Flags.changed()

    def assign(self, value: Any, use_locking: Any = False, name: Any = None, read_value: bool = True) -> Any:
        """Replaces the value by one of the same shape, brought to the variable's dtype."""
        if not isinstance(value, int | float):
            value = value._variable if isinstance(value, UnreadVariable) else value
            if not isinstance(value, Tensor | Cell):
                refuse_masked(value)
                value = operand(np.asarray(value).astype(self._spec.dtype))
            elif value._spec.dtype != self._spec.dtype:
                value = astype(value, self._spec.dtype)
            if value._spec.shape != self._spec.shape:
                raise ArgumentError(
                    "The shape of the target variable and the shape of the target value in "
                    f"`variable.assign(value)` must match. variable.shape={self.shape}, Received: "
                    f"value.shape={shape_of(value._spec.shape)}. Target variable: {self!r}",
                    origin=f"Variable created at {self.site}",
                    site=here(),
                )
        return super().assign(value)

    def assign_add(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Adds a value; of another dtype, the sum is brought to that of the variable."""
        if self._mixes(delta):
            return self.assign(self + delta)
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Subtracts a value; of another dtype, the difference is brought to that of the variable."""
        if self._mixes(delta):
            return self.assign(self - delta)
        return super().assign_sub(delta, use_locking, name, read_value)

    def _mixes(self, delta: Any) -> bool:
        return isinstance(delta, Tensor | Cell) and delta._spec.dtype != self._spec.dtype

    def _described(self, name: str) -> str:
        text = str(np.asarray(self._look("repr()", _frame(2))))
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}, value={text}>"
