"""How the public functions work on ragged tensors, by name. Functions that are not here refuse them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.tensorflow import _arrays, _convert, _dispatch, _elementwise, _products
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._ragged import arranging, leaves, methods  # noqa: F401  (methods are given)
from penstock.tensorflow._ragged.broadcasting import (
    elementwise,
    named_arguments,
    of_a_list,
    operator,
)
from penstock.tensorflow._ragged.mapping import map_fn
from penstock.tensorflow._ragged.reductions import reduction
from penstock.tensorflow._ragged.shape import DynamicRaggedShape, reshaped
from penstock.tensorflow._ragged.spec import RaggedTensorSpec
from penstock.tensorflow._ragged.tensor import (
    RaggedTensor,
    count_of,
    cut_again,
    made,
    partitions,
    picked,
    values_of,
)
from penstock.trace.source_site import here

_OF_ONE = """
abs acos acosh asin asinh atan atanh cast clip_by_value cos cosh exp floor identity logical_not negative
ones_like round saturate_cast sigmoid sign sin sinh sqrt square stop_gradient tan tanh zeros_like
debugging.check_numerics math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil
math.conj math.digamma math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag math.is_finite
math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.real
math.reciprocal math.reciprocal_no_nan math.rint math.rsqrt math.softplus nn.elu nn.gelu nn.leaky_relu
nn.relu nn.relu6 nn.selu nn.silu nn.softsign strings.as_string strings.length strings.lower
strings.regex_full_match strings.regex_replace strings.strip strings.substr strings.to_hash_bucket
strings.to_hash_bucket_fast strings.to_hash_bucket_strong strings.to_number strings.upper
"""
_OF_TWO = """
add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor complex divide equal greater
greater_equal less less_equal logical_and logical_or maximum minimum multiply not_equal pow subtract
math.divide_no_nan math.floordiv math.floormod math.igamma math.igammac math.logical_xor
math.multiply_no_nan math.nextafter math.polygamma math.squared_difference math.xdivy math.xlog1py
math.xlogy math.zeta truediv
"""
_REDUCED = """
reduce_sum reduce_prod reduce_max reduce_min reduce_mean reduce_any reduce_all
"""


def _where(function: Any, condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    if x is None and y is None:
        return arranging.where_true(condition)
    if x is None or y is None:
        raise ArgumentError("x and y must both be non-None or both be None.", site=here())
    return elementwise(3)(function, condition, x, y)


def _concat(function: Any, values: Any, axis: Any, name: Any = None) -> Any:
    return arranging.joined(list(values), axis, False)


def _stack(function: Any, values: Any, axis: int = 0, name: Any = None) -> Any:
    return arranging.joined(list(values), axis, True)


def _gather(
    function: Any, params: Any, indices: Any, validate_indices: Any = None, axis: Any = None,
    batch_dims: int = 0, name: Any = None,
) -> Any:  # fmt: skip
    return arranging.gather(params, indices, axis, batch_dims)


def _looked_up(function: Any, params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    if not isinstance(ids, RaggedTensor):
        raise ArgumentError("tf.nn.embedding_lookup takes no ragged params.", site=here())
    return cut_again(ids, function(params, ids.flat_values, max_norm))


def _one_hot(function: Any, indices: RaggedTensor, *arguments: Any, **options: Any) -> Any:
    given = named_arguments(function, (None, *arguments), options)
    if given.get("axis") not in (None, -1, len(indices.shape)):
        raise ArgumentError(
            f"tf.one_hot of a ragged tensor: axis={given['axis']} is not the last.", site=here()
        )
    return cut_again(indices, function(**(given | {"indices": indices.flat_values, "axis": None})))


def _size(function: Any, input: RaggedTensor, out_type: Any = np.int32, name: Any = None) -> Any:
    return function(input.flat_values, out_type)


def _rank(function: Any, input: RaggedTensor, name: Any = None) -> Any:
    return _convert.tensor_of(np.asarray(len(input.shape), np.int32))


def _shape(function: Any, input: RaggedTensor, out_type: Any = None, name: Any = None) -> Any:
    return DynamicRaggedShape.from_tensor(input)


def _softmax(function: Any, logits: RaggedTensor, axis: Any = None, name: Any = None) -> Any:
    """Softmax over the innermost axis: of each row where that is ragged."""
    rank = len(logits.shape)
    place = rank - 1 if axis is None else int(axis) % rank
    cuts = partitions(logits)
    if place != rank - 1 or len(logits.flat_values.shape) > 1:
        if place > len(cuts):
            return cut_again(logits, function(logits.flat_values, place - len(cuts)))
        raise ArgumentError(
            f"tf.nn.softmax of a ragged tensor along axis {place} is not in penstock.tensorflow yet.",
            site=here(),
        )
    own, values = cuts[-1], logits.flat_values
    rows = _convert.constant(own.ids)
    top = _arrays.gather(reduction("max")(None, made(values, own), 1), rows)
    powers = _elementwise.exp(_elementwise.subtract(values, _arrays.stop_gradient(top)))
    total = _arrays.gather(reduction("sum")(None, made(powers, own), 1), rows)
    return cut_again(logits, _elementwise.divide(powers, total))


def _dropout(function: Any, x: RaggedTensor, *arguments: Any, **options: Any) -> Any:
    given = named_arguments(function, (None, *arguments), options)
    if given.get("noise_shape") is not None:
        raise ArgumentError("noise_shape is not supported yet for a ragged tensor", site=here())
    return cut_again(x, function(**(given | {"x": x.flat_values})))


def _matmul(function: Any, a: Any, b: Any, *arguments: Any, **options: Any) -> Any:
    """Products of matrices whose rows are ragged: [rows, (length), n] with [n, m], or row by row."""
    left, right = values_of(a), values_of(b)
    plain = not any(arguments) and not any(v for k, v in options.items() if k != "name")
    dense = isinstance(left, RaggedTensor) and not isinstance(right, RaggedTensor)
    if plain and dense and len(right.shape) == 2 and len(left.flat_values.shape) == 2:
        return cut_again(left, _products.matmul(left.flat_values, right))
    raise ArgumentError(
        f"tf.matmul of shapes {left.shape} and {right.shape} with these arguments is not in "
        "penstock.tensorflow yet.",
        remedy="Fill the rows up first: x.to_tensor().",
        site=here(),
    )


def _reshape(function: Any, tensor: Any, shape: Any, name: Any = None) -> Any:
    if isinstance(shape, DynamicRaggedShape):
        return reshaped(tensor, shape)
    raise ArgumentError(
        "tf.reshape of a ragged tensor takes a ragged shape.",
        remedy="Use x.merge_dims, x.to_tensor, or tf.reshape(x.flat_values, ...).",
        site=here(),
    )


def _filled(value: Any) -> Any:
    def way(function: Any, shape: DynamicRaggedShape, dtype: Any = np.float32, name: Any = None) -> Any:
        full = np.full(shape._num_elements(), value, numpy_dtype(dtype))
        return shape._filled(_convert.constant(full))

    return way


def _fill(function: Any, dims: DynamicRaggedShape, value: Any, name: Any = None) -> Any:
    own = leaves.leaf(value)
    return dims._filled(leaves.filling(own, own, (dims._num_elements(),)))


def _text_joined(function: Any, inputs: Any, separator: str = "", name: Any = None) -> Any:
    return of_a_list(function, inputs, separator)


def _rows_joined(
    function: Any, inputs: RaggedTensor, axis: Any = None, keepdims: bool = False, separator: str = "",
    name: Any = None,
) -> Any:  # fmt: skip
    """Strings along an axis of a ragged tensor put together."""
    if axis is None:
        return function(inputs.flat_values, None, keepdims, separator)
    place = arranging.place_of(axis, len(inputs.shape))
    if place == 0:
        raise ArgumentError(
            "tf.strings.reduce_join across the rows of a ragged tensor is not in penstock.tensorflow yet.",
            site=here(),
        )
    return _joined_inside(function, inputs, place, keepdims, separator)


def _joined_inside(function: Any, x: Any, place: int, keepdims: bool, separator: str) -> Any:
    if not isinstance(x, RaggedTensor):
        return function(x, place, keepdims, separator)
    if place > 1:
        return made(_joined_inside(function, x.values, place - 1, keepdims, separator), x._partition)
    rows = x.to_tensor(default_value="") if not separator else None
    if rows is not None and not isinstance(x.values, RaggedTensor):
        return function(rows, 1, keepdims, separator)
    words = [separator.encode().join(row) for row in x.to_list()]
    found = leaves.leaf(np.array([*words, b""], object)[:-1])
    return arranging.expand_dims(found, 1) if keepdims else found


def _unstack(function: Any, value: RaggedTensor, num: Any = None, axis: int = 0, name: Any = None) -> Any:
    if int(axis) != 0:
        raise ArgumentError("tf.unstack of a ragged tensor takes its rows: axis=0.", site=here())
    return list(value)


def _repeat(function: Any, input: RaggedTensor, repeats: Any, axis: Any = None, name: Any = None) -> Any:
    if axis is None or int(axis) != 0:
        raise ArgumentError("tf.repeat of a ragged tensor repeats its rows: axis=0.", site=here())
    count = count_of(input)
    times = np.broadcast_to(np.asarray(repeats), (count,))
    return picked(input, np.repeat(np.arange(count), times))


def _spec_of(function: Any, value: RaggedTensor) -> Any:
    return RaggedTensorSpec.from_value(value)


def _simple(method: Any) -> Any:
    def way(function: Any, *arguments: Any, **options: Any) -> Any:
        given = named_arguments(function, arguments, options)
        given.pop("name", None)
        return method(*given.values())

    return way


def ways() -> Mapping[str, Any]:
    """Returns the implementation of each public function for ragged tensors."""
    table: dict[str, Any] = {f"tf.{name}": elementwise(1) for name in _OF_ONE.split()}
    table |= {f"tf.{name}": elementwise(2) for name in _OF_TWO.split()}
    table |= {f"tf.{name}": reduction(name.partition("_")[2]) for name in _REDUCED.split()}
    table |= {f"tf.math.reduce_{name}": reduction(name) for name in ("variance", "std")}
    return table | {
        "tf.where": _where,
        "tf.concat": _concat,
        "tf.stack": _stack,
        "tf.unstack": _unstack,
        "tf.add_n": lambda function, inputs, name=None: of_a_list(function, inputs),
        "tf.gather": _gather,
        "tf.nn.embedding_lookup": _looked_up,
        "tf.one_hot": _one_hot,
        "tf.expand_dims": _simple(arranging.expand_dims),
        "tf.squeeze": _simple(arranging.squeeze),
        "tf.tile": _simple(arranging.tile),
        "tf.reverse": _simple(arranging.reverse),
        "tf.split": _simple(arranging.split),
        "tf.repeat": _repeat,
        "tf.boolean_mask": _simple(arranging.boolean_mask),
        "tf.size": _size,
        "tf.rank": _rank,
        "tf.shape": _shape,
        "tf.nn.softmax": _softmax,
        "tf.nn.dropout": _dropout,
        "tf.matmul": _matmul,
        "tf.reshape": _reshape,
        "tf.map_fn": map_fn,
        "tf.strings.join": _text_joined,
        "tf.strings.reduce_join": _rows_joined,
    }


def shape_ways() -> Mapping[str, Any]:
    """Returns the implementations of public functions for the shapes of ragged tensors."""
    return {"tf.reshape": _reshape, "tf.zeros": _filled(0), "tf.ones": _filled(1), "tf.fill": _fill}


_REFLECTED = {
    "add": _elementwise.add, "sub": _elementwise.subtract, "mul": _elementwise.multiply,
    "truediv": _elementwise.divide, "floordiv": _elementwise.floordiv, "mod": _elementwise.mod,
    "pow": _elementwise.pow, "and": _elementwise.logical_and, "or": _elementwise.logical_or,
    "xor": _elementwise.logical_xor,
}  # fmt: skip
_COMPARED = {
    "eq": _elementwise.equal, "ne": _elementwise.not_equal, "lt": _elementwise.less,
    "le": _elementwise.less_equal, "gt": _elementwise.greater, "ge": _elementwise.greater_equal,
}  # fmt: skip


def _install() -> None:
    kind: Any = RaggedTensor
    for name, function in _REFLECTED.items():
        setattr(kind, f"__{name}__", operator(function))
        setattr(kind, f"__r{name}__", operator(function, True))
    for name, function in _COMPARED.items():
        setattr(kind, f"__{name}__", operator(function))
    kind.__neg__ = lambda self: cut_again(self, _elementwise.negative(self.flat_values))
    kind.__abs__ = lambda self: cut_again(self, _elementwise.abs(self.flat_values))
    kind.__invert__ = lambda self: cut_again(self, _elementwise.logical_not(self.flat_values))


_install()
_dispatch.teach(RaggedTensor, ways)
_dispatch.teach(RaggedTensorSpec, lambda: {"tf.map_fn": map_fn})
_dispatch.teach(DynamicRaggedShape, shape_ways)

__all__ = ["shape_ways", "ways"]
