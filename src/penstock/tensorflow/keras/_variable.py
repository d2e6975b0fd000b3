"""Variables that Keras objects keep for themselves: a step count, a learning rate, momenta."""

from __future__ import annotations

import sys
from typing import Any

from penstock.tensorflow._tensor import value_text
from penstock.tensorflow._variable import ResourceVariable

_frame = sys._getframe


class KerasVariable(ResourceVariable):
    """A variable as Keras shows it: with a path, and a dtype that is a word."""

    def __init__(
        self, initializer: Any, shape: Any = None, dtype: Any = None, trainable: bool = True, name: Any = None
    ) -> None:
        if callable(initializer) and shape is not None:
            initializer = initializer(shape, dtype=dtype)
        super().__init__(
            initializer, trainable=trainable, dtype=dtype, name="variable" if name is None else name
        )

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

    def _described(self, name: str) -> str:
        text = value_text(self._look("repr()", _frame(2)))
        return f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype}, value={text}>"
