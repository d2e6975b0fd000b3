"""Recurrent layers: a state that is carried from step to step of a sequence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Unpack

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import array
from penstock.functions.composite import composite
from penstock.functions.rewrite import BodyBuilder, emit
from penstock.functions.scratch import shape_is_all
from penstock.layers import activations, constraints, regularizers
from penstock.layers.base import Layer, honoured
from penstock.layers.core import check_last, whole
from penstock.layers.options import Recurring
from penstock.layers.regularization import dropped, fractions, rate_of, stream_of
from penstock.ops import control, pointwise
from penstock.ops.linear import matmul
from penstock.ops.shape import broadcast_to, concat, flip, part_of, reshape, transpose
from penstock.state.variable import updating
from penstock.trace.lengths import is_symbolic
from penstock.trace.local import local
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor

_frame = sys._getframe
Steps = tuple[Tensor, ...]


def _parts(x: Any, count: int) -> list[Any]:
    size = x.shape[-1] // count
    return [part_of(x, x.ndim - 1, i * size, (i + 1) * size) for i in range(count)]


def _projected(x: Any, kernel: Any, bias: Any) -> Any:
    """Returns x [batch, steps, n] times a matrix as [steps, batch, ...]: all steps in one product.

    Inputs dropped separately for each gate are side by side in x: each is multiplied by its gate's part.
    """
    count = x.shape[-1] // kernel.shape[0]
    if count > 1:
        gates = zip(_parts(x, count), _parts(kernel, count), strict=True)
        return concat(*[_projected(own, part, 0.0) for own, part in gates], axis=2) + bias
    batch, steps, width = x.shape
    flat = matmul(reshape(transpose(x, axes=(1, 0, 2)), shape=(steps * batch, width)), kernel) + bias
    return reshape(flat, shape=(steps, batch, flat.shape[-1]))


def _recurred(h: Any, recurrent: Any, kept: Sequence[Any]) -> Any:
    """Returns h times a matrix; `kept` may have a dropout mask of h for each gate."""
    if not kept:
        return matmul(h, recurrent)
    masks = [reshape(part_of(kept[0], 0, i, i + 1), shape=h.shape) for i in range(kept[0].shape[0])]
    if len(masks) == 1:
        return matmul(h * masks[0], recurrent)
    parts = zip(masks, _parts(recurrent, len(masks)), strict=True)
    return concat(*[matmul(h * mask, part) for mask, part in parts], axis=1)


Move = Callable[..., Sequence[Any]]
"""Computes the states after a step from the constants, the states before it, and the step."""


def _carried(
    x: Any, constants: Sequence[Any], states: Sequence[Any], mask: Any, backwards: bool, move: Move
) -> Steps:
    """Returns the results of all steps of x [steps, batch, n] as [batch, steps, ...], then the final states.

    Masked steps leave the states as they are. The steps are a loop of the program: its size and the time to
    compile it do not depend on their number. A backward pass over the sequence returns the last step first.
    """
    steps, batch = x.shape[:2]
    stacks = [x] if mask is None else [x, reshape(transpose(mask, axes=(1, 0)), shape=(steps, batch, 1))]
    first, last = len(constants), len(constants) + len(states)

    def turn(given: Sequence[Any]) -> list[Any]:
        before = given[first:last]
        after = list(move(*given[:last], given[last]))
        if mask is not None:
            after = [pointwise.where(given[-1], new, old) for new, old in zip(after, before, strict=True)]
        return after

    unknown = is_symbolic([steps, batch]) and shape_is_all("The number of steps of a recurrent layer", steps)
    if unknown or steps == 1:
        # If a length is unknown nothing is computed: the first step has the shape of all.
        slices = [reshape(part_of(one, 0, 0, 1), shape=one.shape[1:]) for one in stacks]
        finals = turn([*constants, *states, *slices])
        one = reshape(finals[0], shape=(batch, 1, finals[0].shape[-1]))
        return (broadcast_to(one, shape=(batch, steps, one.shape[-1])), *finals)
    builder = local.trace
    body = BodyBuilder(builder.site, builder.within)
    with body:
        given = body.inputs(
            [
                *(one._spec for one in (*constants, *states)),
                *(spec(one.shape[1:], one.dtype) for one in stacks),
            ]
        )
        after = turn(given)
        repeated = body.turn([*after, after[0]])
    found = emit(
        builder, control.scan, [*constants, *states, *stacks], body=repeated, constants=first,
        carried=len(states), length=steps, backwards=backwards,
    )  # fmt: skip
    sequence = transpose(found[len(states)], axes=(1, 0, 2))
    return (flip(sequence, axes=(1,)) if backwards else sequence, *found[: len(states)])


def _simple(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, mask: Any, words: Any, kept: Sequence[Any] = ()
) -> Steps:
    activation, _, backwards, _ = words
    act = activations.get(activation)

    def move(recurrent: Any, *others: Any) -> list[Any]:
        *kept, h, step = others
        return [act(step + _recurred(h, recurrent, kept))]

    return _carried(_projected(x, kernel, bias), [recurrent, *kept], [h], mask, backwards, move)


def _gated(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, mask: Any, words: Any, kept: Sequence[Any] = ()
) -> Steps:
    activation, gate, backwards, reset_after = words
    act, sigma = activations.get(activation), activations.get(gate)
    first: Any = bias
    second: Any = None
    if bias.ndim == 2:
        first, second = (reshape(part_of(bias, 0, i, i + 1), shape=bias.shape[1:]) for i in (0, 1))

    def after_product(recurrent: Any, *others: Any) -> list[Any]:
        *added, h, step = others
        kept, added = added[: len(masks)], added[len(masks) :]
        xz, xr, xh = _parts(step, 3)
        carried = _recurred(h, recurrent, kept)
        hz, hr, hh = _parts(carried + added[0] if added else carried, 3)
        z, r = sigma(xz + hz), sigma(xr + hr)
        return [z * h + (1.0 - z) * act(xh + r * hh)]

    def before_product(inner: Any, last: Any, *others: Any) -> list[Any]:
        *kept, h, step = others
        xz, xr, xh = _parts(step, 3)
        hz, hr = _parts(_recurred(h, inner, kept[:1]), 2)
        z, r = sigma(xz + hz), sigma(xr + hr)
        return [z * h + (1.0 - z) * act(xh + _recurred(r * h, last, kept[1:]))]

    if reset_after:
        masks = list(kept)
        constants = [recurrent, *masks, *([] if second is None else [second])]
    else:
        size = recurrent.shape[0]
        masks = [part_of(one, 0, *ends) for one in kept for ends in ((0, 2), (2, 3))]
        constants = [part_of(recurrent, 1, 0, 2 * size), part_of(recurrent, 1, 2 * size, 3 * size), *masks]
    move = after_product if reset_after else before_product
    return _carried(_projected(x, kernel, first), constants, [h], mask, backwards, move)


def _long_short(
    x: Any,
    kernel: Any,
    recurrent: Any,
    bias: Any,
    h: Any,
    c: Any,
    mask: Any,
    words: Any,
    kept: Sequence[Any] = (),
) -> Steps:
    activation, gate, backwards, _ = words
    act, sigma = activations.get(activation), activations.get(gate)

    def move(recurrent: Any, *others: Any) -> list[Any]:
        *kept, h, c, step = others
        i, f, g, o = _parts(step + _recurred(h, recurrent, kept), 4)
        c = sigma(f) * c + sigma(i) * act(g)
        return [sigma(o) * act(c), c]

    return _carried(_projected(x, kernel, bias), [recurrent, *kept], [h, c], mask, backwards, move)


@composite(5, "simple_rnn")
def simple_rnn(x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, words: Any) -> tuple[Tensor, ...]:
    """Returns all steps and the last one."""
    return _simple(x, kernel, recurrent, bias, h, None, words)


@composite(6, "simple_rnn")
def simple_rnn_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Returns all steps and the last unmasked one."""
    return _simple(x, kernel, recurrent, bias, h, mask, words)


@composite(5, "gru")
def gru(x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, words: Any) -> tuple[Tensor, ...]:
    """Returns all steps and the last one."""
    return _gated(x, kernel, recurrent, bias, h, None, words)


@composite(6, "gru")
def gru_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Returns all steps and the last unmasked one."""
    return _gated(x, kernel, recurrent, bias, h, mask, words)


@composite(6, "lstm")
def lstm(x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, c: Any, words: Any) -> tuple[Tensor, ...]:
    """Returns all steps, the last one, and the last inner state."""
    return _long_short(x, kernel, recurrent, bias, h, c, None, words)


@composite(7, "lstm")
def lstm_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, c: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Returns all steps, the last unmasked one, and the last inner state."""
    return _long_short(x, kernel, recurrent, bias, h, c, mask, words)


@composite(6, "simple_rnn")
def simple_rnn_dropped(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, kept: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like simple_rnn, with `kept` [1, batch, units], a factor of h before its product."""
    return _simple(x, kernel, recurrent, bias, h, None, words, [kept])


@composite(7, "simple_rnn")
def simple_rnn_dropped_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, kept: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like simple_rnn_dropped; masked steps leave the state unchanged."""
    return _simple(x, kernel, recurrent, bias, h, mask, words, [kept])


@composite(6, "gru")
def gru_dropped(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, kept: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like gru, with `kept` [3, batch, units]: for each gate, a factor of h before its product."""
    return _gated(x, kernel, recurrent, bias, h, None, words, [kept])


@composite(7, "gru")
def gru_dropped_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, kept: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like gru_dropped; masked steps leave the state unchanged."""
    return _gated(x, kernel, recurrent, bias, h, mask, words, [kept])


@composite(7, "lstm")
def lstm_dropped(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, c: Any, kept: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like lstm, with `kept` [4, batch, units]: for each gate, a factor of h before its product."""
    return _long_short(x, kernel, recurrent, bias, h, c, None, words, [kept])


@composite(8, "lstm")
def lstm_dropped_masked(
    x: Any, kernel: Any, recurrent: Any, bias: Any, h: Any, c: Any, kept: Any, mask: Any, words: Any
) -> tuple[Tensor, ...]:
    """Like lstm_dropped; masked steps leave the states unchanged."""
    return _long_short(x, kernel, recurrent, bias, h, c, mask, words, [kept])


class _Cell(Layer):
    """The variables of a recurrent layer: `kernel`, `recurrent_kernel` and `bias`."""

    def __init__(self, units: int, gates: int, options: dict[str, Any], rows: int = 1) -> None:
        super().__init__(**options.pop("layer", {}))
        self.units, self.gates, self.rows = units, gates, rows
        for key, value in options.items():
            setattr(self, key, value)
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables for inputs with this many features."""
        width = self.units * self.gates
        self.kernel = self.add_weight(
            shape=(input_shape[-1], width),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            name="kernel",
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, width),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
            name="recurrent_kernel",
        )
        if self.use_bias:
            initializer = self.bias_initializer
            if self.gates == 4 and self.unit_forget_bias:

                def initializer(shape: Any, dtype: Any = None) -> Any:
                    value = np.array(self.bias_initializer(shape, dtype=dtype))
                    value[self.units : 2 * self.units] = 1
                    return value

            self.bias = self.add_weight(
                shape=(width,) if self.rows == 1 else (self.rows, width),
                initializer=initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                name="bias",
            )
        self.built = True


_CARRIED_ON = (
    "The state of each sequence of a batch is the start of the sequence at the same place in the next batch."
)


class _Recurrent(Layer):
    """A layer that goes through [batch, steps, features] step by step.

    While training, `dropout` is the rate at which inputs are dropped, and `recurrent_dropout` the rate for
    the state, before it is multiplied by the recurrent kernel. Dropped units are drawn once for a sequence,
    as in Keras; with `recurrent_dropout`, separately for each gate, including those of the inputs.
    """

    _takes_one = True

    supports_masking, _makes_masks = True, False
    gates: ClassVar[int]
    state_count: ClassVar[int] = 1
    cell_name: ClassVar[str]
    plain: ClassVar[Any]
    masked: ClassVar[Any]
    plain_dropped: ClassVar[Any]
    masked_dropped: ClassVar[Any]
    _cell_class: ClassVar[Any] = _Cell

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        reset_after: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **options: Unpack[Recurring],
    ) -> None:
        for ignored in ("unroll", "use_cudnn", "implementation", "time_major"):
            options.pop(ignored, None)  # type: ignore[misc]
        super().__init__(activity_regularizer=activity_regularizer, **options)
        self.units = whole(self, "units", units)
        activations.get(activation), activations.get(recurrent_activation)
        self.activation, self.recurrent_activation = activation, recurrent_activation
        self.reset_after = bool(reset_after)
        self.dropout, self.recurrent_dropout = rate_of(dropout), rate_of(recurrent_dropout)
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = bool(go_backwards), bool(stateful)
        self.kept_states: list[Any] = []
        rows = 2 if self.gates == 3 and self.reset_after else 1
        # In the order in which Keras makes these parts, whose seeds come one after another.
        first = self.gates == 1
        self._stream = stream_of(self, seed, first)
        self.cell = self._cell_class(
            self.units,
            self.gates,
            {
                "layer": {"dtype": self._policy, "name": self.cell_name},
                "use_bias": use_bias,
                "unit_forget_bias": unit_forget_bias,
                "kernel_initializer": self._initializer(kernel_initializer),
                "recurrent_initializer": self._initializer(recurrent_initializer),
                "bias_initializer": self._initializer(bias_initializer),
                "kernel_regularizer": regularizers.get(kernel_regularizer),
                "recurrent_regularizer": regularizers.get(recurrent_regularizer),
                "bias_regularizer": regularizers.get(bias_regularizer),
                "kernel_constraint": constraints.get(kernel_constraint),
                "recurrent_constraint": constraints.get(recurrent_constraint),
                "bias_constraint": constraints.get(bias_constraint),
            },
            rows,
        )
        self._stream = self._stream if first else stream_of(self, seed)
        self.cell._named = False  # that is Keras' name for it; here it is the layer's cell

    def build(self, input_shape: Any) -> None:
        """Makes the variables, which belong to `cell`."""
        shape = input_shape[0] if input_shape and isinstance(input_shape[0], list | tuple) else input_shape
        if len(shape) != 3:
            raise ArgumentError(
                f"{self._input_words} {self.name!r} is incompatible with the layer: expected ndim=3, found "
                f"ndim={len(shape)}. Full shape received: {tuple(shape)}",
                why=f"{type(self).__name__} takes [batch, steps, features].",
                site=here(),
            )
        if not self.cell.built:
            self.cell.build((shape[0], shape[-1]))
        self.built = True

    def _zeros(self, batch: int) -> Any:
        """Returns the state before the first step."""
        if is_symbolic(batch):
            one = self._tensor(np.zeros((), self._compute), None)
            return array.broadcast_to(one, (batch, self.units))
        return self._tensor(np.zeros((batch, self.units), self._compute), None)

    def _states_for(self, batch: int) -> list[Any]:
        """Returns the variables of a stateful layer that hold the state after the last call."""
        if not self.kept_states:
            if is_symbolic(batch):
                raise ArgumentError(
                    f"{type(self).__name__} {self.name!r} keeps its state, but the batch size is unknown.",
                    why=_CARRIED_ON,
                    remedy="Give the inputs a fixed batch size.",
                    site=here(),
                )
            for number in range(self.state_count):
                self.kept_states.append(
                    self.add_weight(
                        (batch, self.units), "zeros", self._compute, trainable=False, name=f"state_{number}"
                    )
                )
        known = self.kept_states[0]._spec.shape[0]
        if known != batch:
            raise ShapeError(
                f"{type(self).__name__} {self.name!r} keeps the state of {known} sequences, but was given "
                f"{batch}.",
                why=_CARRIED_ON,
                remedy=f"Give batches of {known}, or a layer for each batch size.",
                site=here(),
            )
        return self.kept_states

    def reset_state(self) -> None:
        """Lets a stateful layer start over: its next call starts from zeros.

        Raises ArgumentError if the layer is not stateful.
        """
        if not self.stateful:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} has no state to reset.",
                remedy="Create it with stateful=True; otherwise the layer starts from zeros in each call.",
                site=here(),
            )
        for one in self.kept_states:
            one.assign(array.zeros_like(one))

    reset_states = reset_state

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        """Goes through the steps. `initial_state` is a tensor [batch, units], or a list of them.

        A stateful layer starts from the end of its last call, unless an initial state is given.
        """
        x, cell = sequences, self.cell
        check_last(self, x, -1, cell.kernel._spec.shape[0])
        if x._spec.shape[1] == 0:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} was given {x._spec!r}, which has no steps.",
                why="It takes [batch, steps, features] and returns a result for each step.",
                remedy="Remove sequences without steps, or pad them to one step and mask that step.",
                site=here(),
            )
        if not training:
            self._pass_over()
        if training and self.dropout:
            honoured(self, "dropout")
            batch, _, width = x._spec.shape
            gates = self._inputs_dropped()
            parts = [self._dropped(x, (batch, 1, width), self.dropout) for _ in range(gates)]
            x = array.concat(parts, axis=2) if gates > 1 else parts[0]
        kept = self._states_for(x._spec.shape[0]) if self.stateful else []
        if initial_state is None:
            states = list(kept) or [self._zeros(x._spec.shape[0])] * self.state_count
        else:
            states = list(initial_state) if isinstance(initial_state, list | tuple) else [initial_state]
        if len(states) != self.state_count:
            raise ArgumentError(
                f"{type(self).__name__}: {len(states)} initial states were given.",
                remedy=f"Give {self.state_count}, of shape {(x._spec.shape[0], self.units)}.",
                site=here(),
            )
        bias = 0.0 if cell.bias is None else cell.bias
        words = (self.activation, self.recurrent_activation, self.go_backwards, self.reset_after)
        operands = [x, cell.kernel, cell.recurrent_kernel, bias, *states]
        drops = bool(training and self.recurrent_dropout)
        if drops:
            honoured(self, "dropout")
            operands.append(self._kept_of_state(x._spec.shape[0]))
        if mask is None:
            function = type(self).plain_dropped if drops else type(self).plain
            found = function(*operands, words)
        else:
            function = type(self).masked_dropped if drops else type(self).masked
            found = function(*operands, mask, words)
        sequence, *states = found
        frame = user_frame(1)
        for one, state in zip(kept, states, strict=False):
            with updating(one, frame):
                one._write("state", state, None, frame)
        output = sequence if self.return_sequences else states[0]
        return (output, *states) if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask if every step is returned."""
        return mask if self.return_sequences else None

    def _dropped(self, x: Any, shape: Any, rate: float) -> Any:
        """Returns x with elements dropped by draws of this shape."""
        return dropped(x, fractions(self._stream, shape, x._spec.dtype, _frame(1)), rate)

    def _inputs_dropped(self) -> int:
        """Returns how many parts of the input are dropped each on its own: one, or one for each gate."""
        return self.gates if self.recurrent_dropout else 1

    def _pass_over(self) -> None:
        """Is told that a call drops nothing."""

    def _kept_of_state(self, batch: int) -> Any:
        """Returns what the state is multiplied by for each gate, [gates, batch, units]."""
        return self._dropped(self._one(), (self.gates, batch, self.units), self.recurrent_dropout)

    def _one(self) -> Any:
        return self._tensor(np.ones((), self._compute), None)


class SimpleRNN(_Recurrent):
    """h = activation(x @ kernel + h @ recurrent_kernel + bias), step by step.

    [batch, steps, features] gives the last h [batch, units], or every one with `return_sequences`. The
    variables are those of `cell`.

    Args:
        units: the length of the last axis of the result, an int.
        activation: a function, or its name; None for none.
        recurrent_activation: the function of the gates, or its name.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        recurrent_initializer: the initializer of the recurrent kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        unit_forget_bias: whether the bias of the forget gate begins at 1.
        reset_after: whether the reset gate comes after the product, as on GPUs.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        recurrent_regularizer: a penalty on the recurrent kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        recurrent_constraint: a constraint on the recurrent kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        recurrent_dropout: the share of the state that is dropped while training, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        return_sequences: whether the result has all steps, or only the last one.
        return_state: whether the last state is returned as well.
        go_backwards: whether to begin with the last step.
        stateful: whether a batch begins with the final state of the previous one.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SimpleRNN(4)(ps.zeros((2, 5, 3))).shape
    (2, 4)
    """

    gates, cell_name = 1, "simple_rnn_cell"
    plain, masked = staticmethod(simple_rnn), staticmethod(simple_rnn_masked)
    plain_dropped = staticmethod(simple_rnn_dropped)
    masked_dropped = staticmethod(simple_rnn_dropped_masked)


class GRU(_Recurrent):
    """Gated recurrent units (Cho and others, 2014), by default with the reset after the product.

    Args:
        units: the length of the last axis of the result, an int.
        activation: a function, or its name; None for none.
        recurrent_activation: the function of the gates, or its name.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        recurrent_initializer: the initializer of the recurrent kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        unit_forget_bias: whether the bias of the forget gate begins at 1.
        reset_after: whether the reset gate comes after the product, as on GPUs.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        recurrent_regularizer: a penalty on the recurrent kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        recurrent_constraint: a constraint on the recurrent kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        recurrent_dropout: the share of the state that is dropped while training, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        return_sequences: whether the result has all steps, or only the last one.
        return_state: whether the last state is returned as well.
        go_backwards: whether to begin with the last step.
        stateful: whether a batch begins with the final state of the previous one.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.GRU(4, return_sequences=True)(ps.zeros((2, 5, 3))).shape
    (2, 5, 4)
    """

    gates, cell_name = 3, "gru_cell"
    plain, masked = staticmethod(gru), staticmethod(gru_masked)
    plain_dropped, masked_dropped = staticmethod(gru_dropped), staticmethod(gru_dropped_masked)


class LSTM(_Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); gates are input, forget, cell, output.

    Args:
        units: the length of the last axis of the result, an int.
        activation: a function, or its name; None for none.
        recurrent_activation: the function of the gates, or its name.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        recurrent_initializer: the initializer of the recurrent kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        unit_forget_bias: whether the bias of the forget gate begins at 1.
        reset_after: whether the reset gate comes after the product, as on GPUs.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        recurrent_regularizer: a penalty on the recurrent kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        recurrent_constraint: a constraint on the recurrent kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        recurrent_dropout: the share of the state that is dropped while training, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        return_sequences: whether the result has all steps, or only the last one.
        return_state: whether the last state is returned as well.
        go_backwards: whether to begin with the last step.
        stateful: whether a batch begins with the final state of the previous one.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> output, h, c = ps.layers.LSTM(4, return_state=True)(ps.zeros((2, 5, 3)))
    >>> output.shape, h.shape, c.shape
    ((2, 4), (2, 4), (2, 4))
    """

    gates, state_count, cell_name = 4, 2, "lstm_cell"
    plain, masked = staticmethod(lstm), staticmethod(lstm_masked)
    plain_dropped, masked_dropped = staticmethod(lstm_dropped), staticmethod(lstm_dropped_masked)


__all__: list[str] = ["GRU", "LSTM", "SimpleRNN"]
