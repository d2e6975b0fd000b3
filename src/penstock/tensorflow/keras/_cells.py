"""Recurrent cells, and the layer that goes over a sequence with one."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import penstock as ps
from penstock.declared import named
from penstock.errors import PenstockError
from penstock.functions.control import scanned
from penstock.functions.scratch import Scratch, shape_is_all
from penstock.layers.calls import calls, inside
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._seeds import Turns
from penstock.tensorflow.keras import activations, constraints, initializers, random, regularizers
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._seed_generator import SeedGenerator
from penstock.trace.local import local
from penstock.trace.source_site import here, user_frame


class _Cell(Layer):
    """One step of a recurrent layer: `call(inputs, states)` returns the output and the next states."""

    _gates = 1

    def __init__(
        self, units: int, activation: Any = "tanh", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None, recurrent_constraint: Any = None,
        bias_constraint: Any = None, dropout: float = 0.0, recurrent_dropout: float = 0.0, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(**options)
        if units <= 0:
            raise ArgumentError(
                f"Received an invalid value for argument `units`, expected a positive integer, got {units}.",
                site=here(),
            )
        self.seed = seed
        if self._seed_comes_first:
            self._stream = SeedGenerator(seed)
        self.units, self.use_bias, self.activation = units, use_bias, activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.dropout, self.recurrent_dropout = float(dropout), float(recurrent_dropout)
        self.output_size = units
        if not self._seed_comes_first:
            self._stream = SeedGenerator(seed)
        self.forget_masks()

    _masks: list[Any] | None = None
    _draws = 0
    """How many masks an input has; 0 for one, or one for each gate where the state is dropped too."""
    _seed_comes_first = False
    """Whether Keras makes the generator of seeds before the initializers."""

    @property
    def state_size(self) -> Any:
        """The length of the state, or the lengths of the states."""
        return self.units

    def _build_from(self, shape: Any) -> None:
        # A call would need states too.
        self._scope()
        self.build(tuple(shape))
        self.built = True

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        width = self._gates * self.units
        self.kernel = self.add_weight(
            (input_shape[-1], width), self.kernel_initializer, name="kernel",
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            (self.units, width), self.recurrent_initializer, name="recurrent_kernel",
            regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                self._bias_shape(width), self._first_bias, name="bias", regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def _bias_shape(self, width: int) -> Any:
        return (width,)

    @property
    def _first_bias(self) -> Any:
        return self.bias_initializer

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros for the states."""
        sizes = self.state_size if isinstance(self.state_size, list | tuple) else [self.state_size]
        return [_arrays.zeros([batch_size, size], self.compute_dtype) for size in sizes]

    def draw_masks(self, x: Any, state: Any) -> None:
        """Draws the dropout masks of a sequence's steps, of the input and of the state, as Keras does."""
        masks: list[Any] = []
        for rate, one in ((self.dropout, x), (self.recurrent_dropout, state)):
            count = self._draws or (self._gates if self.recurrent_dropout else 1)
            ones = _arrays.ones_like(one) if rate else None
            drawn = [random.dropout(ones, rate, seed=self._stream) for _ in range(count)] if rate else None
            masks.append(drawn)
        object.__setattr__(self, "_masks", masks)

    def forget_masks(self) -> None:
        """Has the next sequence drop other elements."""
        object.__setattr__(self, "_masks", None)

    def _dropped(self, x: Any, state: Any, training: Any) -> tuple[list[Any], list[Any]]:
        """Returns the input and the state as each gate reads them."""
        if self._masks is None and (self.dropout or self.recurrent_dropout):
            self.draw_masks(x, state)
        masks = self._masks if training and self._masks is not None else [None, None]
        if isinstance(local.trace, Scratch):
            # Where only shapes are worked out, nothing is kept for the next step.
            self.forget_masks()
        given = []
        for one, mask in zip((x, state), masks, strict=True):
            parts = [one] if mask is None else [one * each for each in mask]
            given.append(parts * (self._gates // len(parts)))
        return given[0], given[1]

    def _linear(self, parts: list[Any], kernel: Any) -> Any:
        """Returns the product with the kernel, of whose columns each gate has its own."""
        if all(one is parts[0] for one in parts):
            return ps.matmul(parts[0], kernel)
        columns = _arrays.split(kernel, len(parts), axis=1)
        return _arrays.concat([ps.matmul(x, own) for x, own in zip(parts, columns, strict=True)], axis=-1)


@named("tf.keras.layers.SimpleRNNCell")
class SimpleRNNCell(_Cell):
    """output = state = activation(inputs @ kernel + state @ recurrent_kernel + bias)."""

    _seed_comes_first = True

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """Computes a step."""
        state = states[0] if isinstance(states, list | tuple) else states
        x, kept = self._dropped(sequence, state, training)
        made = self._linear(x, self.kernel)
        made = made + self.bias if self.use_bias else made
        made = made + self._linear(kept, self.recurrent_kernel)
        output = self.activation(made)
        return output, [output] if isinstance(states, list | tuple) else output


@named("tf.keras.layers.LSTMCell")
class LSTMCell(_Cell):
    """A step of a long short-term memory: the four parts are input, forget, candidate and output.

    >>> from penstock import tensorflow as tf
    >>> output, states = tf.keras.layers.LSTMCell(2)(tf.ones((1, 3)), [tf.zeros((1, 2)), tf.zeros((1, 2))])
    >>> output.shape, len(states)
    (TensorShape([1, 2]), 2)
    """

    _gates = 4

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid",
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            **options,
        )
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self) -> Any:
        """The lengths of the output and of the memory."""
        return [self.units, self.units]

    @property
    def _first_bias(self) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer
        own, units = self.bias_initializer, self.units

        def first(_shape: Any, dtype: Any = None) -> Any:
            parts = [
                own((units,), dtype=dtype),
                _arrays.ones((units,), dtype),
                own((2 * units,), dtype=dtype),
            ]
            return _arrays.concat(parts, 0)

        return first

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Computes a step."""
        h, c = states
        x, kept = self._dropped(inputs, h, training)
        made = self._linear(x, self.kernel) + self._linear(kept, self.recurrent_kernel)
        made = made + self.bias if self.use_bias else made
        i, f, g, o = _arrays.split(made, 4, axis=1)
        inside = self.recurrent_activation
        c = inside(f) * c + inside(i) * self.activation(g)
        h = inside(o) * self.activation(c)
        return h, [h, c]


@named("tf.keras.layers.GRUCell")
class GRUCell(_Cell):
    """A step of a gated recurrent unit: update, reset and candidate.

    With `reset_after`, the reset gate comes after the matrix, and there are two biases.
    """

    _gates = 3

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid",
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
        reset_after: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            **options,
        )
        self.recurrent_activation = activations.get(recurrent_activation)
        self.reset_after = reset_after

    def _bias_shape(self, width: int) -> Any:
        return (2, width) if self.reset_after else (width,)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Computes a step."""
        h = states[0] if isinstance(states, list | tuple) else states
        own, other = (self.bias[0], self.bias[1]) if self.use_bias and self.reset_after else (
            (self.bias, None) if self.use_bias else (None, None))  # fmt: skip
        dropped, kept = self._dropped(inputs, h, training)
        x = self._linear(dropped, self.kernel)
        x = x if own is None else x + own
        x_z, x_r, x_h = _arrays.split(x, 3, axis=-1)
        inside, units = self.recurrent_activation, self.units
        if self.reset_after:
            inner = self._linear(kept, self.recurrent_kernel)
            inner = inner if other is None else inner + other
            h_z, h_r, h_h = _arrays.split(inner, 3, axis=-1)
            z, r = inside(x_z + h_z), inside(x_r + h_r)
            new = self.activation(x_h + r * h_h)
        else:
            gates = self._linear(kept[:2], self.recurrent_kernel[:, : 2 * units])
            h_z, h_r = _arrays.split(gates, 2, axis=-1)
            z, r = inside(x_z + h_z), inside(x_r + h_r)
            new = self.activation(x_h + ps.matmul(r * kept[2], self.recurrent_kernel[:, 2 * units :]))
        h = z * h + (1 - z) * new
        return h, [h] if isinstance(states, list | tuple) else h


@named("tf.keras.layers.StackedRNNCells")
class StackedRNNCells(Layer):
    """Cells above one another, as one cell."""

    def __init__(self, cells: Any, **options: Any) -> None:
        super().__init__(**options)
        self.cells = list(cells)

    def _build_from(self, shape: Any) -> None:
        # A call would need states too; a file has the shapes of the cells.
        self._scope()
        self.built = True

    @property
    def state_size(self) -> Any:
        """The lengths of the states of the cells."""
        return [one.state_size for one in self.cells]

    @property
    def output_size(self) -> Any:
        """The length of the output of the last cell."""
        return getattr(self.cells[-1], "output_size", None) or self.cells[-1].state_size

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros for the states."""
        return [self._initial(one, batch_size) for one in self.cells]

    def _initial(self, cell: Any, batch_size: Any) -> Any:
        made = getattr(cell, "get_initial_state", None)
        if made is not None:
            return made(batch_size=batch_size)
        if isinstance(cell.state_size, int):
            return _zeros(batch_size, cell.state_size, self.compute_dtype)
        return [_zeros(batch_size, size, self.compute_dtype) for size in cell.state_size]

    def build(self, input_shape: Any) -> None:
        """Builds the cells, each for the output of the one before."""
        shape = tuple(input_shape)
        with _inside(self):
            for cell in self.cells:
                _build_cell(cell, shape)
                width = getattr(cell, "output_size", None) or cell.state_size
                first = width[0] if isinstance(width, list | tuple) else width
                shape = (shape[0], *(first if isinstance(first, list | tuple) else [first]))

    def call(self, inputs: Any, states: Any, training: Any = False, **options: Any) -> Any:
        """Computes a step."""
        found = []
        for cell, own in zip(self.cells, states, strict=True):
            several = isinstance(own, list | tuple)
            inputs, new = _step(cell, inputs, list(own) if several else [own], training, options)
            one = not several and isinstance(new, list | tuple) and len(new) == 1
            found.append(new[0] if one else new)
        return inputs, found


def _inside(layer: Layer) -> contextlib.AbstractContextManager[None]:
    """Gives the layers inside the path of a layer whose `build` the program calls itself."""
    return contextlib.nullcontext() if layer in calls.layers else inside(layer, None)


def _build_cell(cell: Any, shape: Any) -> None:
    if isinstance(cell, Layer) and not cell.built:
        with _inside(cell):
            cell.build(shape)
        cell.built = True


def _step(cell: Any, x: Any, states: Any, training: Any, options: dict[str, Any]) -> Any:
    given = dict(options)
    if "training" in cell._signature[0].parameters:
        given["training"] = training
    return cell(x, states, **given)


@named("tf.keras.layers.RNN")
class RNN(Layer):
    """Goes over sequences, whose second axis is time, with a cell: any layer with `state_size` and a `call`
    of inputs and states that returns the output and the next states.

    It is a loop of the program with cells of Keras itself, and with others whose code is known to do the same
    at each step; otherwise the steps are computed one after another in Python, after one that only tells what
    a step gives. With a mask, steps that it leaves out keep the state and repeat the output.
    """

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
        zero_output_for_mask: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(**options)
        if isinstance(cell, list | tuple):
            cell = StackedRNNCells(cell)
        if "call" not in dir(cell) or not hasattr(cell, "state_size"):
            raise ArgumentError(
                "The RNN cell should have a `state_size` attribute (single integer or list of integers, one "
                f"integer per RNN state). Received: cell={cell}",
                site=here(),
            )
        if stateful:
            raise ArgumentError(
                "RNN: stateful=True is not supported for cells.",
                remedy="Pass initial_state, and take the state with return_state=True.",
                site=here(),
            )
        self.cell = cell
        self.return_sequences, self.return_state, self.go_backwards = (
            return_sequences,
            return_state,
            go_backwards,
        )
        self.unroll, self.zero_output_for_mask, self.stateful = unroll, zero_output_for_mask, stateful

    supports_masking = True
    states = None
    """None: only the layers of Keras' own cells keep a state."""

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask where the outputs of all steps are returned."""
        mask = mask[0] if isinstance(mask, list | tuple) else mask
        return mask if self.return_sequences else None

    @property
    def state_size(self) -> Any:
        """The lengths of the states."""
        found = self.cell.state_size
        return [found] if isinstance(found, int) else found

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Builds the cell for one step; `initial_state_shape` does nothing."""
        with _inside(self):
            _build_cell(self.cell, (sequences_shape[0], *sequences_shape[2:]))
        self.built = True

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Returns the shape of the output, and those of the states; `initial_state_shape` does nothing."""
        batch, length = sequences_shape[:2]
        states = [
            (batch, size) if isinstance(size, int) else [(batch, one) for one in size]
            for size in self.state_size
        ]
        width = getattr(self.cell, "output_size", None)
        if width is None:
            width = self.state_size[0]
        if not isinstance(width, int):
            raise ValueError("output_size must be an integer.")
        output = (batch, length, width) if self.return_sequences else (batch, width)
        return (output, *states) if self.return_state else output

    def get_initial_state(self, batch_size: Any) -> Any:
        """Returns the states that everything begins with."""
        made = getattr(self.cell, "get_initial_state", None)
        if made is not None:
            found = made(batch_size=batch_size)
            return list(found) if isinstance(found, list | tuple) else [found]
        sizes = (
            self.cell.state_size if isinstance(self.cell.state_size, list | tuple) else [self.cell.state_size]
        )
        return [_zeros(batch_size, size, self.compute_dtype) for size in sizes]

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """Computes the layer."""
        batch, steps = sequences._spec.shape[:2]
        states = self.get_initial_state(batch) if initial_state is None else list(initial_state)
        if not isinstance(steps, int) and shape_is_all(f"RNN {self.name!r}: the number of steps", steps):
            # Nothing is computed yet: one step has the shape of all.
            output, new = _step(self.cell, sequences[:, 0], states, training, {})
            if self.return_sequences:
                output = _arrays.expand_dims(output, 1)
                lengths = [batch, steps, *output._spec.shape[2:]]
                output = _arrays.broadcast_to(output, lengths)
            return (
                (output, *(new if isinstance(new, list | tuple) else [new])) if self.return_state else output
            )
        first = sequences[:, -1 if self.go_backwards else 0]
        _draw_masks(self.cell, first, states)
        looped = self._in_a_loop(sequences, states, mask, training)
        if looped is not None:
            made, states = looped
            _forget_masks(self.cell)
            return (made, *states) if self.return_state else made
        if not self.unroll and not _is_keras_own(self.cell):
            # As Keras, to see what a step gives: the cell may draw, write or print.
            _step(self.cell, first, states, training, {})
        outputs: list[Any] = []
        previous: Any = None
        order = range(steps)
        step = _step if self.unroll else functools.partial(Turns().call, _step)
        for time in reversed(order) if self.go_backwards else order:
            output, new = step(self.cell, sequences[:, time], states, training, {})
            new = list(new) if isinstance(new, list | tuple) else [new]
            if mask is not None:
                on = mask[:, time]
                before = _arrays.zeros_like(output) if previous is None else previous
                chosen = _arrays.zeros_like(output) if self.zero_output_for_mask else before
                previous = _kept(on, output, before)
                output = _kept(on, output, chosen)
                new = _kept(on, new, states)
            states = new
            outputs.append(output)
        _forget_masks(self.cell)
        last = outputs[-1] if mask is None or self.zero_output_for_mask else previous
        made = _arrays.stack(outputs, 1) if self.return_sequences else last
        return (made, *states) if self.return_state else made

    def _in_a_loop(self, sequences: Any, states: Any, mask: Any, training: Any) -> Any:
        """Returns the output, and the last states, if all steps are known to do the same; otherwise None."""
        if _is_keras_own(self.cell):
            return self._looped(sequences, states, mask, training) if _fit(self.cell, states) else None
        # Code that nothing else needs, and that reads code.
        from penstock.tensorflow.keras._pure_cells import is_pure

        if self.unroll or not is_pure(self.cell, lambda one: isinstance(one, _Cell)):
            return None
        with contextlib.suppress(PenstockError):
            return self._looped(sequences, states, mask, training)
        return None

    def _looped(self, sequences: Any, states: list[Any], mask: Any, training: Any) -> tuple[Any, list[Any]]:
        """Returns the output, and the states after the last step, by a loop of the program."""
        axes = [1, 0, *range(2, len(sequences._spec.shape))]
        stacks = [_arrays.transpose(sequences, axes)]
        previous: list[Any] = []
        if mask is not None:
            stacks.append(_arrays.transpose(mask, [1, 0]))
            width = getattr(self.cell, "output_size", None)
            width = self.state_size[0] if width is None else width
            previous = [_zeros(sequences._spec.shape[0], width, self.cell.compute_dtype)]

        def turn(carry: Any, given: Any) -> Any:
            before, last = carry
            output, new = _step(self.cell, given[0], before, training, {})
            new = _listed(new if isinstance(new, list | tuple) else [new])
            if mask is None:
                return (new, last), output
            shown = output
            if self.zero_output_for_mask:
                shown = _kept(given[1], output, _arrays.zeros_like(output))
            repeated = _kept(given[1], output, last[0])
            return (
                (_kept(given[1], new, before), [repeated]),
                shown if self.zero_output_for_mask else repeated,
            )

        start = (_listed(states), previous)
        end, outputs = scanned("RNN", turn, start, stacks, None, self.go_backwards, user_frame(0))
        if self.go_backwards:
            # A loop puts outputs where their steps are; the first here is that of the last step.
            outputs = _arrays.reverse(outputs, [0])
        if self.return_sequences:
            return _arrays.transpose(outputs, [1, 0, *range(2, len(outputs._spec.shape))]), end[0]
        return outputs[-1], end[0]


def _is_keras_own(cell: Any) -> bool:
    """Returns whether each step of a cell does the same, and nothing besides."""
    if type(cell) is StackedRNNCells:
        return all(map(_is_keras_own, cell.cells))
    return type(cell) in (SimpleRNNCell, LSTMCell, GRUCell) and cell.activity_regularizer is None


def _fit(cell: Any, states: Any) -> bool:
    """Returns whether states have the dtypes of those after a step, and a cell has its variables."""
    if type(cell) is StackedRNNCells:
        return all(map(_fit, cell.cells, states))
    every = states if isinstance(states, list | tuple) else [states]
    return cell.built and all(getattr(one, "dtype", None) == cell.compute_dtype for one in every)


def _listed(states: Any) -> Any:
    return [_listed(one) for one in states] if isinstance(states, list | tuple) else states


def _draw_masks(cell: Any, x: Any, states: Any) -> None:
    """Draws what the cells drop in every step; of cells above one another, the lower ones are computed."""
    if isinstance(cell, _Cell):
        cell.draw_masks(x, states[0] if isinstance(states, list | tuple) else states)
    if isinstance(cell, StackedRNNCells):
        for one, own in zip(cell.cells, states, strict=True):
            _draw_masks(one, x, own)
            x, _ = one(x, list(own) if isinstance(own, list | tuple) else [own])


def _forget_masks(cell: Any) -> None:
    if isinstance(cell, _Cell):
        cell.forget_masks()
    for one in cell.cells if isinstance(cell, StackedRNNCells) else ():
        _forget_masks(one)


def _zeros(batch: Any, size: Any, dtype: Any) -> Any:
    lengths = list(size) if isinstance(size, list | tuple) else [size]
    return _arrays.zeros([batch, *lengths], dtype)


def _kept(on: Any, new: Any, old: Any) -> Any:
    if isinstance(new, list | tuple):
        return [_kept(on, one, before) for one, before in zip(new, old, strict=True)]
    on = on[(slice(None), *(None,) * (len(new._spec.shape) - 1))]
    return _arrays.where(on, new, _elementwise.cast(old, new.dtype))
