"""A static program: the recorded calls, in order, and the values of its names."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

import numpy as np

from penstock.capture.calls import Input, call_at, filled, parts
from penstock.declared import named
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._mode import mode
from penstock.paddle._tensor import Leaf, Parameter
from penstock.paddle.static._scope import current
from penstock.trace import tensor as handles
from penstock.trace.source_site import Site, here
from penstock.trace.structure import flat

FORWARD, BACKWARD, OPTIMIZE = "forward", "backward", "optimize"


def tensors_in(found: Any) -> list[Any]:
    """Returns the tensors in the result of a call."""
    return [one for one in flat(found) if isinstance(one, handles.Tensor | Leaf)]


class Operation:
    """A call that each run of the program makes, on the values that its inputs have then."""

    def __init__(
        self,
        kind: str,
        call: Callable[..., Any],
        arguments: Any,
        options: Any,
        inputs: Sequence[Any],
        code: CodeType,
        role: str = FORWARD,
    ) -> None:
        self.kind, self.call, self.role = kind, call, role
        self.arguments, self.options, self.inputs = arguments, options, list(inputs)
        self.code = code
        self.site: Site = here()
        self.outputs: list[Any] = []
        self.layers: list[tuple[Any, bool]] = []

    @property
    def type(self) -> str:
        """Paddle's name of the operation's type."""
        return self.kind

    def name(self) -> str:
        """Returns the kind of operation with its dialect, as Paddle's programs do."""
        return f"pd_op.{self.kind}"

    op_role, chunk_id = -1, -1

    @property
    def callstack(self) -> list[str]:
        """The line of the call."""
        return [str(self.site)]

    def num_operands(self) -> int:
        """Returns how many tensors the operation reads."""
        return len(self.operands_source())

    def num_results(self) -> int:
        """Returns how many tensors the operation makes."""
        return len(self.outputs)

    def operands_source(self) -> list[Any]:
        """Returns the tensors that the operation reads, in order: results and data, and parameters."""
        held = parts((self.arguments, self.options, [layer.parameters() for layer, _ in self.layers]))
        found = [self.inputs[one.number] if isinstance(one, Input) else one for one in held]
        return [one for one in found if hasattr(one, "get_defining_op")]

    def operand_source(self, index: int) -> Any:
        """Returns one of the tensors that the operation reads."""
        return self.operands_source()[index]

    def results(self) -> list[Any]:
        """Returns the tensors that the operation makes."""
        return list(self.outputs)

    def result(self, index: int) -> Any:
        """Returns one of the tensors that the operation makes."""
        return self.outputs[index]

    def reads(self, tensor: Any) -> bool:
        """Returns whether the operation reads a tensor."""
        return any(one is tensor for one in self.operands_source())

    def run(self, values: dict[Any, Any], testing: bool) -> None:
        """Makes the call, and gives the outputs their values."""
        given = [values[one] for one in self.inputs]
        arguments, options = filled(self.arguments, given), filled(self.options, given)
        if testing:
            arguments, options = _evaluating(self.call, arguments, options)
        with _in_modes(self.layers, testing):
            found = call_at(self.code, self.call, arguments, options)
        self.give(values, found)

    def give(self, values: dict[Any, Any], found: Any) -> None:
        """Stores the values of the outputs."""
        for one, value in zip(self.outputs, tensors_in(found), strict=True):
            if one.is_stopped and not value.stop_gradient:
                value = call_at(self.code, type(value).detach, (value,), {})
            elif one.is_watched and value.stop_gradient:
                value.stop_gradient = False
            values[one] = value


class Source(Operation):
    """The beginning of data or of a parameter, which no call makes."""

    def __init__(self, tensor: Any) -> None:
        own = isinstance(tensor, Parameter)
        super().__init__("parameter" if own else "data", Source, (), {}, [], Source.__init__.__code__)
        self.site, self.outputs = tensor.site, [tensor]

    def name(self) -> str:
        """Returns "pd_op.data" or "builtin.parameter"."""
        return "builtin.parameter" if self.kind == "parameter" else "pd_op.data"


def _evaluating(call: Callable[..., Any], arguments: Any, options: Any) -> tuple[Any, Any]:
    """Returns the arguments of a call in evaluation mode, if its function takes `training`."""
    signature = inspect.signature(call)
    if "training" not in signature.parameters:
        return arguments, options
    bound = signature.bind(*arguments, **options)
    bound.arguments["training"] = False
    return bound.args, bound.kwargs


@contextlib.contextmanager
def _in_modes(layers: Sequence[tuple[Any, bool]], testing: bool) -> Iterator[None]:
    """Puts layers into the modes in which they were when they were called, or into that of a test."""
    changed = [(one, one.training) for one, was in layers if one.training is not (was and not testing)]
    for one, before in changed:
        one.training = not before
    try:
        yield
    finally:
        for one, before in changed:
            one.training = before


@named("paddle.static.Program")
class Program:
    """The calls recorded under a program guard; an `Executor` runs them.

    >>> from penstock import paddle
    >>> paddle.enable_static()
    >>> program = paddle.static.Program()
    >>> with paddle.static.program_guard(program):
    ...     x = paddle.static.data("x", [None, 2])
    ...     total = (x * 2.0).sum()
    >>> import numpy as np
    >>> paddle.static.Executor().run(program, {"x": np.ones((3, 2), "float32")}, [total])
    [array(12., dtype=float32)]
    >>> paddle.disable_static()
    """

    num_blocks = 1
    _seed_of_all = 0
    """The seed of programs that are built from now on."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.data: dict[str, Any] = {}
        self.former: list[Any] = []
        """Data whose name was declared again: it is fed the data of that name, if the shape fits."""
        self.leaves: dict[str, Any] = {}
        self.optimizers: list[Any] = []
        self.random_seed = Program._seed_of_all
        self.testing = False
        self.codes: dict[Any, CodeType] = {}
        self._open: list[list[Operation]] = [self.operations]

    def global_seed(self, seed: int = 0) -> None:
        """Seeds what the program draws, and the programs that are built after it, with `seed`."""
        self.random_seed = Program._seed_of_all = seed

    def add(self, operation: Operation) -> None:
        """Writes an operation down, in the innermost block that is open."""
        self._open[-1].append(operation)

    @contextlib.contextmanager
    def block(self) -> Iterator[list[Operation]]:
        """Records the calls inside into a separate list."""
        made: list[Operation] = []
        self._open.append(made)
        try:
            yield made
        finally:
            self._open.pop()

    @property
    def ops(self) -> list[Operation]:
        """The operations, in the order in which they run."""
        return self.operations

    parent_block = None

    @property
    def blocks(self) -> list[Any]:
        """The program: it has one block."""
        return [self]

    @property
    def program(self) -> Program:
        """This program, of which this is also the only block."""
        return self

    def num_ops(self) -> int:
        """Returns how many operations there are."""
        return len(self.operations)

    def empty(self) -> bool:
        """Returns whether there is no operation."""
        return not self.operations

    def front(self) -> Operation:
        """Returns the first operation."""
        return self.operations[0]

    def back(self) -> Operation:
        """Returns the last operation."""
        return self.operations[-1]

    def args(self) -> list[Any]:
        """Returns []: a program's block has no arguments."""
        return []

    def kwargs(self) -> dict[str, Any]:
        """Returns {}: a program's block has no arguments."""
        return {}

    def global_block(self) -> Any:
        """Returns the program: it has one block."""
        return self

    current_block = global_block

    def block_of(self, index: int) -> Any:
        """Returns the program: it has one block, for any `index`."""
        return self

    def clone(self, for_test: bool = False) -> Program:
        """Returns a copy with the same parameters; `for_test` leaves training out of it.

        Then no operation of the copy computes gradients or updates, and dropout and batch normalization work
        as they do when a model is evaluated.
        """
        made = Program()
        made.data, made.leaves, made.codes = dict(self.data), dict(self.leaves), self.codes
        made.former = list(self.former)
        made.optimizers = [] if for_test else list(self.optimizers)
        made.testing = self.testing or for_test
        made.operations[:] = [one for one in self.operations if one.role == FORWARD or not for_test]
        return made

    def all_parameters(self) -> list[Any]:
        """Returns the parameters, in the order in which they were made."""
        return [one for one in self.leaves.values() if isinstance(one, Parameter)]

    def parameters(self) -> list[Any]:
        """Returns the parameters, in the order in which they were made."""
        return self.all_parameters()

    def parameters_num(self) -> int:
        """Returns how many parameters there are."""
        return len(self.all_parameters())

    def get_all_parameter_values(self) -> dict[str, Any]:
        """Returns the parameters by name."""
        return {one.name: one for one in self.all_parameters()}

    def get_parameter_value_by_name(self, name: str) -> Any:
        """Returns the parameter with this name, or None."""
        return self.get_all_parameter_values().get(name)

    def get_output_value_by_name(self, name: str) -> Any:
        """Returns the data or the result with this name, or None."""
        return self.find(name)

    def list_vars(self) -> list[Any]:
        """Returns parameters, data and results."""
        results = [one for operation in self.operations for one in operation.outputs]
        return [*self.leaves.values(), *self.data.values(), *results]

    @property
    def vars(self) -> dict[str, Any]:
        """Parameters, data and results, by name."""
        return {one.name: one for one in self.list_vars()}

    def find(self, name: str) -> Any:
        """Returns the object with this name, or None."""
        return self.vars.get(name)

    def var(self, name: str) -> Any:
        """Returns the object with this name; raises ValueError if there is none."""
        found = self.find(name)
        if found is None:
            raise InvalidValueError(f"var {name} not in this block", site=here())
        return found

    def has_var(self, name: str) -> bool:
        """Returns whether an object has this name."""
        return self.find(name) is not None

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """Returns the values of parameters (`mode` "param"), of optimizers ("opt"), or of both, by name.

        There is one place for values at a time, the current scope: `scope` does nothing.
        """
        found: dict[str, Any] = {}
        if mode in ("all", "param"):
            found.update(self.leaves)
        if mode in ("all", "opt"):
            for one in self.optimizers:
                found.update(one.state_dict())
        return found

    def set_state_dict(self, state_dict: Any, scope: Any = None) -> None:
        """Loads the result of `state_dict`; `scope` does nothing: it is the current one."""
        with mode.running():
            for name, one in self.leaves.items():
                if name in state_dict:
                    one.set_value(np.asarray(state_dict[name]).astype(one._spec.dtype))
                    current().started.add(one)
            for optimizer in self.optimizers:
                optimizer.set_state_dict(state_dict)

    def __str__(self) -> str:
        lines = [f"    {one.name}: parameter {one.shape}" for one in self.leaves.values()]
        lines += [f"    {one.name}: data {one.shape}" for one in self.data.values()]
        for one in self.operations:
            made = ", ".join(output.name for output in one.outputs)
            given = ", ".join(each.name for each in one.inputs)
            lines.append(f"    {made} = {one.name()}({given})   {one.site}")
        return "{\n" + "\n".join(lines) + "\n}"

    to_string = __str__


class _Programs:
    """The programs that are written into now: the main one, and the one that starts parameters."""

    def __init__(self) -> None:
        self.stack = [(Program(), Program())]

    @property
    def main(self) -> Program:
        return self.stack[-1][0]

    @property
    def startup(self) -> Program:
        return self.stack[-1][1]


programs = _Programs()


@named("paddle.static.default_main_program")
def default_main_program() -> Program:
    """Returns the program that calls are written into now."""
    return programs.main


@named("paddle.static.default_startup_program")
def default_startup_program() -> Program:
    """Returns the program that starts the parameters made now."""
    return programs.startup


@named("paddle.static.program_guard")
@contextlib.contextmanager
def program_guard(main_program: Any, startup_program: Any = None) -> Iterator[None]:
    """Records the calls inside into these programs."""
    for one, word in ((main_program, "main_program"), (startup_program, "startup_program")):
        if one is not None and not isinstance(one, Program):
            raise InvalidTypeError(
                f"The type of '{word}' in paddle.static.program_guard must be paddle.static.Program, but "
                f"received {type(one)}.",
                site=here(),
            )
    programs.stack.append((main_program, programs.startup if startup_program is None else startup_program))
    try:
        yield
    finally:
        programs.stack.pop()


@named("paddle.static.name_scope")
@contextlib.contextmanager
def name_scope(prefix: Any = None) -> Iterator[None]:
    """Does nothing: the lines of calls distinguish operations, not a `prefix`."""
    yield


@named("paddle.static.device_guard")
@contextlib.contextmanager
def device_guard(device: Any = None) -> Iterator[None]:
    """Does nothing, for any `device`: there is one place."""
    yield
