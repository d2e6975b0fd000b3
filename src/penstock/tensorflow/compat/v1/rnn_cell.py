"""tf.nn.rnn_cell: one step of recurrent networks, with variables made by get_variable."""

from __future__ import annotations

import re as _re
from typing import Any, NamedTuple

from penstock.tensorflow._cell_wrappers import Adding as _Adding
from penstock.tensorflow._cell_wrappers import Dropping as _Dropping
from penstock.tensorflow._cell_wrappers import Placed as _Placed
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf
from penstock.trace.source_site import here as _here


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM cell: its memory, and its last output."""

    c: Any
    h: Any


def _word_of(kind: type) -> str:
    """Returns the name that TensorFlow gives to an instance of a class: gru_cell for GRUCell."""
    parts = _re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", kind.__name__)
    return _re.sub("([a-z])([A-Z])", r"\1_\2", parts).lower()


class RNNCell:
    """One step of a recurrent network: a subclass writes `call(inputs, state)`, `state_size`, `output_size`.

    Calling it returns the output and the next state.
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **options: Any
    ) -> None:
        if options:
            raise TypeError(f"Unrecognized keyword arguments: {options}")
        self.trainable, self._name, self._dtype = trainable, name, dtype
        self._scope: Any = None

    @property
    def state_size(self) -> Any:
        """The length of the state, or the structure of lengths."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The length of the output."""
        raise NotImplementedError("Abstract method")

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns the output and the next state."""
        if self._scope is not None:
            with _tf.variable_scope(self._scope, reuse=True):
                return self.call(inputs, state)
        with _tf.variable_scope(scope or self._name or _word_of(type(self))) as made:
            found = self.call(inputs, state)
        self._scope = made
        return found

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step."""
        raise NotImplementedError

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial state."""

        def zeros(size: Any) -> Any:
            if isinstance(size, LSTMStateTuple):
                return LSTMStateTuple(*map(zeros, size))
            if isinstance(size, tuple | list):
                return type(size)(map(zeros, size))
            shape = [batch_size, *(size if hasattr(size, "__iter__") else [size])]
            return _tf.zeros(_tf.stack(shape) if hasattr(batch_size, "graph") else shape, dtype)

        return zeros(self.state_size)

    def _weight(self, name: str, shape: Any, initializer: Any = None) -> Any:
        return _tf.get_variable(name, shape, self._dtype or "float32", initializer, trainable=self.trainable)

    def _linear(
        self,
        parts: Any,
        size: int,
        bias: Any = None,
        names: Any = ("kernel", "bias"),
        initializer: Any = None,
    ) -> Any:
        """Returns [parts] @ kernel + bias."""
        joined = _tf.concat(parts, 1) if len(parts) > 1 else parts[0]
        kernel = self._weight(names[0], [int(joined.shape[-1]), size], initializer)
        start = _tf.zeros_initializer() if bias is None else _tf.constant_initializer(bias)
        return _tf.nn.bias_add(_tf.matmul(joined, kernel), self._weight(names[1], [size], start))


class BasicRNNCell(RNNCell):
    """output = state = activation([inputs, state] @ kernel + bias)."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **options)
        self._units, self._activation, self._reuse = num_units, activation or _tf.tanh, reuse

    state_size = output_size = property(lambda self: self._units, doc="The number of units.")

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step."""
        output = self._activation(self._linear([inputs, state], self._units))
        return output, output


class GRUCell(RNNCell):
    """A gated recurrent unit, after Cho and others (2014): the reset gate comes before the matrix."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **options)
        if bias_initializer is not None:
            raise _ArgumentError("GRUCell: bias_initializer is not taken.", site=_here())
        self._units, self._activation, self._reuse = num_units, activation or _tf.tanh, reuse
        self._initializer = kernel_initializer

    state_size = output_size = property(lambda self: self._units, doc="The number of units.")

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step."""
        both = self._linear(
            [inputs, state], 2 * self._units, 1.0, ("gates/kernel", "gates/bias"), self._initializer
        )
        reset, update = _tf.split(_tf.sigmoid(both), 2, 1)
        names = ("candidate/kernel", "candidate/bias")
        new = self._activation(
            self._linear([inputs, reset * state], self._units, None, names, self._initializer)
        )
        state = update * state + (1.0 - update) * new
        return state, state


class LSTMCell(RNNCell):
    """A long short-term memory: the four parts are input, candidate, forget and output, in this order."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: Any = None,
        proj_clip: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **options)
        self._units, self._initializer, self._forget = num_units, initializer, forget_bias
        self._peepholes, self._clip, self._projected, self._proj_clip = (
            use_peepholes,
            cell_clip,
            num_proj,
            proj_clip,
        )
        self._tuple, self._activation, self._reuse = state_is_tuple, activation or _tf.tanh, reuse

    @property
    def output_size(self) -> int:
        """The length of the output."""
        return self._projected or self._units

    @property
    def state_size(self) -> Any:
        """The lengths of the memory and of the output."""
        pair = LSTMStateTuple(self._units, self.output_size)
        return pair if self._tuple else self._units + self.output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step."""
        c, h = state if self._tuple else _tf.split(state, [self._units, self.output_size], 1)
        parts = self._linear([inputs, h], 4 * self._units, initializer=self._initializer)
        i, j, f, o = _tf.split(parts, 4, 1)
        if self._peepholes:
            w_f, w_i, w_o = (
                self._weight(f"w_{one}_diag", [self._units], self._initializer) for one in ("f", "i", "o")
            )
            f, i = f + w_f * c, i + w_i * c
        c = _tf.sigmoid(f + self._forget) * c + _tf.sigmoid(i) * self._activation(j)
        c = c if self._clip is None else _tf.clip_by_value(c, -self._clip, self._clip)
        h = _tf.sigmoid(o + w_o * c if self._peepholes else o) * self._activation(c)
        if self._projected is not None:
            h = _tf.matmul(
                h, self._weight("projection/kernel", [self._units, self._projected], self._initializer)
            )
            h = h if self._proj_clip is None else _tf.clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._tuple else _tf.concat([c, h], 1)


class BasicLSTMCell(LSTMCell):
    """A long short-term memory without options."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            num_units, forget_bias=forget_bias, state_is_tuple=state_is_tuple, activation=activation,
            reuse=reuse, name=name, dtype=dtype, **options,
        )  # fmt: skip


class MultiRNNCell(RNNCell):
    """Cells above one another: the output of one is the input of the next.

    Without `state_is_tuple`, the states of the cells are one tensor, side by side.
    """

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise _ArgumentError("Must specify at least one cell for MultiRNNCell.", site=_here())
        if not isinstance(cells, list | tuple):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells, self._tuple = list(cells), bool(state_is_tuple)
        nested = [one.state_size for one in self._cells if isinstance(one.state_size, list | tuple)]
        if nested and not self._tuple:
            sizes = [one.state_size for one in self._cells]
            raise ValueError(
                f"Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes "
                f"are: {sizes}"
            )

    @property
    def state_size(self) -> Any:
        """The lengths of the states of the cells."""
        sizes = tuple(one.state_size for one in self._cells)
        return sizes if self._tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The length of the output of the last cell."""
        return self._cells[-1].output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step."""
        states = []
        if not self._tuple:
            state = _tf.split(state, [one.state_size for one in self._cells], 1)
        for number, (cell, own) in enumerate(zip(self._cells, state, strict=True)):
            with _tf.variable_scope(f"cell_{number}"):
                inputs, new = cell(inputs, own)
            states.append(new)
        return inputs, tuple(states) if self._tuple else _tf.concat(states, 1)


class _Wrapper(RNNCell):
    """A cell around another."""

    def __init__(self, cell: Any, dtype: Any = None) -> None:
        super().__init__(dtype=dtype)
        self._cell = self.cell = cell

    state_size = property(lambda self: self._cell.state_size, doc="The lengths of the state.")
    output_size = property(lambda self: self._cell.output_size, doc="The length of the output.")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial state."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns the output and the next state."""
        return self._around(inputs, state, lambda x, own: self._cell(x, own, scope))  # type: ignore[attr-defined]


class DropoutWrapper(_Dropping, _Wrapper):
    """A cell, of whose inputs, outputs and states a random part is dropped at each step.

    With `variational_recurrent`, all steps of a run drop the same elements. `dropout_state_filter_visitor` is
    given a state and returns which parts of it dropout applies to: by default all but the memory of an LSTM.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: Any = None,
        dropout_state_filter_visitor: Any = None,
    ) -> None:
        super().__init__(cell, dtype)
        kept = (input_keep_prob, state_keep_prob, output_keep_prob)
        self._set(kept, variational_recurrent, input_size, dtype, seed, dropout_state_filter_visitor)


class ResidualWrapper(_Adding, _Wrapper):
    """A cell whose inputs are added to its outputs, or given to `residual_fn(inputs, outputs)`."""

    def __init__(self, cell: Any, residual_fn: Any = None) -> None:
        super().__init__(cell)
        self._residual = residual_fn


class DeviceWrapper(_Placed, _Wrapper):
    """A cell on a device: there is one."""

    def __init__(self, cell: Any, device: Any) -> None:
        super().__init__(cell)
        self.device = device


def _does_the_same_in_each_step(cell: Any) -> bool:
    """Returns whether a cell is TensorFlow's own, so that one step tells the operations of all."""
    if type(cell) is MultiRNNCell:
        return all(map(_does_the_same_in_each_step, cell._cells))
    if type(cell) is DeviceWrapper or (type(cell) is ResidualWrapper and cell._residual is None):
        return _does_the_same_in_each_step(cell._cell)
    return type(cell) in (BasicRNNCell, GRUCell, LSTMCell, BasicLSTMCell)


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.rnn_cell", globals())
