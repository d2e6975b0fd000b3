"""Cells of recurrent networks around other cells: dropout, a sum with the inputs, a device.

`tf.nn` and TensorFlow 1 share what they compute; names are looked up in `tensorflow` at each call, so that
they build while a graph is being built.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import penstock.tensorflow as tf
from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._module import Module
from penstock.tensorflow._tensor_array import TensorArray
from penstock.trace.source_site import here

_PARTS = ("input", "state", "output")


def _is_nested(structure: Any) -> bool:
    return isinstance(structure, tuple | list | dict)


def _children(structure: Any) -> list[Any]:
    return list(structure.values()) if isinstance(structure, dict) else list(structure)


def _rebuilt(structure: Any, parts: list[Any]) -> Any:
    if isinstance(structure, dict):
        return dict(zip(structure, parts, strict=True))
    return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)


def dropped_by_default(state: Any) -> Any:
    """Returns which parts of a state dropout applies to: not the memory of an LSTM, nor arrays of tensors."""
    if getattr(state, "_fields", None) == ("c", "h"):
        return type(state)(c=False, h=True)
    return not isinstance(state, TensorArray)


def _chosen(choose: Callable[[Any], Any], state: Any) -> Any:
    """Returns a structure of truth values: to which parts of a state dropout applies."""
    answer = choose(state)
    if not _is_nested(state):
        return answer
    if isinstance(answer, bool):
        if not answer:
            return False
        answer = _rebuilt(state, [True] * len(_children(state)))
    pairs = zip(_children(answer), _children(state), strict=True)
    return _rebuilt(state, [_chosen(choose, part) if one else False for one, part in pairs])


def _each(chosen: Any, function: Callable[..., Any], *others: Any) -> Any:
    """Calls a function on a number and the corresponding parts of structures that go as deep or deeper."""
    numbers = itertools.count()

    def walk(one: Any, *parts: Any) -> Any:
        if not _is_nested(one):
            return function(next(numbers), one, *parts)
        return _rebuilt(one, [walk(*each) for each in zip(*map(_children, (one, *parts)), strict=True)])

    return walk(chosen, *others)


class Dropping:
    """What a cell with dropout computes around `cell`."""

    cell: Any

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    def _set(
        self, kept: tuple[Any, Any, Any], variational: bool, input_size: Any, dtype: Any, seed: Any,
        choose: Any,
    ) -> None:  # fmt: skip
        """Checks and takes the arguments; `kept` are the probabilities of inputs, states and outputs."""
        if choose is not None and not callable(choose):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._choose, self._seed, self._variational = choose or dropped_by_default, seed, variational
        self._kept: dict[str, Any] = {}
        for part, one in zip(_PARTS, kept, strict=True):
            known = (
                one if isinstance(one, int | float) else getattr(tf.get_static_value(one), "item", _none)()
            )
            if known is not None and not 0 <= known <= 1:
                raise ArgumentError(
                    f"Parameter {part}_keep_prob must be between 0 and 1: {known}",
                    remedy="Give the part that is kept: 0.9 drops a tenth.",
                    site=here(),
                )
            self._kept[part] = one if known is None else float(known)
        self._input_size = input_size
        self._noise: dict[str, Any] = {}
        if not variational:
            return
        if dtype is None:
            raise ArgumentError("When variational_recurrent=True, dtype must be provided", site=here())
        sizes = {"input": input_size, "state": self.cell.state_size, "output": self.cell.output_size}
        for part, size in sizes.items():
            if part == "input" and not self._drops("input"):
                continue
            if size is None:
                raise ArgumentError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size "
                    "must be provided",
                    remedy="Give the number of features of the inputs.",
                    site=here(),
                )
            self._noise[part] = _each(
                size, lambda i, n, part=part: self._drawn(n, self._seed_of(part, i), dtype)
            )

    @staticmethod
    def _drawn(size: Any, seed: int | None, dtype: Any) -> Any:
        lengths = [size] if isinstance(size, int) else list(size)
        return tf.random.uniform([1, *lengths], seed=seed, dtype=dtype)

    def _seed_of(self, part: str, number: int) -> int | None:
        """Returns the seed of one dropout: a hash of the given one and the place."""
        if self._seed is None:
            return None
        text = f"{self._seed}{part}_{number}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _drops(self, part: str) -> bool:
        kept = self._kept[part]
        return not isinstance(kept, float) or kept < 1

    def _dropped(self, part: str, values: Any, chosen: Any = None) -> Any:
        kept = self._kept[part]
        more = (self._noise[part],) if self._variational else ()

        def drop(number: int, wanted: Any, value: Any, *noise: Any) -> Any:
            if wanted is False:
                return value
            if noise:
                return tf.divide(value, kept) * tf.floor(kept + noise[0])
            return tf.nn.dropout(value, rate=1.0 - kept, seed=self._seed_of(part, number))

        return _each(values if chosen is None else chosen, drop, values, *more)

    def _around(self, inputs: Any, state: Any, call: Callable[..., Any], **options: Any) -> Any:
        """Returns the output and the next state of the cell, with dropout."""
        if self._drops("input"):
            inputs = self._dropped("input", inputs)
        output, new = call(inputs, state, **options)
        if self._drops("state"):
            new = self._dropped("state", new, _chosen(self._choose, new))
        if self._drops("output"):
            output = self._dropped("output", output)
        return output, new


def _none() -> None:
    return None


class Adding:
    """What a cell computes whose inputs are added to its outputs, or given to `residual_fn` with them."""

    _residual: Any

    def _around(self, inputs: Any, state: Any, call: Callable[..., Any], **options: Any) -> Any:
        outputs, new = call(inputs, state, **options)
        if self._residual is not None:
            return self._residual(inputs, outputs), new
        tf.nest.assert_same_structure(inputs, outputs)

        def added(one: Any, other: Any) -> Any:
            if not one.shape.is_compatible_with(other.shape):
                raise ArgumentError(
                    f"Shapes {one.shape} and {other.shape} are incompatible",
                    why="The inputs of the cell are added to its outputs.",
                    remedy="Give inputs of as many features as the cell has units, or a residual_fn.",
                    site=here(),
                )
            return one + other

        return tf.nest.map_structure(added, inputs, outputs), new


class Placed:
    """What a cell on a device computes: there is one, so its name does nothing."""

    def _around(self, inputs: Any, state: Any, call: Callable[..., Any], **options: Any) -> Any:
        return call(inputs, state, **options)


# -- TensorFlow 2 -----------------------------------------------------------------------------------------

_names: dict[str, int] = {}


class _Wrapped(Module):
    """A cell around a cell, that is built at its first call.

    As in TensorFlow, the variables of a cell of Keras are not among its own.
    """

    _word = "wrapper"
    _around: Callable[..., Any]

    def __init__(self, cell: Any, name: Any = None, trainable: bool = True, dtype: Any = None) -> None:
        count = _names.get(self._word, 0)
        if name is None:
            _names[self._word] = count + 1
        super().__init__(name or (f"{self._word}_{count}" if count else self._word))
        if not hasattr(cell, "call"):
            raise AttributeError(f"'{type(cell).__name__}' object has no attribute 'call'")
        self.cell, self.built, self.trainable, self.dtype = cell, False, trainable, dtype
        taken = inspect.signature(cell.call).parameters.values()
        self._trains = any(one.name == "training" or one.kind is one.VAR_KEYWORD for one in taken)

    @property
    def state_size(self) -> Any:
        """The lengths of the state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The length of the output."""
        return self.cell.output_size

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of the cell, unless it is a layer of Keras."""
        return () if hasattr(self.cell, "_is_layer") else tuple(getattr(self.cell, "variables", ()))

    weights = variables

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the first state, as the cell gives it."""
        return self.cell.zero_state(batch_size, dtype)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Returns a state of zeros."""
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ArgumentError(
                f"batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}",
                remedy="Give both, or the inputs.",
                site=here(),
            )

        def zeros(_: int, size: Any) -> Any:
            return tf.zeros([batch_size, *([size] if isinstance(size, int) else list(size))], dtype)

        return _each(self.state_size, zeros)

    def build(self, inputs_shape: Any) -> None:
        """Builds the cell, if it can be built."""
        self.cell.build(inputs_shape)
        self.built = True

    def call(self, inputs: Any, state: Any, **options: Any) -> Any:
        """Returns the output and the next state."""
        return self._around(inputs, state, self.cell.call, **options)

    def __call__(self, inputs: Any, state: Any, training: Any = None, **options: Any) -> Any:
        if not self.built:
            self.build(tf.nest.map_structure(lambda one: one.shape, inputs))
        if training is not None and self._trains:
            options["training"] = training
        return self.call(inputs, state, **options)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments as plain data."""
        own = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        dtype = "float32" if self.dtype is None else tf.as_dtype(self.dtype).name
        return {
            "name": self.name, "trainable": self.trainable, "dtype": dtype, "cell": own, **self._own_config()
        }  # fmt: skip

    def _own_config(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """Returns a wrapper of these arguments."""
        rest = dict(config)
        cell = tf.keras.layers.deserialize(rest.pop("cell"), custom_objects=custom_objects)
        return cls(cell, **rest)


@named("tf.nn.RNNCellDropoutWrapper")
class RNNCellDropoutWrapper(Dropping, _Wrapped):
    """A cell, of whose inputs, outputs and states a random part is dropped at each call.

    With `variational_recurrent`, all calls drop the same elements. `dropout_state_filter_visitor` is given a
    state and returns which parts of it dropout applies to: by default all but the memory of an LSTM.

    >>> from penstock import tensorflow as tf
    >>> cell = tf.nn.RNNCellDropoutWrapper(tf.keras.layers.GRUCell(4), output_keep_prob=0.5)
    >>> output, state = cell(tf.ones([2, 3]), [tf.zeros([2, 4])])
    >>> output.shape
    TensorShape([2, 4])
    """

    _word = "dropout_wrapper"

    def __init__(
        self, cell: Any, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0, state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False, input_size: Any = None, dtype: Any = None, seed: Any = None,
        dropout_state_filter_visitor: Any = None, *, name: Any = None, trainable: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(cell, name, trainable, dtype)
        kept = (input_keep_prob, state_keep_prob, output_keep_prob)
        self._set(kept, variational_recurrent, input_size, dtype, seed, dropout_state_filter_visitor)

    def _own_config(self) -> dict[str, Any]:
        own = {f"{part}_keep_prob": self._kept[part] for part in ("input", "output", "state")}
        return {
            **own, "variational_recurrent": self._variational, "input_size": self._input_size,
            "seed": self._seed,
        }  # fmt: skip


@named("tf.nn.RNNCellResidualWrapper")
class RNNCellResidualWrapper(Adding, _Wrapped):
    """A cell whose inputs are added to its outputs, or given to `residual_fn(inputs, outputs)`.

    >>> from penstock import tensorflow as tf
    >>> cell = tf.nn.RNNCellResidualWrapper(tf.keras.layers.SimpleRNNCell(2, kernel_initializer="zeros"))
    >>> cell(tf.constant([[3.0, 4.0]]), [tf.zeros([1, 2])])[0].numpy()
    array([[3., 4.]], dtype=float32)
    """

    _word = "residual_wrapper"

    def __init__(
        self, cell: Any, residual_fn: Any = None, *, name: Any = None, trainable: bool = True,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(cell, name, trainable, dtype)
        self._residual = residual_fn


@named("tf.nn.RNNCellDeviceWrapper")
class RNNCellDeviceWrapper(Placed, _Wrapped):
    """A cell on a device. `device` does nothing: the computation is one program, which runs where it does."""

    _word = "device_wrapper"

    def __init__(
        self, cell: Any, device: Any, *, name: Any = None, trainable: bool = True, dtype: Any = None
    ) -> None:
        super().__init__(cell, name, trainable, dtype)
        self._device = device

    def _own_config(self) -> dict[str, Any]:
        return {"device": self._device}


__all__ = ["Adding", "Dropping", "Placed", "dropped_by_default"]
