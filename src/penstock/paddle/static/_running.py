"""Running a program: its calls are made in order, by the recorder that the dynamic mode speaks to."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.scratch import shown_shape
from penstock.paddle import _seeded as seeded
from penstock.paddle._convert import to_tensor
from penstock.paddle._errors import InvalidTypeError, InvalidValueError, PenstockError
from penstock.paddle._mode import mode
from penstock.paddle._shape import PLACE
from penstock.paddle._tensor import Leaf, Tensor
from penstock.paddle.static._program import Program, default_main_program
from penstock.paddle.static._scope import current, scope_guard
from penstock.paddle.static._variable import StaticParameter, Variable
from penstock.trace.source_site import here, warn_once
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell


class UnstartedError(PenstockError, RuntimeError):
    """A program that reads a parameter which no startup program has given a value."""


class UnfedError(PenstockError, KeyError):
    """A program that is run without data which it declares."""

    def __str__(self) -> str:
        return PenstockError.__str__(self)


def _fetched(one: Any) -> np.ndarray[Any, Any]:
    """Returns the value as an array; whole numbers of 64 bits are C's `long long`, as in Paddle."""
    found: np.ndarray[Any, Any] = one.numpy()
    return found.view(np.longlong) if found.dtype == np.int64 and found.ndim else found


@named("paddle.static.Executor")
class Executor:
    """Runs programs. There is one place: `place` does nothing."""

    def __init__(self, place: Any = None) -> None:
        self.place = PLACE if place is None else place

    def run(
        self,
        program: Any = None,
        feed: Any = None,
        fetch_list: Any = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Any = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
    ) -> list[Any]:
        """Runs every operation of a program once; returns the values of what `fetch_list` names.

        `feed` gives each of the program's data a value, by name. What is asked for is a tensor or parameter
        of the program, or the name of one; those in lists come in a row. A program is recorded once and then
        replayed in any case, and all of it is run: `use_program_cache` and `use_prune` do nothing, nor do
        `feed_var_name` and `fetch_var_name`.

        Raises KeyError where data is not fed, ValueError where fed data does not fit, and RuntimeError for
        a parameter that no startup program has started.
        """
        program = default_main_program() if program is None else getattr(program, "_program", program)
        if not isinstance(program, Program):
            found = getattr(program, "program", None)
            if found is None:
                raise InvalidTypeError(
                    f"Executor requires Program as its Parameter. But you passed in {type(program).__name__}",
                    remedy="executor.run(paddle.static.default_main_program(), feed={...}, fetch_list=[...])",
                    site=here(),
                )
            program = found
        if scope is not None and scope is not current():
            with scope_guard(scope):
                return self.run(program, feed, fetch_list, return_numpy=return_numpy)
        if isinstance(feed, list | tuple):
            feed = feed[0] if len(feed) == 1 else _joined(feed)
        wanted = [_found(program, one) for one in flat([] if fetch_list is None else fetch_list)]
        with mode.running(), seeded.fixing(program.random_seed):
            values = _run(program, dict(feed or {}))
            given: list[Any] = [one if isinstance(one, Leaf) else _value_of(one, values) for one in wanted]
            return [_fetched(one) for one in given] if return_numpy else [one.detach() for one in given]

    op_role_key = "op_role"

    def flush(self) -> None:
        """Does nothing: a run is over when its values are there."""

    def close(self) -> None:
        """Does nothing: nothing is held."""


def _value_of(one: Any, values: dict[Any, Any]) -> Any:
    """Returns the requested value; raises KeyError if data it depends on was declared again."""
    if one not in values:
        raise UnfedError(
            f"{one.name} has no value: data that it depends on was declared again with another shape.",
            origin=f"it was made at {one.site}",
            remedy="Build each model in a program of its own: with paddle.static.program_guard(...).",
            site=here(),
        )
    return values[one]


def _joined(feeds: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns feeds for several devices as one for the one that there is."""
    listed = list(feeds)
    return {name: np.concatenate([np.asarray(one[name]) for one in listed]) for name in listed[0]}


def _run(program: Program, feed: dict[str, Any]) -> dict[Any, Any]:
    for leaf in program.leaves.values():
        if isinstance(leaf, StaticParameter) and leaf not in current().started and not _starts(program):
            raise UnstartedError(
                f"Cannot find {leaf.path} in scope.",
                origin=f"{leaf.path} created at {leaf.site}",
                why="A parameter has no value before its startup program is run.",
                remedy="executor.run(paddle.static.default_startup_program())",
                site=here(),
            )
    values: dict[Any, Any] = {}
    for variable in program.former:
        with contextlib.suppress(ValueError, KeyError):
            values[variable] = _fed(variable, feed[variable.name])
    for name, variable in program.data.items():
        if name not in feed:
            raise UnfedError(
                f"{name!r} is not fed.",
                origin=f"data {name} {variable.shape} was declared at {variable.site}",
                remedy=f"executor.run(program, feed={{{name!r}: array, ...}})",
                site=here(),
            )
        values[variable] = _fed(variable, feed.pop(name))
    for name in feed:
        warn_once(f"The value {name} is not found in program. It is not declared or is pruned.")
    for operation in program.operations:
        if not program.former or all(one in values for one in operation.inputs):
            operation.run(values, program.testing)
    return values


def _starts(program: Program) -> bool:
    """Returns whether this is a program that gives parameters their first values."""
    return bool(program.operations) and all(one.kind == "full" for one in program.operations)


def _fed(variable: Variable, value: Any) -> Any:
    """Returns fed data as a tensor of the declared dtype and shape; raises ValueError if it does not fit."""
    if isinstance(value, Variable):
        raise InvalidTypeError(
            f"{variable.name} is fed a tensor of the program, which has no value.",
            remedy="Feed an array.",
            site=here(),
        )
    array = np.asarray(value)
    own = variable.spec
    if not isinstance(value, Tensor | Leaf | np.ndarray | np.generic):
        array = array.astype(own.dtype)
    if array.dtype != own.dtype:
        raise InvalidValueError(
            f"The data type of fed Variable {variable.name!r} must be {own.dtype.name!r}, but received "
            f"{array.dtype.name!r}",
            origin=f"data {variable.name} was declared at {variable.site}",
            remedy=f"Feed array.astype({own.dtype.name!r}).",
            site=here(),
        )
    declared = shown_shape(own.shape)
    if len(declared) != array.ndim or any(
        n is not None and n != m for n, m in zip(declared, array.shape, strict=True)
    ):
        raise InvalidValueError(
            f"The fed Variable {variable.name!r} should have dimensions = {len(declared)}, shape = "
            f"{list(variable.shape)}, but received fed shape {list(array.shape)}",
            origin=f"data {variable.name} was declared at {variable.site}",
            remedy="Reshape the array, or declare the shape with None where lengths vary.",
            site=here(),
        )
    return to_tensor(array, stop_gradient=variable.stop_gradient)


def _found(program: Program, one: Any) -> Any:
    """Returns the tensor or parameter that is asked for."""
    if isinstance(one, str):
        found = program.find(one)
        if found is None:
            raise InvalidValueError(
                f"fetch_list names {one!r}, which the program does not have.",
                remedy="Give the tensor itself: fetch_list=[loss].",
                site=here(),
            )
        return found
    made = isinstance(one, Variable) and (
        program.data.get(one.name) is one
        or any(one is former for former in program.former)
        or any(one is output for operation in program.operations for output in operation.outputs)
    )
    if made or isinstance(one, Leaf | Cell):
        return one
    raise InvalidValueError(
        f"fetch_list has {one!r}, which is not of the program that is run.",
        origin=f"it was made at {one.site}" if isinstance(one, Variable) else "",
        remedy="Run the program in which it was made.",
        site=here(),
    )


@named("paddle.static.CompiledProgram")
class CompiledProgram:
    """A program as it is: every program is compiled when it comes back, so `build_strategy` does nothing."""

    def __init__(self, program_or_graph: Any, build_strategy: Any = None) -> None:
        self._program = program_or_graph

    def with_data_parallel(self, *arguments: Any, **options: Any) -> CompiledProgram:
        """Returns this: there is one device, so the `arguments` and `options` do nothing."""
        return self


@named("paddle.static.BuildStrategy")
class BuildStrategy:
    """Settings of a compiler that is not this one: they can be set, and do nothing."""

    class ReduceStrategy(enum.Enum):
        """Where gradients of several devices are added up: there is one device."""

        AllReduce = 0
        Reduce = 1

    reduce_strategy = ReduceStrategy.AllReduce
    enable_backward_optimizer_op_deps = enable_inplace = True
    fuse_all_reduce_ops = fuse_bn_add_act_ops = fuse_broadcast_ops = True
    allow_cuda_graph_capture = async_mode = build_cinn_pass = cache_runtime_context = False
    enable_addto = enable_auto_fusion = fuse_adamw = fuse_all_optimizer_ops = fuse_bn_act_ops = False
    fuse_dot_product_attention = fuse_elewise_add_act_ops = fuse_gemm_epilogue = False
    fuse_relu_depthwise_conv = fuse_resunit = fused_attention = fused_feedforward = False
    sequential_run = sync_batch_norm = use_hierarchical_allreduce = False
    bkcl_comm_num = nccl_comm_num = num_trainers = 1
    hierarchical_allreduce_inter_nranks = trainer_id = 0
    memory_optimize: Any = None
    debug_graphviz_path = ""

    def __init__(self) -> None:
        self.mkldnn_enabled_op_types: set[str] = set()
        self.onednn_enabled_op_types: set[str] = set()
        self.trainers_endpoints: list[str] = []


@named("paddle.static.ExecutionStrategy")
class ExecutionStrategy:
    """Settings of an executor that is not this one: they can be set, and do nothing."""
