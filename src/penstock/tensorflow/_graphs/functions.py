"""Functions that only a graph needs: placeholders, groups, collections, initialization, the mode."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.declared import named
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._graphs.build import constant, give
from penstock.tensorflow._graphs.graph import Graph, GraphKeys, Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.tensor import SymbolicTensor, open_spec
from penstock.tensorflow._graphs.texts import Seen, is_text, outputs_of
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._modes import computes_at_once
from penstock.tensorflow._scopes import scope_of
from penstock.tensorflow._seeds import in_call
from penstock.tensorflow._seeds import start as _start
from penstock.tensorflow._session import placeholder_kernel
from penstock.tensorflow._tensor_shape import disable_v2_tensorshape, enable_v2_tensorshape
from penstock.trace.lengths import array, unknown
from penstock.trace.structure import flat

_frame = sys._getframe


# -- placeholders -------------------------------------------------------------------------------------------


@named("tf.compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """Returns a tensor whose value `session.run` is given: feed_dict={x: ...}.

    None among the lengths, or as the shape, means unknown.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.placeholder(tf.float32, shape=[None, 5], name="x"))
    Tensor("x:0", shape=(None, 5), dtype=float32)
    """
    graph = mode.building()
    if graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    operation = graph.add("Placeholder", name or "Placeholder", placeholder_kernel, (), _frame(1))
    if is_text(dtype):
        return outputs_of(operation, Seen(dtype, _lengths(shape)))  # type: ignore[no-any-return]
    wanted = as_dtype(dtype).dtype
    own = open_spec(_lengths(shape), wanted, operation.name)
    known = None
    if wanted.kind in "iu" and wanted.itemsize > 1 and own is not None and own.ndim == 0:
        # It may say how long an axis is: one that is not known.
        known = array(unknown(operation.name, None), wanted)
    return give(operation, Place(0), [Output(wanted, own, known)])  # type: ignore[no-any-return]


@named("tf.compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> SymbolicTensor:
    """Returns a tensor that has the value of `input` unless it is fed another."""
    frame = _frame(1)
    tensor = constant(input, "PlaceholderWithDefault/input", frame)
    graph = mode.default()
    operation = graph.add(
        "PlaceholderWithDefault", name or "PlaceholderWithDefault", _pass_on, (tensor,), frame
    )
    if is_text(tensor._dtype):
        return outputs_of(operation, Seen("string", _lengths(shape)))  # type: ignore[no-any-return]
    own = open_spec(_lengths(shape), tensor._dtype, operation.name)
    return give(operation, Place(0), [Output(tensor._dtype, own)])  # type: ignore[no-any-return]


def _lengths(shape: Any) -> Any:
    if shape is None or isinstance(shape, int):
        return None if shape is None else (shape,)
    return [getattr(one, "value", one) for one in shape] if isinstance(shape, list | tuple) else shape


def _pass_on(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    return values[0]


# -- order --------------------------------------------------------------------------------------------------


def _nothing(runner: Any, operation: Operation, values: Sequence[Any]) -> None:
    return None


@named("tf.compat.v1.group")
def group(*inputs: Any, **options: Any) -> Operation | None:
    """Returns an operation that runs these operations and tensors; None in an eager program: they ran."""
    if executing_eagerly():
        return None
    frame, graph = _frame(1), mode.default()
    name = options.pop("name", None) or "group_deps"
    if options:
        raise ValueError(f"Unknown keyword arguments: {', '.join(options)}")
    needed = flat(inputs)
    for one in needed:
        if not isinstance(one, Operation | SymbolicTensor | GraphVariable):
            raise TypeError(
                f"Expected tf.Tensor or tf.Operation in `inputs` of `tf.group()`, but got {one!r}."
            )
    with graph.control_dependencies(needed):
        return graph.add("NoOp", name, _nothing, (), frame, writes=True)


@named("tf.compat.v1.no_op")
def no_op(name: str | None = None) -> Operation | None:
    """Returns an operation that does nothing; None in an eager program."""
    if executing_eagerly():
        return None
    return mode.default().add("NoOp", name or "NoOp", _nothing, (), _frame(1))


@named("tf.compat.v1.control_dependencies")
@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Runs the operations built inside only after these; None ignores outer dependencies."""
    if mode.building() is None:
        if callable(control_inputs):
            control_inputs()
        yield
        return
    with mode.default().control_dependencies(control_inputs):
        yield


@named("tf.compat.v1.tuple")
def tuple_(tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Returns the tensors: none has a value before all of them have, and `control_inputs` have run."""
    frame, graph = _frame(1), mode.default()
    made: list[Any] = []
    first = [one for one in tensors if one is not None]
    with graph.control_dependencies([*first, *(control_inputs or ())]):
        for one in tensors:
            if one is None:
                made.append(None)
                continue
            tensor = constant(one, "tuple/input", frame)
            operation = graph.add("Identity", "tuple/control_dependency", _pass_on, (tensor,), frame)
            made.append(give(operation, Place(0), [Output(tensor._dtype, tensor.spec)]))
    return made


# -- variables ----------------------------------------------------------------------------------------------


@named("tf.compat.v1.global_variables", "tf.compat.v1.all_variables")
def global_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the default graph."""
    return mode.default().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@named("tf.compat.v1.local_variables")
def local_variables(scope: str | None = None) -> list[Any]:
    """Returns the local variables of the default graph."""
    return mode.default().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@named("tf.compat.v1.trainable_variables")
def trainable_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables that optimizers train unless they are given a list."""
    return mode.default().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def _initializer(variables: Sequence[GraphVariable], name: str, frame: Any) -> Operation:
    graph = mode.default()
    with graph.control_dependencies([one.initializer for one in variables]):
        return graph.add("NoOp", name, _nothing, (), frame, writes=True)


@named("tf.compat.v1.variables_initializer", "tf.compat.v1.initialize_variables")
def variables_initializer(var_list: Any, name: str = "init") -> Operation:
    """Returns an operation that gives these variables the values with which they start."""
    return _initializer(list(var_list), name, _frame(1))


@named("tf.compat.v1.global_variables_initializer", "tf.compat.v1.initialize_all_variables")
def global_variables_initializer() -> Operation:
    """Returns an operation that gives the variables of the default graph the values with which they start."""
    return _initializer(global_variables(), "init", _frame(1))


@named("tf.compat.v1.local_variables_initializer", "tf.compat.v1.initialize_local_variables")
def local_variables_initializer() -> Operation:
    """Returns an operation that gives the local variables the values with which they start."""
    return _initializer(local_variables(), "init", _frame(1))


@named("tf.compat.v1.assign")
def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """Replaces the value of a variable: in a graph, when the tensor returned is run.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     step = tf.Variable(0)
    ...     session.run(step.initializer)
    ...     print(session.run(tf.assign(step, 7)), session.run(step))
    7 7
    """
    return _changed(ref, "assign", "Assign", value, name, _frame(1))


@named("tf.compat.v1.assign_add")
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Adds to the value of a variable: in a graph, when the tensor returned is run."""
    return _changed(ref, "assign_add", "AssignAdd", value, name, _frame(1))


@named("tf.compat.v1.assign_sub")
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Subtracts from the value of a variable: in a graph, when the tensor returned is run."""
    return _changed(ref, "assign_sub", "AssignSub", value, name, _frame(1))


def _changed(ref: Any, by: str, type: str, value: Any, name: Any, frame: Any) -> Any:
    if isinstance(ref, GraphVariable):
        return ref._write(by, type, value, name, frame)
    return getattr(ref, by)(value)


# -- graphs -------------------------------------------------------------------------------------------------


@named("tf.compat.v1.get_default_graph")
def get_default_graph() -> Graph:
    """Returns the graph into which operations go unless told otherwise."""
    return mode.default()


@named("tf.compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    """Starts an empty default graph; raises AssertionError inside `as_default`."""
    if mode.graphs:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    mode.base = None


@named("tf.compat.v1.get_default_session")
def get_default_session() -> Any:
    """Returns the session in which `eval` and `run` take place; None if there is none."""
    return mode.sessions[-1] if mode.sessions else None


@named("tf.compat.v1.add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    mode.default().add_to_collection(name, value)


@named("tf.compat.v1.get_collection")
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Returns the items of a collection of the default graph, in the order in which they were added."""
    return mode.default().get_collection(key, scope)


@named("tf.compat.v1.get_collection_ref")
def get_collection_ref(key: Any) -> list[Any]:
    """Returns a collection of the default graph itself, which may be changed."""
    return mode.default().get_collection_ref(key)


@named("tf.compat.v1.name_scope")
@contextlib.contextmanager
def name_scope(name: str | None, default_name: str | None = None, values: Any = None) -> Iterator[str]:
    """Puts a scope before the names of operations built inside: of variables alone in an eager program."""
    if mode.building() is None:
        with scope_of(default_name if name is None else name) as scope:
            yield scope
        return
    chosen = default_name if name is None else name
    if chosen is None and default_name is None and name is None:
        raise ValueError("At least one of name (None) and default_name (None) should be provided.")
    with mode.default().name_scope(chosen) as scope:
        yield scope


@named("tf.compat.v1.device")
@contextlib.contextmanager
def device(device_name_or_function: Any) -> Iterator[None]:
    """Does nothing: the computation is one program, which runs where Penstock does."""
    yield


@named(
    "tf.compat.v1.set_random_seed",
    "tf.compat.v1.random.set_random_seed",
    "tf.compat.v1.random.set_seed",
)
def set_random_seed(seed: int) -> None:
    """Lets every session of the default graph draw the same numbers from its first run on."""
    mode.default().seed = int(seed)
    _start(int(seed))


# -- mode ---------------------------------------------------------------------------------------------------


@named("tf.compat.v1.disable_eager_execution")
def disable_eager_execution() -> None:
    """Lets everything from here on build the default graph, as TensorFlow 1 does."""
    mode.set_eager(False)


@named("tf.compat.v1.enable_eager_execution")
def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Computes from here on at once; raises ValueError if a graph has been begun.

    `config` does nothing: there is one device, and variables are copied nowhere.
    """
    if not type(mode).eager and mode.base is not None and mode.base.operations:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    mode.set_eager(True)


@named("tf.compat.v1.disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Lets everything from here on build the default graph, as TensorFlow 1 does."""
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_resource_variables()


@named("tf.compat.v1.enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Computes from here on at once."""
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()


@named("tf.compat.v1.executing_eagerly_outside_functions")
def executing_eagerly() -> bool:
    """Returns whether operations are computed at once, or will be where no function is being traced."""
    return mode.building() is None


@named("tf.compat.v1.executing_eagerly")
def executing_now() -> bool:
    """Returns whether operations are computed at once, and not added to a graph or to that of a function."""
    return executing_eagerly() and computes_at_once(in_call())


@named("tf.compat.v1.enable_tensor_equality")
def enable_tensor_equality() -> None:
    """Lets == compare tensors and variables element by element, as it does from the start."""
    _compare(True)


@named("tf.compat.v1.disable_tensor_equality")
def disable_tensor_equality() -> None:
    """Lets == say whether two names stand for one tensor or variable, as in TensorFlow 1."""
    _compare(False)


_EQUALITY = ("__eq__", "__ne__", "__hash__")


def _compare(by_elements: bool) -> None:
    from penstock.tensorflow._tensor import EagerTensor
    from penstock.tensorflow._variable import ResourceVariable

    for kind, names in ((EagerTensor, _EQUALITY[:2]), (ResourceVariable, _EQUALITY)):
        kept = _kept_equality.setdefault(kind, {name: vars(kind).get(name) for name in names})
        for name in names:
            own = kept[name] if by_elements else getattr(object, name)
            if own is None:
                delattr(kind, name)
            else:
                setattr(kind, name, own)


_kept_equality: dict[type, dict[str, Any]] = {}
"""How classes compare by elements, once a program has asked for the other way."""


@named("tf.compat.v1.resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Returns whether a variable that is fetched beside what writes it gives its value before the write."""
    return not mode.by_reference


@named("tf.compat.v1.enable_resource_variables")
def enable_resource_variables() -> None:
    """Lets variables made from here on give the value from before a write that runs beside a fetch."""
    type(mode).by_reference = False


@named("tf.compat.v1.disable_resource_variables")
def disable_resource_variables() -> None:
    """Lets variables made from here on be those of TensorFlow 1: a fetch gives the value after the run.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> tf.disable_resource_variables()
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     count = tf.Variable(0)
    ...     add = count.assign_add(1)
    ...     session.run(count.initializer)
    ...     print(*session.run([count, count + 0, add]))
    1 0 1
    >>> tf.enable_resource_variables()
    """
    type(mode).by_reference = True


def forget() -> None:
    """Forgets the default graph, the sessions and the mode: the program is over."""
    enable_v2_tensorshape()
    enable_resource_variables()
    del mode.graphs[:], mode.sessions[:]
    mode.written.clear()
    mode.base = None
    mode.set_eager(True)
    while type(mode).inside > 0:
        mode.leave()
