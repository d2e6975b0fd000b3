"""Tensors of strings: bytes in a NumPy array. They are computed with at once, and are no part of a record."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from penstock.errors import InvalidArgumentError
from penstock.tensorflow._graphs.graph import Mode, mode, on_first_use
from penstock.tensorflow._modes import inside
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._tensor import EagerTensor, ShownAsTensor, _on_its_own_line, counts_as_tensor
from penstock.tensorflow._tensor_shape import TensorShape, brackets, shape_of
from penstock.trace.source_site import here
from penstock.trace.structure import holds
from penstock.trace.tensor import Cell, Tensor, concrete

Function = TypeVar("Function", bound=Callable[..., Any])

_begun = [False]


def _begin() -> None:
    """Lets the functions that arrange tensors take strings, from the first string on."""
    _begun[0] = True
    _begun[0] = import_module("penstock.tensorflow._dispatch").begin(StringTensor, "_word_functions")


def as_bytes(one: Any) -> bytes:
    """Returns one string as bytes."""
    if isinstance(one, bytes):
        return one
    return one.encode() if isinstance(one, str) else bytes(one)


@counts_as_tensor
class StringTensor(metaclass=ShownAsTensor):
    """A tensor of strings. Make one with `tf.constant`.

    >>> from penstock import tensorflow as tf
    >>> tf.constant(["a", "b"])
    <tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>
    """

    __slots__ = ("_array", "_place")
    __array_priority__ = 100
    _is_tensor = True
    dtype = STRING

    def __init__(self, value: Any, place: tuple[Any, str] | None = None) -> None:
        # Not through NumPy's own arrays of bytes: see `strings`.
        array = value if isinstance(value, np.ndarray) else np.asarray(value, object)
        flat = np.empty(array.size, object)
        flat[:] = [as_bytes(one) for one in array.ravel().tolist()]
        made = flat.reshape(array.shape)
        self._array = made
        # The graph of TensorFlow 1 in which a program writes it, and its name there.
        self._place = place
        if not _begun[0]:
            _begin()

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return shape_of(self._array.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    @property
    def _value(self) -> Any:
        return self._array

    def numpy(self) -> Any:
        """Returns the bytes of a single string, or an array of them."""
        return self._array.item() if self._array.ndim == 0 else self._array.copy()

    def __format__(self, pattern: str) -> str:
        return format(self.numpy(), pattern)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._array, dtype) if dtype is not None else self._array

    def __getitem__(self, key: Any) -> Any:
        if Mode.inside and on_first_use("texts").is_symbolic(key):
            return on_first_use("texts").constant(self, mode.default(), sys._getframe(1))[key]
        return StringTensor(self._array[key] if not hasattr(key, "numpy") else self._array[key.numpy()])

    def __iter__(self) -> Iterator[StringTensor]:
        if self._array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (StringTensor(one) for one in self._array)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def _compared(self, other: Any) -> Any:
        try:
            value = strings(other)
        except (TypeError, ValueError):
            return NotImplemented
        return concrete(np.asarray(self._array == value._array, bool), EagerTensor)

    def __eq__(self, other: object) -> Any:
        return self._compared(other)

    def __ne__(self, other: object) -> Any:
        same = self._compared(other)
        return same if same is NotImplemented else ~same

    def __add__(self, other: Any) -> Any:
        return StringTensor(np.asarray(self._array + strings(other)._array, object))

    def __radd__(self, other: Any) -> Any:
        return StringTensor(np.asarray(strings(other)._array + self._array, object))

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("A tensor of strings is neither true nor false.")

    @property
    def name(self) -> str:
        """The name in a graph of TensorFlow 1; AttributeError where there is none."""
        return f"{self.op.name}:0"

    @property
    def graph(self) -> Any:
        """The graph of TensorFlow 1 in which it was written."""
        return self.op.graph

    @property
    def op(self) -> Any:
        """Its operation in a graph of TensorFlow 1, which has a name and nothing to run."""
        if self._place is None:
            raise AttributeError("Tensor.op is undefined when eager execution is enabled.")
        graph, name = self._place
        return SimpleNamespace(graph=graph, name=name, type="Const", inputs=(), outputs=[self])

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the value, for which no session is needed. `feed_dict` and `session` do nothing: the
        strings are known."""
        return self.numpy()

    def __repr__(self) -> str:
        symbol: str | None = None if inside.symbols is None else inside.symbols.described(self)
        if symbol is not None:
            return symbol
        if self._place is not None:
            return f"<tf.Tensor {self.name!r} shape={self.shape} dtype=string>"
        text = repr(self._array.item() if self._array.ndim == 0 else self._array)
        return f"<tf.Tensor: shape={self.shape}, dtype=string, numpy={_on_its_own_line(text)}>"

    def __str__(self) -> str:
        symbol: str | None = None if inside.symbols is None else inside.symbols.text(self)
        if symbol is not None:
            return symbol
        if self._place is not None:
            return f'Tensor("{self.name}", shape={self.shape}, dtype=string)'
        text = str(self._array.item() if self._array.ndim == 0 else self._array)
        return f"tf.Tensor({_on_its_own_line(text)}, shape={self.shape}, dtype=string)"


def strings(value: Any) -> StringTensor:
    """Returns the argument as a tensor of strings; raises TypeError for numbers."""
    if isinstance(value, StringTensor):
        return value
    if isinstance(value, list | tuple) and holds(value, StringTensor):
        return _stacked(value)
    # NumPy's own arrays of bytes lose zeros at the end of a string.
    plain = isinstance(value, list | tuple | str | bytes)
    array = np.asarray(value, object) if plain else np.asarray(value)
    if not all(isinstance(one, str | bytes) for one in array.ravel().tolist()):
        raise TypeError(f"{value!r} is no string, and no array of strings.")
    return StringTensor(array)


def _stacked(values: Any) -> StringTensor:
    """Returns one tensor of a list in which some values are tensors; NumPy would look into those."""
    parts = [strings(one)._array for one in values]
    for number, part in enumerate(parts):
        if part.shape != parts[0].shape:
            raise InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {brackets(parts[0].shape)} != "
                f"values[{number}].shape = {brackets(part.shape)}",
                site=here(),
            )
    return StringTensor(np.stack(parts))


def is_text(value: Any) -> bool:
    """Returns whether a value is a string, or an array, a column of a table or a list of strings."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    if isinstance(value, StringTensor):
        return True
    if _may_hold_objects(value):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "US" or (
            value.dtype.kind == "O" and is_text(value.ravel()[:1].tolist() or 0)
        )
    return isinstance(value, str | bytes | np.str_ | np.bytes_)


def _may_hold_objects(value: Any) -> bool:
    """Returns whether a value that is no array turns into one, perhaps of Python's objects: a table does."""
    known = isinstance(value, np.ndarray | np.generic | Tensor | Cell | type)
    if known or not hasattr(value, "__array__"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    return bool(kind not in "biufcV")


def takes_words(function: Function) -> Function:
    """Lets a function take words in a list, which become a tensor of strings; others pay one call more.

    It is for functions that few steps call often.
    """

    @functools.wraps(function)
    def taking(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            given = inspect.signature(function).bind(*arguments, **options).arguments
            first = next(iter(given), "")
            if not isinstance(given.get(first), str | bytes | list | tuple) or not is_text(given[first]):
                raise
            # Of several values each becomes a tensor.
            words = [strings(one) for one in given[first]] if first == "values" else strings(given[first])
            current = import_module("penstock.tensorflow._dispatch").current
            return current(taking)(**(given | {first: words}))

    return taking  # type: ignore[return-value]
