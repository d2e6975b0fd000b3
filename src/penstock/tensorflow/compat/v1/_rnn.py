"""Recurrent networks of TensorFlow 1, step by step: every step of a sequence is a part of the graph."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.trace.source_site import here


def _mapped(function: Any, *states: Any) -> Any:
    """Returns states in which a function has made one of the corresponding parts."""
    first = states[0]
    if isinstance(first, tuple | list):
        made = [_mapped(function, *parts) for parts in zip(*states, strict=True)]
        return type(first)(*made) if hasattr(first, "_fields") else tuple(made)
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

    The number of steps has to be known when the graph is built.
    """
    inputs = tf.convert_to_tensor(inputs)
    axis = 0 if time_major else 1
    steps = inputs.shape[axis]
    if steps is None:
        raise ArgumentError(
            f"dynamic_rnn: the number of steps of {inputs} is not known.",
            why="Every step is a part of the graph here.",
            remedy="Give the placeholder its length: tf.placeholder(tf.float32, [None, steps, features]).",
            site=here(),
        )
    rows = tf.unstack(inputs, int(steps), axis)
    outputs, state = static_rnn(cell, rows, initial_state, dtype or inputs.dtype, sequence_length, scope)
    return tf.stack(outputs, axis), state


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


@named("tf.compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None,
    dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns the outputs of two cells side by side, one for each step, and their last states."""
    stacked = tf.stack(inputs, 1)
    (there, back), states = bidirectional_dynamic_rnn(
        cell_fw, cell_bw, stacked, sequence_length, initial_state_fw, initial_state_bw, dtype, scope=scope
    )
    return tf.unstack(tf.concat([there, back], 2), len(inputs), 1), *states
