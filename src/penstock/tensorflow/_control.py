"""tf.cond, tf.while_loop, tf.map_fn, tf.scan and tf.vectorized_map.

If possible, each is recorded as one event with a program inside. TensorFlow, running eagerly, calls the
functions directly; Penstock does the same if they read values, write variables, return what a program
cannot, carry strings, or draw numbers that a seed decides. Of the last, each function is a graph of its own
in a function that `tf.function` has made, and its draws without a seed are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.functions.arity import require_arity
from penstock.functions.control import cond as native_cond
from penstock.functions.control import repeated, scanned
from penstock.grad.custom import recording
from penstock.tensorflow._arrays import concat, expand_dims, stack
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, CallableError
from penstock.tensorflow._modes import computes_at_once, inside
from penstock.tensorflow._seeds import Drawn, Turns, in_call, without_draws
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor_array import TensorArray
from penstock.trace.builder import Builder
from penstock.trace.local import local
from penstock.trace.source_site import here, user_frame
from penstock.trace.structure import flat, mapped, outline, packed

by_hand: set[Any] = set()
"""Functions, by their code, that were found not to be programs."""
_drawing: set[Any] = set()
"""Functions, by their code, that draw numbers which a seed decides: each turn of a loop has its own."""


def _codes(*functions: Any) -> tuple[Any, ...]:
    return tuple([getattr(one, "__code__", one) for one in functions])


def _may_look() -> bool:
    """Returns whether there are values to decide by."""
    trace = local.trace
    return not isinstance(trace, Builder) and not trace.capturing


def _either(codes: tuple[Any, ...], as_program: Callable[[], Any], as_calls: Callable[[], Any]) -> Any:
    """Returns the result of the program, or, if the functions cannot be recorded, that of calling them."""
    if not _may_look():
        return as_calls() if inside.trying else as_program()
    if codes not in by_hand and codes not in _drawing:
        # A program that cannot be recorded must have changed nothing.
        inside.programs += 1
        try:
            with without_draws():
                return as_program()
        except Drawn:
            _drawing.add(codes)
        except Exception as error:
            # A mistake of the user's raises its error again if the calls that TensorFlow makes reach it.
            if isinstance(error, PenstockError):
                by_hand.add(codes)
        finally:
            inside.programs -= 1
    return as_calls()


def _decided_by_lengths(pred: Any) -> bool:
    """Returns whether only shapes are being worked out, and `pred` follows from them."""
    if _may_look():
        return False
    from penstock.functions.scratch import Scratch, folded

    trace = local.trace
    if not isinstance(trace, Scratch):
        return False
    tensor = tensor_of(pred)
    return tensor._value is not None or (tensor._trace is trace and folded(trace, tensor._slot) is not None)


def looped(given: Any, run: Callable[[], Any]) -> Any:
    """Returns what a loop gives, which begins with `given`: in a function, all of it is one operation."""
    return inside.other_sides().looped(run, given) if inside.depth else run()


def _tensors(structure: Any) -> Any:
    return mapped(structure, _tensor_or_array)


def _tensor_or_array(one: Any) -> Any:
    return one if isinstance(one, TensorArray) else tensor_of(one)


def carried(structure: Any) -> Any:
    """Returns what a loop that Python runs passes on: tensors, arrays of them, and strings."""
    return mapped(structure, _carried)


def _carried(one: Any) -> Any:
    return strings(one) if is_text(one) else _tensor_or_array(one)


def _has_strings(structure: Any) -> bool:
    return any(isinstance(one, StringTensor) for one in flat(structure))


def _together(parts: Any, join: Callable[..., Any], place: Callable[..., Any]) -> Any:
    """Returns tensors put together by `join`, or strings by what NumPy has for it."""
    if _has_strings(list(parts)):
        return StringTensor(place([np.asarray(one) for one in parts]))
    return join(parts, 0)


@named("tf.cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    """Returns `true_fn()` where `pred` is true, and `false_fn()` where it is not.

    Both functions are recorded, and the program computes one of them. If they write variables, read values or
    return different kinds of results, `pred` is read and only the chosen function is called; likewise under
    a tape outside of functions of TensorFlow, as a gradient would show the difference.

    >>> from penstock import tensorflow as tf
    >>> x = tf.constant(3.0)
    >>> print(tf.cond(x > 2.0, lambda: x * 10.0, lambda: -x).numpy())
    30.0
    """
    for word, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise CallableError(f"'{word}' must be callable.", site=here())
    if isinstance(pred, bool | np.bool_):
        return true_fn() if pred else false_fn()
    for word, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        require_arity(
            "cond", word, function, 0, "Take no parameters; values from outside can be read inside."
        )

    def as_calls() -> Any:
        then, otherwise = Turns(), Turns()
        chosen = bool(tensor_of(pred))
        found = then.call(true_fn) if chosen else otherwise.call(false_fn)
        if inside.depth:
            inside.other_sides().called(found, (true_fn, false_fn), 0 if chosen else 1)
        return found

    if _decided_by_lengths(pred):
        # A length that the other function refuses says nothing then.
        return as_calls()
    if _may_look() and recording(local.trace) and computes_at_once(in_call()):
        # What only the other function reads has no gradient then; in a function of TensorFlow, it has zeros.
        return as_calls()

    def as_program() -> Any:
        found = native_cond(tensor_of(pred), lambda: _tensors(true_fn()), lambda: _tensors(false_fn()))
        if inside.depth:
            inside.other_sides().joined(found)
        return found

    return _either(_codes(true_fn, false_fn), as_program, as_calls)


@named("tf.while_loop")
def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: Any = 10,
    back_prop: Any = True,
    swap_memory: Any = False,
    maximum_iterations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the last of `loop_vars = body(*loop_vars)`, repeated while `cond(*loop_vars)`.

    The loop is part of the program. With `maximum_iterations`, a gradient passes through it. Without, Python
    runs a loop under a tape, so that a gradient passes as in TensorFlow, and likewise a loop that writes
    variables, reads values, changes shapes or carries a `tf.TensorArray`.

    >>> from penstock import tensorflow as tf
    >>> start = (tf.constant(0), tf.constant(1.0))
    >>> turns, power = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 3.0), start)
    >>> print(power.numpy())
    81.0
    """
    for word, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise CallableError(f"'{word}' must be callable.", site=here())
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ArgumentError("'loop_vars' must be provided.", site=here(), remedy="Give a list or tuple.")
    for word, function in (("cond", cond), ("body", body)):
        remedy = "Take one parameter for each of the loop_vars: def body(i, x): return i + 1, x."
        require_arity("while_loop", word, function, len(loop_vars), remedy)
    most = None if maximum_iterations is None else int(np.asarray(maximum_iterations))
    frame = user_frame(0)
    given = list(loop_vars)

    def as_calls() -> Any:
        return looped(given, lambda: _turned(cond, body, loop_vars, most))

    if (most is None or most <= 0) and _may_look() and recording(local.trace):
        return as_calls()
    if any(isinstance(one, TensorArray) or is_text(one) for one in flat(given)):
        return as_calls()
    kind: list[Any] = []

    def turn(values: Any) -> Any:
        found = body(*values)
        kind[:] = [found]
        return _tensors(tuple(found) if isinstance(found, list | tuple) else (found,))

    def as_program() -> Any:
        start = _tensors(tuple(loop_vars))
        made = repeated("while_loop", lambda values: cond(*values), turn, start, most, frame)
        if isinstance(kind[0], list | tuple):
            return list(made) if isinstance(kind[0], list) else made
        return made[0]

    return _either(_codes(cond, body), lambda: looped(given, as_program), as_calls)


def _turned(cond: Any, body: Any, loop_vars: Any, most: int | None) -> Any:
    """Turns a loop as TensorFlow does eagerly: the condition is looked at, the body called."""
    bare = False
    values = tuple(loop_vars)
    found: Any = loop_vars
    turns = 0
    conditions, bodies = Turns(), Turns()
    while (most is None or turns < most) and bool(tensor_of(conditions.call(cond, *values))):
        found = bodies.call(body, *values)
        bare = not isinstance(found, list | tuple)
        values = (found,) if bare else tuple(found)
        if outline(list(values)) != outline(list(loop_vars)):
            raise ArgumentError(
                "The two structures don't have the same nested structure.",
                origin=f"loop_vars: {outline(list(loop_vars))}\nthe body's result: {outline(list(values))}",
                remedy="Return as many tensors from the body as there are loop_vars.",
                site=here(),
            )
        turns += 1
    if not turns and inside.depth:
        # TensorFlow has traced the body, too.
        inside.other_sides().called(list(values), (lambda: list(values), lambda: body(*values)), 0)
    return carried(found)


_TEXTS = ("object", "string")
"""Names of the dtypes that strings have, as arrays and as tensors."""


@named("tf.map_fn")
def map_fn(
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: Any = True,
    swap_memory: Any = False,
    infer_shape: Any = True,
    name: Any = None,
    fn_output_signature: Any = None,
) -> Any:
    """Calls `fn` on each slice of `elems` along the first axis, one after another, and stacks the results.

    The result of `fn` has the structure and dtypes of `elems`, unless `fn_output_signature` says otherwise.

    >>> from penstock import tensorflow as tf
    >>> print(tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy())
    [1. 4. 9.]
    """
    if not callable(fn):
        raise CallableError(f"The provided function {fn!r} is not callable.", site=here())
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    if any(getattr(getattr(one, "dtype", one), "name", "") in _TEXTS for one in flat((wanted, elems))):
        from penstock.tensorflow._ragged import mapping

        return mapping.map_fn(None, fn, elems, wanted)
    given = _tensors(elems)
    expected = mapped(given, lambda one: one._spec.dtype) if wanted is None else mapped(wanted, _dtype_of)
    frame = user_frame(0)

    def checked(found: Any) -> Any:
        made = _tensors(found)
        if outline(made) != outline(expected):
            raise ArgumentError(
                "The two structures don't have the same nested structure.",
                origin=f"expected: {outline(expected)}\nthe function returned: {outline(made)}",
                remedy="Declare what the function returns: fn_output_signature=tf.float32, or a tuple of "
                "dtypes.",
                site=here(),
            )
        for one, own in zip(flat(made), flat(expected), strict=True):
            if one._spec.dtype != own:
                raise ArgumentError(
                    f"TensorArray dtype is {own.name} but Op is trying to write dtype {one._spec.dtype.name}",
                    why="The function of map_fn must return the dtypes of elems, unless fn_output_signature "
                    "says otherwise.",
                    remedy=f"Give fn_output_signature=tf.{one._spec.dtype.name}.",
                    site=here(),
                )
        return made

    def as_program() -> Any:
        return scanned("map_fn", lambda carry, x: ((), checked(fn(x))), (), given, None, False, frame)[1]

    def as_calls() -> Any:
        leaves, bodies = flat(given), Turns()
        slices = (packed(given, iter([one[i] for one in leaves])) for i in range(_length(leaves)))
        turns = [checked(bodies.call(fn, one)) for one in slices]
        return packed(turns[0], iter([stack(parts) for parts in zip(*map(flat, turns), strict=True)]))

    return looped(given, lambda: _either(_codes(fn), as_program, as_calls))


def _dtype_of(signature: Any) -> np.dtype[Any]:
    return numpy_dtype(getattr(signature, "dtype", signature))


def _length(leaves: list[Any]) -> int:
    return int(leaves[0].shape[0])


@named("tf.scan")
def scan(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = 10,
    back_prop: Any = True,
    swap_memory: Any = False,
    infer_shape: Any = True,
    reverse: bool = False,
    name: Any = None,
) -> Any:
    """Returns every value of `a = fn(a, x)` over the slices x of `elems`, stacked.

    `a` starts as the `initializer`, or else as the first slice. With `reverse`, the loop starts from the last
    slice, and each value is stored at the position of its slice.

    >>> from penstock import tensorflow as tf
    >>> print(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3, 4])).numpy())
    [ 1  3  6 10]
    """
    if not callable(fn):
        raise CallableError(f"The provided function {fn!r} is not callable.", site=here())
    given = carried(elems)
    frame = user_frame(0)
    first: Any = None
    start = carried(initializer)
    if initializer is None:
        place = -1 if reverse else 0
        start = first = mapped(given, lambda one: one[place])
        given = mapped(given, lambda one: one[:-1] if reverse else one[1:])

    def with_first(made: Any) -> Any:
        if first is None:
            return made
        leaves = zip(flat(made), flat(first), strict=True)
        return packed(made, iter([_joined(rest, one, reverse) for rest, one in leaves]))

    def as_program() -> Any:
        def turn(carry: Any, x: Any) -> Any:
            after = _tensors(fn(carry, x))
            return after, after

        return with_first(scanned("scan", turn, start, given, None, reverse, frame)[1])

    def as_calls() -> Any:
        leaves, carry, turns, bodies = flat(given), start, [], Turns()
        count = _length(leaves)
        for i in reversed(range(count)) if reverse else range(count):
            carry = carried(bodies.call(fn, carry, packed(given, iter([one[i] for one in leaves]))))
            turns.append(carry)
        if reverse:
            turns.reverse()
        return with_first(
            packed(
                carry,
                iter([_together(parts, stack, np.stack) for parts in zip(*map(flat, turns), strict=True)]),
            )
        )

    if _has_strings((given, start)):
        return as_calls()
    return looped([given, start], lambda: _either(_codes(fn), as_program, as_calls))


def _joined(rest: Any, one: Any, reverse: bool) -> Any:
    alone = one[None] if isinstance(one, StringTensor) else expand_dims(one, 0)
    return _together([rest, alone] if reverse else [alone, rest], concat, np.concatenate)


@named("tf.vectorized_map")
def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: Any = True, warn: Any = True) -> Any:
    """Calls `fn` on all slices of `elems` along the first axis together.

    >>> from penstock import tensorflow as tf
    >>> print(tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.ones((3, 2))).numpy())
    [2. 2. 2.]
    """
    # With it come the batching rules of all primitives.
    from penstock.functions.vmap import vmap

    found = vmap(lambda given: _tensors(fn(given)))(_tensors(elems))
    if not inside.depth and local.trace.taping:
        # TensorFlow makes a function of it, whose results belong together.
        inside.other_sides().joined_results(found)
    return found
