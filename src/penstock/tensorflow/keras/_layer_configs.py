"""The configurations of layers as Keras writes them: which arguments each class names, and their values."""

from __future__ import annotations

import inspect
import re
from typing import Any

from penstock.layers.cloning import arguments_of

_RUN = "return_sequences return_state go_backwards stateful unroll zero_output_for_mask"
_GATED = "units activation recurrent_activation use_bias"
_WINDOW = "filters kernel_size strides padding"
_NORMALIZED = "center scale"
_RENORMALIZED = "synchronized renorm renorm_clipping renorm_momentum"
_PROJECTED = "use_bias use_gate"

KEYS = {
    "Activation": "activation",
    "ActivityRegularization": "l1 l2",
    "AdaptivePooling": "output_size data_format",
    "AdditiveAttention": "use_scale dropout seed",
    "AlphaDropout": "rate seed",
    "Attention": "use_scale score_mode dropout seed",
    "BatchNormalization": f"axis momentum epsilon {_NORMALIZED} moving_mean_initializer "
    f"moving_variance_initializer [beta gamma] {_RENORMALIZED}",
    "Bidirectional": "merge_mode layer backward_layer",
    "CategoryEncoding": "num_tokens output_mode",
    "CenterCrop": "data_format height width",
    "Concatenate": "axis",
    "Conv": f"{_WINDOW} data_format dilation_rate groups activation use_bias <kernel bias>",
    "ConvLSTM": f"{_RUN} {_WINDOW} data_format dilation_rate activation recurrent_activation use_bias "
    "unit_forget_bias <kernel recurrent bias> dropout recurrent_dropout seed",
    "ConvTranspose": f"{_WINDOW} output_padding data_format dilation_rate activation use_bias <kernel bias>",
    "Cropping": "cropping data_format",
    "Cropping1D": "cropping",
    "Dense": "units activation use_bias [kernel bias] quantization_config",
    "DepthwiseConv": "depth_multiplier kernel_size strides padding data_format dilation_rate activation "
    "use_bias <depthwise bias>",
    "Dot": "axes normalize",
    "Dropout": "rate seed noise_shape",
    "ELU": "alpha",
    "EinsumDense": "output_shape equation activation bias_axes <kernel bias> quantization_config",
    "Embedding": "input_dim output_dim <embeddings> mask_zero quantization_config",
    "Flatten": "data_format",
    "GRU": f"{_RUN} {_GATED} <kernel recurrent bias> dropout recurrent_dropout reset_after seed",
    "GRUCell": f"{_GATED} [kernel recurrent bias] dropout recurrent_dropout reset_after seed",
    "GaussianDropout": "rate seed",
    "GaussianNoise": "stddev seed",
    "GlobalPooling": "data_format keepdims",
    "GroupQueryAttention": f"head_dim num_query_heads num_key_value_heads {_PROJECTED} sliding_window "
    "dropout <kernel bias> seed",
    "GroupNormalization": f"groups axis epsilon {_NORMALIZED} [beta gamma]",
    "LSTM": f"{_RUN} {_GATED} unit_forget_bias <kernel recurrent bias> dropout recurrent_dropout seed",
    "LSTMCell": f"{_GATED} unit_forget_bias [kernel recurrent bias] dropout recurrent_dropout seed",
    "Lambda": "function output_shape arguments",
    "LayerNormalization": f"axis epsilon {_NORMALIZED} rms_scaling [beta gamma]",
    "LeakyReLU": "negative_slope",
    "Masking": "mask_value",
    "MelSpectrogram": "fft_length sequence_stride sequence_length window sampling_rate num_mel_bins min_freq "
    "max_freq power_to_db top_db mag_exp min_power ref_power",
    "MultiHeadAttention": f"num_heads key_dim value_dim dropout {_PROJECTED} output_shape attention_axes "
    "sliding_window <kernel bias> seed",
    "PReLU": "[alpha] shared_axes",
    "Permute": "dims",
    "Pooling": "pool_size padding strides data_format",
    "RNN": f"{_RUN} cell",
    "ReLU": "max_value negative_slope threshold",
    "RepeatVector": "n",
    "RandomHeight": "factor interpolation seed",
    "RandomWidth": "factor interpolation seed",
    "Rescaling": "scale offset",
    "Reshape": "target_shape",
    "Resizing": "data_format height width interpolation crop_to_aspect_ratio pad_to_aspect_ratio fill_mode "
    "fill_value antialias",
    "ReversibleEmbedding": "input_dim output_dim <embeddings> mask_zero quantization_config tie_weights "
    "reverse_dtype logit_soft_cap",
    "SeparableConv": f"depth_multiplier {_WINDOW} data_format dilation_rate activation use_bias "
    "<depthwise pointwise bias>",
    "SimpleRNN": f"{_RUN} units activation use_bias <kernel recurrent bias> dropout recurrent_dropout",
    "SimpleRNNCell": "units activation use_bias [kernel recurrent bias] dropout recurrent_dropout seed",
    "STFTSpectrogram": "mode frame_length frame_step fft_length window periodic scaling padding data_format "
    "expand_dims",
    "Softmax": "axis",
    "SpatialDropout": "rate seed data_format",
    "SpatialDropout1D": "rate seed",
    "SpectralNormalization": "layer power_iterations",
    "StackedRNNCells": "cells",
    "ThresholdedReLU": "theta",
    "TimeDistributed": "layer",
    "UpSampling1D": "size",
    "UpSampling2D": "size data_format interpolation",
    "UpSampling3D": "size data_format",
    "Wrapper": "layer",
    "ZeroPadding": "padding data_format",
    **dict.fromkeys(("Add", "Average", "Identity", "Maximum", "Minimum", "Multiply", "Subtract"), ""),
}  # fmt: skip
"""What each class names beside the layer's own options; `<kernel>` are the initializers, regularizers and
constraints of variables and the penalty on the result, `[kernel]` those without this penalty. A layer that is
not listed names the arguments of its `__init__`."""
_FAMILY = re.compile(r"(Adaptive|Global)?(?:Average|Max)(Pooling)[123]D|(\w+?)[123]D(Transpose)?")
DEFAULTS = {
    "attention_axes": None, "data_format": "channels_last", "fill_mode": "constant", "fill_value": 0.0,
    "quantization_config": None, "renorm": False, "renorm_clipping": None, "renorm_momentum": 0.99,
    "rms_scaling": False, "sliding_window": None, "synchronized": False, "unroll": False, "use_gate": False,
    "zero_output_for_mask": False,
}  # fmt: skip
"""What arguments that only Keras reads are here."""
_SINGLE = ("axis", "shared_axes")
"""Arguments that are one number, or several in a list."""
_MADE = "penstock.tensorflow.keras.layers"
"""Where the native layers are under Keras' names."""
_LAYERS = ("layer", "backward_layer", "cell", "cells")
_ATTRIBUTES = {"depthwise": "kernel"}
_PLAIN_DTYPE = ("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D")


def _expanded(words: str) -> tuple[str, ...]:
    def several(found: re.Match[str]) -> str:
        names = found[0][1:-1].split()
        kinds = {
            kind: [f"{name}_{kind}" for name in names]
            for kind in ("initializer", "regularizer", "constraint")
        }
        activity = ["activity_regularizer"] if found[0][0] == "<" else []
        return " ".join(kinds["initializer"] + kinds["regularizer"] + activity + kinds["constraint"])

    return tuple(re.sub(r"[<\[][\w ]+[>\]]", several, words).split())


def described(kind: type) -> tuple[type, tuple[str, ...]] | None:
    """Returns the class of Keras that a layer is of, and what its configuration names; None for another."""
    for one in kind.__mro__:
        if not one.__module__.startswith("penstock.tensorflow.keras."):
            continue
        words = KEYS.get(one.__name__)
        family = None if words is not None else _FAMILY.fullmatch(one.__name__)
        if family is not None:
            words = KEYS.get("".join(part for part in family.groups() if part))
        if words is not None:
            return one, _expanded(words)
        if one.__module__ == _MADE:
            return one, _taken(one)
    return None


def _taken(kind: type) -> tuple[str, ...]:
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]  # type: ignore[misc]
    return tuple(one.name for one in parameters if one.kind is not one.VAR_KEYWORD)


def dtype_config(layer: Any) -> dict[str, Any]:
    """Returns the policy of a layer as Keras writes it."""
    if hasattr(layer._policy, "default_policy"):
        return {"module": "keras.dtype_policies", "class_name": "DTypePolicyMap",
                "config": layer._policy.get_config(), "registered_name": None}  # fmt: skip
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": layer._policy.name},
            "registered_name": None}  # fmt: skip


def config_of(layer: Any, own: bool, write: Any) -> dict[str, Any]:
    """Returns the configuration of a layer; `own` says that a class of the user adds to it,
    and `write` gives an object as a dictionary."""
    base = {"name": layer.name, "trainable": layer._trainable, "dtype": dtype_config(layer)}
    found = described(type(layer))
    if layer.activity_regularizer is not None and (found is None or "l1" not in found[1]):
        base["activity_regularizer"] = write(layer.activity_regularizer)
    if found is None:
        if own:
            return base
        return {"name": None, **arguments_of(layer), **base}
    kind, keys = found
    given = _given(layer, kind)
    config = {**base, **{key: _value(layer, key, given, write) for key in keys}}
    if kind.__name__ in _PLAIN_DTYPE:
        config["dtype"] = layer._policy.name
        del config["trainable"]
    if kind.__name__ == "Lambda":
        if config["output_shape"] is None:
            del config["output_shape"]
        for key in ("function", "output_shape"):
            written = config.get(key)
            if isinstance(written, dict) and written["class_name"] == "__lambda__":
                # Keras names the parts of code in a Lambda, and lists them elsewhere.
                named = dict(zip(("code", "defaults", "closure"), written["config"]["value"], strict=True))
                config[key] = {"class_name": "__lambda__", "config": named}
    return config


def argument(layer: Any, key: str) -> Any:
    """Returns an argument that the layer was made with; an initializer and the like as objects."""
    found = described(type(layer))
    assert found is not None
    value, kind = _read(layer, key, _given(layer, found[0])), key.rpartition("_")[2]
    return _lookup(f"{kind}s", value) if kind in ("initializer", "regularizer", "constraint") else value


def _given(layer: Any, kind: type) -> dict[str, Any]:
    """Returns the arguments that the class of Keras was given by name, as far as they are known."""
    made = vars(layer).get("_made_with")
    if made is None:
        return arguments_of(layer) if type(layer).__init__ is kind.__init__ else {}  # type: ignore[misc]
    bound = inspect.signature(kind.__init__).bind(layer, *made[0], **made[1])  # type: ignore[misc]
    bound.apply_defaults()
    found = dict(bound.arguments)
    return {**found, **found.get("options", {})}


def _value(layer: Any, key: str, given: dict[str, Any], write: Any) -> Any:
    if key in _LAYERS:
        return _of_layers(layer, key, write)
    if key == "function":
        return _function(layer.function, write)
    value = _read(layer, key, given)
    if key in _SINGLE and isinstance(value, list | tuple):
        single = len(value) == 1 and not isinstance(given.get(key), list | tuple)
        return value[0] if single else list(value)
    if key == "size" and len(value) == 1:
        return value[0]
    if key == "output_shape" and isinstance(value, int):
        return (value,)
    if key == "activation" or key == "recurrent_activation":
        return write(_lookup("activations", value))
    kind = key.rpartition("_")[2]
    if kind in ("initializer", "regularizer", "constraint"):
        return write(_lookup(f"{kind}s", value))
    return value


def _of_layers(layer: Any, key: str, write: Any) -> Any:
    """Returns the layers inside one, or several in a list, as dictionaries."""
    found = write(layer.forward_layer if key == "layer" and _is_pair(layer) else getattr(layer, key))
    if _is_pair(layer) and "zero_output_for_mask" in found["config"]:
        # Keras sets it on the layers inside.
        found["config"]["zero_output_for_mask"] = layer.return_sequences
    return found


def _is_pair(layer: Any) -> bool:
    return hasattr(layer, "forward_layer")


def _lookup(space: str, value: Any) -> Any:
    from importlib import import_module

    if value is None and space != "activations":
        return None
    return import_module(f"penstock.tensorflow.keras.{space}").get(value)


def _read(layer: Any, key: str, given: dict[str, Any]) -> Any:
    name = key
    for word, own in _ATTRIBUTES.items():
        name = name.replace(f"{word}_", f"{own}_")
    if key != "output_shape":
        for owner in (layer, vars(layer).get("cell")):
            if owner is not None and (key in vars(owner) or name in vars(owner)):
                return vars(owner)[key if key in vars(owner) else name]
    value = given.get(key)
    return DEFAULTS.get(key) if value is None else value


def _function(function: Any, write: Any) -> Any:
    found = write(function)
    if isinstance(found, str):
        return {
            "module": "builtins",
            "class_name": "function",
            "config": found,
            "registered_name": "function",
        }
    return found


__all__ = ["DEFAULTS", "KEYS", "config_of", "described", "dtype_config"]
