"""The graph of TensorFlow 1: which operations were called, in which order, under which names."""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from penstock.capture.calls import site_code
from penstock.declared import named
from penstock.tensorflow._seeds import pair_of
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.tensorflow._graphs.tensor import SymbolicTensor

Kernel = Callable[..., Any]


@named("tf.compat.v1.GraphKeys")
class GraphKeys:
    """Names of the collections that a graph keeps."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    UPDATE_OPS = "update_ops"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    SUMMARIES = "summaries"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    METRIC_VARIABLES = "metric_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    EVAL_STEP = "eval_step"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


@named("tf.compat.v1.Operation")
class Operation:
    """One node of a graph: an operation, its input tensors, and the user's line that created it.

    `kernel(runner, operation, values)` does it when a session runs; `writes` says that it changes a variable,
    `fresh` that it gives something else each time, `planned` that a session was told to run it.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        type: str,
        kernel: Kernel,
        inputs: Sequence[SymbolicTensor],
        code: CodeType,
        *,
        writes: bool = False,
        fresh: bool = False,
    ) -> None:
        self.graph, self.name, self.type, self.kernel = graph, name, type, kernel
        self.inputs = list(inputs)
        self.control_inputs: list[Operation] = graph.present_controls(self.inputs)
        self.outputs: list[SymbolicTensor] = []
        self.code, self.writes, self.fresh = code, writes, fresh
        self.constants: list[Any] | None = None
        self.number = len(graph.operations)
        self.details: dict[str, Any] = {}
        self.planned = False

    @property
    def site(self) -> Site:
        """The user's line."""
        return Site(self.code.co_filename, self.code.co_firstlineno, self.code.co_name)

    @property
    def op(self) -> Operation:
        """The operation itself."""
        return self

    @property
    def op_def(self) -> None:
        """Not kept."""
        return None

    @property
    def device(self) -> str:
        """Where it is to run: not specified."""
        return ""

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Returns the outputs."""
        return tuple(self.outputs)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session, the default one unless it is given."""
        evaluate(self, feed_dict, session, "execute operation using `run()`", "run(session=sess)")

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        inputs = "".join(f'input: "{one.name.removesuffix(":0")}"\n' for one in self.inputs)
        inputs += "".join(f'input: "^{one.name}"\n' for one in self.control_inputs)
        return f'name: "{self.name}"\nop: "{self.type}"\n{inputs}'


def on_first_use(file: str) -> Any:
    """Imports a file of this folder that builds on the others, at its first use."""
    return import_module(f"{__package__}.{file}")


def evaluate(what: Any, feeds: Any, session: Any, purpose: str, instead: str) -> Any:
    """Runs something in the session given or the default one; raises ValueError if there is none."""
    if session is None:
        session = sessions()[-1] if sessions() else None
        if session is None:
            raise ValueError(
                f"Cannot {purpose}: No default session is registered. Use `with sess.as_default()` or "
                "pass an "
                f"explicit session to `{instead}`"
            )
    return session.run(what, feeds)


@named("tf.compat.v1.Graph")
class Graph:
    """Operations with their names, variables and collections. New operations go into the default graph.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     total = tf.constant(1.0) + tf.constant(2.0)
    ...     print(total, tf.Session().run(total))
    Tensor("add:0", shape=(), dtype=float32) 3.0
    """

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.seed: int | None = None
        self._drawing = itertools.count()
        self.finalized = False
        self.variables: dict[str, Any] = {}
        self.variable_scope: Any = None
        self._by_name: dict[str, Operation] = {}
        self._names: dict[str, int] = {}
        self._scope = ""
        self._controls: list[list[Operation]] = []
        self._collections: dict[Any, list[Any]] = {}
        self._codes: dict[Any, CodeType] = {}
        self.scope_counts: dict[str, int] = {}
        self.overridden: dict[str, str] = {}
        """The names of registered gradients, by the type of the operations that get them."""
        self.described: tuple[Any, Any] | None = None
        """The graph as plain data, after what it was described in; see `_graphs.descriptions`."""

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Gives operations of some types, which are built inside, gradients that the program has registered.

        >>> import penstock.tensorflow.compat.v1 as tf
        >>> @tf.RegisterGradient("Doubled")
        ... def doubled(op, grad):
        ...     return 2.0 * grad
        >>> with tf.Graph().as_default() as graph, tf.Session() as session:
        ...     x = tf.constant(1.0)
        ...     with graph.gradient_override_map({"Identity": "Doubled"}):
        ...         y = tf.identity(x)
        ...     print(session.run(tf.gradients(y, x)))
        [np.float32(2.0)]
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        if not all(isinstance(one, str) for pair in op_type_map.items() for one in pair):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        before, self.overridden = self.overridden, {**self.overridden, **op_type_map}
        try:
            yield
        finally:
            self.overridden = before

    # -- default graphs --------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Makes this the default graph inside a `with` block."""
        mode.enter()
        mode.graphs.append(self)
        try:
            yield self
        finally:
            if self in mode.graphs:
                mode.graphs.remove(self)
                mode.leave()

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Does nothing: the computation is one program, which runs where Penstock does."""
        yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Does nothing, and `op` and `ignore_existing` do nothing either: everything is in one place."""
        yield

    def finalize(self) -> None:
        """Refuses every operation from here on."""
        self.finalized = True

    # -- names -----------------------------------------------------------------------------------------------

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns the name, below the present scope, with a number if it is taken (in any case)."""
        if self._scope:
            name = f"{self._scope}/{name}"
        key = name.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if not count:
            return name
        base = key
        while key in self._names:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            self._names[key] = 1
        return f"{name}_{count - 1}"

    def operation_name(self, name: str) -> str:
        """Returns the name of a new operation; a name that ends in / is used unchanged."""
        return name[:-1] if name.endswith("/") else self.unique_name(name)

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Puts a scope before the names of operations built inside; None goes back to the top."""
        before = self._scope
        if not name:
            scope = ""
        elif name.endswith("/"):
            scope = name[:-1]
        else:
            if not re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_.\-/>]*", name) and not before:
                raise ValueError(f"'{name}' is not a valid root scope name")
            scope = self.unique_name(name)
        self._scope = scope
        try:
            yield f"{scope}/" if scope else ""
        finally:
            self._scope = before

    def get_name_scope(self) -> str:
        """Returns the present scope."""
        return self._scope

    def seeds_of(self, seed: int | None) -> tuple[int, int] | None:
        """Returns both seeds of a new random operation, which is numbered if it has none of its own."""
        return pair_of(self.seed, seed, lambda: next(self._drawing))

    @contextlib.contextmanager
    def drawing_apart(self) -> Iterator[None]:
        """Numbers random operations built inside from 0: in TensorFlow 2, a loop's body is a graph.

        After `tf.disable_v2_behavior()` there is one graph, and one sequence of numbers.
        """
        before = self._drawing
        if not mode.by_reference:
            self._drawing = itertools.count()
        try:
            yield
        finally:
            self._drawing = before

    # -- operations ------------------------------------------------------------------------------------------

    def site_code(self, frame: FrameType) -> CodeType:
        """Returns code that calls something from the line on which a frame stands."""
        return site_code(frame, self._codes)

    def add(
        self,
        type: str,
        name: str,
        kernel: Kernel,
        inputs: Sequence[SymbolicTensor],
        frame: FrameType,
        *,
        writes: bool = False,
        fresh: bool = False,
    ) -> Operation:
        """Adds an operation without outputs."""
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        operation = Operation(
            self,
            self.operation_name(name),
            type,
            kernel,
            inputs,
            self.site_code(frame),
            writes=writes,
            fresh=fresh,
        )
        self.operations.append(operation)
        self._by_name[operation.name] = operation
        return operation

    def admit_variable(self) -> None:
        """Is called before a variable is made that belongs to the graph; a graph may refuse it."""

    def captured(self, one: Any) -> Any:
        """Returns what stands in the graph for an eager value, which only the graph of a function takes."""
        raise RuntimeError("Attempting to capture an EagerTensor without building a function.")

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Runs operations built inside only after these operations and tensors; None ignores outer ones."""
        before = self._controls
        if control_inputs is None:
            self._controls = []
        else:
            chosen = []
            for one in control_inputs:
                one = getattr(one, "_graph_operation", lambda one=one: one)()
                operation = one if isinstance(one, Operation) else getattr(one, "op", None)
                if not isinstance(operation, Operation):
                    raise TypeError(f"Control input must be Operation, Tensor, or Variable: {one}")
                chosen.append(operation)
            self._controls = [*self._controls, chosen]
        try:
            yield
        finally:
            self._controls = before

    def present_controls(self, inputs: Sequence[SymbolicTensor]) -> list[Operation]:
        """Returns the operations that must precede those built now."""
        own = {one.op for one in inputs}
        found: dict[Operation, None] = {}
        for chosen in self._controls:
            for one in chosen:
                if one not in own:
                    found[one] = None
        return list(found)

    def get_operations(self) -> list[Operation]:
        """Returns the operations in the order in which they were built."""
        return list(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns an operation by its name; raises KeyError if there is none."""
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """Returns a tensor by its name, such as "add:0"; raises KeyError if there is none."""
        operation, colon, number = name.partition(":")
        if not colon:
            if name in self._by_name:
                raise ValueError(
                    f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of "
                    "the form "
                    '"<op_name>:<output_index>".'
                )
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
                "names must be "
                'of the form "<op_name>:<output_index>".'
            )
        found = self._of_variable(operation) if number == "0" else None
        if found is not None:
            return found  # type: ignore[no-any-return]
        if operation not in self._by_name:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{operation!r}, does "
                "not exist in the graph."
            )
        outputs = self._by_name[operation].outputs
        if not number.isdigit() or int(number) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, "
                f"exists but only has {len(outputs)} outputs."
            )
        return outputs[int(number)]

    def _of_variable(self, name: str) -> Any:
        """Returns the memory of a variable of TensorFlow 1, or what is read from it, if it has this name."""
        operation = self._by_name.get(name.removesuffix("/read"))
        if operation is None or operation.type != "VariableV2":
            return None
        variable = operation.details["variable"]
        return variable._memory() if operation.name == name else variable._read_in(self)

    def as_graph_element(self, thing: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the tensor or operation of an object or a name.

        Raises TypeError for one of a kind that is not allowed, ValueError for a name of one.
        """
        words = [
            word for word, allowed in (("Tensor", allow_tensor), ("Operation", allow_operation)) if allowed
        ]
        if not words:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        wanted = " or ".join(words)
        thing = getattr(thing, "_as_graph_element", lambda: thing)()
        if isinstance(thing, str):
            if ":" in thing:
                if not allow_tensor:
                    raise ValueError(f"Name {thing!r} appears to refer to a Tensor, not a {wanted}.")
                return self.get_tensor_by_name(thing)
            return self.get_operation_by_name(thing) if allow_operation else self.get_tensor_by_name(thing)
        if isinstance(thing, Operation):
            kind, allowed = "Operation", allow_operation
        else:
            kind, allowed = "Tensor", allow_tensor and hasattr(thing, "op")
        if not allowed:
            raise TypeError(f"Can not convert a {type(thing).__name__} into a {wanted}.")
        if thing.graph is not self:
            raise ValueError(f"{kind} {thing} is not an element of this graph.")
        return thing

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """Returns the operations as a GraphDef, without collections.

        `add_shapes` does nothing: the shapes are there. Raises NotImplementedError for a `from_version`.
        """
        if from_version is not None:
            raise NotImplementedError(
                "as_graph_def(from_version) is not supported: it gives the whole graph."
            )
        return on_first_use("importing").graph_def_of(self)

    # -- collections -----------------------------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds a value to a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds a value to several collections, or to the one of a name."""
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_all_collection_keys(self) -> list[Any]:
        """Returns the names of the collections."""
        return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Returns a collection itself, which may be changed."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Returns the items of a collection; with `scope`, those whose name begins with a match."""
        found = list(self._collections.get(name, ()))
        if scope is None:
            return found
        pattern = re.compile(scope)
        return [one for one in found if hasattr(one, "name") and pattern.match(one.name)]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)


class Mode(threading.local):
    """Whether this thread builds a graph, and which one."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.sessions: list[Any] = []
        self.base: Graph | None = None
        self.replaying = 0
        self.written: dict[str, Any] = {}
        """Descriptions of graphs that this process has written and no file holds in full, by their paths."""

    eager = True
    inside = 0
    by_reference = False
    """Whether a new variable is one of TensorFlow 1, whose value is fetched as it is after the run."""

    def enter(self) -> None:
        """Notes that graphs are being built, so that the names of TensorFlow 2 do so too."""
        Mode.inside += 1
        if Mode.inside == 1:
            for change in on_change:
                change(True)

    def leave(self) -> None:
        """Notes that one reason to build graphs is over."""
        Mode.inside -= 1
        if not Mode.inside:
            for change in on_change:
                change(False)

    def set_eager(self, eager: bool) -> None:
        """Chooses what happens outside every `as_default`."""
        if eager != Mode.eager:
            Mode.eager = eager
            (self.leave if eager else self.enter)()

    def building(self) -> Graph | None:
        """Returns the graph that is being built; None if everything is computed at once."""
        if self.replaying:
            return None
        if self.graphs:
            return self.graphs[-1]
        return None if Mode.eager else self.default()

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        """Lets TensorFlow's functions compute instead of building a graph, because the graph is being run."""
        self.replaying += 1
        try:
            yield
        finally:
            self.replaying -= 1

    def default(self) -> Graph:
        """Returns the default graph."""
        if self.graphs:
            return self.graphs[-1]
        if self.base is None:
            self.base = Graph()
        return self.base


mode = Mode()
on_change: list[Callable[[bool], None]] = []
"""Called when the first graph begins to be built, and when the last one is done."""


def sessions() -> list[Any]:
    """Returns the default sessions, the innermost last."""
    return mode.sessions


def default_graph() -> Graph:
    """Returns the graph into which operations go unless told otherwise."""
    return mode.default()
