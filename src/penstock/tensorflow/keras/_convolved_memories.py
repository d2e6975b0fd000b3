"""Long short-term memories whose states are pictures: products with matrices are convolutions."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock.declared import named
from penstock.functions.convolution import conv, lengths_of
from penstock.layers.arguments import data_format_of
from penstock.layers.pooling import _check_rank
from penstock.tensorflow import _arrays
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._cells import RNN, LSTMCell
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here


class _ConvLSTMCell(LSTMCell):
    """A step of a convolutional long short-term memory, over 1 to 3 axes."""

    _seed_comes_first = True
    _draws = 4

    def __init__(
        self, rank: int, filters: int, kernel_size: Any, strides: Any, padding: str,
        data_format: str | None, dilation_rate: Any, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, **options)
        self.rank, self.filters = rank, filters
        name = f"ConvLSTM{rank}D"
        self.kernel_size = lengths_of(name, "kernel_size", kernel_size, rank)
        self.strides = lengths_of(name, "strides", strides, rank)
        self.dilation_rate = lengths_of(name, "dilation_rate", dilation_rate, rank)
        self.padding = padding.lower()
        self.data_format = data_format_of(self, data_format)
        if self.padding not in ("valid", "same"):
            raise ArgumentError(
                f"The `padding` argument must be one of {{'valid', 'same'}}. Received: padding={padding}",
                site=here(),
            )
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ArgumentError(
                "Specifying `strides > 1` is not compatible with `dilation_rate > 1`. Please provide "
                f"`strides=1` or `dilation_rate=1`. Received: strides={self.strides} and "
                f"dilation_rate={self.dilation_rate}",
                site=here(),
            )

    @property
    def _channels(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        width = 4 * self.filters
        self.kernel = self.add_weight(
            (*self.kernel_size, input_shape[self._channels], width), self.kernel_initializer, name="kernel",
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            (*self.kernel_size, self.filters, width), self.recurrent_initializer, name="recurrent_kernel",
            regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                (width,), self._first_bias, name="bias", regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def state_shape(self, input_shape: Any) -> list[Any]:
        """Returns the shape of a state for a step's shape."""
        last = self._channels == -1
        lengths = input_shape[1:-1] if last else input_shape[2:]
        made = []
        for n, size, step, apart in zip(
            lengths, self.kernel_size, self.strides, self.dilation_rate, strict=True
        ):
            if not isinstance(n, int):
                raise ArgumentError(
                    "ConvLSTM layers only support static input shapes for the spatial dimension. Received "
                    f"invalid input shape: input_shape={tuple(input_shape)}",
                    site=here(),
                )
            covered = n if self.padding == "same" else n - apart * (size - 1)
            made.append(-(covered // -step))
        return [input_shape[0], *made, self.filters] if last else [input_shape[0], self.filters, *made]

    def _convolved(self, parts: list[Any], kernel: Any, own: bool) -> Any:
        """Returns the convolution with the kernel, of whose filters each gate has its own."""
        words: dict[str, Any] = {"padding": "same", "data_format": self.data_format}
        if own:
            words |= {"padding": self.padding, "strides": self.strides, "dilation_rate": self.dilation_rate}
        if all(one is parts[0] for one in parts):
            return conv(parts[0], kernel, **words)
        filters = _arrays.split(kernel, len(parts), axis=-1)
        made = [conv(x, each, **words) for x, each in zip(parts, filters, strict=True)]
        return _arrays.concat(made, axis=self._channels)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Computes a step."""
        h, c = states
        x, kept = self._dropped(inputs, h, training)
        made = self._convolved(x, self.kernel, True)
        if self.use_bias:
            shape = [1] * (self.rank + 2)
            shape[self._channels] = 4 * self.filters
            made = made + _arrays.reshape(self.bias, shape)
        made = made + self._convolved(kept, self.recurrent_kernel, False)
        i, f, g, o = _arrays.split(made, 4, axis=self._channels)
        inside = self.recurrent_activation
        c = inside(f) * c + inside(i) * self.activation(g)
        h = inside(o) * self.activation(c)
        return h, [h, c]


class _ConvLSTM(RNN):
    """A convolutional long short-term memory over sequences of pictures."""

    rank: ClassVar[int]
    # Its states are pictures, whose lengths only a call tells.
    compute_output_shape = Layer.compute_output_shape  # type: ignore[assignment]

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str | None = None, dilation_rate: Any = 1, activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: bool = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None,
        dropout: float = 0.0, recurrent_dropout: float = 0.0, seed: Any = None,
        return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        cell = _ConvLSTMCell(
            self.rank, filters, kernel_size, strides, padding, data_format, dilation_rate,
            activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
            kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer, unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint, dropout=dropout,
            recurrent_dropout=recurrent_dropout, seed=seed, name="conv_lstm_cell",
            dtype=options.get("dtype"),
        )  # fmt: skip
        super().__init__(
            cell, return_sequences, return_state, go_backwards, stateful,
            activity_regularizer=activity_regularizer, **options,
        )  # fmt: skip

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """Computes the layer."""
        shape = sequences._spec.shape
        _check_rank(self, shape, self.rank + 1)
        if initial_state is None:
            wanted = self.cell.state_shape((shape[0], *shape[2:]))
            initial_state = [_arrays.zeros(wanted, self.compute_dtype) for _ in range(2)]
        return super().call(sequences, initial_state, mask, training)


_OF_CELL = (
    "filters kernel_size strides padding data_format dilation_rate activation recurrent_activation use_bias "
    "kernel_initializer recurrent_initializer bias_initializer unit_forget_bias kernel_regularizer "
    "recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint bias_constraint dropout "
    "recurrent_dropout"
)
"""What the layer has of its cell."""


def _of_cell(name: str) -> property:
    return property(lambda self: getattr(self.cell, name))


for _name in _OF_CELL.split():
    setattr(_ConvLSTM, _name, _of_cell(_name))


def _of_rank(rank: int) -> Any:
    name = f"ConvLSTM{rank}D"
    shape = (1, 2, *(4,) * rank, 3)
    text = (
        f"A long short-term memory over sequences of tensors with {rank} ax{'i' if rank == 1 else 'e'}s: "
        "input and state are convolved.\n\n    Inputs are [batch, steps, lengths, channels], or "
        '[batch, steps, channels, lengths] with\n    `data_format="channels_first"`. The result is that of '
        "the last step, or of all with `return_sequences`;\n    `return_state` gives a list of it and "
        "the two states. The arguments are those of `Conv` and `LSTM`.\n\n"
        "    Raises:\n        ArgumentError: if an argument has a value that is not allowed, or the input "
        "has other axes.\n\n    >>> from penstock import tensorflow as tf\n"
        f'    >>> tf.keras.layers.{name}(2, 3, padding="same")(tf.zeros({shape})).shape\n'
        f"    TensorShape({[1, *(4,) * rank, 2]})\n    "
    )
    made = type(name, (_ConvLSTM,), {"rank": rank, "__doc__": text, "__module__": __name__})
    return named(f"tf.keras.layers.{name}")(made)


ConvLSTM1D = _of_rank(1)
ConvLSTM2D = _of_rank(2)
ConvLSTM3D = _of_rank(3)
