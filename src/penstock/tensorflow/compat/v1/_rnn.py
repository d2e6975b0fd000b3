"""Recurrent networks of TensorFlow 1: each step is a part of the graph, or a turn of a loop in it."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow import nest
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._tensor_array import TensorArray
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.tensorflow.compat.v1.rnn_cell import _does_the_same_in_each_step
from penstock.trace.source_site import here


def _mapped(function: Any, *states: Any) -> Any:
    """Returns states, each part of which a function has made of the corresponding parts."""
    first = states[0]
    if isinstance(first, tuple | list) and not isinstance(first, TensorShape):
        made = [_mapped(function, *parts) for parts in zip(*states, strict=True)]
        return type(first)(*made) if hasattr(first, "_fields") else type(first)(made)
    return function(*states)


@named("tf.compat.v1.nn.static_rnn")
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:  # fmt: skip
    """Returns the outputs of a cell for inputs one after another, and the last state.

    Past the `sequence_length` of an example its outputs are zero, and its state stays.
    """
    if not inputs:
        raise ArgumentError("inputs must not be empty", site=here())
    if initial_state is None and dtype is None:
        raise ArgumentError("If no initial_state is provided, dtype must be specified", site=here())
    outputs = []
    with tf.variable_scope(scope or "rnn"):
        first = tf.convert_to_tensor(inputs[0])
        count = first.shape[0]
        batch = tf.shape(first)[0] if count is None else int(count)
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        lengths = None if sequence_length is None else tf.cast(sequence_length, tf.int32)
        for time, one in enumerate(inputs):
            output, new = cell(one, state)
            if lengths is not None:
                on = tf.cast(tf.expand_dims(lengths > time, 1), output.dtype)
                output = output * on
                new = _mapped(lambda fresh, old, on=on: fresh * on + old * (1.0 - on), new, state)
            outputs.append(output)
            state = new
    return outputs, state


@named("tf.compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the outputs of a cell along the time axis, the second one, and the last state.

    While a graph is built, the cell is called once, and the graph has a loop. Programs without a graph call
    it at each step, except for TensorFlow's own cells.
    """
    inputs = tf.convert_to_tensor(inputs)
    axis = 0 if time_major else 1
    steps, dtype = inputs.shape[axis], dtype or inputs.dtype
    if mode.building() is None and not _does_the_same_in_each_step(cell):
        return _unrolled(cell, inputs, sequence_length, initial_state, dtype, axis, scope)
    looped = _looped if steps is None else _scanned
    return looped(cell, inputs, sequence_length, initial_state, dtype, axis, scope)


def _unrolled(
    cell: Any, inputs: Any, sequence_length: Any, initial_state: Any, dtype: Any, axis: int, scope: Any
) -> tuple[Any, Any]:
    """Returns the results of `dynamic_rnn` by a call of the cell for each step."""
    rows = tf.unstack(inputs, int(inputs.shape[axis]), axis)
    outputs, state = static_rnn(cell, rows, initial_state, dtype, sequence_length, scope)
    return tf.stack(outputs, axis), state


def _has_arrays(state: Any) -> bool:
    return any(isinstance(one, TensorArray) for one in nest.flatten(state))


def _scanned(
    cell: Any, inputs: Any, sequence_length: Any, initial_state: Any, dtype: Any, axis: int, scope: Any
) -> tuple[Any, Any]:
    """Returns the results of `dynamic_rnn` for a known number of steps."""
    with tf.variable_scope(scope or "rnn") as own:
        turned = inputs if axis == 0 else _exchanged(inputs)
        if sequence_length is not None:
            lengths = tf.cast(sequence_length, tf.int32)
            if turned.shape[1] is None and lengths.shape[0] is not None:
                turned = tf.ensure_shape(turned, [turned.shape[0], lengths.shape[0], *turned.shape[2:]])
        batch = tf.shape(turned)[1] if turned.shape[1] is None else int(turned.shape[1])
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        if _has_arrays(state):
            # What a turn has written is not stacked.
            return _looped(cell, inputs, sequence_length, state, dtype, axis, own)
        given = turned if sequence_length is None else (turned, tf.range(int(turned.shape[0])))

        def turn(before: Any, row: Any) -> Any:
            if sequence_length is None:
                return cell(row, before[1])
            row, time = row
            output, new = cell(row, before[1])
            return _until(time, lengths, output, new, before[1])

        start = _mapped(lambda size: _zeros(batch, _lengths(size), dtype), cell.output_size), state
        outputs, states = tf.scan(turn, given, start)
        last = nest.pack_sequence_as(state, [one[-1] for one in nest.flatten(states)])
    return outputs if axis == 0 else _mapped(_exchanged, outputs), last


def _until(time: Any, lengths: Any, output: Any, new: Any, old: Any) -> tuple[Any, Any]:
    """Returns the output and the state of a step: 0, and the state before it, for examples that are over.

    A number without axes belongs to no example: it changes until the longest is over, in the first step too.
    """
    past = time >= lengths

    def kept(fresh: Any, before: Any) -> Any:
        if isinstance(fresh, TensorArray):
            return fresh
        if fresh.shape.rank == 0:
            return tf.where(time >= tf.maximum(tf.reduce_max(lengths), 1), before, fresh)
        return tf.where(past, before, fresh)

    output = _mapped(lambda one: kept(one, tf.zeros_like(one)), output)
    return output, _mapped(kept, new, old)


def _looped(
    cell: Any, inputs: Any, sequence_length: Any, initial_state: Any, dtype: Any, axis: int, scope: Any
) -> tuple[Any, Any]:
    """Returns what `dynamic_rnn` does for an unknown number of steps."""
    with tf.variable_scope(scope or "rnn"):
        turned = inputs if axis == 0 else _exchanged(inputs)
        count, batch = tf.shape(turned)[0], turned.shape[1]
        batch = tf.shape(turned)[1] if batch is None else int(batch)
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        lengths = None if sequence_length is None else tf.cast(sequence_length, tf.int32)
        rows = TensorArray(turned.dtype, count).unstack(turned)
        ends = _mapped(lambda _: TensorArray(dtype, count), cell.output_size)

        def turn(time: Any, arrays: Any, state: Any) -> Any:
            output, new = cell(rows.read(time), state)
            if lengths is not None:
                output, new = _until(time, lengths, output, new, state)
            return time + 1, _mapped(lambda array, one: array.write(time, one), arrays, output), new

        start = [tf.constant(0), ends, state]
        _, arrays, state = tf.while_loop(lambda time, *_: time < count, turn, start)
        outputs = _mapped(lambda array: array.stack(), arrays)
    return outputs if axis == 0 else _mapped(_exchanged, outputs), state


def _exchanged(one: Any) -> Any:
    """Returns a tensor with its first two axes exchanged."""
    return tf.transpose(one, [1, 0, *range(2, one.shape.rank)])


@named("tf.compat.v1.nn.raw_rnn")
def raw_rnn(
    cell: Any, loop_fn: Any, parallel_iterations: Any = None, swap_memory: bool = False, scope: Any = None
) -> tuple[Any, Any, Any]:
    """Calls a cell in a loop in which `loop_fn(time, output, state, loop_state)` chooses what comes next.

    It returns (finished, next input, next state, emitted output, next loop state); at time 0 it is given None
    for the output and the states, and the output that it returns says what is emitted, None that the cell's
    outputs are. The loop ends when all examples are finished; from then on an example emits zeros and keeps
    its state. Returns a TensorArray of what was emitted, the last state and the last loop state.
    """
    _require_cell(cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with tf.variable_scope(scope or "rnn"):
        time = tf.constant(0)
        finished, following, state, emitted, own = loop_fn(time, None, None, None)
        first = _first(following)
        batch = first.shape[0]
        count = tf.shape(first)[0] if batch is None else int(batch)
        _require_alike(state, cell.state_size)
        state = _mapped(tf.convert_to_tensor, state)
        if emitted is None:
            dtype = _first(state).dtype
            empty = _mapped(lambda size: _zeros(count, _lengths(size), dtype), cell.output_size)
        else:
            empty = _mapped(lambda one: _zeros(count, _emitted_shape(one), one.dtype), emitted)
        ends = _mapped(
            lambda one: TensorArray(one.dtype, 0, True, element_shape=[batch, *list(one.shape)[1:]]), empty
        )
        memory = tf.constant(0) if own is None else own

        def turn(time: Any, finished: Any, current: Any, arrays: Any, state: Any, memory: Any) -> Any:
            output, new = cell(current, state)
            _require_alike(state, new)
            asked, following, chosen, given, more = loop_fn(time + 1, output, new, memory)
            _require_alike(state, chosen)
            _require_alike(current, following)

            def through(old: Any, fresh: Any) -> Any:
                if isinstance(old, TensorArray) or old.shape.rank == 0:
                    return fresh
                return tf.where(finished, old, fresh)

            given = _mapped(through, empty, given)
            arrays = _mapped(lambda array, one: array.write(time, one), arrays, given)
            return (
                time + 1, tf.logical_or(finished, asked), following, arrays, _mapped(through, state, chosen),
                memory if more is None else more,
            )  # fmt: skip

        start = [time, finished, following, ends, state, memory]
        found = tf.while_loop(lambda _, done, *rest: tf.logical_not(tf.reduce_all(done)), turn, start)
    return found[3], found[4], None if own is None else found[5]


def _require_cell(cell: Any) -> None:
    missing = [
        one for one in ("output_size", "state_size", "zero_state") if getattr(type(cell), one, None) is None
    ]
    if "zero_state" in missing and hasattr(cell, "get_initial_state"):
        missing.remove("zero_state")
    if missing or not callable(cell):
        raise TypeError(
            f"The argument 'cell' ({cell}) is not an RNNCell: "
            + ", ".join([*(f"'{one}' property is missing" for one in missing)] or ["is not callable"])
        )


def _require_alike(one: Any, other: Any) -> None:
    nest.assert_same_structure(one, other)


def _first(structure: Any) -> Any:
    return nest.flatten(structure)[0]


def _lengths(size: Any) -> list[Any]:
    return list(size) if hasattr(size, "__iter__") else [size]


def _emitted_shape(one: Any) -> Any:
    return list(one.shape) if one.shape.is_fully_defined() else tf.shape(one)


def _zeros(count: Any, lengths: Any, dtype: Any) -> Any:
    if isinstance(lengths, list):
        return tf.zeros(tf.stack([count, *lengths]) if hasattr(count, "graph") else [count, *lengths], dtype)
    return tf.zeros(tf.concat([[count], lengths], 0), dtype)


@named("tf.compat.v1.nn.static_state_saving_rnn")
def static_state_saving_rnn(
    cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """Returns what `static_rnn` does; the first state comes from `state_saver.state(name)`.

    The last one is given to `state_saver.save_state(name, state)`, before it or the last output is read.
    """
    nested, several = (isinstance(one, tuple | list) for one in (cell.state_size, state_name))
    if nested != several:
        raise ArgumentError(
            "Argument `state_name` should be the same type as `cell.state_size`. Received: "
            f"state_name={state_name}, cell.state_size={cell.state_size}.",
            remedy="Give one name for each part of the state, in a tuple, or one string for a single state.",
            site=here(),
        )
    names, sizes = nest.flatten(state_name), nest.flatten(cell.state_size)
    if len(names) != len(sizes):
        raise ArgumentError(
            "Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received "
            f"state_name={state_name} with {len(names)} elements and cell.state_size={cell.state_size} with "
            f"{len(sizes)} elements.",
            remedy="Give one name for each part of the state.",
            site=here(),
        )
    start = nest.pack_sequence_as(cell.state_size, [state_saver.state(one) for one in names])
    outputs, state = static_rnn(cell, inputs, start, None, sequence_length, scope)
    saved = [state_saver.save_state(name, one) for name, one in zip(names, nest.flatten(state), strict=True)]
    with tf.control_dependencies(saved):
        outputs[-1] = _mapped(tf.identity, outputs[-1])
        state = _mapped(tf.identity, state)
    return outputs, state


def _reversed(inputs: Any, lengths: Any, time_axis: int) -> Any:
    if lengths is None:
        return tf.reverse(inputs, [time_axis])
    return tf.reverse_sequence(inputs, lengths, seq_axis=time_axis, batch_axis=1 - time_axis)


@named("tf.compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None,
    swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the outputs of two cells along the time axis and against it, and their last states."""
    axis = 0 if time_major else 1
    with tf.variable_scope(scope or "bidirectional_rnn"):
        there, state = dynamic_rnn(
            cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major, scope="fw"
        )
        turned = _reversed(inputs, sequence_length, axis)
        back, last = dynamic_rnn(
            cell_bw, turned, sequence_length, initial_state_bw, dtype, time_major=time_major, scope="bw"
        )
    return (there, _reversed(back, sequence_length, axis)), (state, last)


def _static(
    cell: Any, inputs: Any, sequence_length: Any, initial_state: Any, dtype: Any, scope: Any
) -> tuple[Any, Any]:
    """Returns what `dynamic_rnn` does for inputs whose steps TensorFlow makes parts of the graph."""
    call = _scanned if _does_the_same_in_each_step(cell) else _unrolled
    return call(cell, inputs, sequence_length, initial_state, dtype or inputs.dtype, 1, scope)


@named("tf.compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None,
    dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns the outputs of two cells side by side, one for each step, and their last states."""
    stacked = tf.stack(inputs, 1)
    with tf.variable_scope(scope or "bidirectional_rnn"):
        there, state = _static(cell_fw, stacked, sequence_length, initial_state_fw, dtype, "fw")
        turned = _reversed(stacked, sequence_length, 1)
        back, last = _static(cell_bw, turned, sequence_length, initial_state_bw, dtype, "bw")
        back = _reversed(back, sequence_length, 1)
    return tf.unstack(tf.concat([there, back], 2), len(inputs), 1), state, last
