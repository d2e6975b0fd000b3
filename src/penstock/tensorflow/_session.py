"""Sessions: the fetches are replayed through the eager functions as one captured step, then launched."""

from __future__ import annotations

import heapq
import itertools
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from penstock.capture.recording import Capture, as_captured
from penstock.capture.steps import Step
from penstock.declared import named
from penstock.errors import CaptureError, PenstockError
from penstock.errors import InvalidArgumentError as UnfitError
from penstock.functions import keys as _keys
from penstock.functions.scratch import shown_shape
from penstock.grad.rows import Rows
from penstock.ops import pointwise
from penstock.state.variable import read
from penstock.tensorflow import _arrays
from penstock.tensorflow._dtype import c_name
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._graphs.build import call_at, call_kernel
from penstock.tensorflow._graphs.cond import requests_in
from penstock.tensorflow._graphs.graph import Graph, Operation, mode
from penstock.tensorflow._graphs.infer import SMALL, _written, folded, scratch
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.unrun import mark_planned, unrun
from penstock.tensorflow._graphs.variable import GraphVariable, assign_kernel, read_kernel, uninitialized
from penstock.tensorflow._replay import ReplayTape
from penstock.tensorflow._seeds import Streams
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tape import IndexedSlices
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._variable import ResourceVariable
from penstock.tiers import failures
from penstock.trace.builder import Builder
from penstock.trace.convert import refuse_masked
from penstock.trace.engine import engine
from penstock.trace.lengths import is_symbolic
from penstock.trace.local import local, value_of
from penstock.trace.spec import differentiable
from penstock.trace.structure import LEAF, Outline, flat, flatten, mapped
from penstock.trace.tensor import Cell, Tensor, concrete, held
from penstock.trace.tree import tree

_frame = sys._getframe
_SAME_MEMORY = (
    _arrays.identity, _arrays.stop_gradient, _arrays.reshape, _arrays.squeeze, _arrays.expand_dims,
)  # fmt: skip
"""Functions whose result TensorFlow keeps in the memory of their operand."""
_STATIC = (_arrays.shape, _arrays.size, _arrays.rank, _arrays.zeros_like, _arrays.ones_like)


class Runner:
    """One replay of the needed part of a graph: what each tensor has come to so far."""

    def __init__(self, session: Any, plan: Plan, values: dict[SymbolicTensor, Any]) -> None:
        self.session, self.plan, self.values = session, plan, values
        self.tape: ReplayTape | None = None
        self.made: list[tuple[GraphVariable, Any]] = []
        self.latest: list[Any] = []

    def run(self, tape: ReplayTape | None) -> None:
        """Does every operation of the plan once, in order."""
        self.tape = tape
        self._perform(self.plan.order)

    def branch(self, branch: Any) -> list[Any]:
        """Does the operations of one branch of a `cond`; returns its results."""
        self._perform(branch.order)
        return [self.values[one] for one in branch.results]

    def inside(self, branch: Any, given: Sequence[Any]) -> list[Any]:
        """Does the operations of a function of tensors on these operands; returns its results."""
        values = self.values
        before = {one: values[one] for one in branch.changed if one in values}
        values.update(zip(branch.parameters, given, strict=True))
        try:
            return self._taped(branch) if branch.requests else self.branch(branch)
        finally:
            for one in branch.changed:
                values.pop(one, None)
            values.update(before)

    def _taped(self, branch: Any) -> list[Any]:
        """Does the operations of a function that asks for gradients, under a tape of this call."""
        outer, self.tape = self.tape, ReplayTape(persistent=True)
        try:
            with self.tape:
                self.watch_sources(branch.requests)
                return self.branch(branch)
        finally:
            self.tape = outer

    def watch_sources(self, requests: Sequence[Operation]) -> None:
        """Watches what gradients are asked of and what has a value before the requests are run."""
        assert self.tape is not None
        for source in (one for request in requests for one in request.details["sources"]):
            if isinstance(source, GraphVariable):
                value = None if source.trainable else self.session.cells.get(source)
            else:
                value = self.values.get(source)
            if value is not None and differentiable(value._spec):
                self.tape.watch(value)

    def _perform(self, order: Sequence[Operation]) -> None:
        values, plan, tape = self.values, self.plan, self.tape
        for operation in order:
            outputs = operation.outputs
            if outputs and all(one in plan.fed for one in outputs):
                continue
            given: list[Any] = []
            if operation.constants is not None:
                found: Any = operation.constants
            else:
                given = [values[one] for one in operation.inputs]
                rows = operation.kernel is call_kernel and Rows in map(type, given)
                if rows:
                    spoken = hasattr(operation.details["call"], "by_row")
                    given = [_spoken(one, spoken) if isinstance(one, Rows) else one for one in given]
                if operation in plan.static:
                    found = self._known(operation, given)
                else:
                    try:
                        found = _flat(operation.kernel(self, operation, given), len(outputs))
                    except (InvalidArgumentError, UnfitError) as error:
                        error.add_origin(self._feeds(operation))
                        raise
                    if rows:
                        found = [one.rows() if isinstance(one, IndexedSlices) else one for one in found]
            if tape is not None and plan.watched:
                found = self._watch(operation, found, given)
            for one, value in zip(outputs, found, strict=True):
                if one not in plan.fed:
                    values[one] = value

    def _known(self, operation: Operation, given: Sequence[Any]) -> list[Any]:
        """Computes lengths and the like at once: shapes depend on them."""
        with scratch() as trace:
            found = _flat(operation.kernel(self, operation, given), len(operation.outputs))
        if self.session.trial:
            # Lengths that are not known are computed with as lengths.
            return [
                one if one._value is not None else self._held(folded(trace, one._slot), one) for one in found
            ]
        for one in found:
            value_of(one)
        return found

    @staticmethod
    def _held(value: Any, one: Any) -> Any:
        if value is None:
            raise CaptureError("A length depends on a fed value.")
        return held(value, one._spec.dtype, EagerTensor)

    def _feeds(self, operation: Operation) -> str:
        """Says what was fed of the lengths that were not known and that an operation depends on."""
        lines: list[str] = []
        seen: set[Operation] = set()
        stack = [operation]
        while stack:
            one = stack.pop()
            if one in seen:
                continue
            seen.add(one)
            for output in one.outputs:
                fed = self.values.get(output) if output in self.plan.fed else None
                if fed is not None and (output.spec is None or is_symbolic(output.spec.shape)):
                    shape = shown_shape(fed._spec.shape)
                    lines.append(f"{output}, built at {one.site}, was fed shape {shape}")
            stack += [given.op for given in one.inputs]
        return "\n".join(sorted(lines))

    def _watch(self, operation: Operation, found: Sequence[Any], given: Sequence[Any]) -> list[Any]:
        watched = []
        for one, value in zip(operation.outputs, found, strict=True):
            if one in self.plan.watched and isinstance(value, Tensor) and differentiable(value._spec):
                if any(value is other for other in given):
                    # A value of its own: other ways by which the operand reaches the target do not count.
                    value = call_at(operation.code, _same, (value,), {})
                assert self.tape is not None
                self.tape.watch(value)
            watched.append(value)
        return watched

    def cell(self, variable: GraphVariable, operation: Operation) -> Any:
        """Returns what holds a variable's value in this session."""
        found = self.session.cells.get(variable)
        if found is None and self.made:
            self.settle()
            found = self.session.cells.get(variable)
        if found is None:
            raise uninitialized(variable, operation)
        return found

    def after(self, source: Operation, way: Sequence[Operation]) -> Any:
        """Returns what is in a variable's memory when everything has run."""
        value = call_at(source.code, read, (self.cell(source.details["variable"], source),), {})
        for operation in way:
            given = [value, *(self.values[one] for one in operation.inputs[1:])]
            (value,) = _flat(operation.kernel(self, operation, given), 1)
        return value

    def create(self, variable: GraphVariable, value: Any) -> None:
        """Notes with which value a variable starts in this session."""
        if local.trace.capturing:
            raise CaptureError("A variable starts.")
        self.made.append((variable, value))

    def settle(self) -> None:
        """Creates the variables that have started."""
        made, self.made = self.made, []
        for variable, value in made:
            options = {"trainable": variable.trainable, "name": variable.op.name}
            self.session.cells[variable] = call_at(variable.op.code, ResourceVariable, (value,), options)


def _same(value: Any) -> Any:
    return pointwise.identity.record((value,), {}, _frame(1))


def _spoken(rows: Rows, by_row: bool) -> Any:
    """Returns a gradient of rows as a function takes it: in TensorFlow's words, or dense."""
    return IndexedSlices(rows.values, rows.indices, rows.shape) if by_row else rows.dense()


def _flat(result: Any, count: int) -> list[Any]:
    """Returns the tensors in what an operation returned."""
    if count == 1 and not isinstance(result, list | tuple):
        return [result]
    return flat(result) if count else []


class Plan:
    """Which operations a request needs, and in which order; and how often it has been asked for.

    What changes variables comes as late as it can: a value asked for beside a training step is the one from
    before it, unless a control dependency says otherwise.
    """

    def __init__(self, session: Any, wanted: Sequence[Any], fed: Sequence[SymbolicTensor]) -> None:
        self.session = session
        self.fed = dict.fromkeys(fed)
        self.wanted = [one for one in wanted if isinstance(one, SymbolicTensor)]
        self.order = self._ordered(
            [one if isinstance(one, Operation) else one.op for one in wanted if one not in self.fed]
        )
        self.requests = requests_in(self.order)
        self.taping = bool(self.requests)
        requests = requests_in(self.order, functions=True)
        self.watched = {
            x for one in requests for x in one.details["sources"] if isinstance(x, SymbolicTensor)
        }
        self.static = self._static()
        self.direct = self._direct(requests)
        self.starts = [
            one
            for one in self.order
            if "variables" in one.details and one.details.get("by") in ("assign", "load")
        ]
        for one in self.order:
            if "optimizer" in one.details:
                # Made before a run is captured, which must not make any.
                one.details["optimizer"].in_session(session)
        self.after = self._after()
        # What fills the queues that it takes from.
        self.ahead = [one.details["ahead"] for one in self.order if "ahead" in one.details]
        self.looks = self.sparse = False
        self.step = Step(self._replay)
        self.shapes: WeakValueDictionary[Any, Capture] = WeakValueDictionary()

    def _ordered(self, wanted: Sequence[Operation]) -> list[Operation]:
        waiting: dict[Operation, int] = {}
        after: dict[Operation, list[Operation]] = {}
        stack = list(wanted)
        while stack:
            one = stack.pop()
            if one in waiting:
                continue
            before = dict.fromkeys([*(t.op for t in one.inputs if t not in self.fed), *one.control_inputs])
            waiting[one] = len(before)
            for other in before:
                after.setdefault(other, []).append(one)
            stack.extend(before)
        ready = [(one.writes, one.number, one) for one, count in waiting.items() if not count]
        heapq.heapify(ready)
        order = []
        while ready:
            one = heapq.heappop(ready)[2]
            order.append(one)
            for other in after.get(one, ()):
                waiting[other] -= 1
                if not waiting[other]:
                    heapq.heappush(ready, (other.writes, other.number, other))
        return order

    def _static(self) -> set[Operation]:
        rooted: set[Operation] = set()
        static: set[Operation] = set()
        for one in self.order:
            if any(output in self.fed or output in self.watched for output in one.outputs):
                continue
            if one.constants is not None or one.details.get("call") in _STATIC:
                rooted.add(one)
            elif one.inputs and one.kernel is call_kernel and not one.fresh:
                small = all(
                    t.op in rooted
                    and t._dtype.kind in "iub"
                    and t.spec is not None
                    and not is_symbolic(t.spec.shape)
                    and t.spec.size <= SMALL
                    for t in one.inputs
                )
                if small and not one.control_inputs:
                    rooted.add(one)
                    static.add(one)
        return static

    def _after(self) -> dict[SymbolicTensor, tuple[Operation, list[Operation]]]:
        """Returns the fetches that are the memory of a variable of TensorFlow 1 which the run writes.

        Each comes with the operation that reads or writes the variable, and those from there to the fetch.
        """
        written = {one for operation in self.order for one in operation.details.get("variables", ())}
        found = {}
        for one in self.wanted:
            way: list[Operation] = []
            source = one
            while (
                source not in self.fed and source.op.details.get("call") in _SAME_MEMORY and source.op.inputs
            ):
                way.insert(0, source.op)
                source = source.op.inputs[0]
            if source in self.fed or source.op.kernel not in (read_kernel, assign_kernel):
                continue
            variable = source.op.details["variable"]
            if variable.by_reference and variable in written:
                found[one] = source.op, way
        return found

    def _direct(self, requests: Sequence[Operation]) -> set[Operation]:
        """Returns the reads for which the variable itself may stand."""
        place = {one: number for number, one in enumerate(self.order)}
        last: dict[Operation, int] = {}
        for number, one in enumerate(self.order):
            for tensor in one.inputs:
                last[tensor.op] = number
        writes: dict[Any, list[int]] = {}
        for number, one in enumerate(self.order):
            for variable in one.details.get("variables", ()):
                writes.setdefault(variable, []).append(number)
        apart = {one.op for one in (*self.wanted, *self.watched)}
        for one in requests:
            apart.update(tensor.op for tensor in one.details["targets"])
        direct = set()
        for one in self.order:
            if one.kernel is not read_kernel or one in apart:
                continue
            between = writes.get(one.details["variable"], ())
            if not any(place[one] < number < last.get(one, 0) for number in between):
                direct.add(one)
        return direct

    def _replay(self, *feeds: Any) -> list[Any]:
        with mode.computing():
            return self._computed(feeds)

    def _computed(self, feeds: Sequence[Any]) -> list[Any]:
        values = dict(zip(self.fed, feeds, strict=True))
        runner = Runner(self.session, self, values)
        if not self.taping:
            runner.run(None)
        else:
            tape = ReplayTape(persistent=True)
            with tape:
                runner.tape = tape
                runner.watch_sources(self.requests)
                runner.run(tape)
        runner.settle()
        found = [runner.after(*self.after[one]) if one in self.after else values[one] for one in self.wanted]
        return [one.dense() if isinstance(one, Rows) else one for one in found]

    def run(self, feeds: list[Any]) -> list[Any]:
        """Returns the values of the fetches."""
        trace = local.trace
        shapes = tuple([one.shape for one in feeds])
        capture = self.shapes.get(shapes)
        if (
            capture is not None
            and trace.node is tree.root
            and not (trace.taping or trace.capturing)
            and as_captured(capture)
        ):
            return capture.replay(trace, feeds)  # type: ignore[no-any-return]
        return self._first(trace, shapes, feeds)

    def _first(self, trace: Any, shapes: Any, feeds: list[Any]) -> list[Any]:
        for tensor, value in zip(self.fed, feeds, strict=True):
            if tensor.shape is not UNKNOWN and not tensor.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Cannot feed value of shape {value.shape} for Tensor {tensor.name}, which has "
                    f"shape {tensor.shape}"
                )
        if isinstance(trace, Builder) or trace.taping or trace.capturing:
            raise PenstockError(
                "A session was run inside a tape or a captured step, which record only eager programs."
            )
        if trace.node is not tree.root:
            trace.run(True)
        texts = any(value.dtype.kind == "O" for value in feeds)
        tensors = [
            StringTensor(value) if value.dtype.kind == "O" else concrete(value, EagerTensor)
            for value in feeds
        ]
        starting = any(one.details["variable"] not in self.session.cells for one in self.starts)
        if self.looks or starting or texts:
            return self._anew(trace, tensors)
        with _keys.taking_from(_keys.Noted()) as noted:
            drawn = self.session.draws.noted()
            try:
                capture, given, keys = self.step.prepared(trace, tuple(tensors), {})
            except CaptureError:
                # What it computes depends on values: it is replayed at each run, on the same draws.
                self.looks = True
                noted.next = 0
                self.session.draws.restore(drawn)
                return self._anew(trace, tensors)
        self.shapes[shapes] = capture
        return capture.replay(trace, given, keys)  # type: ignore[no-any-return]

    def _anew(self, trace: Any, tensors: list[Any]) -> list[Any]:
        try:
            result = self._replay(*tensors)
            for one in result:
                if not isinstance(one, StringTensor):
                    value_of(one)
            if trace.node is not tree.root:
                trace.run(True)
        except BaseException:
            if trace.node is not tree.root:
                failures.abandon(trace)
            raise
        return result


@named("tf.compat.v1.Session")
class Session:
    """Runs parts of a graph, and keeps the values of its variables.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [None])
    ...     total = tf.reduce_sum(x * 2.0)
    ...     with tf.Session() as session:
    ...         print(session.run(total, feed_dict={x: [1.0, 2.0]}))
    6.0
    """

    trial = False

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self.graph = mode.default() if graph is None else graph
        self.cells: dict[GraphVariable, Any] = {}
        self.optimizers: dict[Any, Any] = {}
        self._plans: dict[Any, tuple[Plan, Any, list[Any]]] = {}
        self._planning = threading.Lock()
        self._closed = False
        self._seeded = False
        self.draws = Streams()
        self._entered: list[Any] = []

    @property
    def graph_def(self) -> Any:
        """The operations of its graph, as a GraphDef."""
        return self.graph.as_graph_def()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Returns the values of the fetches, in their structure; None for an operation.

        `feed_dict` gives values to placeholders, or in place of any other tensor. Writes of one run take
        effect together, or not at all.
        """
        kind = type(fetches)
        key = (kind, tuple(fetches)) if kind is list or kind is tuple else fetches
        fed = tuple(feed_dict) if feed_dict else ()
        try:
            plan, answer, keys = self._plans[key, fed]
        except (KeyError, TypeError):
            plan, answer, keys = self._planned(key, fetches, fed)
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        feeds = []
        for tensor, value in zip(keys, feed_dict.values() if feed_dict else (), strict=True):
            if type(value) is not np.ndarray or value.dtype != tensor._dtype:
                value = _fed(tensor, value)
            else:
                value = value.copy()
            feeds.append(value)
        if plan.sparse:
            feeds = [part for one in feeds for part in (one if type(one) is list else [one])]
        for fill in plan.ahead:
            fill(self)
        found = plan.run(feeds)
        values = []
        for one in found:
            value = np.asarray(one._value)
            # An array of the reader's own: this one may be the value of a variable.
            values.append(value.copy() if value.ndim else value[()])
        return _given(answer, values)

    def _planned(self, key: Any, fetches: Any, fed: tuple[Any, ...]) -> tuple[Plan, Any, list[Any]]:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        leaves, form = flatten(mapped(fetches, _parts_of), _is_none)
        # What was computed where it is written, such as strings, and is no operation of the graph.
        texts = any(type(one) in _KNOWN for one in leaves)
        if not (self.graph.operations or texts):
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        if not self._seeded:
            self._seeded = True
            if self.graph.seed is not None:
                _keys.seed(self.graph.seed)
        keys = [self._feedable(one) for one in fed]
        asked = [one if type(one) in _KNOWN else self._fetched(one) for one in leaves]
        wanted = [one for one in asked if type(one) not in _KNOWN]
        numbers = itertools.count()
        answer = form, [_place(one, numbers) for one in asked]
        alone = type(fetches) in (list, tuple) and all(one is LEAF for one in form.parts)
        if texts:
            key = ("texts", tuple(map(id, leaves)), tuple(wanted))
        elif form is not LEAF and not alone:
            # Without a hash, or filled anew: what it asks for tells it.
            key = ("wanted", tuple(wanted))
        with self._planning:
            found = self._plans.get((key, fed))
            if found is None:
                parts = [part for one in keys for part in _sparse_parts(one)]
                found = self._plans[key, fed] = Plan(self, wanted, parts), answer, keys
                found[0].sparse = len(parts) > len(keys)
                mark_planned(found[0].order)
                if engine.plans.functions:
                    engine.plans.tell(self.graph, unrun, self.cells)
        return found[0], answer, keys

    def _feedable(self, one: Any) -> Any:
        if getattr(one, "_is_sparse", False):
            return one
        try:
            found = self.graph.as_graph_element(one)
        except (KeyError, ValueError, TypeError) as error:
            words = str(error).replace(" or Operation.", ".")
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {words}") from None
        if isinstance(found, Operation):
            raise TypeError(
                "Cannot interpret feed_dict key as Tensor: Can not convert a Operation into a Tensor."
            )
        return found

    def _fetched(self, fetches: Any) -> Any:
        """Returns the tensor or operation that a part of what is asked for means."""
        if fetches is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        try:
            found = self.graph.as_graph_element(fetches)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetches} has invalid type "{type(fetches).__name__}" must be a '
                "string or "
                f"Tensor. ({error})"
            ) from None
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetches} cannot be interpreted as a Tensor. ({error})"
            ) from None
        return found

    # -- scope -------------------------------------------------------------------------------------------

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Makes this the session in which `eval` and `run` take place."""
        mode.sessions.append(self)
        try:
            with self.graph.as_default():
                yield self
        finally:
            if self in mode.sessions:
                mode.sessions.remove(self)

    def __enter__(self) -> Session:
        scope = self.as_default()
        scope.__enter__()
        self._entered.append(scope)
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(None, None, None)
        self.close()

    def close(self) -> None:
        """Gives up the values of the variables."""
        self._closed = True

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Any:
        """Returns a function that runs the fetches with its arguments fed to the tensors of `feed_list`."""
        feeds = list(feed_list or ())
        return lambda *values: self.run(fetches, dict(zip(feeds, values, strict=True)))


@named("tf.compat.v1.InteractiveSession")
class InteractiveSession(Session):
    """A session that is the default one from its creation until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        mode.sessions.append(self)

    def close(self) -> None:
        """Gives up the values, and the place of the default session."""
        super().close()
        if self in mode.sessions:
            mode.sessions.remove(self)


_KNOWN = (StringTensor, EagerTensor)


def _parts_of(one: Any) -> Any:
    """Returns the three parts of a sparse tensor, or of a gradient by rows, and anything else as it is."""
    if getattr(one, "_is_sparse", False):
        from penstock.tensorflow.compat.v1._settings import SparseTensorValue

        parts: Any = SparseTensorValue
        return parts(one.indices, one.values, one.dense_shape)
    if isinstance(one, IndexedSlices):
        from penstock.tensorflow.compat.v1._settings import IndexedSlicesValue

        parts = IndexedSlicesValue
        return parts(one.values, one.indices, one.dense_shape)
    return one


def _is_none(one: Any) -> bool:
    return one is None


def _place(one: Any, numbers: Iterator[int]) -> Any:
    """Returns where the value of what was asked for stands: a number, None, or the value itself."""
    if type(one) in _KNOWN:
        return one
    return None if isinstance(one, Operation) else next(numbers)


def _given(answer: tuple[Outline, list[Any]], values: Sequence[Any]) -> Any:
    """Returns the values in the structure in which they were asked for; None for an operation."""
    form, places = answer
    return form.packed(iter([_at(place, values) for place in places]))


def _at(place: Any, values: Sequence[Any]) -> Any:
    if type(place) in _KNOWN:
        return place.numpy()
    return None if place is None else values[place]


def _sparse_parts(one: Any) -> tuple[Any, ...]:
    """Returns the tensors that are fed for one key: three for a sparse tensor."""
    if getattr(one, "_is_sparse", False):
        return one.indices, one.values, one.dense_shape
    return (one,)


def _fed(tensor: Any, value: Any) -> Any:
    """Returns a value fed as an array of the tensor's dtype; a list of three for a sparse tensor."""
    if getattr(tensor, "_is_sparse", False):
        given = (value.indices, value.values, value.dense_shape) if hasattr(value, "indices") else value
        return [_fed(part, one) for part, one in zip(_sparse_parts(tensor), given, strict=True)]
    if isinstance(value, SymbolicTensor | GraphVariable):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
            "scalars, "
            "strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was "
            f"{value} which was passed to the argument `feed_dict` with key {tensor}."
        )
    if isinstance(value, Tensor | Cell):
        value = np.asarray(value)
    if (
        isinstance(value, int)
        and tensor._dtype.kind in "iu"
        and np.asarray(value).astype(tensor._dtype) != value
    ):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{tensor.dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a "
            "larger type "
            "(e.g. int64)."
        )
    refuse_masked(value)
    return np.array(value, tensor._dtype)


# -- placeholders -------------------------------------------------------------------------------------------


def placeholder_kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    """Says that nothing was fed."""
    tensor = operation.outputs[0]
    shape = "" if tensor.shape is UNKNOWN else f" and shape {_written(tensor.shape)}"
    raise InvalidArgumentError(
        f"You must feed a value for placeholder tensor {operation.name!r} with dtype "
        f"{c_name(tensor._dtype)}{shape}",
        origin=f"placeholder built at {operation.site}",
        remedy=f"Give it to run: feed_dict={{{operation.name}: ...}}.",
        site=operation.site,
    )
