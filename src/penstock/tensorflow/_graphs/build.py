"""Building a graph: functions of the dialect that, given tensors of a graph, record the call for later."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.capture.calls import call_at as call_at
from penstock.capture.calls import filled, place_of
from penstock.errors import CaptureError, PenstockError
from penstock.functions.scratch import open_shape
from penstock.tensorflow import _convert
from penstock.tensorflow._graphs import texts
from penstock.tensorflow._graphs.graph import Graph, Operation, mode, on_first_use
from penstock.tensorflow._graphs.infer import Output, Place, in_graph_words, infer
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._seeds import noting, of_operation
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.spec import spec
from penstock.trace.structure import flat, mapped
from penstock.trace.tensor import Cell

_frame = sys._getframe

TYPES = {
    "format": "StringFormat",
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "truediv", "truediv": "truediv",
    "matmul": "MatMul", "negative": "Neg", "maximum": "Maximum", "minimum": "Minimum", "pow": "Pow",
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_any": "Any", "reduce_all": "All", "argmax": "ArgMax", "argmin": "ArgMin", "constant": "Const",
    "zeros": "zeros", "ones": "ones", "zeros_like": "zeros_like", "ones_like": "ones_like",
    "concat": "concat",
    "stack": "stack", "unstack": "unstack", "split": "split", "transpose": "transpose", "one_hot": "one_hot",
    "range": "range", "gather": "GatherV2", "where": "SelectV2", "clip_by_value": "clip_by_value",
    "embedding_lookup": "embedding_lookup", "dropout": "dropout", "moments": "moments", "eye": "eye",
    "softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits",
    "sigmoid_cross_entropy_with_logits": "logistic_loss", "normal": "random_normal", "l2_loss": "L2Loss",
    "uniform": "random_uniform", "truncated_normal": "truncated_normal", "convert_to_tensor": "Const",
    "sparse_softmax_cross_entropy_with_logits": "SparseSoftmaxCrossEntropyWithLogits", "norm": "norm",
    "tensordot": "Tensordot", "is_nan": "IsNan", "expm1": "Expm1", "log1p": "Log1p",
    "boolean_mask": "boolean_mask", "sparse_dense_matmul": "SparseTensorDenseMatMul",
    "to_dense": "SparseToDense", "embedding_lookup_sparse": "embedding_lookup_sparse",
}  # fmt: skip
"""The default name of an operation in TensorFlow, by the function that creates it."""
FRESH = (
    "normal", "uniform", "truncated_normal", "dropout", "shuffle", "categorical", "gamma", "poisson",
    "random_crop", "random_flip_left_right", "random_flip_up_down", "random_brightness", "random_contrast",
    "random_hue", "random_saturation", "random_jpeg_quality", "uniform_candidate_sampler",
    "log_uniform_candidate_sampler", "fixed_unigram_candidate_sampler", "sample_distorted_bounding_box",
    "sample_distorted_bounding_box_v1",
)  # fmt: skip
"""Functions that draw anew at each run."""
OF_VALUES = {
    "unique": (0,), "unique_with_counts": (0, 2), "where": (0,), "boolean_mask": (0,),
    "dynamic_partition": None, "non_max_suppression": (0,), "non_max_suppression_overlaps": (0,),
    "non_max_suppression_with_scores": (0, 1), "repeat": (0,), "segment_sum": (0,), "segment_mean": (0,),
    "segment_prod": (0,), "segment_max": (0,), "segment_min": (0,),
}  # fmt: skip
"""Functions with outputs, by number, whose first axis, or the one named, has as many rows as values decide.

None means all outputs. Their length is known when a run has computed it, also that of constants.
"""
ALIASES = {
    "reduction_indices": "axis", "keep_dims": "keepdims", "dimension": "axis", "dim": "axis",
    "squeeze_dims": "axis", "axes": "axis", "logit": "logits", "filter": "filters", "value": "input",
}  # fmt: skip
_WORDS = (StringTensor, str, bytes)
_REDUCTIONS = (
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_any",
    "reduce_all",
)


def type_of(function: Callable[..., Any]) -> str:
    """Returns what TensorFlow calls the operation of a function."""
    name = function.__name__
    return TYPES.get(name) or "".join(part.capitalize() for part in name.split("_"))


def taken(structure: Any, inputs: list[SymbolicTensor], graph: Graph) -> Any:
    """Returns arguments with the tensors of a graph replaced by Inputs, and data copied."""

    def one_taken(one: Any) -> Any:
        if isinstance(one, SymbolicTensor):
            return place_of(one, inputs)
        read = getattr(one, "_read_in", None)
        if read is not None:
            return one_taken(read(graph))
        if getattr(one, "_is_sparse", False) and isinstance(one.values, SymbolicTensor):
            return _sparse().construction(one, inputs)
        if isinstance(one, np.ndarray):
            return one.copy()
        if isinstance(one, StringTensor):
            return one
        if isinstance(one, EagerTensor | Cell):
            return one_taken(graph.captured(one))
        return one

    return mapped(structure, one_taken)


def _overrides() -> Any:
    return importlib.import_module(f"{__package__}.overrides")


def _sparse() -> Any:
    return importlib.import_module("penstock.tensorflow._graphs.sparse")


def graph_of(inputs: Sequence[SymbolicTensor], fallback: Graph) -> Graph:
    """Returns the graph of tensors; raises ValueError if there are two, or if it is not the default one."""
    for one in inputs:
        if one.graph is not fallback:
            other = next((tensor for tensor in inputs if tensor.graph is fallback), None)
            beside = "the default graph" if other is None else str(other)
            raise ValueError(
                f"{one} must be from the same graph as {beside} (graphs are {one.graph} and {fallback}).\n"
                f"{one.name} was built at {one.op.site}."
            )
    return fallback


def call_kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    """Makes the call that an operation stands for, on the values of its inputs."""
    details = operation.details
    call = operation.code, details["call"]
    given = filled(details["arguments"], values), filled(details["options"], values)
    if not operation.fresh or runner.session.trial:
        return call_at(*call, *given)
    with of_operation(runner.session.draws, operation):
        return call_at(*call, *given)


def build(
    call: Callable[..., Any],
    type: str,
    name: str,
    arguments: Sequence[Any],
    options: dict[str, Any],
    frame: FrameType,
    fresh: bool = False,
) -> Any:
    """Adds an operation that makes a call of an eager function; returns its tensors as the call would."""
    graph = mode.building()
    inputs: list[SymbolicTensor] = []
    if graph is None:
        graph = _graph_among((arguments, options)) or mode.default()
    if any(isinstance(one, _WORDS) for one in flat((arguments, options))) and texts.way_of(call) is not None:
        words = on_first_use("arranged_texts").with_symbols(call, arguments, options, graph, frame)
        arguments, options = words or (arguments, options)
    template, choices = taken(list(arguments), inputs, graph), taken(options, inputs, graph)
    graph_of(inputs, graph)
    sparse = any(getattr(one, "_is_sparse", False) for one in flat((arguments, options)))
    if (sparse or getattr(call, "__name__", "") in texts.GIVING) and _sparse().is_for_sparse(
        call, (arguments, options)
    ):
        given, parts = (arguments, options), (template, choices)
        return _sparse().build(call, type, name, given, parts, inputs, graph, frame)
    if any(isinstance(one, texts.SymbolicText) for one in inputs):
        return texts.build(call, type, name, (template, choices), inputs, graph, frame, _sparse, fresh)
    if type in graph.overridden:

        def remade(inner: list[Any]) -> Any:
            return build(call, type, name, filled(template, inner), filled(choices, inner), frame, fresh)

        return _overrides().with_registered_gradient(remade, type, name, inputs, graph, frame)
    code = graph.site_code(frame)

    def tried(values: list[Any]) -> Any:
        seeds.clear()
        return call_at(code, call, filled(template, values), filled(choices, values))

    try:
        with noting() as seeds:
            structure, outputs = infer(tried, inputs, fresh)
    except PenstockError as error:
        if isinstance(error, CaptureError) and call.__name__ in texts.WRITING:
            # It reads more numbers than are made up for a trial.
            return texts.build(call, type, name, (template, choices), inputs, graph, frame, _sparse)
        raise in_graph_words(error, name, type, inputs) from None
    if inputs and any(isinstance(one, StringTensor) for one in flat(structure)):
        # Strings are made when values are there.
        return texts.build(call, type, name, (template, choices), inputs, graph, frame, _sparse)
    if not outputs:
        if isinstance(structure, StringTensor):
            # Computed here, and no operation; it has a name as if it were one.
            return StringTensor(structure._array, (graph, graph.unique_name(name)))
        return structure
    if getattr(call, "__name__", "") in OF_VALUES:
        outputs = _with_open_lengths(call, arguments, options, outputs)
    if type == "dropout":
        # The part that is kept has no axes of its own, even where that is not known of a placeholder.
        outputs[0].spec = inputs[0].spec
    operation = graph.add(type, name, call_kernel, inputs, frame, fresh=fresh)
    operation.details = {"call": call, "arguments": template, "options": choices}
    if fresh:
        operation.details["seeds"] = [graph.seeds_of(one) for one in seeds]
    return give(operation, structure, outputs)


def _with_open_lengths(
    call: Callable[..., Any], arguments: Sequence[Any], options: dict[str, Any], outputs: Sequence[Output]
) -> list[Output]:
    """Returns outputs whose length is not known where it depends on values: see OF_VALUES."""
    given = inspect.signature(call).bind(*arguments, **options).arguments
    name, found = call.__name__, list(outputs)
    if (name == "where" and given.get("x") is not None) or (
        name == "repeat" and not np.ndim(given["repeats"])
    ):
        return found
    places = OF_VALUES[name]
    for number in range(len(found)) if places is None else places:
        one = found[number]
        if one.spec is not None and one.spec.ndim:
            shape: list[Any] = list(one.spec.shape)
            shape[given.get("axis") or 0] = None
            found[number] = Output(one.dtype, spec(open_shape(shape), one.dtype))
    return found


def _has_symbols(value: Any) -> bool:
    return any(isinstance(one, SymbolicTensor) for one in flat(value))


def _graph_among(structure: Any) -> Graph | None:
    for one in flat(structure):
        if isinstance(one, SymbolicTensor):
            return one.graph
        if getattr(one, "_is_sparse", False) and isinstance(one.values, SymbolicTensor):
            return one.values.graph
    return None


def give(operation: Operation, structure: Any, outputs: Sequence[Output]) -> Any:
    """Gives an operation its outputs; returns them in the structure."""
    operation.outputs = [
        (one.kind or SymbolicTensor)(operation, number, one.dtype, one.spec, one.known)
        if one.kind is not None or not texts.is_text(one.dtype)
        else texts.SymbolicText(operation, number, one.shape)
        for number, one in enumerate(outputs)
    ]
    constants = [one.constant for one in outputs]
    if constants and None not in map(_is_there, constants):
        operation.constants = constants
    return mapped(structure, lambda one: operation.outputs[one.number] if isinstance(one, Place) else one)


def _is_there(value: Any) -> Any:
    return None if value is None else True


# -- lifting ----------------------------------------------------------------------------------------------


def lift(function: Callable[..., Any], type: str | None = None, fresh: bool = False) -> Callable[..., Any]:
    """Returns a function that builds while a graph is being built, and computes otherwise."""
    own = type or type_of(function)
    signature = inspect.signature(function).parameters
    parameters = list(signature)
    by_place = "name" in signature and signature["name"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    position = parameters.index("name") if by_place else None
    fresh = fresh or function.__name__ in FRESH
    reduction = function.__name__ in _REDUCTIONS
    renamed = {old: new for old, new in ALIASES.items() if new in parameters and old not in parameters}
    if "axes" in parameters:
        renamed["axis"] = "axes"

    @functools.wraps(function)
    def lifted(*arguments: Any, **options: Any) -> Any:
        for old in renamed:
            if old in options:
                options[renamed[old]] = options.pop(old)
        if mode.building() is None and _graph_among((arguments, options)) is None:
            return function(*arguments, **options)
        name = options.pop("name", None)
        if position is not None and len(arguments) > position:
            name = name or arguments[position]
            arguments = (*arguments[:position], None, *arguments[position + 1 :])
        if reduction and len(arguments) < 2 and options.get("axis") is None:
            # TensorFlow makes a constant for the axes, which takes a name.
            mode.default().unique_name("Const")
        return build(function, own, name or own, arguments, options, _frame(1), fresh)

    lifted._eager = function  # type: ignore[attr-defined]
    return lifted


def constant(value: Any, name: str, frame: FrameType, dtype: Any = None) -> SymbolicTensor:
    """Returns data, or a tensor of a graph as it is, as a tensor of the default graph."""
    if isinstance(value, SymbolicTensor):
        return value
    if isinstance(value, StringTensor):
        return texts.constant(value, mode.default(), frame)
    if not _has_symbols(value) and is_text(value):
        return texts.constant(strings(value), mode.default(), frame, name)
    read = getattr(value, "_read_in", None)
    if read is not None:
        return read(mode.default())  # type: ignore[no-any-return]
    return build(_convert.constant, "Const", name, (value, dtype), {}, frame)  # type: ignore[no-any-return]
