"""Handles: what a user holds of a recorded value (Tensor) and of a mutable cell (Cell, the base of Variable)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from penstock.trace.spec import Shape, Spec, spec_of

if TYPE_CHECKING:
    from penstock.trace.recorder import Past, Trace

serial_numbers = itertools.count()


class Tensor:
    """An immutable array whose value is computed when somebody looks at it, or when the step is over.

    `shape` and `dtype` are known at once. Make one with `ps.asarray`, or by computing with others.

    >>> import penstock as ps
    >>> x = ps.asarray([1.0, 2.0])
    >>> y = x * 3
    >>> y.shape, y.dtype.name
    ((2,), 'float32')
    >>> y.numpy()
    array([3., 6.], dtype=float32)
    """

    # `_trace` is the trace in which `_slot` means this value, or None once only the value is left;
    # `_past` is then the path that made it, for explanations.
    __slots__ = ("__weakref__", "_past", "_slot", "_spec", "_trace", "_value")
    __array_priority__ = 1000
    _dialect: ClassVar[str] = "native"
    _tensor_class: ClassVar[type[Tensor]]

    _past: Past | None
    _slot: int
    _spec: Spec
    _trace: Trace | None
    _value: Any

    @property
    def shape(self) -> Shape:
        """The length of each axis, as a tuple of int."""
        return self._spec.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return self._spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._spec.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._spec.size


Tensor._tensor_class = Tensor


def concrete(value: Any, kind: type[Tensor] = Tensor) -> Tensor:
    """Returns a tensor that holds a runtime value (a NumPy or JAX array) already."""
    tensor = object.__new__(kind)
    tensor._trace = None
    tensor._past = None
    tensor._slot = -1
    tensor._spec = spec_of(value)
    tensor._value = value
    return tensor


class Cell:
    """What the recorder needs to know of anything that can be read and written: see `penstock.Variable`."""

    __slots__ = ("__weakref__", "_pending", "_read_key", "_spec", "_trainable", "_uid", "_value", "_version")
    _tensor_class: ClassVar[type[Tensor]] = Tensor

    def __init__(self, value: Any, trainable: bool) -> None:
        self._uid = next(serial_numbers)
        self._value = value
        self._spec = spec_of(value)
        self._pending: Trace | None = None
        self._version = 0
        self._set_trainable(trainable)

    def _set_trainable(self, trainable: bool) -> None:
        self._trainable = trainable
        self._read_key = ("read", self._spec, trainable)
