"""Observes operations: those that run, and those that functions are traced with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import func_graph, tensor_util

from penstock.frameworks.tensorflow import operations
from penstock.frameworks.tensorflow.entries import Assigned, Inside, Operation, bodies_of, type_of
from penstock.frameworks.tensorflow.lines import Whence, whence
from penstock.frameworks.tensorflow.window import Window

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

_AROUND = frozenset(
    (
        "stop_gradient", "error_handler", "op_dispatch_handler", "wrapper", "converted_call", "execute",
        "invoke_op_callbacks", "call", "symbolic_call", "observe", "watched", "instead", "callback",
        "execute_with_callbacks",
    )
)  # fmt: skip
"""Functions between the program's own call of stop_gradient and the operation."""


class Observer:
    """Is called for each operation."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._frame: object = None
        self._call = 0

    def observe(
        self,
        kind: Any,
        inputs: Any,
        attributes: Any,
        outputs: Any,
        name: Any = None,
        graph: Any = None,
        **_: Any,
    ) -> None:
        """Takes one operation: `graph` is the function that is being traced, if one is."""
        watcher = self._watcher
        if not watcher.is_home:
            return
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if graph is not None:
            if isinstance(graph, func_graph.FuncGraph):
                self._trace(kind, inputs, attributes, outputs, graph)
            return
        window = watcher.window
        if window is None:
            watcher.turns.ran(kind)
            return
        touched = watcher.touched.take()
        body = watcher.traced.graph(kind)
        if body is not None:
            self._run(body, inputs, outputs, window)
        elif kind == "AssignVariableOp":
            watcher.hand.initial = id(inputs[0]), inputs[1]
        elif kind not in operations.UNSEEN and kind not in operations.ASSIGNS and outputs:
            keys = tuple([id(one) for one in inputs])
            if touched and kind not in operations.READS:
                self._read(touched, inputs, window)
            if any(window.knows(key, window.running) for key in keys):
                one = self._operation(kind, inputs, outputs, keys, tuple([id(one) for one in outputs]))
                one.held = (*inputs, *outputs)
                window.add(one, window.running)

    # -- a running program -----------------------------------------------------------------------------------

    def _run(self, graph: Any, inputs: Any, outputs: Any, window: Window) -> None:
        """Puts a call of a traced function into the window."""
        window.flush()
        script = self._watcher.traced.ran(graph)
        inside = self.inside(graph, inputs, window)
        self._watcher.play(script, inside)
        for tensor, own in zip(outputs, graph.outputs, strict=False):
            number = inside.number(own.name)
            if number is not None:
                window.running.bind(id(tensor), number, tensor)

    def _read(self, touched: list[Any], inputs: Any, window: Window) -> None:
        """Records reads of variables that TensorFlow makes on the way to an operation, unobserved."""
        for tensor in inputs:
            if tensor.dtype.name == "resource" or window.knows(id(tensor), window.running):
                continue
            for variable in touched:
                parameter = self._watcher.registry.of(variable)
                if parameter is not None and self._watcher.touched.is_value(variable, tensor):
                    handle = variable.handle
                    one = self._operation("ReadVariableOp", [handle], [tensor], (id(handle),), (id(tensor),))
                    one.held = (handle, tensor)
                    window.add(one, window.running)
                    break

    def inside(self, graph: Any, inputs: Any, window: Window | None) -> Inside:
        """Returns the numbers and variables that a run of a function begins with."""
        inside = Inside()
        for own, tensor in zip(graph.inputs, inputs, strict=False):
            parameter = self._watcher.registry.of_handle(tensor)
            if parameter is not None:
                inside.hold(own.name, parameter)
            elif window is not None:
                number = window.running.number(id(tensor))
                if number is None:
                    number = window.came_back(tensor, type_of(tensor))
                if number is not None:
                    inside.bind(own.name, number)
        return inside

    def overridden(
        self,
        original: Any,
        op_type: Any,
        output_tensors: Any,
        input_tensors: Any,
        backward_function: Any,
        forward_function: Any = None,
    ) -> Any:
        """Records operations with a gradient of their own, which the program or a library gives them."""
        result = original(op_type, output_tensors, input_tensors, backward_function, forward_function)
        kind, backward = op_type, backward_function
        watcher = self._watcher
        own = getattr(backward, "__name__", "") in ("actual_grad_fn", "tape_grad_fn")
        if not own or not watcher.is_home:
            return result
        cells = dict(zip(backward.__code__.co_freevars, backward.__closure__ or ()))
        count = cells["flat_result_len"].cell_contents if "flat_result_len" in cells else 0
        inputs, outputs = list(input_tensors)[count:], list(output_tensors)[: count or None]
        script = watcher.script()
        if script is not None:
            keys, made = tuple([one.name for one in inputs]), tuple([one.name for one in outputs])
            one = self._operation(str(kind), inputs, outputs, keys, made)
            one.overridden, one.call = True, self._next()
            script.entries.append(one)
        elif watcher.window is not None:
            keys, made = tuple([id(one) for one in inputs]), tuple([id(one) for one in outputs])
            one = self._operation(str(kind), inputs, outputs, keys, made)
            one.overridden, one.call, one.held = True, self._next(), (*inputs, *outputs)
            watcher.window.flush()
            watcher.window.add(one, watcher.window.running)
        return result

    # -- a function that is traced ---------------------------------------------------------------------------

    def _trace(self, kind: str, inputs: Any, attributes: Any, outputs: Any, graph: Any) -> None:
        entries = self._watcher.traced.script(graph).entries
        if kind in operations.ASSIGNS:
            where = whence(3)
            terms = ("state",) if where.whole else ("assign",)
            by = where.name if where.whole else operations.ASSIGNS[kind]
            value = inputs[-1].name if len(inputs) > 1 else None
            entries.append(Assigned(by, where.site, inputs[0].name, value, terms))
            return
        if kind in operations.UNSEEN:
            return
        keys, made = tuple([one.name for one in inputs]), tuple([one.name for one in outputs])
        given = dict(zip(attributes[::2], attributes[1::2])) if attributes else {}
        if kind == "Const":
            tensor = given["value"].tensor if "value" in given else None
            if tensor is not None and not tensor.tensor_shape.dim:
                literal = tensor_util.MakeNdarray(tensor)
                entries.append(
                    Operation(kind, keys, made, tuple(map(type_of, outputs)), None, 0, literal=literal)
                )
            return
        bodies = bodies_of(given)
        if not outputs and not bodies:
            return
        one = self._operation(kind, inputs, outputs, keys, made)
        one.bodies = bodies
        if "Tstate" in given:
            one.states = len(given["Tstate"].list.type)
        entries.append(one)

    def call_inside(self, original: Any, name: Any, *given: Any, **named: Any) -> Any:
        """Records a call of a traced function by one that is being traced."""
        op = original(name, *given, **named)
        if self._watcher.is_home and isinstance(op.graph, func_graph.FuncGraph):
            text = name.decode() if isinstance(name, bytes) else str(name)
            keys, made = tuple([one.name for one in op.inputs]), tuple([one.name for one in op.outputs])
            one = self._operation("PartitionedCall", list(op.inputs), list(op.outputs), keys, made)
            one.bodies = {"f": (text,)}
            self._watcher.traced.script(op.graph).entries.append(one)
        return op

    # -- both ------------------------------------------------------------------------------------------------

    def _operation(self, kind: str, inputs: Any, outputs: Any, keys: Any, made: Any) -> Operation:
        where = whence(4)
        if where.call is not self._frame:
            self._frame = where.call
            self._call += 1
        types = tuple([type_of(one) for one in (*inputs, *outputs)])
        typed = kind == "StopGradient" and _is_typed(where)
        return Operation(kind, keys, made, types, where.site, self._call, where.name, where.whole, typed)

    def _next(self) -> int:
        self._frame = None
        self._call += 1
        return self._call

    def forget(self) -> None:
        """Drops the frame of the latest call."""
        self._frame = None


def _is_typed(where: Whence) -> bool:
    """Returns whether the program itself calls stop_gradient, and not a function of a library."""
    if where.whole:
        return False
    return all(one in _AROUND or one.startswith("_") for one in where.inside)


__all__ = ["Observer"]
