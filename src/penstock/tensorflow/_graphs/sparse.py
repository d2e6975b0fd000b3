"""Sparse tensors of a graph: their places, values and lengths are tensors, which a session knows.

Where elements are is read on the host at each run. While gradients are planned, which takes place without
values, tensors of ones and sums of the operands stand in for the results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.capture.calls import Construction, call_at, filled, place_of
from penstock.tensorflow import _arrays, _reductions
from penstock.tensorflow._graphs.graph import Graph, Operation, mode
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import GIVING, Seen, SeenSparse, only_now, outputs_of
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.structure import flat, mapped


class SymbolicSparse:
    """A sparse tensor of a graph."""

    _is_tensor = _is_sparse = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any, shape: Any = None) -> None:
        self.indices, self.values, self.dense_shape = indices, values, dense_shape
        self._lengths = shape

    @property
    def shape(self) -> Any:
        """The known lengths."""
        lengths = _lengths(self)
        return UNKNOWN if lengths is None else TensorShape(lengths)

    def get_shape(self) -> Any:
        """Returns the shape."""
        return self.shape

    @property
    def rank(self) -> int | None:
        """The number of axes, if it is known."""
        if self._lengths is not None:
            return len(self._lengths)
        found = self.dense_shape.shape
        return None if found is UNKNOWN or found[0] is None else int(found[0])

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self.values.graph  # type: ignore[no-any-return]

    @property
    def op(self) -> Operation:
        """The operation that gives its values."""
        return self.values.op  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The name of its values."""
        return str(self.values.name)

    def __repr__(self) -> str:
        parts = f"indices={self.indices!s}, values={self.values!s}, dense_shape={self.dense_shape!s}"
        return f"SparseTensor({parts})"

    def with_values(self, new_values: Any) -> SymbolicSparse:
        """Returns a tensor with other elements at the same places."""
        return SymbolicSparse(self.indices, new_values, self.dense_shape, self._lengths)

    def set_shape(self, shape: Any) -> None:
        """Adds to the known lengths."""
        given = [getattr(one, "value", one) for one in as_shape(shape)]
        known = self._lengths or [None] * len(given)
        self._lengths = [one if own is None else own for own, one in zip(known, given, strict=True)]

    def consumers(self) -> list[Operation]:
        """Returns the operations that read its values."""
        return self.values.consumers()  # type: ignore[no-any-return]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the parts in a session, the default one unless it is given."""
        from penstock.tensorflow.compat.v1._settings import SparseTensorValue

        run = session or mode.sessions[-1]
        return SparseTensorValue(*run.run([self.indices, self.values, self.dense_shape], feed_dict))


# -- operations ---------------------------------------------------------------------------------------------


def is_for_sparse(call: Callable[..., Any], structure: Any) -> bool:
    """Returns whether a call takes a sparse tensor of a graph, or gives one."""
    return getattr(call, "__name__", "") in GIVING or any(
        type(one) is SymbolicSparse for one in flat(structure)
    )


def construction(one: SymbolicSparse, inputs: list[SymbolicTensor]) -> Construction:
    """Returns how a run makes a sparse tensor among the arguments of a call."""
    parts = [place_of(part, inputs) for part in (one.indices, one.values, one.dense_shape)]
    return Construction(SparseTensor, parts, {})


def build(
    call: Callable[..., Any],
    type: str,
    name: str,
    given: tuple[Sequence[Any], dict[str, Any]],
    template: tuple[Sequence[Any], dict[str, Any]],
    inputs: list[SymbolicTensor],
    graph: Graph,
    frame: FrameType,
) -> Any:
    """Adds an operation that calls a function of sparse tensors whenever a session runs it."""
    bound = inspect.signature(call).bind(*given[0], **given[1])
    bound.apply_defaults()
    rule = _RULES.get(call.__name__)
    if rule is None:
        raise NotImplementedError(
            f"{call.__name__} of a sparse tensor whose parts are tensors of a graph is not supported by "
            f"penstock.tensorflow (yet). Make it dense first: tf.sparse.to_dense(x). {_known()}"
        )
    structure = rule(bound.arguments)
    if call.__name__ in _SCOPED:
        name = f"{graph.unique_name(name)}/{type}"
    operation = graph.add(type, name, _run, inputs, frame, fresh=True)
    operation.details = {
        "call": call, "arguments": template[0], "options": template[1], "seen": flat(structure),
    }  # fmt: skip
    return outputs(operation, structure)


def outputs(operation: Operation, structure: Any) -> Any:
    """Gives an operation the results in a structure of what is known of them; returns its tensors in it."""
    expanded = mapped(structure, lambda one: one.parts() if isinstance(one, SeenSparse) else one)
    made = iter(flat(outputs_of(operation, expanded)))

    def given_back(one: Any) -> Any:
        if isinstance(one, SeenSparse):
            return SymbolicSparse(next(made), next(made), next(made), one.lengths)
        return next(made)

    return mapped(structure, given_back)


def _known() -> str:
    return f"Functions that are: {', '.join(sorted(_RULES))}."


def _run(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    details = operation.details
    if runner.session.trial:
        return [part for one in details["seen"] for part in _stand_in(one, values)]
    only_now()
    given = filled(details["arguments"], values), filled(details["options"], values)
    return spread(call_at(operation.code, details["call"], *given))


def spread(result: Any) -> list[Any]:
    """Returns the tensors in a result, with the three parts of a sparse one."""
    found = flat(result, _is_sparse)
    parts = [[one.indices, one.values, one.dense_shape] if _is_sparse(one) else [one] for one in found]
    return [one for several in parts for one in several]


def _is_sparse(one: Any) -> bool:
    return isinstance(one, SparseTensor)


def _stand_in(one: Any, values: Sequence[Any]) -> list[Any]:
    """Returns tensors that depend on all operands with gradients, as far as known with the right lengths."""
    if isinstance(one, SeenSparse):
        rank = one.rank or 1
        return [
            _arrays.zeros([1, rank], "int64"),
            _total(values, [1], one.dtype),
            _arrays.ones([rank], "int64"),
        ]
    return [_total(values, [1 if n is None else int(n) for n in one.shape or ()], one.dtype)]


def _total(values: Sequence[Any], shape: Sequence[int], dtype: Any) -> Any:
    if dtype.name == "string":
        return StringTensor(np.full(shape, b"", object))
    total: Any = _arrays.zeros(shape, dtype)
    for one in values:
        if one is not None and one._spec.dtype.kind in "fc" and one._spec.dtype == total._spec.dtype:
            total = total + _reductions.reduce_sum(one)
    return total


# -- what the functions return ------------------------------------------------------------------------------


def _first(given: Any) -> Any:
    """Returns the first operand that is sparse."""
    return next(one for one in flat(list(given.values())) if type(one) is SymbolicSparse)


def _lengths(x: Any) -> Any:
    if type(x) is SymbolicSparse:
        return x._lengths or (None if x.rank is None else [None] * x.rank)
    return None if x.shape is UNKNOWN else list(x.shape)


def _matmul(given: Any) -> Any:
    a, b = given["sp_a"], given["b"]
    side = 1 if given.get("adjoint_a") else 0
    rows = None if a._lengths is None else a._lengths[side]
    columns = _lengths(b)
    return Seen(a.dtype, [rows, None if columns is None else columns[0 if given.get("adjoint_b") else 1]])


def _to_dense(given: Any) -> Any:
    x = given["sp_input"]
    return Seen(x.dtype, _lengths(x))


def _reduced(given: Any) -> Any:
    x, axis = given["sp_input"], given.get("axis")
    lengths, kept = _lengths(x), bool(given.get("keepdims"))
    if axis is None and not kept:
        shape: Any = []
    elif lengths is None:
        shape = None
    else:
        chosen = [axis] if isinstance(axis, int) else range(len(lengths)) if axis is None else axis
        axes = [one % len(lengths) for one in chosen]
        shape = [1 if n in axes else lengths[n] for n in range(len(lengths)) if kept or n not in axes]
    if given.get("output_is_sparse"):
        return SeenSparse(x.dtype, rank=None if shape is None else len(shape))
    return Seen(x.dtype, shape)


def _same(given: Any) -> Any:
    x = _first(given)
    return SeenSparse(x.dtype, x._lengths, x.rank)


def _sum(given: Any) -> Any:
    a, b = given["a"], given["b"]
    if type(a) is not SymbolicSparse or type(b) is not SymbolicSparse:
        dense = b if type(a) is SymbolicSparse else a
        return Seen(
            _first(given).dtype, _lengths(dense) if hasattr(dense, "shape") else _lengths(_first(given))
        )
    return _same(given)


def _rank_only(given: Any) -> Any:
    x = _first(given)
    return SeenSparse(x.dtype, rank=x.rank)


def _cast(given: Any) -> Any:
    x = _first(given)
    return SeenSparse(given["dtype"], x._lengths, x.rank)


def _reshaped(given: Any) -> Any:
    shape = given["shape"]
    known = shape.shape if hasattr(shape, "shape") else (len(shape),)
    return SeenSparse(_first(given).dtype, rank=None if known is UNKNOWN else known[0])


def _widened(given: Any) -> Any:
    x = _first(given)
    return SeenSparse(x.dtype, rank=None if x.rank is None else x.rank + 1)


def _joined(given: Any) -> Any:
    several = [_lengths(one) for one in given["sp_inputs"]]
    dtype, lengths = _first(given).dtype, several[0]
    if None in several or given.get("expand_nonconcat_dims"):
        return SeenSparse(dtype, rank=None if lengths is None else len(lengths))
    along = [one[given["axis"]] for one in several]
    lengths = list(lengths)
    lengths[given["axis"]] = None if None in along else sum(along)
    return SeenSparse(dtype, lengths)


def _divided(given: Any) -> Any:
    return [_rank_only(given) for _ in range(int(given["num_split"]))]


def _with_filled_rows(given: Any) -> Any:
    x = _first(given)
    return _same(given), Seen("bool", [_lengths(x)[0] if x.rank else None])


def _indicator(given: Any) -> Any:
    lengths = _lengths(given["sp_input"])
    return Seen("bool", None if lengths is None else [*lengths[:-1], int(given["vocab_size"])])


def _of_dense(given: Any) -> Any:
    x = given["tensor"]
    return SeenSparse(x.dtype, _lengths(x))


def _embedded(given: Any) -> Any:
    params = given["params"] if "params" in given else given["embedding_weights"]
    table = params[0] if isinstance(params, list | tuple) else params
    return Seen(table.dtype, [None, *list(table.shape)[1:]])


def _distances(given: Any) -> Any:
    lengths = _lengths(_first(given))
    return Seen("float32", None if lengths is None else lengths[:-1])


def _labelled(given: Any) -> Any:
    logits = next(given[name] for name in ("logits", "inputs") if given.get(name) is not None)
    major = given.get("time_major", given.get("logits_time_major", True))
    lengths = _lengths(logits)
    return Seen(logits.dtype, [None if lengths is None else lengths[1 if major else 0]])


def _greedy(given: Any) -> Any:
    logits = given["inputs"]
    return [SeenSparse("int64", rank=2)], Seen(logits.dtype, [(_lengths(logits) or [None, None])[1], 1])


def _beams(given: Any) -> Any:
    logits, count = given["inputs"], int(given["top_paths"])
    shape = [(_lengths(logits) or [None, None])[1], count]
    return [SeenSparse("int64", rank=2) for _ in range(count)], Seen(logits.dtype, shape)


def _lengths_read(given: Any) -> Any:
    return Seen(given.get("out_type") or "int32", [_first(given).rank])


_SCOPED = ("sparse_dense_matmul", "embedding_lookup_sparse")
"""Functions whose operation is in a name scope of its own."""
_RULES: dict[str, Callable[[Any], Any]] = {
    "sparse_dense_matmul": _matmul,
    "to_dense": _to_dense,
    "embedding_lookup_sparse": _embedded,
    "safe_embedding_lookup_sparse": _embedded,
    "ctc_loss": _labelled,
    "ctc_loss_v2": _labelled,
    "ctc_beam_search_decoder_v2": _beams,
    "ctc_greedy_decoder": _greedy,
    "ctc_beam_search_decoder": _beams,
    "edit_distance": _distances,
    "from_dense": _of_dense,
    "cast": _cast,
    "reshape": _reshaped,
    "expand_dims": _widened,
    "concat": _joined,
    "split": _divided,
    "fill_empty_rows": _with_filled_rows,
    "to_indicator": _indicator,
    "add": _sum,
    "shape": _lengths_read,
    **dict.fromkeys(("reduce_sum", "reduce_max"), _reduced),
    **dict.fromkeys(("transpose", "slice", "reset_shape"), _rank_only),
    **dict.fromkeys(
        ("retain", "reorder", "softmax", "maximum", "minimum", "identity", "multiplied", "divided"), _same
    ),
}


__all__ = ["SymbolicSparse", "build", "construction", "is_for_sparse", "outputs", "spread"]
