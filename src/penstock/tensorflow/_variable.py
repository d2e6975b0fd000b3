"""The variable as TensorFlow shows it: its name, its printing, and the assign family."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from penstock.declared import named
from penstock.functions.indexing import get_item
from penstock.ops import index, pointwise, shape
from penstock.state.variable import Variable, read
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import as_array, operand, other_dtype, record, tensor_of
from penstock.tensorflow._dtype import DType, as_dtype, numpy_dtype
from penstock.tensorflow._errors import (
    ArgumentError,
    AssignedShapeError,
    AugmentedAssignmentError,
    InvalidArgumentError,
    OutOfRangeError,
)
from penstock.tensorflow._modes import inside
from penstock.tensorflow._scattered_writes import SET, ScatteredWrites
from penstock.tensorflow._scopes import scopes
from penstock.tensorflow._tensor import (
    DEVICE,
    EagerTensor,
    Reference,
    hide,
    refused_item,
    truth,
    value_text,
)
from penstock.tensorflow._tensor_shape import TensorShape, as_shape, brackets, shape_of
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_ARGUMENTS: dict[str, Any] = {
    "initial_value": None, "trainable": None, "validate_shape": True, "caching_device": None, "name": None,
    "variable_def": None, "dtype": None, "import_scope": None, "constraint": None, "synchronization": None,
    "aggregation": None, "shape": None,
}  # fmt: skip
"""The arguments of a variable, in order, with their defaults."""
_FURTHER: dict[str, Any] = {"experimental_enable_variable_lifting": None}


class _VariableType(type):
    """Counts what `assign` returns as a variable, too, and prints the class by TensorFlow's name for it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or isinstance(instance, UnreadVariable)

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if scopes.creators and issubclass(cls, ResourceVariable):
            from penstock.tensorflow._creator_scopes import created

            return created(*cls._created(*arguments, **options))
        return super().__call__(*arguments, **options)

    def __repr__(cls) -> str:
        if cls is not ResourceVariable:
            return super().__repr__()
        return "<class 'tensorflow.python.ops.resource_variable_ops.ResourceVariable'>"


@named("tf.Variable")
class ResourceVariable(ScatteredWrites, Variable, metaclass=_VariableType):
    """A variable under TensorFlow's name: `tf.Variable(initial_value, trainable=True, name=..., dtype=...)`.

    `initial_value` is a number, a list, an array, a tensor, or a function that returns one; it fixes shape
    and dtype. Python integers make an int32 variable, which has no gradient: write 0.0 for one that trains.

    `more` does nothing, as in TensorFlow.

    >>> from penstock import tensorflow as tf
    >>> weight = tf.Variable([1.0, 2.0], name="weight")
    >>> weight.assign_add([0.5, 0.5])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([1.5, 2.5], dtype=float32)>
    >>> print(weight.name, weight.trainable)
    weight:0 True
    """

    __array_priority__ = 100
    _tensor_class = EagerTensor

    @classmethod
    def _created(cls, *arguments: Any, **options: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
        """Returns what makes a variable, and all arguments that TensorFlow hands to functions that do."""
        given = {**_ARGUMENTS, **dict(zip(_ARGUMENTS, arguments, strict=False)), **options}
        return cls, {**given, **_FURTHER, **options}

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        **more: Any,
    ) -> None:
        if callable(initial_value):
            initial_value = initial_value()
        if initial_value is None:
            raise ArgumentError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not "
                "providing a "
                "`variable_def`. You provided neither.",
                remedy="Give a number, a list or an array to start with.",
                site=here(),
            )
        wanted = None if dtype is None else numpy_dtype(dtype)
        if isinstance(initial_value, Tensor) and wanted is not None and initial_value._spec.dtype != wanted:
            raise other_dtype(initial_value, wanted, "initial_value: ")
        initial_value = operand(initial_value, wanted)
        if isinstance(initial_value, Cell):
            initial_value = read(initial_value)
        array = as_array(value_of(initial_value, "Variable(...)", _frame(1)))
        if shape is not None and not as_shape(shape).is_compatible_with(array.shape):
            raise ArgumentError(
                f"In this `tf.Variable` creation, the initial value's shape ({array.shape}) is not "
                "compatible with "
                f"the explicitly supplied `shape` argument ({shape}).",
                site=here(),
            )
        path = self._default_path() if name is None else str(name)
        if scopes.present and type(self) is ResourceVariable:
            path = scopes.present + path
        super().__init__(array, name=path, trainable=True if trainable is None else bool(trainable))
        if constraint is not None:
            self.constraint = constraint

    @staticmethod
    def _default_path() -> str:
        return "Variable"

    def _set_trainable(self, trainable: bool) -> None:
        super()._set_trainable(trainable)
        # A separate path: an error of this dialect must not be skipped where a native variable was recorded.
        self._read_key = (*self._read_key, "tensorflow")

    # -- attributes --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name followed by `:0`."""
        return f"{self.path}:0"

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return shape_of(self._spec.shape)

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        """The dtype of the elements."""
        return as_dtype(self._spec.dtype)

    @property  # type: ignore[misc]
    def trainable(self) -> bool:
        """Whether training updates this variable. TensorFlow settles it when the variable is made."""
        return super().trainable

    @property
    def device(self) -> str:
        """TensorFlow's name for where the value is."""
        return DEVICE

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable."""
        return Reference(self)

    experimental_ref = ref

    def is_initialized(self, name: Any = None) -> EagerTensor:
        """Returns that the variable has a value: it always has."""
        return tensor_of(True)

    # -- reading -----------------------------------------------------------------------------------------

    def value(self) -> EagerTensor:
        """Returns the present value as a tensor."""
        return read(self)  # type: ignore[return-value]

    def read_value(self) -> EagerTensor:
        """Returns the present value as a tensor."""
        return read(self)  # type: ignore[return-value]

    def initialized_value(self) -> EagerTensor:
        """Returns the present value as a tensor."""
        return read(self)  # type: ignore[return-value]

    def read_value_no_copy(self) -> EagerTensor:
        """Returns the value as a tensor."""
        return self.read_value()

    def set_shape(self, shape: Any) -> None:
        """Checks the shape; None stands for any length. Raises ValueError if it is another one."""
        if not self.shape.is_compatible_with(shape):
            raise AssignedShapeError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {as_shape(shape)}.",
                origin=f"Variable created at {self.site}",
                site=here(),
            )

    @property
    def synchronization(self) -> Any:
        """How copies on several devices keep together: AUTO, as there are none."""
        from penstock.tensorflow._copies_of_variables import VariableSynchronization

        return VariableSynchronization.AUTO

    @property
    def aggregation(self) -> Any:
        """How copies on several devices become one: NONE, as there are none."""
        from penstock.tensorflow._copies_of_variables import VariableAggregation

        return VariableAggregation.NONE

    def count_up_to(self, limit: int) -> EagerTensor:
        """Returns the value and adds 1 to it; raises OutOfRangeError once it has reached the limit."""
        if self._spec.dtype.kind != "i" or self._spec.shape:
            raise InvalidArgumentError(
                f"count_up_to: {self!r} is not one whole number.", remedy="Count in a tf.int64.", site=here()
            )
        now = self.value()
        if int(now) >= limit:
            raise OutOfRangeError(f"Reached limit of {limit}", site=here())
        self._write("count_up_to", operand(1, self._spec.dtype), pointwise.add, _frame(1))
        return now

    def sparse_read(self, indices: Any, name: Any = None) -> EagerTensor:
        """Returns the rows at `indices`."""
        return record(index.take, (self, operand(indices)), {"axis": 0}, _frame(1))

    def __repr__(self) -> str:
        return self._described(self.name)

    def _described(self, name: str) -> str:
        if inside.symbols is not None:
            return f"<tf.Variable {name!r} shape={self.shape} dtype={self.dtype.name}>"
        text = value_text(self._look("repr()", _frame(2)))
        return f"<tf.Variable {name!r} shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    __format__ = object.__format__

    def __hash__(self) -> NoReturn:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __len__(self) -> NoReturn:
        raise TypeError("object of type 'ResourceVariable' has no len()")

    def __iter__(self) -> Iterator[Tensor]:
        if not self._spec.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        frame = _frame(1)
        return (get_item(self, i, frame) for i in range(self._spec.shape[0]))

    def __float__(self) -> float:
        return float(np.asarray(self._look("float()", _frame(1))))

    def __int__(self) -> int:
        return int(np.asarray(self._look("int()", _frame(1))))

    def __index__(self) -> int:
        return np.asarray(self._look("index()", _frame(1))).__index__()

    def __complex__(self) -> complex:
        return complex(np.asarray(self._look("complex()", _frame(1)))[()])

    def __bool__(self) -> bool:
        frame = _frame(1)
        if inside.depth:
            return bool(inside.other_sides().asked(lambda: self._look("bool()", frame), frame))
        return truth(self._look("bool()", frame))

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise refused_item("ResourceVariable")

    # -- writing -----------------------------------------------------------------------------------------

    def assign(self, value: Any, use_locking: Any = False, name: Any = None, read_value: bool = True) -> Any:
        """Replaces the value; shape and dtype stay. A gradient does not pass through an assignment."""
        value = self._fitting(value)
        given = value._spec.shape if isinstance(value, Tensor | Cell) else ()
        if given != self._spec.shape:
            raise self._other_shape(given)
        self._write("assign", value, None, _frame(1))
        return UnreadVariable(self) if read_value else None

    def assign_add(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`, which has the variable's shape and dtype, to the value."""
        self._write("assign_add", self._delta(delta), pointwise.add, _frame(1))
        return UnreadVariable(self) if read_value else None

    def assign_sub(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`, which has the variable's shape and dtype, from the value."""
        self._write("assign_sub", self._delta(delta), pointwise.subtract, _frame(1))
        return UnreadVariable(self) if read_value else None

    def _load(self, value: Any) -> None:
        """Replaces the value by one that was kept somewhere, which counts as loading and not as assigning."""
        self._write("load", self._fitting(value), None, _frame(1))

    def _fitting(self, value: Any) -> Any:
        """Returns a Python number that fits unchanged, and other values as tensors of the right dtype."""
        kind = type(value)
        if (kind is float and self._spec.dtype.kind == "f") or (
            kind is int and self._spec.dtype.kind in "if"
        ):
            return value
        return operand(value, self._spec.dtype)

    def _delta(self, value: Any) -> Any:
        value = self._fitting(value)
        given = value._spec.shape if isinstance(value, Tensor | Cell) else ()
        if given != self._spec.shape:
            raise unequal_shapes(self, given)
        return value

    def _other_shape(self, given: tuple[int, ...]) -> AssignedShapeError:
        return AssignedShapeError(
            f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape "
            f"{self.shape}, and the "
            f"assigned value shape {shape_of(given)} are incompatible.",
            origin=f"Variable created at {self.site}",
            remedy="Reshape the value, or create a new Variable.",
            site=here(),
        )

    def _assign_slice(self, key: Any, value: Any, frame: FrameType) -> UnreadVariable:
        """Writes the part of the variable that `variable[key]` reads."""
        keys = tuple(int(one) if isinstance(one, Tensor | Cell) else one for one in _as_tuple(key))
        positions = np.arange(self._spec.size).reshape(self._spec.shape)[keys]
        given = operand(value, self._spec.dtype)
        if given._spec.shape != positions.shape:
            given = record(shape.broadcast_to, (given,), {"shape": positions.shape}, frame)
        self._place(
            SET,
            positions.reshape(-1),
            given,
            (positions.size,),
            (self._spec.size,),
            "assign",
            frame,
        )
        return UnreadVariable(self)


hide(ResourceVariable, ("ndim", "size", "T", "astype", "item", "tolist"))


def unequal_shapes(variable: Any, given: tuple[int, ...]) -> InvalidArgumentError:
    """Returns the error for an update whose shape is not the variable's."""
    return InvalidArgumentError(
        f"Cannot update variable with shape {brackets(variable._spec.shape)} using a Tensor with shape "
        f"{brackets(given)}, shapes must be equal.",
        origin=f"Variable {variable.path!r}, created at {variable.site}",
        why="An update must have the shape of what it updates.",
        site=here(),
    )


def _as_tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _augmented(sign: str, name: str, remedy: str, instead: str) -> Any:
    def method(self: Any, other: Any) -> NoReturn:
        raise AugmentedAssignmentError(
            f"`{name} {sign}= value` with `tf.Variable`s is not supported. Use `{remedy}` to modify the "
            "variable, or "
            f"`out = {instead}` if you need to get a new output Tensor.",
            site=here(),
        )

    return method


for _name, _arguments in {
    "iadd": ("+", "variable", "variable.assign_add(value)", "variable + value"),
    "isub": ("-", "variable", "variable.assign_sub(value)", "variable - value"),
    "imul": ("*", "var", "var.assign(var * value)", "var * value"),
    "itruediv": ("/", "var", "var.assign(var / value)", "var / value"),
    "ifloordiv": ("//", "var", "var.assign(var // value)", "var // value"),
    "ipow": ("**", "var", "var.assign(var ** value)", "var ** value"),
}.items():
    setattr(ResourceVariable, f"__{_name}__", _augmented(*_arguments))
