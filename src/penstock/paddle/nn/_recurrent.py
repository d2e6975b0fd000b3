"""Recurrent layers and their cells, under Paddle's names: a sequence is one loop of the program."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.layers import recurrent as loops
from penstock.ops import pointwise
from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle._convert import HANDLES, operand
from penstock.paddle._declaring import in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import refusing, saving
from penstock.paddle.nn import initializer
from penstock.paddle.nn._attention import sequence_mask
from penstock.paddle.nn._containers import LayerList
from penstock.paddle.nn._dropout import dropout as dropped
from penstock.paddle.nn._dropout import kept_elements
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor


@in_nn
class RNNCellBase(Layer):
    """Base of the cells: `forward(inputs, states)` returns the output and the states after one step."""

    def get_initial_states(
        self, batch_ref: Any, shape: Any = None, dtype: Any = None, init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:  # fmt: skip
        """Returns states filled with a value, for as many sequences as `batch_ref` has."""
        count = batch_ref.shape[batch_dim_idx]
        kind = batch_ref.dtype if dtype is None else dtype
        lengths = self.state_shape if shape is None else shape
        if lengths and isinstance(lengths[0], list | tuple):
            return tuple(_creation.full([count, *one], init_value, kind) for one in lengths)
        return _creation.full([count, *lengths], init_value, kind)

    @property
    def state_shape(self) -> Any:
        """The shape of the states of one sequence, or the shapes of several; a cell of one's own says it."""
        raise NotImplementedError("Please add implementation for `state_shape` in the used cell.")

    @property
    def state_dtype(self) -> Any:
        """The dtype of the states; a cell of one's own may say it."""
        raise NotImplementedError("Please add implementation for `state_dtype` in the used cell.")


class _Cell(RNNCellBase):
    """The weights of a cell, and one step as a loop of length 1."""

    _gates: ClassVar[int] = 1
    _states: ClassVar[int] = 1

    def __init__(
        self, input_size: int, hidden_size: int, weight_ih_attr: Any = None, weight_hh_attr: Any = None,
        bias_ih_attr: Any = None, bias_hh_attr: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if hidden_size <= 0:
            raise InvalidValueError(
                f"hidden_size of {type(self).__name__} must be greater than 0, but now equals to "
                f"{hidden_size}",
                site=here(),
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        rows, width = self._gates * hidden_size, self._width()
        self.weight_ih = self._weight([rows, input_size], weight_ih_attr)
        self.weight_hh = self._weight([rows, width], weight_hh_attr)
        self.bias_ih, self.bias_hh = self._weight([rows], bias_ih_attr), self._weight([rows], bias_hh_attr)
        self._word = "tanh"

    @property
    def state_shape(self) -> Any:
        """The shape of the states of one sequence."""
        return (self.hidden_size,)

    def _width(self) -> int:
        """Returns the length of the output."""
        return self.hidden_size

    def _weight(self, shape: list[int], attr: Any) -> Any:
        """Returns a weight, or a bias; without attributes (False) it is a constant."""
        bias = len(shape) == 1
        if attr is False:
            start: Any = initializer.Constant(0.0 if bias else 1.0)
            found = self.create_parameter(shape, None, is_bias=bias, default_initializer=start)
            found.stop_gradient = True
            return found
        bound = 1.0 / math.sqrt(self.hidden_size)
        start = initializer.Uniform(-bound, bound)
        return self.create_parameter(shape, attr, is_bias=bias, default_initializer=start)

    def _run(self, x: Any, states: tuple[Any, ...], mask: Any, backwards: bool) -> tuple[Any, ...]:
        """Returns the outputs of a sequence [batch, steps, n], and the last states."""
        given = [x, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        run = _ran if mask is None else _ran_masked
        masks = [] if mask is None else [mask]
        found = run[self._states - 1](
            *given, *states, *masks, (type(self)._kind, self._word, bool(backwards))
        )
        return tuple(found)

    _kind: ClassVar[str]

    def forward(self, inputs: Any, states: Any = None) -> Any:
        """Returns the output of a step of inputs [batch, n], and the states after it."""
        states = self.get_initial_states(inputs) if states is None else states
        given = tuple(states) if isinstance(states, list | tuple) else (states,)
        _, *after = self._run(_manipulation.unsqueeze(inputs, 1), given, None, False)
        self._saving(after, inputs, given)
        return after[0], (tuple(after) if self._states > 1 else after[0])

    def _saving(self, results: Any, inputs: Any, states: Any) -> None:
        """Says what the gradient of a step needs as it was: among its results only those of activations."""
        needed = [operand(inputs), *states, self.weight_ih, self.weight_hh]
        saving(results, user_frame(2), *needed, result=self._kind == "simple")

    def extra_repr(self) -> str:
        """Returns the sizes."""
        return f"{self.input_size}, {self.hidden_size}"


@in_nn
class SimpleRNNCell(_Cell):
    """h' = act(weight_ih @ x + bias_ih + weight_hh @ h + bias_hh), where act is "tanh" or "relu"."""

    _kind = "simple"

    def __init__(
        self, input_size: int, hidden_size: int, activation: str = "tanh", weight_ih_attr: Any = None,
        weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr, name
        )
        if activation not in ("tanh", "relu"):
            raise InvalidValueError(
                f"activation for SimpleRNNCell should be tanh or relu, but get {activation}", site=here()
            )
        self.activation = self._word = activation


@in_nn
class LSTMCell(_Cell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): states are the output and an inner state.

    With `proj_size` the output is multiplied by a matrix, `weight_ho`, that makes it shorter.
    """

    _kind, _gates, _states = "lstm", 4, 2

    def __init__(
        self, input_size: int, hidden_size: int, weight_ih_attr: Any = None, weight_hh_attr: Any = None,
        bias_ih_attr: Any = None, bias_hh_attr: Any = None, proj_size: int = 0, name: str | None = None,
    ) -> None:  # fmt: skip
        if proj_size < 0:
            raise InvalidValueError(
                f"proj_size of {type(self).__name__} must be greater than 0, but now equals to {hidden_size}",
                origin=f"proj_size is {proj_size!r}",
                site=here(),
            )
        if 0 < hidden_size <= proj_size:
            raise InvalidValueError(
                "proj_size must be smaller than hidden_size",
                origin=f"they are {proj_size!r} and {hidden_size!r}",
                site=here(),
            )
        self.proj_size = proj_size
        super().__init__(
            input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr, name
        )
        if proj_size:
            self.weight_ho = self._weight([hidden_size, proj_size], weight_hh_attr)

    def _width(self) -> int:
        return self.proj_size or self.hidden_size

    def forward(self, inputs: Any, states: Any = None) -> Any:
        """Returns the output of a step of inputs [batch, n], and the states after it."""
        if not self.proj_size:
            return super().forward(inputs, states)
        h, c = self.get_initial_states(inputs) if states is None else states
        gates = _math.matmul(inputs, self.weight_ih, transpose_y=True) + self.bias_ih
        gates = gates + _math.matmul(h, self.weight_hh, transpose_y=True) + self.bias_hh
        i, f, g, o = _manipulation.split(gates, 4, -1)
        c = _math.sigmoid(f) * c + _math.sigmoid(i) * _math.tanh(g)
        h = _math.matmul(_math.sigmoid(o) * _math.tanh(c), self.weight_ho)
        return h, (h, c)

    @property
    def state_shape(self) -> Any:
        """The shapes of the states of one sequence, which Paddle exchanges if there is a `proj_size`."""
        return ((self.hidden_size,), (self._width(),))


@in_nn
class GRUCell(_Cell):
    """A gated recurrent unit (Cho et al., 2014), whose reset gate acts after the product."""

    _kind, _gates = "gru", 3


def _weights(w: Any, kind: str, gates: int) -> Any:
    """Returns weights [gates * units, n] as the native loops take them: [n, ...], the update gate first."""
    if kind != "gru":
        return w if len(w.shape) == 1 else native.matrix_transpose(w)
    units = w.shape[0] // gates
    order = native.asarray(np.r_[units : 2 * units, 0:units, 2 * units : 3 * units])
    w = native.take(w, order, axis=0)
    return w if len(w.shape) == 1 else native.matrix_transpose(w)


def _called(
    x: Any, weights: tuple[Any, ...], states: tuple[Any, ...], mask: Any, words: Any
) -> tuple[Tensor, ...]:
    kind, activation, backwards = words
    gates = {"simple": 1, "lstm": 4, "gru": 3}[kind]
    kernel, recurrent, first, second = (_weights(one, kind, gates) for one in weights)
    bias = native.stack([first, second]) if kind == "gru" else first + second
    loop = {"simple": loops.simple_rnn, "lstm": loops.lstm, "gru": loops.gru}
    masked = {"simple": loops.simple_rnn_masked, "lstm": loops.lstm_masked, "gru": loops.gru_masked}
    options = (activation, pointwise.logistic, backwards, True)
    given = (x, kernel, recurrent, bias, *states)
    found = loop[kind](*given, options) if mask is None else masked[kind](*given, mask, options)  # type: ignore[operator]
    outputs, *after = found
    outputs = native.flip(outputs, axis=1) if backwards else outputs
    if mask is not None:
        outputs = native.where(native.expand_dims(mask, axis=-1), outputs, native.zeros_like(outputs))
    return (outputs, *after)


@composite(6, "rnn")
def _one(x: Any, wi: Any, wh: Any, bi: Any, bh: Any, h: Any, words: Any) -> tuple[Tensor, ...]:
    return _called(x, (wi, wh, bi, bh), (h,), None, words)


@composite(7, "rnn")
def _one_masked(
    x: Any, wi: Any, wh: Any, bi: Any, bh: Any, h: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    return _called(x, (wi, wh, bi, bh), (h,), mask, words)


@composite(7, "rnn")
def _two(x: Any, wi: Any, wh: Any, bi: Any, bh: Any, h: Any, c: Any, words: Any) -> tuple[Tensor, ...]:
    return _called(x, (wi, wh, bi, bh), (h, c), None, words)


@composite(8, "rnn")
def _two_masked(
    x: Any, wi: Any, wh: Any, bi: Any, bh: Any, h: Any, c: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    return _called(x, (wi, wh, bi, bh), (h, c), mask, words)


_ran: Any = (_one, _two)
_ran_masked: Any = (_one_masked, _two_masked)


@in_nn
class RNN(Layer):
    """A cell carried along a sequence [batch, steps, n], or [steps, batch, n] with `time_major`.

    Beyond the length of a sequence its states stay, and an output is what the cell gives for the padding.
    """

    _zeros = False
    """Whether outputs beyond the length of a sequence are zeros, as in `LSTM` and its like."""

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False) -> None:
        super().__init__()
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **options: Any
    ) -> Any:
        """Returns the outputs of all steps, and the states after the last one."""
        x = _turned(inputs) if self.time_major else operand(inputs)
        states = self.cell.get_initial_states(x) if initial_states is None else initial_states
        mask = None
        if sequence_length is not None:
            mask = sequence_mask(sequence_length, x._spec.shape[1], "bool")
        if (mask is None or self._zeros) and not options and _in_one_loop(self.cell):
            given = tuple(states) if isinstance(states, list | tuple) else (states,)
            outputs, *after = self.cell._run(x, given, mask, self.is_reverse)
            if not self._zeros:
                self._saving(outputs, after, x, given)
            final = tuple(after) if len(after) > 1 else after[0]
        else:
            outputs, final = self._step_by_step(x, states, mask, options)
        return (_turned(outputs) if self.time_major else outputs), final

    def _saving(self, outputs: Any, after: list[Any], x: Any, states: Any) -> None:
        """Says what the gradient needs as it was: a sequence that is read backwards is a copy."""
        cell = self.cell
        needed = [*states, cell.weight_ih, cell.weight_hh, *([] if self.is_reverse else [x])]
        saving([outputs, *after], user_frame(2), *needed, *(after if cell._kind == "simple" else []))

    def _step_by_step(self, x: Any, states: Any, mask: Any, options: Any) -> Any:
        steps = range(x._spec.shape[1])
        found: dict[int, Any] = {}
        for i in reversed(steps) if self.is_reverse else steps:
            found[i], after = self.cell(x[:, i], states, **options)
            states = after if mask is None else _kept(mask[:, i], after, states)
        return _manipulation.stack([found[i] for i in steps], 1), states


def _in_one_loop(cell: Any) -> bool:
    """Returns whether a cell is one of Paddle's, all of whose steps are one loop."""
    known = type(cell).forward in (_Cell.forward, LSTMCell.forward)
    return known and not getattr(cell, "proj_size", 0)


def _kept(mask: Any, after: Any, before: Any) -> Any:
    if isinstance(after, list | tuple):
        return type(after)(_kept(mask, a, b) for a, b in zip(after, before, strict=True))
    rank = after._spec.ndim - 1
    return _math.where(mask.reshape([-1] + [1] * rank), after, before)


def _turned(x: Any) -> Any:
    x = operand(x)
    return _manipulation.transpose(x, [1, 0, *range(2, x._spec.ndim)])


@in_nn
class BiRNN(Layer):
    """Two cells, one carried forwards and one backwards; their outputs are joined."""

    _zeros = False

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False) -> None:
        super().__init__()
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **options: Any
    ) -> Any:
        """Returns the outputs of all steps, and both final states."""
        first, second = (None, None) if initial_states is None else initial_states
        ahead = RNN(self.cell_fw, False, self.time_major)
        back = RNN(self.cell_bw, True, self.time_major)
        ahead._zeros = back._zeros = self._zeros
        one, last = ahead(inputs, first, sequence_length, **options)
        other, start = back(inputs, second, sequence_length, **options)
        return _manipulation.concat([one, other], -1), (last, start)


class _Stack(LayerList):
    """Layers of one kind of cell, one after another, in one direction or in both."""

    _cell: ClassVar[Any]

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
        time_major: bool = False, dropout: float = 0.0, weight_ih_attr: Any = None,
        weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
        name: str | None = None, **own: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidValueError(
                "direction should be forward or bidirect (or bidirectional), received direction = "
                f"{direction}",
                site=here(),
            )
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.dropout, self.time_major = dropout, time_major
        self.num_directions = 1 if direction == "forward" else 2
        self.state_components = self._cell._states
        attributes = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        options = dict(zip(("weight_ih_attr", "weight_hh_attr", "bias_ih_attr", "bias_hh_attr"), attributes))
        self.proj_size = own.get("proj_size", 0)
        length = (self.proj_size or hidden_size) * self.num_directions
        words = ["weight_ih", "weight_hh"]
        words += [word for word in ("bias_ih", "bias_hh") if options[f"{word}_attr"] is not False]
        names = []
        for i in range(num_layers):
            width = input_size if i == 0 else length
            cells = [self._cell(width, hidden_size, **own, **options) for _ in range(self.num_directions)]
            self.append(RNN(cells[0], False) if len(cells) == 1 else BiRNN(*cells))
            self[i]._zeros = not self.proj_size
            names += [f"{word}_l{i}{end}" for end in ("", "_reverse")[: len(cells)] for word in words]
        # In Paddle's order: with `proj_size` or without a bias, most of the names belong to other weights.
        held = self.parameters()
        for word, parameter in zip(names, held, strict=False):
            self.add_parameter(word, parameter)
        self.could_use_cudnn = len(held) == 4 * num_layers * self.num_directions

    mode: str

    def flatten_parameters(self) -> None:
        """Does nothing: the parameters need no common memory."""

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> Any:
        """Returns the outputs of the last layer, and the final states [layers * directions, batch, n]."""
        x = _turned(inputs) if self.time_major else operand(inputs)
        if self.proj_size and initial_states is None:
            count, batch = self.num_layers * self.num_directions, x._spec.shape[0]
            lengths = (self.proj_size, self.hidden_size)
            initial_states = [_creation.zeros([count, batch, one], x._spec.dtype.name) for one in lengths]
        parts = self._parts(initial_states)
        finals: list[Any] = []
        kept = None
        for i, layer in enumerate(self):
            if i > 0 and self.proj_size:
                x = dropped(x, self.dropout, training=self.training)
            elif i > 0 and self.dropout and self.training:
                # One mask for all layers, which is drawn step by step.
                if kept is None:
                    batch, steps, width = x._spec.shape
                    kept = _turned(kept_elements((steps, batch, width), float(self.dropout)))
                x = _math.where(kept, x, x * 0.0) / (1.0 - self.dropout)
            own = parts[i * self.num_directions : (i + 1) * self.num_directions] if parts else None
            given = None if own is None else own[0] if self.num_directions == 1 else tuple(own)
            x, after = layer(x, given, sequence_length)
            finals += [after] if self.num_directions == 1 else list(after)
        outputs = _turned(x) if self.time_major else x
        # Of the final states of all layers, those of one kind are one tensor.
        kinds = [finals] if self.state_components == 1 else list(zip(*finals, strict=True))
        after = tuple([_manipulation.stack(list(one), 0) for one in kinds])
        if not self.proj_size:
            self._saving(outputs, after, operand(inputs), initial_states)
        return outputs, after if self.state_components > 1 else after[0]

    def _saving(self, outputs: Any, after: Any, inputs: Any, states: Any) -> None:
        """Says what the gradient needs as it was: sequences, the steps of which come first, are no copies."""
        given = () if states is None else (states,) if isinstance(states, HANDLES) else tuple(states)
        needed = [*given, *self.parameters(), outputs, *([inputs] if self.time_major else [])]
        saving([outputs, *after], user_frame(2), *needed)
        if not self.training:
            # In evaluation Paddle's kernel keeps nothing for a gradient.
            refusing([outputs, *after], f"{type(self).__name__} in evaluation", user_frame(2))

    def _parts(self, states: Any) -> list[Any] | None:
        if states is None:
            return None
        several = (states,) if isinstance(states, HANDLES) else tuple(states)
        count = several[0]._spec.shape[0]
        parts = [tuple(one[i] for one in several) for i in range(count)]
        return [one[0] for one in parts] if self.state_components == 1 else list(parts)

    def extra_repr(self) -> str:
        """Returns the sizes, and the settings that differ from their defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        return f"{text}, dropout={self.dropout}" if self.dropout else text


@in_nn
class LSTM(_Stack):
    """Long short-term memory over sequences; the final states are those of the outputs and the inner ones.

    >>> from penstock import paddle
    >>> outputs, (h, c) = paddle.nn.LSTM(3, 4, num_layers=2)(paddle.zeros([5, 7, 3]))
    >>> outputs.shape, h.shape
    (paddle.Size([5, 7, 4]), paddle.Size([2, 5, 4]))
    """

    _cell = LSTMCell
    mode = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
        time_major: bool = False, dropout: float = 0.0, weight_ih_attr: Any = None,
        weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None, proj_size: int = 0,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr,
            weight_hh_attr, bias_ih_attr, bias_hh_attr, name, proj_size=proj_size,
        )  # fmt: skip


@in_nn
class GRU(_Stack):
    """Gated recurrent units over sequences."""

    _cell = GRUCell
    mode = "GRU"


@in_nn
class SimpleRNN(_Stack):
    """The simple recurrence over sequences, with "tanh" or "relu"."""

    _cell = SimpleRNNCell

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
        time_major: bool = False, dropout: float = 0.0, activation: str = "tanh", weight_ih_attr: Any = None,
        weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr,
            weight_hh_attr, bias_ih_attr, bias_hh_attr, name, activation=activation,
        )  # fmt: skip
        self.activation, self.mode = activation, f"RNN_{activation.upper()}"
