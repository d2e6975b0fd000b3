"""tf.keras.layers: the native layers under Keras' rules about names, dtypes and errors."""

from __future__ import annotations

import functools as _functools
from typing import Any

import numpy as _np

from penstock import layers as _native
from penstock.functions import array as _native_array
from penstock.layers import attention as _attention
from penstock.layers import merging as _merging
from penstock.layers import recurrent as _recurrent
from penstock.layers.masks import take_away as _take_away
from penstock.tensorflow._arrays import zeros as _zeros
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import activations as _activations
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._layer_configs import argument as _argument
from penstock.tensorflow.keras._low_rank import OF_CLASS as _OF_LOW_RANK
from penstock.tensorflow.keras._low_rank import LowRank as _LowRank

_MADE = [
    name
    for name, kind in ((one, getattr(_native, one)) for one in _native.__all__)
    if isinstance(kind, type) and not issubclass(kind, _native.Model) and kind is not _native.Layer
]
"""The native layers, which Keras calls by the same names."""
_ALIASES = {
    "MaxPool1D": "MaxPooling1D", "MaxPool2D": "MaxPooling2D", "MaxPool3D": "MaxPooling3D",
    "AvgPool1D": "AveragePooling1D", "AvgPool2D": "AveragePooling2D", "AvgPool3D": "AveragePooling3D",
    "GlobalAvgPool1D": "GlobalAveragePooling1D", "GlobalAvgPool2D": "GlobalAveragePooling2D",
    "GlobalAvgPool3D": "GlobalAveragePooling3D", "GlobalMaxPool1D": "GlobalMaxPooling1D",
    "GlobalMaxPool2D": "GlobalMaxPooling2D", "GlobalMaxPool3D": "GlobalMaxPooling3D",
    "Convolution1D": "Conv1D", "Convolution2D": "Conv2D", "Convolution3D": "Conv3D",
    "Convolution1DTranspose": "Conv1DTranspose", "Convolution2DTranspose": "Conv2DTranspose",
    "Convolution3DTranspose": "Conv3DTranspose", "SeparableConvolution1D": "SeparableConv1D",
    "SeparableConvolution2D": "SeparableConv2D",
}  # fmt: skip
_MERGING = ("add", "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract")
_MERGES = ("Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract")


_OF_CELLS = (
    "use_bias", "unroll", "zero_output_for_mask", *(
        f"{word}_{kind}"
        for word in ("kernel", "recurrent", "bias")
        for kind in ("initializer", "regularizer", "constraint")
    ),
)  # fmt: skip
"""Arguments of a recurrent layer that its cell keeps in Keras."""


def _state_size(self: Any) -> list[int]:
    """The lengths of the states."""
    return [self.units] * (2 if type(self).__name__ == "LSTM" else 1)


def _has_one_state(self: Any) -> bool:
    """Whether there is one state."""
    return len(_state_size(self)) == 1


def _initial_state(self: Any, batch_size: Any) -> list[Any]:
    """Returns zeros for the states."""
    return [_zeros([batch_size, size], self.compute_dtype) for size in _state_size(self)]


def _parts_of(name: str) -> dict[str, Any]:
    """Returns the attributes that Keras' version of a layer adds: the classes of its parts, and functions."""
    if name == "MultiHeadAttention":
        return {
            "_projection_class": _Projection, "_hand_masks_on": _without_masks,
            "_names_taken": ("Softmax", "Dropout"), "_layers_before_seeds": 3,
            "_options_of_its_own": ("attention_axes",),
        }  # fmt: skip
    if name in ("GRU", "LSTM", "SimpleRNN"):
        asked = {key: property(_functools.partial(_argument, key=key)) for key in _OF_CELLS}
        asked["state_size"], asked["single_state"] = property(_state_size), property(_has_one_state)
        if name == "LSTM":
            asked["unit_forget_bias"] = property(_functools.partial(_argument, key="unit_forget_bias"))
        return {
            **asked, "get_initial_state": _initial_state, "_cell_class": _Cell, "_layers_before_seeds": 1,
            "_kept_of_state": _kept_of_state, "_pass_over": _pass_over, "states": property(_states),
        }  # fmt: skip
    if name == "Embedding":
        # The number of rows is an argument of its own, not the shape of an input.
        return {"_spoken_once": ("input_shape", "input_length", "weights"), "_adapted": "embeddings"}
    if name in _MERGES:
        return {"_checked": _in_one_dtype}
    return {"_given": _filled_up} if name == "Dense" else {}


def _in_one_dtype(self: Any, inputs: Any) -> list[Any]:
    """Returns the tensors of a merge in the one dtype that Keras gives them."""
    from penstock.tensorflow.keras._ops.base import common_dtype

    tensors = _merging._Merge._checked(self, inputs)
    dtypes = [one._spec.dtype for one in tensors]
    wanted = _functools.reduce(lambda a, b: a if a == b else common_dtype(a, b), dtypes)
    if type(self).__name__ == "Average" and wanted.kind in "iub":
        # Keras divides whole numbers.
        wanted = _np.dtype(_np.float64)
    return [one if one._spec.dtype == wanted else _native_array.astype(one, wanted) for one in tensors]


def _filled_up(self: Any, value: Any) -> Any:
    """Takes a sparse tensor too, as Keras' Dense does."""
    if getattr(value, "_is_sparse", False):
        from penstock.tensorflow.sparse import to_dense

        value = to_dense(value)
    return Layer._given(self, value)


def _without_masks(self: Any, inputs: Any, mask: Any, result: Any) -> None:
    """Gives the result its mask, and takes away those of query, value and key, as Keras 3 does."""
    Layer._hand_masks_on(self, inputs, mask, result)
    for one in inputs:
        _take_away(one)


def _kept_of_state(self: Any, batch: Any) -> Any:
    """Returns what the state is multiplied by for each gate: a draw for each, as Keras draws them."""
    shape = (1, batch, self.units)
    parts = [self._dropped(self._one(), shape, self.recurrent_dropout) for _ in range(self.gates)]
    return _native_array.concat(parts, axis=0) if self.gates > 1 else parts[0]


def _states(self: Any) -> Any:
    """The variables in which a stateful layer keeps its state; None before its first call, and for others."""
    return list(self.kept_states) or None


def _pass_over(self: Any) -> None:
    """Moves the seeds on as far as a call that drops: Keras draws what to drop in every call."""
    draws = (self._inputs_dropped() if self.dropout else 0) + (self.gates if self.recurrent_dropout else 0)
    self._stream.pass_over(draws)


class _Cell(Layer, _recurrent._Cell):
    """The variables of a recurrent layer."""


class _Projection(Layer, _attention._Projection):
    """A matrix and a bias of a multi-head attention, with initializers of its own."""

    def __init__(self, shape: Any, bias_shape: Any, owner: Any, name: str) -> None:
        super().__init__(shape, bias_shape, owner, name)
        # Summed over are the axes of the heads in the last projection, the first axis in the others.
        heads = 2 if name == "attention_output" else 1
        self._options = {
            part: {**options, "initializer": _cloned(options["initializer"])}
            for part, options in owner._options.items()
        }
        kernel = self._options["kernel"]
        along = getattr(kernel["initializer"], "along", None)
        if along is not None:
            kernel["initializer"] = along([place < heads for place in range(3)])


def _cloned(initializer: Any) -> Any:
    """Returns an initializer with the same arguments, as Keras makes one for each part of a layer."""
    clone = getattr(initializer, "clone", None)
    return initializer if clone is None else clone()


_ACTIVE = ("Activation", "Conv1D", "Conv2D", "Conv3D", "Dense", "EinsumDense")


def _word(value: Any) -> Any:
    return _activations.get(value) if isinstance(value, str) and value == "sparsemax" else value


def _of_words(name: str, base: Any) -> Any:
    """Returns the __init__ of a layer, which knows the activations that only Keras has, too."""
    own = base.__init__

    @_functools.wraps(own)
    def init(self: Any, *arguments: Any, **options: Any) -> None:
        if name == "EinsumDense":
            object.__setattr__(self, "_made_with", (arguments, options))
        given = [_word(one) for one in arguments]
        if "activation" in options:
            options["activation"] = _word(options["activation"])
        own(self, *given, **options)

    return init


_REMEMBERED = ("Bidirectional", "GRU", "LSTM", "SimpleRNN", "Lambda", "Separable", "Depthwise")
"""Beginnings of the names of layers that do not keep all arguments as attributes."""


def _remembering(own: Any) -> Any:
    """Returns the __init__ of a layer, which notes its arguments: a subclass may have others."""

    @_functools.wraps(own)
    def init(self: Any, *arguments: Any, **options: Any) -> None:
        object.__setattr__(self, "_made_with", (arguments, options))
        own(self, *arguments, **options)

    return init


def _built_at_once(name: str, base: Any) -> bool:
    """Returns whether Keras counts a layer as built before it is called."""
    if "Pooling" in name or name == "Reshape":
        return True
    plain = base.supports_masking and base.build is _native.Layer.build
    return plain and name not in (*_MERGES, "Bidirectional", "Rescaling", "TimeDistributed")


def _made(name: str) -> Any:
    base = getattr(_native, name)
    space = {
        "__doc__": f"The layer {name} under Keras' names: see penstock.layers.{name}.",
        "__module__": __name__,
        "_least_rank": 2 if name == "Dense" else 0,
        "_built_at_once": _built_at_once(name, base),
        **_parts_of(name),
    }
    if name in _ACTIVE:
        space["__init__"] = _of_words(name, base)
    elif name.startswith(_REMEMBERED):
        space["__init__"] = _remembering(base.__init__)
    return type(name, (_LowRank if name in _OF_LOW_RANK else Layer, base), space)


def _function(name: str) -> Any:
    kind = globals()[name.capitalize()]

    def function(inputs: Any, *arguments: Any, **options: Any) -> Any:
        return kind(*arguments, **options)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Applies the layer {kind.__name__} to a list of tensors."
    return function


globals().update({name: _made(name) for name in _MADE})
globals().update({alias: globals()[name] for alias, name in _ALIASES.items()})
globals().update({name: _function(name) for name in _MERGING})


_FOREIGN = "Functions of another framework are not recorded: write the layer with tf or tf.keras.ops."
_INSTEAD = dict.fromkeys(("FlaxLayer", "JaxLayer", "TorchModuleWrapper"), _FOREIGN)
__getattr__, __dir__, _public = _namespace(
    "tf.keras.layers",
    globals(),
    "keras._functional keras._layer",
    rest="keras._adaptive_pools keras._categories keras._cells keras._coloured_pictures "
    "keras._convolved_memories keras._fourier_layer keras._grouped_attention keras._input_spec "
    "keras._local_contrast keras._lookups keras._mixed_pictures keras._moved_pictures keras._older_layers "
    "keras._pictures keras._preparing keras._serial keras._spectrograms keras._texts keras._wrapped_kernels "
    "keras._wrapper keras.export",
    instead=_INSTEAD,
)
