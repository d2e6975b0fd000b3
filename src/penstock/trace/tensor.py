"""Handles: the user's objects for a recorded value (Tensor) and for a mutable cell (Cell)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from penstock.trace.spec import Shape, Spec, spec, spec_of

if TYPE_CHECKING:
    from penstock.trace.history import Past
    from penstock.trace.recorder import Trace

serial_numbers = itertools.count()

if TYPE_CHECKING:

    class Arithmetic:
        """The methods that functions/operators.py and functions/methods.py add, for type checkers."""

        T: Tensor
        mT: Tensor
        at: Any

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rlshift__(self, other: Any) -> Tensor: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __rrshift__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
        def astype(self, dtype: Any, *, copy: bool = True) -> Tensor: ...
        def item(self) -> Any: ...
        def tolist(self) -> Any: ...
        def numpy(self) -> np.ndarray[Any, np.dtype[Any]]: ...

        real: Tensor
        imag: Tensor
        itemsize: int
        nbytes: int

        def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor: ...
        def mean(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor: ...
        def max(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def min(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def var(self, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor: ...
        def std(self, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor: ...
        def all(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def any(self, axis: Any = None, keepdims: bool = False) -> Tensor: ...
        def argmax(self, axis: int | None = None, keepdims: bool = False) -> Tensor: ...
        def argmin(self, axis: int | None = None, keepdims: bool = False) -> Tensor: ...
        def argsort(self, axis: int = -1, descending: bool = False) -> Tensor: ...
        def cumsum(self, axis: int | None = None, dtype: Any = None) -> Tensor: ...
        def cumprod(self, axis: int | None = None, dtype: Any = None) -> Tensor: ...
        def reshape(self, *shape: Any) -> Tensor: ...
        def transpose(self, *axes: Any) -> Tensor: ...
        def swapaxes(self, axis1: int, axis2: int) -> Tensor: ...
        def flatten(self) -> Tensor: ...
        def ravel(self) -> Tensor: ...
        def squeeze(self, axis: Any = None) -> Tensor: ...
        def repeat(self, repeats: Any, axis: int | None = None) -> Tensor: ...
        def take(self, indices: Any, axis: int | None = None) -> Tensor: ...
        def clip(self, min: Any = None, max: Any = None) -> Tensor: ...
        def round(self, decimals: int = 0) -> Tensor: ...
        def dot(self, other: Any) -> Tensor: ...
        def nonzero(self) -> tuple[Tensor, ...]: ...
        def conj(self) -> Tensor: ...
        def copy(self) -> Tensor: ...

else:

    class Arithmetic:
        """The base that tensors and variables share; functions/operators.py gives each its operators."""

        __slots__ = ()


class Tensor(Arithmetic):
    """An immutable array whose value is computed when it is read, or when the step is over.

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
    _quotient_dtype: ClassVar[Any] = np.float32
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

    def __copy__(self) -> Tensor:
        return self  # nothing can be written into it

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), np.array(self.__array__()))


Tensor._tensor_class = Tensor


def _made_again(kind: type[Tensor], value: Any) -> Tensor:
    """Makes a tensor from its pickled value; a pickle keeps no history."""
    return concrete(value, kind)


def concrete(value: Any, kind: type[Tensor] = Tensor) -> Tensor:
    """Returns a tensor for an existing runtime value (a NumPy or JAX array)."""
    tensor = object.__new__(kind)
    tensor._trace = None
    tensor._past = None
    tensor._slot = -1
    tensor._spec = spec_of(value)
    tensor._value = value
    return tensor


def held(value: Any, dtype: np.dtype[Any], kind: type[Tensor] = Tensor) -> Tensor:
    """Returns a tensor of a dtype that holds lengths, some of them unknown: an array of objects."""
    tensor = object.__new__(kind)
    tensor._trace = None
    tensor._past = None
    tensor._slot = -1
    tensor._spec = spec(tuple(value.shape), dtype)
    tensor._value = value
    return tensor


class Flags:
    """Numbers each change of any variable's flags: a capture made under older flags is cheap to recognize."""

    changes = 0
    _numbers = itertools.count(1)

    @classmethod
    def changed(cls) -> None:
        """Notes a change: no two changes share a number, in any thread."""
        cls.changes = next(cls._numbers)


class Cell(Arithmetic):
    """What the recorder needs to know about anything that can be read and written: see
    `penstock.Variable`."""

    # `_locked` is None, or says since when writes to the cell are refused.
    __slots__ = (
        "__weakref__",
        "_locked",
        "_pending",
        "_read_key",
        "_spec",
        "_trainable",
        "_uid",
        "_value",
        "_version",
    )
    __array_priority__ = 1000
    _tensor_class: ClassVar[type[Tensor]] = Tensor
    # Whether gradients are recorded although no tape is open.
    _standing: ClassVar[bool] = False
    # A result of a finished step with the same value and a history, which is read in place of the cell.
    _carried: Tensor | None = None

    def __init__(self, value: Any, trainable: bool) -> None:
        self._uid = next(serial_numbers)
        self._value = value
        self._spec = spec_of(value)
        self._pending: Trace | None = None
        self._version = 0
        self._locked: Any = None
        self._set_trainable(trainable)

    def _set_trainable(self, trainable: bool) -> None:
        self._trainable = trainable
        # A locked cell is read along separate edges: below them no write was ever recorded.
        self._read_key = ("read", self._spec, trainable, *(("locked",) if self._locked is not None else ()))
        Flags.changed()

    def _lose_carried(self) -> None:
        """Lets the cell be read itself again."""
        raise NotImplementedError

    def _refusal(self, by: str, site: Any) -> Exception:
        """Returns the error to raise when a locked cell is written."""
        raise NotImplementedError
