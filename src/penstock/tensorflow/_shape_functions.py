"""Functions about shapes, and roll, repeat, masks and einsum, under TensorFlow's names."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.functions.einsum import einsum as _einsum
from penstock.ops.table import common_shape
from penstock.tensorflow import nest
from penstock.tensorflow._arrays import with_dense_gradient
from penstock.tensorflow._control import carried, cond, looped
from penstock.tensorflow._convert import constant, integers, operand, same_dtype, tensor_of
from penstock.tensorflow._dtype import as_dtype, c_name, numpy_dtype
from penstock.tensorflow._errors import ArgumentError, CallableError, InvalidArgumentError, translated
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._modes import each_time, inside, inside_function
from penstock.tensorflow._seeds import Turns, in_call
from penstock.tensorflow._strings import StringTensor, is_text, takes_words
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape, brackets, shape_of
from penstock.trace.source_site import here
from penstock.trace.structure import flat, packed
from penstock.trace.tensor import Cell, Tensor


@named("tf.ensure_shape")
def ensure_shape(x: Any, shape: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor as it is, if it has this shape, in which None stands for any length.

    >>> from penstock import tensorflow as tf
    >>> print(tf.ensure_shape([1.0, 2.0], [None]).numpy())
    [1. 2.]
    """
    x, wanted = tensor_of(x), TensorShape(shape)
    if not TensorShape(x._spec.shape).is_compatible_with(wanted):
        raise InvalidArgumentError(
            f"Shape of tensor input {brackets(x._spec.shape)} is not compatible with expected shape "
            f"[{','.join('?' if n is None else str(n) for n in wanted.as_list())}].",
            site=here(),
        )
    return x  # type: ignore[no-any-return]


@named("tf.broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Returns the shape to which two shapes broadcast."""
    first, second = tuple(as_shape(shape_x)), tuple(as_shape(shape_y))
    try:
        return TensorShape(common_shape(first, second))
    except ValueError:
        raise ArgumentError(
            f"Incompatible shapes for broadcasting: {shape_of(first)} and {shape_of(second)}.", site=here()
        ) from None


@named("tf.broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> EagerTensor:
    """Returns the shape to which two shapes broadcast, as a tensor."""
    first, second = (np.asarray(tensor_of(one).numpy()).tolist() for one in (shape_x, shape_y))
    return tensor_of(np.asarray(broadcast_static_shape(first, second).as_list(), np.int32))


@named("tf.shape_n")
def shape_n(input: Any, out_type: Any = np.int32, name: Any = None) -> list[EagerTensor]:
    """Returns the shape of each of several tensors, as tensors."""
    return [tensor_of(np.asarray(operand(one)._spec.shape, numpy_dtype(out_type))) for one in input]


@named("tf.get_static_value", "tf.compat.v1.get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value as a NumPy array; None of a variable, whose value is not static.

    Of a tensor of a graph, it returns that of a constant. `partial` does nothing: all of a value is known.
    """
    if isinstance(tensor, Cell):
        return None
    if mode.inside and isinstance(getattr(tensor, "op", None), Operation):
        known = tensor.op.constants
        return None if known is None else np.asarray(known[tensor.value_index].numpy())
    return np.asarray(tensor_of(tensor).numpy())


@named("tf.unravel_index")
def unravel_index(indices: Any, dims: Any, name: Any = None) -> EagerTensor:
    """Returns the place along each axis, stacked, of places counted in row-major order."""
    places = integers(indices, "Tidx", "int32, int64")
    lengths = [int(one) for one in np.asarray(tensor_of(dims).numpy())]
    steps = [math.prod(lengths[i + 1 :]) for i in range(len(lengths))]
    return _unravelled(places, steps, lengths)  # type: ignore[return-value]


@composite(1, "unravel_index")
def _unravelled(places: Any, steps: Any, lengths: Any) -> Tensor:
    parts = [(places // step) % length for step, length in zip(steps, lengths, strict=True)]
    return native.stack(parts, axis=0)


# -- rolled, repeated, masked ---------------------------------------------------------------------------


@composite(1, "roll")
def _roll(x: Any, shift: Any, axis: Any) -> Tensor:
    return native.roll(x, shift, axis=axis)


@named("tf.roll")
@takes_words
def roll(input: Any, shift: Any, axis: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor whose elements are moved along axes; what falls off the end comes in at the front.

    >>> from penstock import tensorflow as tf
    >>> print(tf.roll([1, 2, 3], shift=1, axis=0).numpy())
    [3 1 2]
    """
    by, along = (np.asarray(tensor_of(one).numpy()).tolist() for one in (shift, axis))
    return _roll(operand(input), by, along)  # type: ignore[return-value]


@named("tf.repeat")
@takes_words
def repeat(input: Any, repeats: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns each element, or each slice along an axis, so often in a row."""
    x = operand(input)
    counts = np.asarray(tensor_of(repeats).numpy())
    if axis is None:
        x, axis = native.reshape(x, (-1,)), 0
    if counts.size == 1 and counts.dtype.kind in "iu":
        return native.repeat(x, counts, axis=axis)  # type: ignore[no-any-return]
    length = x._spec.shape[axis]
    try:
        order = np.repeat(np.arange(length), np.broadcast_to(counts.reshape(-1), (length,)))
    except ValueError:
        raise InvalidArgumentError(
            f"repeat: {counts.size} counts were given for {length} slices.", site=here()
        ) from None
    return native.take(with_dense_gradient(x), tensor_of(order), axis=axis)  # type: ignore[return-value]


@named("tf.meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", name: Any = None) -> list[EagerTensor]:
    """Returns, for each of some vectors, its values over the grid that they span."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError("Argument `indexing` must be either 'xy' or 'ij'. ", site=here())
    if not args:
        return []
    return list(native.meshgrid(*same_dtype(args, "Mul"), indexing=indexing))  # type: ignore[arg-type]


@named("tf.sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = np.bool_, name: Any = None) -> EagerTensor:
    """Returns, for each length, so many True, and False up to `maxlen`, the longest of them if it is None.

    >>> from penstock import tensorflow as tf
    >>> print(tf.sequence_mask([1, 3], dtype=tf.int32).numpy())
    [[1 0 0]
     [1 1 1]]
    """
    lengths = integers(lengths, "T", "int32, int64")
    if maxlen is None:
        known = np.asarray(tensor_of(lengths).numpy())
        maxlen = known.max() if known.size else 0
    return _mask(lengths, int(maxlen), numpy_dtype(dtype))  # type: ignore[return-value]


@composite(1, "sequence_mask")
def _mask(lengths: Any, longest: int, dtype: Any) -> Tensor:
    places = native.arange(longest, dtype=lengths.dtype)
    return (places < native.expand_dims(lengths, axis=-1)).astype(dtype)


@named("tf.reverse_sequence")
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: Any = None
) -> EagerTensor:
    """Returns a tensor in which the first so many elements of each sequence stand the other way round."""
    x, lengths = operand(input), integers(seq_lengths, "Tlen", "int32, int64")
    along = 0 if seq_axis is None else int(seq_axis)
    return _turned(x, lengths, along, int(batch_axis or 0))  # type: ignore[return-value]


@composite(2, "reverse_sequence")
def _turned(x: Any, lengths: Any, along: int, batch: int) -> Tensor:
    rank = len(x.shape)
    places = native.arange(x.shape[along], dtype=lengths.dtype)
    places = native.reshape(places, tuple(-1 if i == along else 1 for i in range(rank)))
    ends = native.reshape(lengths, tuple(-1 if i == batch else 1 for i in range(rank)))
    order = native.where(places < ends, ends - 1 - places, places)
    return native.take_along_axis(x, native.broadcast_to(order, x.shape), axis=along)


@named("tf.strided_slice")
def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: Any = None,
) -> EagerTensor:  # fmt: skip
    """Returns x[begin:end:strides] over its first axes; the masks say, bit by bit, what is left open.

    `var` does nothing: a slice is not assigned to.
    """
    if ellipsis_mask or new_axis_mask:
        raise ArgumentError(
            "tf.strided_slice with ellipsis_mask or new_axis_mask is not supported by penstock.tensorflow "
            "yet.",
            remedy="Write x[..., tf.newaxis].",
            site=here(),
        )
    starts, stops = (np.asarray(tensor_of(one).numpy()).tolist() for one in (begin, end))
    steps = [1] * len(starts) if strides is None else np.asarray(tensor_of(strides).numpy()).tolist()
    key: list[Any] = []
    for place, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        if shrink_axis_mask >> place & 1:
            key.append(start)
            continue
        open_begin, open_end = begin_mask >> place & 1, end_mask >> place & 1
        key.append(slice(None if open_begin else start, None if open_end else stop, step))
    return tensor_of(input_)[tuple(key)]  # type: ignore[return-value]


# -- products by an equation ----------------------------------------------------------------------------


@named("tf.einsum", "tf.linalg.einsum")
def einsum(equation: str, *inputs: Any, **options: Any) -> EagerTensor:
    """Returns the sum of products that an equation asks for: see penstock.einsum.

    `optimize` is as there; the order of three and more operands is chosen once anyway.

    >>> from penstock import tensorflow as tf
    >>> print(tf.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).numpy())
    [21. 43.]
    """
    unknown = sorted({*options} - {"optimize", "name"})
    if unknown:
        raise CallableError(
            f"Invalid keyword arguments for einsum(): got {', '.join(unknown)}.",
            remedy="optimize and name are accepted.",
            site=here(),
        )
    first = inputs[0]._spec.dtype if inputs and type(inputs[0]) is EagerTensor else None
    if not all(type(one) is EagerTensor and one._spec.dtype is first for one in inputs):
        inputs = tuple(same_dtype(inputs, "Einsum"))
    try:
        return _einsum(equation, *inputs, optimize=options.get("optimize") or "greedy")  # type: ignore[return-value]
    except PenstockError as error:
        raise translated(error, "einsum", inputs, {}) from None


# -- several at once ------------------------------------------------------------------------------------


@named("tf.identity_n")
def identity_n(input: Any, name: Any = None) -> list[EagerTensor]:
    """Returns tensors as they are."""
    return [tensor_of(one) for one in input]


@named("tf.parallel_stack")
def parallel_stack(values: Any, name: Any = "parallel_stack") -> EagerTensor:
    """Returns tensors of one shape stacked along a new first axis."""
    return native.stack(same_dtype(values, "Pack"), axis=0)  # type: ignore[return-value]


@named("tf.case")
def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """Returns the result of the function with the first true predicate, or of `default`."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for _, function in pairs:
        if not callable(function):
            raise CallableError(f"fn for pred must be callable, got {function!r}.", site=here())
    if exclusive:
        at_most_one([one for one, _ in pairs])
    if default is None:
        pairs, default = pairs[:-1], pairs[-1][1]
    return chosen(cond, pairs, default)


def at_most_one(predicates: Sequence[Any]) -> None:
    """Raises InvalidArgumentError if several of the predicates of a `case` hold."""
    if sum(bool(tensor_of(one)) for one in predicates) > 1:
        raise InvalidArgumentError("Input error: exclusive=True: more than 1 conditions evaluated as True.")


def chosen(cond: Callable[..., Any], pairs: Sequence[Any], default: Callable[[], Any]) -> Any:
    """Returns the result of the function in the first pair with a true predicate, by a `cond` for each."""
    if not pairs:
        return default()
    (wanted, function), rest = pairs[0], pairs[1:]
    return cond(wanted, function, lambda: chosen(cond, rest, default))


def numbered(branch_fns: Any, default: Any) -> tuple[dict[Any, Any], Any]:
    """Returns the functions of a `switch_case` by their numbers, and that for all other numbers."""
    table = dict(branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns))
    if any(isinstance(one, tuple) for one in table.values()):
        table = dict(table.values())
    return table, default if default is not None else table[max(table)]


@named("tf.switch_case")
def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: Any = "switch_case") -> Any:
    """Returns the result of the function with this number; for other numbers the last one, or `default`."""
    table, last = numbered(branch_fns, default)
    place = tensor_of(branch_index)
    return chosen(cond, [(place == number, function) for number, function in table.items()], last)


@named("tf.foldl")
def foldl(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns fn(... fn(fn(first, elems[0]), elems[1]) ...): slices along the first axis, in order."""
    return _folded(fn, elems, initializer, 1)


@named("tf.foldr")
def foldr(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns what `foldl` does, from the last slice to the first."""
    return _folded(fn, elems, initializer, -1)


def _folded(fn: Any, elems: Any, initializer: Any, step: int) -> Any:
    given = carried(elems)
    rows = flat(given)
    if any(not tuple(one.shape) for one in rows):
        raise ArgumentError(
            "The elements of a fold have no axis along which to take slices.",
            origin=f"their shapes: {[tuple(one.shape) for one in rows]}",
            remedy="Give a tensor: tf.constant([1, 2, 3]) instead of [1, 2, 3], whose parts are tensors.",
            site=here(),
        )
    counts = sorted({int(one.shape[0]) for one in rows})
    if len(counts) != 1:
        raise ArgumentError(
            f"The elements of a fold have {counts} slices.",
            remedy="Give tensors whose first axes have one length.",
            site=here(),
        )
    slices = [packed(given, iter([one[i] for one in rows])) for i in range(counts[0])][::step]
    start = slices.pop(0) if initializer is None else carried(initializer)

    def turns() -> Any:
        found, bodies = start, Turns()
        for one in slices:
            found = carried(bodies.call(fn, found, one))
        return found

    return looped([given, start], turns)


@named("tf.timestamp", "tf.compat.v1.timestamp")
def timestamp(name: Any = None) -> EagerTensor:
    """Returns the seconds since 1970, as float64."""
    return tensor_of(np.asarray(time.time(), np.float64))


def _as_numpy(value: Any) -> Any:
    if isinstance(value, StringTensor):
        return np.asarray(value)
    return np.asarray(tensor_of(value).numpy()) if isinstance(value, Tensor | Cell) else value


@named("tf.numpy_function")
def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: Any = True, name: Any = None
) -> Any:
    """Returns the result of a function of NumPy arrays: no gradient passes, as its values leave the record.

    In a function that tf.function has made and in a data set, InvalidArgumentError is raised unless the
    results have the dtypes of `Tout`. Elsewhere `Tout` is not looked at, as in TensorFlow, and a list is
    several results. Without the function it is a decorator, and the decorated function is called this way.
    `stateful` does nothing.

    >>> from penstock import tensorflow as tf
    >>> @tf.numpy_function(Tout=tf.float32)
    ... def twice(x):
    ...     return x * 2
    >>> print(twice(tf.constant(3.0)))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """
    if func is None:
        return _decorator(numpy_function, inp, Tout, stateful=stateful, name=name)
    if inside_function() or (in_call() and not inside.depth):
        return checked_numpy_function(func, inp, Tout)
    given = nest.flatten(_called_with_arrays(func, _arrays_of(inp)))
    found = [None if one is None else constant(one) for one in given]
    return found[0] if len(found) == 1 else found


def checked_numpy_function(func: Any, inp: Any, Tout: Any) -> Any:
    """Returns what `numpy_function` does in a graph: of the dtypes of `Tout`, or it raises an error."""
    if inside.trying:
        return _not_called(Tout)
    # A graph hands single numbers as NumPy's scalars, and a single string as bytes.
    found = _called_with_arrays(func, [one if one.ndim else one[()] for one in _arrays_of(inp)])
    given = [] if found is None else list(found) if isinstance(found, list | tuple) else [found]
    several = isinstance(Tout, list | tuple)
    dtypes = [as_dtype(one) for one in (Tout if several else [Tout])]
    _counted(func, len(given), len(dtypes))
    made = [_of_dtype(func, *one) for one in zip(range(len(given)), given, dtypes, strict=True)]
    return made if several else made[0]


def _not_called(Tout: Any) -> Any:
    """Returns results for a function in a branch that is tried out: Python's functions wait for a run."""
    if not isinstance(Tout, list | tuple):
        return constant("" if as_dtype(Tout) == "string" else 0, Tout)
    return [_not_called(one) for one in Tout]


def _arrays_of(inp: Any) -> list[Any]:
    # Python's own numbers are handed as NumPy has them, in float64 and int64.
    return [np.asarray(one) if type(one) in (int, float) else _as_numpy(_handed(one)) for one in inp]


def _called_with_arrays(func: Any, given: list[Any]) -> Any:
    with each_time():
        return func(*given)


def _name_of(func: Any) -> str:
    return str(getattr(func, "__name__", type(func).__name__))


def _counted(func: Any, given: int, wanted: int) -> None:
    if given != wanted:
        raise InvalidArgumentError(
            f"{_name_of(func)} returns {given} values, but expects to see {wanted} values.",
            remedy="Name a dtype in Tout for each value that the function returns.",
            site=here(),
        )


def _of_dtype(func: Any, number: int, value: Any, dtype: Any) -> Any:
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    own = "string" if array.dtype.kind in "SUO" else as_dtype(array.dtype).name
    if own != dtype.name:
        right = "Tout" if own == "string" or dtype == "string" else f"np.{dtype.name}(...)"
        raise InvalidArgumentError(
            f"{number}-th value returned by {_name_of(func)} is {c_name(own)}, but expects "
            f"{c_name(dtype.name)}",
            why="In a graph nothing is converted: Python's numbers are float64 and int64 there.",
            remedy=f"Return {right}, or name tf.{own} in Tout."
            if right != "Tout"
            else f"Name tf.{own} in Tout.",
            site=here(),
        )
    return constant(array, "string") if own == "string" else constant(array)


@named("tf.py_function")
def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:
    """Returns the result of a function of tensors: it is called, and its operations recorded as any others.

    `Tout` names the dtype of the result, or of each; [] stands for no result. Python's numbers become of that
    dtype; InvalidArgumentError is raised for a tensor of another one. Without the function it is a decorator,
    as `numpy_function` is.
    """
    if func is None:
        return _decorator(py_function, inp, Tout, name=name)
    if inside.trying:
        return _not_called(Tout)
    with each_time():
        found = func(*[_handed(one) for one in inp])
    several = isinstance(Tout, list | tuple)
    dtypes = list(Tout) if several else [Tout]
    given = [] if found is None else list(found) if isinstance(found, list | tuple) else [found]
    # TensorFlow leaves out what there is no dtype for.
    given = given[: len(dtypes)]
    _counted(func, len(given), len(dtypes))
    made = [_returned(one, dtype) for one, dtype in zip(given, dtypes, strict=True)]
    return made if several else made[0]


def _decorator(wrap: Any, inp: Any, Tout: Any, **options: Any) -> Any:
    """Returns a decorator: what it decorates is given to `wrap` with the arguments of each call."""
    if inp is not None:
        raise CallableError(
            f"Don't set the `inp` argument when using tf.{wrap.__name__} as a decorator (`func=None`).",
            site=here(),
        )

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def called(*arguments: Any) -> Any:
            return wrap(function, list(arguments), Tout, **options)

        return called

    return decorate


def _handed(value: Any) -> Any:
    """Returns the argument that a Python function gets for a value."""
    return constant(value) if is_text(value) else tensor_of(value)


def _returned(value: Any, dtype: Any) -> Any:
    if dtype is not None and dtype == "string":
        return constant(value, "string")
    try:
        return tensor_of(value, None if dtype is None else numpy_dtype(dtype))
    except (TypeError, ValueError) as error:
        fact = getattr(error, "fact", None) or str(error)
        raise InvalidArgumentError(
            f"{'ValueError' if isinstance(value, Tensor | Cell) else 'TypeError'}: {fact}",
            why="The function returned it, and Tout names another dtype.",
            remedy="Name the dtype in Tout that the function returns, or convert with tf.cast.",
            site=here(),
        ) from error
