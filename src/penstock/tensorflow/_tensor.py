"""The tensor as TensorFlow shows it: its printing, its attributes, and its errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np

from penstock.declared import named
from penstock.functions.indexing import get_item
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._errors import ItemAssignmentError
from penstock.tensorflow._modes import inside
from penstock.tensorflow._tensor_shape import TensorShape, as_shape, shape_of
from penstock.trace.builder import Outcome
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Cell, Tensor, concrete

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_frame = sys._getframe
Kind = TypeVar("Kind")
_SHOWN = "<class 'tensorflow.python.framework.ops.EagerTensor'>"


class ShownAsTensor(type):
    """Prints a class as that of TensorFlow's tensors."""

    def __repr__(cls) -> str:
        return _SHOWN


class _TensorType(type):
    """Lets tensors of strings count as `tf.Tensor`, and prints the class by TensorFlow's name for it."""

    others: ClassVar[list[type]] = []

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is EagerTensor and type(instance) in _TensorType.others

    def __repr__(cls) -> str:
        return _SHOWN if cls is EagerTensor else super().__repr__()


def counts_as_tensor(kind: type[Kind]) -> type[Kind]:
    """Lets a class count as `tf.Tensor` in `isinstance`."""
    _TensorType.others.append(kind)
    return kind


@named("tf.Tensor")
class EagerTensor(Tensor, metaclass=_TensorType):
    """A tensor under TensorFlow's name. Make one with `tf.constant`, or by computing with others.

    >>> from penstock import tensorflow as tf
    >>> tf.constant([1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    >>> print(tf.constant([1.0, 2.0]) * 2)
    tf.Tensor([2. 4.], shape=(2,), dtype=float32)
    """

    # `_sliced` is set on the result of `variable[...]`, so that it can be assigned.
    # `_logits` on the result of a Keras activation: its operand (`keras/_logits.py`).
    __slots__ = ("_logits", "_sliced")
    __array_priority__ = 100
    _dialect = "tensorflow"
    _quotient_dtype = np.float64

    _logits: tuple[Any, str]
    _sliced: tuple[Any, Any]

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return shape_of(self._spec.shape)

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        """The dtype of the elements."""
        return as_dtype(self._spec.dtype)

    @property
    def device(self) -> str:
        """TensorFlow's name for where the value is."""
        return DEVICE

    @property
    def _keras_mask(self) -> Any:
        """The mask that a layer attached to this tensor, under Keras' name; AttributeError without one."""
        from penstock.layers import masks

        found = masks.mask_of(self)
        if found is None:
            raise AttributeError("'EagerTensor' object has no attribute '_keras_mask'")
        return found

    @_keras_mask.setter
    def _keras_mask(self, mask: Any) -> None:
        from penstock.layers import masks

        masks.take_away(self)
        if mask is not None:
            masks.Masks.active = True
            masks.attach(self, mask)

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Raises ValueError if the shape is not the one given."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {as_shape(shape)}."
            )

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor."""
        return Reference(self)

    experimental_ref = ref

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Not available: there is no session."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        return self

    def __str__(self) -> str:
        symbol: str | None = None if inside.symbols is None else inside.symbols.text(self)
        if symbol is not None:
            return symbol
        text = str(value_of(self, "print()", _frame(1)))
        return f"tf.Tensor({_on_its_own_line(text)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        symbol: str | None = None if inside.symbols is None else inside.symbols.described(self)
        if symbol is not None:
            return symbol
        text = value_text(value_of(self, "repr()", _frame(1)))
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={text}>"

    def __getattr__(self, name: str) -> Any:
        if name == "assign" and hasattr(self, "_sliced"):
            variable, key = self._sliced
            return lambda value, *options, **more: variable._assign_slice(key, value, _frame(1))
        if name in ("name", "op", "graph"):
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        hint = (
            f". {_REMEDIES[name]}"
            if name in _REMEDIES
            else ". Only a tf.Variable can be written: name = name - x makes a tensor of the name"
            if name.startswith("assign")
            else ""
        )
        raise AttributeError(f"'EagerTensor' object has no attribute {name!r}{hint}")

    def __len__(self) -> int:
        if not self._spec.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self._spec.shape[0]

    def __hash__(self) -> NoReturn:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __iter__(self) -> Iterator[Tensor]:
        if not self._spec.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        from penstock.tensorflow._seeds import Turns, in_call

        frame = _frame(1)
        if inside.depth and not self._spec.shape[0]:
            inside.other_sides().no_turns(spec(self._spec.shape[1:], self._spec.dtype), frame)
        rows = (get_item(self, i, frame) for i in range(self._spec.shape[0]))
        if inside.depth:
            rows = inside.other_sides().rows_over(rows, frame)
            if not inside.traced:
                rows = inside.other_sides().over(rows, frame)
        return Turns().over(rows) if in_call() else rows

    def __format__(self, pattern: str) -> str:
        symbol: str | None = None if inside.symbols is None or pattern else inside.symbols.text(self)
        if symbol is not None:
            return symbol
        return format(np.asarray(value_of(self, "format()", _frame(1)))[()], pattern)

    def __float__(self) -> float:
        return float(np.asarray(value_of(self, "float()", _frame(1))))

    def __int__(self) -> int:
        return int(np.asarray(value_of(self, "int()", _frame(1))))

    def __index__(self) -> int:
        return np.asarray(value_of(self, "index()", _frame(1))).__index__()

    def __complex__(self) -> complex:
        return complex(np.asarray(value_of(self, "complex()", _frame(1)))[()])

    def __bool__(self) -> bool:
        frame = _frame(1)
        if inside.depth:
            return bool(inside.other_sides().asked(lambda: value_of(self, "bool()", frame), frame))
        return truth(value_of(self, "bool()", frame))

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise refused_item("tensorflow.python.framework.ops.EagerTensor")


EagerTensor._tensor_class = EagerTensor

_REMEDIES = {
    "astype": "TensorFlow writes tf.cast(x, dtype)",
    "T": "TensorFlow writes tf.transpose(x)",
    "size": "TensorFlow writes tf.size(x)",
    "item": "TensorFlow writes x.numpy().item()",
    "tolist": "TensorFlow writes x.numpy().tolist()",
    "sum": "TensorFlow writes tf.reduce_sum(x)",
    "mean": "TensorFlow writes tf.reduce_mean(x)",
    "max": "TensorFlow writes tf.reduce_max(x)",
    "min": "TensorFlow writes tf.reduce_min(x)",
    "reshape": "TensorFlow writes tf.reshape(x, shape)",
    "view": "TensorFlow writes tf.reshape(x, shape)",
    "permute": "TensorFlow writes tf.transpose(x, perm)",
    "unsqueeze": "TensorFlow writes tf.expand_dims(x, axis)",
    "dim": "TensorFlow writes x.ndim",
    "numel": "TensorFlow writes tf.size(x)",
    "clamp": "TensorFlow writes tf.clip_by_value(x, low, high)",
    "requires_grad": "TensorFlow writes variable.trainable, and tape.watch(x) for a tensor",
    "grad": "TensorFlow writes tape.gradient(target, sources)",
    "detach": "TensorFlow writes tf.stop_gradient(x)",
    "backward": "TensorFlow writes tape.gradient(target, sources)",
}


class _Hidden:
    """An attribute of native tensors that TensorFlow's do not have."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        raise AttributeError(f"'{type(instance).__name__}' object has no attribute {self.name!r}")


def hide(kind: type, names: tuple[str, ...]) -> None:
    """Takes attributes that TensorFlow does not have away from a class."""
    for name in names:
        hidden = _Hidden()
        hidden.name = name
        setattr(kind, name, hidden)


hide(EagerTensor, ("size", "T", "mT", "at", "to_device", "astype", "item", "tolist"))


class Reference:
    """A hashable reference to a tensor or a variable, which are not hashable themselves."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """Returns the tensor or variable."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def truth(value: Any) -> bool:
    """Returns the truth of a runtime value; raises ValueError if it has several elements."""
    array = np.asarray(value)
    if array.size == 0:
        return False
    return bool(array)


def value_text(value: Any) -> str:
    """Returns a runtime value as TensorFlow writes it after `numpy=`."""
    array = np.asarray(value)
    return repr(array.item()) if array.ndim == 0 else _on_its_own_line(repr(array))


def _on_its_own_line(text: str) -> str:
    return f"\n{text}" if "\n" in text else text


def described(tensor: Any) -> str:
    """Returns the text of a tensor for a message, without its value where that would have to be computed."""
    if tensor._value is not None:
        return repr(tensor)
    if isinstance(tensor, Cell):
        return f"<tf.Variable {tensor.name!r} {describe_spec(tensor._spec)}>"  # type: ignore[attr-defined]
    return f"<tf.Tensor: {describe_spec(tensor._spec)}>"


def describe_spec(spec: Spec) -> str:
    """Returns a shape and dtype as TensorFlow writes them in messages."""
    return f"shape={shape_of(spec.shape)} dtype={spec.dtype.name}"


def refused_item(kind: str) -> ItemAssignmentError:
    """Returns the error for `x[i] = value`."""
    return ItemAssignmentError(
        f"'{kind}' object does not support item assignment",
        remedy="Write x[i].assign(value) on a tf.Variable, or make a new tensor with tf.where.",
        site=here(),
    )


def spoken(tensor: Tensor) -> EagerTensor:
    """Returns a native tensor as one of TensorFlow's."""
    if isinstance(tensor, EagerTensor):
        return tensor
    if tensor._trace is None:
        return concrete(value_of(tensor), EagerTensor)  # type: ignore[return-value]
    return tensor._trace.give(Outcome(tensor._slot, tensor._spec), EagerTensor)  # type: ignore[return-value]
