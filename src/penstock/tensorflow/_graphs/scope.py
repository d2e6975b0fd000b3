"""variable_scope and get_variable: variables by name, made once and found again."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from typing import Any

from penstock.declared import named
from penstock.layers.regularizers import L1L2, Regularizer
from penstock.tensorflow._convert import as_array
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._graphs import initializers
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable, refuse_constraint
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.tensorflow._variable import ResourceVariable


class _Reuse(enum.Enum):
    AUTO_REUSE = 1

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


AUTO_REUSE = named("tf.compat.v1.AUTO_REUSE")(_Reuse.AUTO_REUSE)


@named("tf.compat.v1.VariableScope")
class VariableScope:
    """A prefix of variables' names, with the defaults of `get_variable`."""

    def __init__(
        self,
        reuse: Any = False,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        dtype: Any = "float32",
        custom_getter: Any = None,
        name_scope: str = "",
        use_resource: Any = None,
    ) -> None:
        self.reuse, self.name, self.initializer, self.regularizer = reuse, name, initializer, regularizer
        self.dtype, self.custom_getter, self.original_name_scope = dtype, custom_getter, name_scope
        self.use_resource = use_resource

    def reuse_variables(self) -> None:
        """Lets `get_variable` find variables from here on, and make none."""
        self.reuse = True

    def set_use_resource(self, use_resource: Any) -> None:
        """Sets whether variables give the value from before a write that runs beside a fetch."""
        self.use_resource = use_resource

    def set_initializer(self, initializer: Any) -> None:
        """Sets the initializer for variables that are given none."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the regularizer for variables that are given none."""
        self.regularizer = regularizer

    def global_variables(self) -> list[Any]:
        """Returns the variables of this scope."""
        return mode.default().get_collection(GraphKeys.GLOBAL_VARIABLES, self.name)

    def trainable_variables(self) -> list[Any]:
        """Returns the trainable variables of this scope."""
        return mode.default().get_collection(GraphKeys.TRAINABLE_VARIABLES, self.name)

    def __repr__(self) -> str:
        return f"<VariableScope {self.name!r}>"


@named("tf.compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """Returns the present variable scope."""
    graph = mode.default()
    if graph.variable_scope is None:
        graph.variable_scope = VariableScope()
    return graph.variable_scope  # type: ignore[no-any-return]


@named("tf.compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: Any = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Puts a prefix before the names of variables and operations.

    `reuse=True` finds variables that are there, `tf.AUTO_REUSE` makes those that are not.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     with tf.variable_scope("layer"):
    ...         first = tf.get_variable("kernel", [2])
    ...     with tf.variable_scope("layer", reuse=True):
    ...         again = tf.get_variable("kernel", [2])
    ...     print(first.name, first is again)
    layer/kernel:0 True
    """
    refuse_constraint(constraint)
    if reuse not in (None, False, True, AUTO_REUSE):
        raise ValueError("The reuse parameter must be True or False or None.")
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    graph = mode.default()
    outer = get_variable_scope()
    counts = graph.scope_counts
    if isinstance(name_or_scope, VariableScope):
        given = name_or_scope
        full, base = given.name, given
        scope = given.name.rpartition("/")[2]
    else:
        base = outer
        if name_or_scope is None:
            if reuse:
                raise ValueError("reuse=True cannot be used without a name_or_scope")
            name_or_scope = _free(counts, outer.name, str(default_name))
        if not isinstance(name_or_scope, str):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        scope = name_or_scope
        full = f"{outer.name}/{scope}" if outer.name else scope
    counts[full] = counts.get(full, 0) + 1
    made = VariableScope(
        reuse or base.reuse or outer.reuse
        if not isinstance(name_or_scope, VariableScope)
        else reuse or base.reuse,
        full,
        initializer or base.initializer,
        regularizer or base.regularizer,
        dtype or base.dtype,
        custom_getter or base.custom_getter,
        use_resource=base.use_resource if use_resource is None else use_resource,
    )
    kept = {key: count for key, count in counts.items() if key.startswith(f"{full}/")}
    with contextlib.ExitStack() as stack:
        if auxiliary_name_scope and scope:
            made.original_name_scope = stack.enter_context(graph.name_scope(scope))
        graph.variable_scope = made
        try:
            yield made
        finally:
            graph.variable_scope = outer
            if isinstance(name_or_scope, str):
                for key in [key for key in counts if key.startswith(f"{full}/")]:
                    del counts[key]
                counts.update(kept if not full else {})


def _free(counts: dict[str, int], prefix: str, name: str) -> str:
    def there(one: str) -> bool:
        return bool(counts.get(f"{prefix}/{one}" if prefix else one))

    if not there(name):
        return name
    number = 1
    while there(f"{name}_{number}"):
        number += 1
    return f"{name}_{number}"


@named("tf.compat.v1.get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """Returns the variable of this name in the present scope: made now, or found if the scope reuses.

    Raises ValueError if it is there and the scope does not reuse, if it is not there and the scope only
    reuses, and if shape or dtype differ from those of the variable found.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.get_variable("w", shape=[5, 1], initializer=tf.zeros_initializer()))
    <tf.Variable 'w:0' shape=(5, 1) dtype=float32>
    """
    scope = get_variable_scope()
    getter = custom_getter or scope.custom_getter
    if getter is not None:

        def plain(
            name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, *_: Any, **more: Any
        ) -> Any:
            return _get(
                scope,
                name,
                shape,
                dtype,
                initializer,
                more.get("regularizer"),
                more.get("trainable"),
                None,
                use_resource,
            )

        return getter(plain, name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable)
    return _get(
        scope, name, shape, dtype, initializer, regularizer, trainable, collections, use_resource, constraint
    )


def _get(
    scope: VariableScope,
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Any,
    regularizer: Any,
    trainable: Any,
    collections: Any,
    use_resource: Any,
    constraint: Any = None,
) -> Any:
    graph = mode.building()
    if graph is None:
        return _eager(name, shape, dtype, initializer, trainable)
    path = f"{scope.name}/{name}" if scope.name else name
    initializer = scope.initializer if initializer is None else initializer
    wanted = as_dtype(scope.dtype if dtype is None else dtype)
    found = graph.variables.get(path)
    lengths = None if shape is None else TensorShape(shape if not isinstance(shape, int) else (shape,))
    if found is not None:
        if scope.reuse is False:
            raise ValueError(
                f"Variable {path} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n  {found.op.site}\n"
            )
        if lengths is not None and not lengths.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {path}, but specified shape {lengths} and found shape "
                f"{found.shape}."
            )
        if dtype is not None and wanted != found.dtype:
            raise ValueError(
                f"Trying to share variable {path}, but specified dtype {wanted.name} and found dtype "
                f"{found.dtype.name}."
            )
        return found
    if scope.reuse is True:
        raise ValueError(
            f"Variable {path} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    value, value_dtype = _initial(path, lengths, wanted, dtype, initializer)
    # The name is that of the variable scope, independent of the scope of operations' names.
    with graph.name_scope(None):
        made = GraphVariable(
            value,
            trainable=trainable,
            collections=collections,
            name=path,
            dtype=value_dtype,
            constraint=constraint,
            use_resource=use_resource,
        )
    graph.variables[path] = made
    _regularized(graph, made, scope.regularizer if regularizer is None else regularizer)
    return made


def _initial(path: str, lengths: Any, wanted: Any, dtype: Any, initializer: Any) -> tuple[Any, Any]:
    """Returns a variable's initial value, or a function that computes it, and its dtype."""
    if initializer is not None and not callable(initializer):
        if lengths is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        own = getattr(initializer, "dtype", None) or as_array(initializer).dtype
        if dtype is not None and as_dtype(own) != wanted:
            raise ValueError(f"Initializer type '{as_dtype(own)}' and explicit dtype '{wanted}' don't match.")
        return initializer, None
    if isinstance(initializer, SymbolicTensor):
        return initializer, None
    if lengths is None and (initializer is None or isinstance(initializer, type | initializers.Initializer)):
        raise ValueError(
            f"Variable {path} did not get an initializer, so its `shape` argument must be specified."
        )
    if lengths is None:
        return initializer, None
    if not as_shape(lengths).is_fully_defined():
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and the "
            "shape should "
            "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
        )
    if initializer is None:
        if wanted.is_floating:
            initializer = initializers.GlorotUniform()
        elif wanted.is_integer or wanted.is_bool:
            initializer = initializers.Zeros()
        else:
            raise ValueError(f"An initializer for variable {path} of {wanted} is required")
    if isinstance(initializer, type):
        initializer = initializer()
    chosen: Callable[..., Any] = initializer
    return lambda: chosen(list(lengths), dtype=wanted), wanted


def _regularized(graph: Any, variable: GraphVariable, regularizer: Any) -> None:
    if regularizer is None:
        return
    with graph.name_scope(f"{variable.op.name}/Regularizer/"):
        loss = _in_graph(regularizer)(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _in_graph(regularizer: Any) -> Callable[..., Any]:
    """Returns what builds a penalty: those of Keras, and functions of tensors, become one operation."""
    function: Callable[..., Any] = (
        regularizer.__call__ if isinstance(regularizer, Regularizer) else regularizer
    )
    ours = getattr(function, "__module__", None) or ""
    if not ours.startswith("penstock.") or hasattr(function, "_eager"):
        return function
    if function is regularizer:
        return lift(function)
    name = "add_1" if isinstance(regularizer, L1L2) else "mul"
    return lambda variable: lift(function, "Mul")(variable, name=name)


def _eager(name: str, shape: Any, dtype: Any, initializer: Any, trainable: Any) -> ResourceVariable:
    wanted = as_dtype(dtype or "float32")
    lengths = None if shape is None else TensorShape(shape)
    value, value_dtype = _initial(name, lengths, wanted, dtype, initializer)
    return ResourceVariable(value, trainable=trainable, name=name, dtype=value_dtype)
