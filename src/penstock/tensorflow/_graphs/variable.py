"""The variable of a graph: a name and a place, whose value each session keeps as its own state."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

from penstock.errors import CaptureError
from penstock.state.variable import read
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._errors import (
    ArgumentError,
    AssignedShapeError,
    ConversionError,
    FailedPreconditionError,
    OutOfRangeError,
)
from penstock.tensorflow._graphs.build import call_at, constant, give
from penstock.tensorflow._graphs.graph import Graph, GraphKeys, Operation, evaluate, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._tensor_shape import as_shape
from penstock.trace.local import local
from penstock.trace.source_site import here

_frame = sys._getframe


def refuse_constraint(*constraints: Any) -> None:
    """Raises where a constraint is given: it would be kept and never applied."""
    if any(one is not None for one in constraints):
        raise ArgumentError(
            "A constraint on a variable of a graph is not supported yet.",
            why="The optimizer would update the variable without applying the constraint.",
            remedy="Fetch an assignment after the update: variable.assign(tf.maximum(variable, 0.0)).",
            site=here(),
        )


class GraphVariable:
    """A variable of a graph. It has a value in a session once that session has run its initializer.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     weight = tf.Variable([1.0, 2.0], name="weight")
    ...     session.run(tf.global_variables_initializer())
    ...     print(weight.name, session.run(weight.assign_add([0.5, 0.5])))
    weight:0 [1.5 2.5]
    """

    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Sequence[Any] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        use_resource: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ArgumentError(
                "initial_value must be specified.",
                remedy="Give a number, a list, an array or a tensor.",
                site=here(),
            )
        refuse_constraint(constraint)
        frame = _frame(1)
        graph = mode.default()
        graph.admit_variable()
        own = graph.operation_name(name or "Variable")
        self.constraint = None
        if use_resource is None and graph.variable_scope is not None:
            use_resource = graph.variable_scope.use_resource
        self.by_reference = mode.by_reference if use_resource is None else not use_resource
        self.trainable = True if trainable is None else bool(trainable)
        with graph.control_dependencies(None):
            with graph.name_scope(f"{own}/Initializer/"):
                if callable(initial_value):
                    initial_value = initial_value()
            given = own + "/initial_value/"
            self.initial_value: SymbolicTensor = constant(initial_value, given, frame, dtype)
            self._dtype = self.initial_value._dtype
            self._own = self.initial_value.spec
            if shape is not None and not as_shape(shape).is_compatible_with(self.shape):
                raise ArgumentError(
                    f"In this `tf.Variable` creation, the initial value's shape ({self.shape}) is not "
                    f"compatible with the explicitly supplied `shape` argument ({shape}).",
                    site=here(),
                )
            kind = "VariableV2" if self.by_reference else "VarHandleOp"
            self.op: Operation = graph.add(kind, own + "/", _no_value, (), frame)
            self.op.details["variable"] = self
            self.initializer: Operation = self._writer(
                "Assign", f"{own}/Assign/", _initialize, self.initial_value, frame
            )
        self._load: Any = None
        self._reads: dict[Any, SymbolicTensor] = {}
        chosen = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self.trainable and GraphKeys.TRAINABLE_VARIABLES not in chosen:
            chosen.append(GraphKeys.TRAINABLE_VARIABLES)
        for one in chosen:
            graph.add_to_collection(one, self)

    @classmethod
    def _restored(
        cls, operation: Operation, initial_value: SymbolicTensor, initializer: Operation, trainable: bool,
        by_reference: bool, reads: dict[Any, SymbolicTensor], load: SymbolicTensor | None,
    ) -> GraphVariable:  # fmt: skip
        """Returns a variable whose operations a graph was given by a file."""
        one = cls.__new__(cls)
        one.op, one.initial_value, one.initializer = operation, initial_value, initializer
        one._dtype, one._own = initial_value._dtype, initial_value.spec
        one.constraint, one.trainable, one.by_reference = None, trainable, by_reference
        one._reads, one._load = reads, load
        return one

    # -- attributes ------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The name followed by `:0`."""
        return f"{self.op.name}:0"

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return as_dtype(self._dtype)

    @property
    def shape(self) -> Any:
        """The length of each axis."""
        return self.initial_value.shape

    @property
    def device(self) -> str:
        """Where it is to be: not specified."""
        return ""

    def get_shape(self) -> Any:
        """Returns the shape."""
        return self.shape

    def initialized_value(self) -> SymbolicTensor:
        """Returns the value with which the variable starts."""
        return self.initial_value

    # -- reading ---------------------------------------------------------------------------------------------

    def _read_in(self, graph: Graph) -> SymbolicTensor:
        own = self.op.graph
        key = tuple(own.present_controls(()))
        found = self._reads.get(key)
        if found is None:
            number = f"_{len(self._reads)}" if self._reads else ""
            if self.by_reference:
                kind, name = "Identity", f"{self.op.name}/read{number}/"
            else:
                kind, name = "ReadVariableOp", f"{self.op.name}/Read{number}/ReadVariableOp/"
            # In TensorFlow a variable comes with its read, which a finalized graph has, too.
            finalized, own.finalized = own.finalized, own.finalized and bool(key)
            try:
                operation = own.add(kind, name, read_kernel, (), _frame(1))
            finally:
                own.finalized = finalized
            operation.details["variable"] = self
            give(operation, None, [Output(self._dtype, self._own)])
            found = self._reads[key] = operation.outputs[0]
        return found

    def _memory(self) -> SymbolicTensor:
        """Returns what has the name of a variable of TensorFlow 1: its memory."""
        if not self.op.outputs:
            self.op.kernel = read_kernel
            give(self.op, None, [Output(self._dtype, self._own)])
        return self.op.outputs[0]

    def _as_graph_element(self) -> SymbolicTensor:
        return self._read_in(self.graph)

    def _graph_operation(self) -> Operation:
        return self.op

    def value(self) -> SymbolicTensor:
        """Returns the value as a tensor."""
        return self._read_in(self.graph)

    read_value = value

    def eval(self, session: Any = None) -> Any:
        """Returns the value in a session, the default one unless it is given."""
        return evaluate(self, None, session, "evaluate tensor using `eval()`", "eval(session=sess)")

    def load(self, value: Any, session: Any = None) -> None:
        """Replaces the value in a session."""
        if self._load is None:
            own = self.op.graph
            finalized, own.finalized = own.finalized, False
            try:
                with own.as_default():
                    self._load = self._write("load", "Assign", value, None, _frame(1))
            finally:
                own.finalized = finalized
        fed = {self._load.op.inputs[0]: value}
        evaluate(self._load, fed, session, "load", "load(value, session)")

    def __iter__(self) -> NoReturn:
        raise TypeError("'Variable' object is not iterable.")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        reference = "_ref" if self.by_reference else ""
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}{reference}>"

    # -- writing ---------------------------------------------------------------------------------------------

    def _writer(
        self, type: str, name: str, kernel: Any, value: SymbolicTensor, frame: FrameType
    ) -> Operation:
        operation = mode.default().add(type, name, kernel, (value,), frame, writes=True)
        operation.details = {"variable": self, "variables": (self,), "by": "assign"}
        return operation

    def _write(self, by: str, type: str, value: Any, name: str | None, frame: FrameType) -> SymbolicTensor:
        tensor = constant(value, f"{self.op.name}/{by}/value", frame, self._dtype)
        if tensor._dtype != self._dtype:
            raise ConversionError(
                f"Tensor conversion requested dtype {self.dtype.name} for Tensor with dtype "
                f"{tensor.dtype.name}: "
                f"{tensor!r}",
                remedy=f"Convert it: tf.cast(x, tf.{self.dtype.name}).",
                site=here(),
            )
        if not self.shape.is_compatible_with(tensor.shape):
            raise AssignedShapeError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape "
                f"{self.shape}, "
                f"and the assigned value shape {tensor.shape} are incompatible.",
                origin=f"Variable created at {self.op.site}",
                remedy="Reshape the value, or create a new Variable.",
                site=here(),
            )
        operation = self._writer(type, name or type, assign_kernel, tensor, frame)
        operation.details["by"] = by
        return give(operation, Place(0), [Output(self._dtype, self._own)])  # type: ignore[no-any-return]

    def assign(self, value: Any, use_locking: Any = False, name: Any = None, read_value: bool = True) -> Any:
        """Returns a tensor that, when it is run, replaces the value."""
        return self._write("assign", "Assign", value, name, _frame(1))

    def assign_add(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Returns a tensor that, when it is run, adds `delta` to the value."""
        return self._write("assign_add", "AssignAdd", delta, name, _frame(1))

    def assign_sub(
        self, delta: Any, use_locking: Any = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Returns a tensor that, when it is run, subtracts `delta` from the value."""
        return self._write("assign_sub", "AssignSub", delta, name, _frame(1))

    def count_up_to(self, limit: int) -> SymbolicTensor:
        """Returns a tensor that, when it is run, is the value, and adds 1 to the variable.

        Running it raises OutOfRangeError once the value is the limit.
        """
        return self._counted(int(limit), None, _frame(1))

    def _counted(self, limit: int, name: str | None, frame: FrameType) -> SymbolicTensor:
        graph = mode.default()
        operation = graph.add("CountUpTo", name or "CountUpTo", _count, (), frame, writes=True, fresh=True)
        operation.details = {"variable": self, "variables": (self,), "by": "count_up_to", "limit": limit}
        return give(operation, Place(0), [Output(self._dtype, self._own)])  # type: ignore[no-any-return]

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

    def set_shape(self, shape: Any) -> None:
        """Checks the shape; None stands for any length. Raises ValueError if it is another one."""
        if not self.shape.is_compatible_with(shape):
            raise AssignedShapeError(
                f"Shapes {self.shape} and {as_shape(shape)} are not compatible",
                origin=f"Variable created at {self.op.site}",
                site=here(),
            )


# -- kernels ------------------------------------------------------------------------------------------------


def _no_value(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    return None


def read_kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    """Gives the variable itself, if every use of the read value precedes the next write."""
    cell = runner.cell(operation.details["variable"], operation)
    return cell if operation in runner.plan.direct else call_at(operation.code, read, (cell,), {})


def _initialize(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    variable = operation.details["variable"]
    cell = runner.session.cells.get(variable)
    if cell is None:
        runner.create(variable, values[0])
    else:
        call_at(operation.code, cell.assign, (values[0],), {})


def assign_kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    variable, by = operation.details["variable"], operation.details["by"]
    if by in ("assign", "load") and variable not in runner.session.cells:
        runner.create(variable, values[0])
        return values[0]
    cell = runner.cell(variable, operation)
    call_at(operation.code, cell._load if by == "load" else getattr(cell, by), values, {})
    return call_at(operation.code, read, (cell,), {})


def _count(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    if local.trace.capturing:
        raise CaptureError("A count ends at its limit.")
    cell, limit = runner.cell(operation.details["variable"], operation), operation.details["limit"]
    with mode.computing():
        now = tensor_of(cell)
        if int(now) >= limit:
            raise OutOfRangeError(
                f"Reached limit of {limit}", origin=f"built at {operation.site}", site=operation.site
            )
        call_at(operation.code, cell.assign_add, (1,), {})
    return now


def uninitialized(variable: GraphVariable, operation: Operation) -> FailedPreconditionError:
    """Returns the error for a variable without a value."""
    if variable.by_reference:
        fact = f"Attempting to use uninitialized value {variable.op.name}"
    else:
        fact = (
            f"Could not find variable {variable.op.name}. This could mean that the variable has been "
            "deleted. In TF1, "
            "it can also mean the variable is uninitialized."
        )
    return FailedPreconditionError(
        fact,
        origin=f"Variable created at {variable.op.site}, read at {operation.site}",
        why="A variable has a value in a session only after that session has run its initializer.",
        remedy="Run session.run(tf.global_variables_initializer()) first.",
        site=operation.site,
    )
