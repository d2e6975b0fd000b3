"""tf.keras.activations."""

from __future__ import annotations

from typing import Any

from penstock.layers import activations as _native
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _in_graphs
from penstock.tensorflow.keras._logits import KEEPING as _KEEPING
from penstock.tensorflow.keras._logits import kept as _kept


def _of_tensors(word: str) -> Any:
    native = _native.WORDS[word]

    def function(x: Any, *arguments: Any, **options: Any) -> Any:
        if _mode.inside and _in_graphs.wanted(x):
            return _in_graphs.of_function(function, word, (x, *arguments), options)
        if hasattr(x, "shape") and not hasattr(x, "_spec") and hasattr(x, "call"):
            from penstock.tensorflow.keras._functional import note

            return note(native, (x, *arguments), options, word)
        x = _operand(x)
        made = native(x, *arguments, **options)
        return _kept(made, x) if native in _KEEPING else made

    function.__name__ = function.__qualname__ = word
    function.__doc__ = f"Returns the activation {word} of a tensor, elementwise."
    return function


for _word in _native.WORDS:
    globals()[_word] = _of_tensors(_word)


def get(identifier: Any) -> Any:
    """Returns the activation that a word or a function means; None is `linear`."""
    if isinstance(identifier, str) and identifier == "sparsemax":
        return globals().get(identifier) or __getattr__(identifier)
    return _native.get(identifier)


def serialize(activation: Any) -> str:
    """Returns the word for an activation."""
    return _native.called(activation)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Returns the activation that `serialize` has written, or that a file names."""
    from penstock.tensorflow.keras._serial import deserialize_keras_object

    return get(deserialize_keras_object(config, custom_objects))


__getattr__, __dir__, _public = _namespace("tf.keras.activations", globals(), rest="keras._rarer_activations")
