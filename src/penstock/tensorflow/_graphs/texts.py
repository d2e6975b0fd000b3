"""Strings that are not known while a graph is built: fed, read from files or taken from a data set.

Functions of them run on the host when a session does. Their results have the dtypes, and as far as they are
known the shapes, that a table gives: the functions are not tried, since there is no string to try them on.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import FrameType
from typing import Any

import numpy as np

from penstock.capture.calls import Input, call_at, filled
from penstock.errors import CaptureError
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._graphs.graph import Graph, Operation, on_first_use
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec
from penstock.tensorflow._seeds import of_operation, whole_seed
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.local import local
from penstock.trace.structure import flat, mapped

OBJECTS = np.dtype(object)


class Seen:
    """What is known of one result: its dtype and its shape; None means any number of axes."""

    def __init__(self, dtype: Any, shape: Any = None) -> None:
        self.dtype, self.shape = as_dtype(dtype), shape

    @classmethod
    def like(cls, tensor: Any, dtype: Any) -> Seen:
        """Returns a result with the shape of a tensor."""
        shape = getattr(tensor, "shape", ())
        return cls(dtype, None if shape is UNKNOWN else list(shape))


GIVING = (
    "from_dense", "ctc_greedy_decoder", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2",
)  # fmt: skip
"""Functions that give sparse tensors for dense ones."""


WRITING = ("as_string", "encode_jpeg", "encode_png", "encode_wav", "format", "serialize_tensor")
"""Functions that write numbers as strings, and read all of them to do so."""


class SeenSparse:
    """What is known of a sparse result: its dtype, and its lengths or at least its number of axes."""

    def __init__(self, dtype: Any, lengths: Any = None, rank: int | None = None) -> None:
        self.dtype, self.lengths = as_dtype(dtype), lengths
        self.rank = rank if lengths is None else len(lengths)

    def parts(self) -> list[Seen]:
        """Returns what is known of its places, its values and its lengths."""
        return [Seen("int64", [None, self.rank]), Seen(self.dtype, [None]), Seen("int64", [self.rank])]


class SymbolicText(SymbolicTensor):
    """A tensor of strings in a graph."""

    def __init__(self, op: Operation, number: int, shape: Any = None) -> None:
        super().__init__(op, number, OBJECTS, None)
        self._shape = UNKNOWN if shape is None or shape is UNKNOWN else TensorShape(as_shape(shape))

    @property
    def dtype(self) -> Any:
        """The dtype of strings."""
        return STRING

    def set_shape(self, shape: Any) -> None:
        """Adds to the known shape."""
        if shape is not None:
            self._shape = TensorShape(as_shape(shape))


def is_text(dtype: Any) -> bool:
    """Returns whether a dtype is that of strings."""
    return dtype is OBJECTS or bool(as_dtype(dtype).name == "string")


def is_symbolic(key: Any) -> bool:
    """Returns whether an index has tensors of a graph in it."""
    parts = key if isinstance(key, tuple) else (key,)
    ends = (end for one in parts if isinstance(one, slice) for end in (one.start, one.stop, one.step))
    return any(isinstance(one, SymbolicTensor) for one in (*parts, *ends))


def outputs_of(operation: Operation, structure: Any) -> Any:
    """Gives an operation the results in a structure of `Seen`; returns its tensors in this structure."""
    made: list[SymbolicTensor] = []
    for number, one in enumerate(flat(structure)):
        if is_text(one.dtype):
            made.append(SymbolicText(operation, number, one.shape))
        else:
            dtype = one.dtype.dtype
            own = open_spec(one.shape, dtype, f"{operation.name}:{number}")
            made.append(SymbolicTensor(operation, number, dtype, own))
    operation.outputs = made
    remaining = iter(made)
    return mapped(structure, lambda _: next(remaining))


def constant(value: Any, graph: Graph, frame: FrameType, name: str = "Const") -> SymbolicText:
    """Returns known strings as a tensor of a graph."""
    operation = graph.add("Const", name, _known, (), frame)
    operation.details = {"value": value}
    return outputs_of(operation, Seen.like(value, STRING))  # type: ignore[no-any-return]


def _known(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    return operation.details["value"]


def ask(call: Callable[..., Any], tensor: Any, seen: Seen, type: str, name: str, frame: FrameType) -> Any:
    """Returns the result of a function of one tensor of a graph, called on the host at each run."""
    operation = tensor.graph.add(type, name, on_host, (tensor,), frame, fresh=True)
    operation.details = {"call": call, "arguments": [Input(0)], "options": {}, "host": True}
    return outputs_of(operation, seen)


def build(
    call: Callable[..., Any],
    type: str,
    name: str,
    template: tuple[Sequence[Any], dict[str, Any]],
    inputs: list[SymbolicTensor],
    graph: Graph,
    frame: FrameType,
    sparse_file: Callable[[], Any],
    draws: bool = False,
) -> Any:
    """Adds an operation that calls a function on the host, whenever a session runs it.

    `sparse_file` imports what makes sparse tensors of a graph; `draws` says that the function draws numbers.
    """
    arguments, options = (filled(one, inputs) for one in template)
    way = way_of(call)
    structure = None
    if hasattr(way, "strings"):
        structure = on_first_use("arranged_texts").results(call, way, template, inputs)
    if structure is None:
        structure = results_of(call, arguments, options)
    operation = graph.add(type, name, on_host, inputs, frame, fresh=True)
    operation.details = {"call": call, "arguments": template[0], "options": template[1], "host": True}
    if draws:
        bound = inspect.signature(call).bind(*arguments, **options).arguments
        operation.details["seeds"] = [graph.seeds_of(whole_seed(bound.get("seed")))]
    if any(isinstance(one, SeenSparse) for one in flat(structure)):
        operation.details["spread"] = sparse = sparse_file()
        return sparse.outputs(operation, structure)
    return outputs_of(operation, structure)


def on_host(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    """Makes the call that an operation stands for; a run with strings is not captured."""
    only_now()
    details = operation.details
    given = filled(details["arguments"], values), filled(details["options"], values)
    call = details["call"]
    way = way_of(call)
    with of_operation(runner.session.draws, operation) if "seeds" in details else contextlib.nullcontext():
        found = call_at(operation.code, call if way is None else functools.partial(way, call), *given)
    sparse = details.get("spread")
    return found if sparse is None else sparse.spread(found)


def way_of(call: Callable[..., Any]) -> Any:
    """Returns how a public function that arranges or compares works on strings; None for any other."""
    return _ways().get(call.__name__)


@functools.cache
def _ways() -> Mapping[str, Any]:
    """Returns the ways by the names of the functions."""
    ways = import_module("penstock.tensorflow._word_functions").ways()
    return {name.rpartition(".")[2]: way for name, way in ways.items()}


def only_now() -> None:
    """Ends the capture of a run: what it computes on the host may be something else each time."""
    if local.trace.capturing:
        raise CaptureError("Strings are computed on the host.")


# -- what functions of strings return ---------------------------------------------------------------------


def results_of(call: Callable[..., Any], arguments: Any, options: Any) -> Any:
    """Returns what a function of strings gives, as a structure of `Seen`; strings if it is in no table."""
    bound = inspect.signature(call).bind(*arguments, **options)
    bound.apply_defaults()
    given = bound.arguments
    name = call.__name__
    if name in _RULES:
        return _RULES[name](given)
    first = next(iter(given.values()))
    return Seen.like(first, STRING) if name in _KEEP else Seen(STRING)


_KEEP = [
    "lower",
    "upper",
    "strip",
    "substr",
    "regex_replace",
    "encode_base64",
    "decode_base64",
    "decode_compressed",
    "identity",
    "zeros_like",
    "add",
    "shuffle",
    "unicode_transcode",
    "as_string",
]
"""Functions that give a string for each element."""


def _columns(given: Mapping[str, Any]) -> Any:
    lines = given["records"]
    shape = None if lines.shape is UNKNOWN else list(lines.shape)
    return [Seen(_default_dtype(one), shape) for one in given["record_defaults"]]


def _default_dtype(default: Any) -> Any:
    if hasattr(default, "is_numeric") or isinstance(default, np.dtype | type):
        return as_dtype(default)
    value = default
    while isinstance(value, list | tuple) and value:
        value = value[0]
    if hasattr(value, "dtype"):
        return as_dtype(value.dtype)
    kinds = {bool: "bool", int: "int32", float: "float32", str: "string", bytes: "string"}
    return as_dtype(kinds.get(type(value), "float32"))


def _features(given: Mapping[str, Any]) -> Any:
    serialized = given["serialized"]
    rows = [] if serialized.shape is UNKNOWN else list(serialized.shape)
    found: dict[str, Any] = {}
    for key, spec in sorted(given["features"].items()):
        if not hasattr(spec, "shape"):
            if not hasattr(spec, "dtype") or hasattr(spec, "partitions"):
                raise NotImplementedError(
                    f"The feature {key!r} is a {type(spec).__name__}, and a graph of penstock.tensorflow "
                    "does not parse those yet. Use tf.FixedLenFeature, tf.VarLenFeature, or "
                    "tf.FixedLenSequenceFeature with allow_missing=True."
                )
            sizes = np.atleast_1d(spec.size).tolist() if hasattr(spec, "size") else [None]
            found[key] = SeenSparse(spec.dtype, [*rows, *sizes])
            continue
        lengths = list(as_shape(spec.shape))
        several = hasattr(spec, "allow_missing")
        found[key] = Seen(spec.dtype, [*rows, *([None] if several else []), *lengths])
    return found


def _sequence_features(given: Mapping[str, Any]) -> Any:
    context = _features({**given, "features": given.get("context_features") or {}})
    steps = sorted((given.get("sequence_features") or {}).items())
    return context, {key: Seen(spec.dtype, [None, *as_shape(spec.shape)]) for key, spec in steps}


def _split(given: Mapping[str, Any]) -> Any:
    source = next(iter(given.values()))
    count = source.shape[0] if isinstance(source, SymbolicText) and source.shape is not UNKNOWN else None
    return SeenSparse(STRING, [count, None])


def _picture(given: Mapping[str, Any]) -> Seen:
    return Seen(given.get("dtype") or "uint8", [None, None, int(given.get("channels") or 0) or None])


def _raw(given: Mapping[str, Any]) -> Seen:
    shape = Seen.like(next(iter(given.values())), STRING).shape
    return Seen(given["out_type"], None if shape is None else [*shape, None])


def _numbers(given: Mapping[str, Any]) -> Seen:
    dtype = given.get("out_type") or "float32"
    return Seen.like(next(iter(given.values())), dtype)


def _counted(dtype: str) -> Any:
    return lambda given: Seen.like(next(iter(given.values())), dtype)


def _compared(given: Mapping[str, Any]) -> Seen:
    texts = [one for one in given.values() if isinstance(one, SymbolicText)]
    return Seen.like(texts[0], "bool")


_RULES: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "string_split": _split,
    "decode_csv": _columns,
    "parse_single_example": _features,
    "parse_example": _features,
    "parse_single_sequence_example": _sequence_features,
    "decode_raw": _raw,
    "to_number": _numbers,
    "string_to_number": _numbers,
    "length": _counted("int32"),
    "to_hash_bucket": _counted("int64"),
    "to_hash_bucket_fast": _counted("int64"),
    "to_hash_bucket_strong": _counted("int64"),
    "regex_full_match": _counted("bool"),
    "equal": _compared,
    "not_equal": _compared,
    **dict.fromkeys(
        ("encode_jpeg", "encode_png", "encode_wav", "format", "read_file", "serialize_tensor"),
        lambda given: Seen(STRING, []),
    ),
    "reduce_join": lambda given: Seen(STRING, [] if given.get("axis") is None else None),
    "join": lambda given: _side_by_side(given),
    "shape": lambda given: Seen(given.get("out_type") or "int32"),
    "size": lambda given: Seen(given.get("out_type") or "int32", []),
    "rank": lambda given: Seen("int32", []),
    "reshape": lambda given: Seen(STRING, _asked_shape(given.get("shape"))),
    "fill": lambda given: Seen(STRING, _asked_shape(given["dims"])),
    "stack": lambda given: _stacked(given),
    "_sliced": lambda given: _items(given),
    "decode_wav": lambda given: _sound(),
    "parse_tensor": lambda given: Seen(given["out_type"]),
    **dict.fromkeys(
        ("decode_png", "decode_jpeg", "decode_image", "decode_bmp", "decode_and_crop_jpeg"), _picture
    ),
}


def _items(given: Mapping[str, Any]) -> Seen:
    """Returns what is known of the items of an index or slice along the first axes."""
    remaining = Seen.like(given["x"], STRING).shape
    found: list[int | None] = []
    for part, sliced in zip(given["parts"], given["slices"], strict=True):
        if not remaining or not all(map(_is_place, part if sliced else [part])):
            return Seen(STRING)
        length, *remaining = remaining
        if sliced:
            open_ended = length is None or any(isinstance(one, SymbolicTensor) for one in part)
            found.append(None if open_ended else len(range(*slice(*part).indices(length))))
        elif part is None:
            return Seen(STRING)
    return Seen(STRING, None if remaining is None else [*found, *remaining])


def _is_place(one: Any) -> bool:
    single = isinstance(one, SymbolicTensor) and one.spec is not None and not one.spec.ndim
    return one is None or type(one) is int or single


def _side_by_side(given: Mapping[str, Any]) -> Seen:
    """Returns what is known of strings joined element by element: single ones are joined to each element."""
    shapes = [Seen.like(one, STRING).shape for one in given["inputs"]]
    return Seen(STRING, None if None in shapes else next((one for one in shapes if list(one)), []))


def _sound() -> Any:
    from penstock.tensorflow.audio import DecodeWav

    return DecodeWav(Seen("float32", [None, None]), Seen("int32", []))


def _asked_shape(shape: Any) -> Any:
    try:
        return [None if int(one) == -1 else int(one) for one in shape]
    except (TypeError, ValueError, NotImplementedError):
        return None


def _stacked(given: Mapping[str, Any]) -> Seen:
    values = given["values"]
    inner = Seen.like(values[0], STRING).shape
    return Seen(STRING, None if inner is None or given.get("axis") else [len(values), *inner])


__all__ = [
    "Seen",
    "SeenSparse",
    "SymbolicText",
    "build",
    "constant",
    "is_symbolic",
    "is_text",
    "on_host",
    "only_now",
    "outputs_of",
    "results_of",
]
