"""The configuration of every layer, made plainly and made with many arguments, and layers made of it."""

import json

import tensorflow as tf

L = tf.keras.layers
penalty = tf.keras.regularizers.L2(0.02)
positive = tf.keras.constraints.NonNeg()
first = tf.keras.initializers.HeNormal(seed=3)
weights = {
    "kernel_initializer": first, "bias_initializer": "ones", "kernel_regularizer": penalty,
    "kernel_constraint": positive, "activation": "relu", "name": "odd", "dtype": "float64",
}  # fmt: skip
window = {**weights, "strides": 2, "padding": "same"}
run = {
    "kernel_initializer": "he_uniform", "recurrent_initializer": tf.keras.initializers.Orthogonal(gain=0.5),
    "dropout": 0.1, "recurrent_dropout": 0.2, "seed": 4, "name": "odd",
}  # fmt: skip
sequences = {**run, "return_sequences": True, "stateful": True, "recurrent_constraint": "unit_norm"}
noisy = {"noise_shape": (None, 1), "seed": 3}
first_channels = {"data_format": "channels_first", "name": "odd"}
pooled = {**first_channels, "strides": 2, "padding": "same"}
named = {"name": "odd"}

MADE = {
    "Activation": [(["relu"], {}), ([tf.keras.activations.tanh], {"dtype": "float16"})],
    "ActivityRegularization": [([], {}), ([0.1, 0.2], named)],
    "AdditiveAttention": [([], {}), ([], {"use_scale": False, "dropout": 0.1})],
    "AlphaDropout": [([0.3], {}), ([0.3], noisy)],
    "Attention": [([], {}), ([], {"use_scale": True, "score_mode": "concat", "dropout": 0.2, "seed": 1})],
    "BatchNormalization": [([], {}), ([], {"axis": 1, "gamma_regularizer": penalty, "center": False})],
    "Concatenate": [([], {}), ([], {"axis": 1})],
    "Conv1D": [([4, 3], {}), ([4, 3], {**window, "groups": 2})],
    "Conv1DTranspose": [([4, 3], {}), ([4, 3], {**window, "output_padding": 1})],
    "Conv2D": [([4, 3], {}), ([4, (3, 2)], {**window, "data_format": "channels_first"})],
    "Conv2DTranspose": [([4, 3], {}), ([4, 3], {**window, "output_padding": 1})],
    "Conv3D": [([4, 3], {}), ([4, 3], window)],
    "Conv3DTranspose": [([4, 3], {}), ([4, 3], window)],
    "CenterCrop": [([4, 5], {}), ([4, 5], named)],
    "Cropping1D": [([], {}), ([2], {})],
    "Cropping2D": [([], {}), ([((1, 2), (0, 1))], {})],
    "Cropping3D": [([], {}), ([((1, 2), (0, 1), (1, 1))], {})],
    "Dense": [([3], {}), ([3], weights)],
    "DepthwiseConv1D": [([3], {}), ([3], {"depthwise_initializer": "ones", "use_bias": False})],
    "DepthwiseConv2D": [([3], {}), ([3], {"depth_multiplier": 2, "depthwise_constraint": positive})],
    "Dot": [([1], {}), ([(1, 2)], {"normalize": True})],
    "Dropout": [([0.3], {}), ([0.3], noisy)],
    "ELU": [([], {}), ([], {"alpha": 0.3})],
    "EinsumDense": [
        (["ab,bc->ac", 3], {}),
        (["abc,cd->abd"], {"output_shape": (None, 4), "bias_axes": "d", "kernel_regularizer": penalty}),
    ],
    "Embedding": [([5, 3], {}), ([5, 3], {"mask_zero": True, "embeddings_regularizer": "l2"})],
    "Flatten": [([], {}), ([], first_channels)],
    "GRU": [([4], {}), ([4], {**sequences, "reset_after": False, "go_backwards": True})],
    "GRUCell": [([4], {}), ([4], {**run, "reset_after": False})],
    "GaussianDropout": [([0.3], {}), ([0.3], {"seed": 3})],
    "GaussianNoise": [([0.3], {}), ([0.3], {"seed": 3})],
    "GroupNormalization": [([], {}), ([], {"groups": 4, "axis": 1, "beta_regularizer": "l2"})],
    "LSTM": [([4], {}), ([4], {**sequences, "unit_forget_bias": False, "return_state": True})],
    "LSTMCell": [([4], {}), ([4], run)],
    "LayerNormalization": [([], {}), ([], {"axis": [1, 2], "epsilon": 1e-5, "scale": False})],
    "LeakyReLU": [([], {}), ([], {"negative_slope": 0.1})],
    "Masking": [([], {}), ([-1.0], named)],
    "MultiHeadAttention": [
        ([2, 3], {}), ([2, 3], {"value_dim": 5, "use_bias": False, "output_shape": 7, "seed": 2})
    ],
    "PReLU": [([], {}), ([], {"alpha_initializer": "ones", "shared_axes": [1, 2]})],
    "Permute": [([(2, 1)], {}), ([(2, 3, 1)], {"dtype": "float16"})],
    "RMSNormalization": [([], {}), ([], {"axis": 1, "epsilon": 1e-3})],
    "ReLU": [([], {}), ([], {"max_value": 6.0, "negative_slope": 0.1, "threshold": 0.2})],
    "RepeatVector": [([2], {}), ([3], named)],
    "Rescaling": [([0.5], {}), ([0.5], {"offset": -1.0})],
    "Reshape": [([(2, 3)], {}), ([(-1, 2)], named)],
    "Resizing": [([4, 5], {}), ([4, 5], {"interpolation": "nearest", "crop_to_aspect_ratio": True})],
    "SeparableConv1D": [([4, 3], {}), ([4, 3], {"pointwise_regularizer": "l2", "dilation_rate": 2})],
    "SeparableConv2D": [([4, 3], {}), ([4, 3], {"depthwise_initializer": first, "activation": "swish"})],
    "SimpleRNN": [([4], {}), ([4], sequences)],
    "SimpleRNNCell": [([4], {}), ([4], run)],
    "Softmax": [([], {}), ([], {"axis": 1})],
    "SpatialDropout1D": [([0.3], {}), ([0.3], {"seed": 3})],
    "SpatialDropout2D": [([0.3], {}), ([0.3], {"seed": 3, "data_format": "channels_first"})],
    "SpatialDropout3D": [([0.3], {}), ([0.3], {"seed": 3})],
    "UnitNormalization": [([], {}), ([], {"axis": [1, 2]})],
    "UpSampling1D": [([], {}), ([3], {})],
    "UpSampling2D": [([], {}), ([3], {"interpolation": "bilinear"})],
    "UpSampling3D": [([], {}), ([(1, 2, 3)], {})],
    "ZeroPadding1D": [([], {}), ([(2, 1)], {})],
    "ZeroPadding2D": [([], {}), ([((1, 2), (0, 1))], first_channels)],
    "ZeroPadding3D": [([], {}), ([2], {})],
    **{name: [([], {}), ([], named)] for name in "Add Average Identity Maximum Minimum Multiply Subtract".split()},
    **{f"{word}Pooling{n}D": [([2], {}), ([3], pooled)] for n in (1, 2, 3) for word in ("Max", "Average")},
    **{
        f"Global{word}Pooling{n}D": [([], {}), ([], {**first_channels, "keepdims": True})]
        for n in (1, 2, 3)
        for word in ("Max", "Average")
    },
}  # fmt: skip


def inside():
    return L.GRU(2, return_sequences=True)


NESTED = [
    L.Bidirectional(L.LSTM(2, name="steps")), L.Bidirectional(inside(), merge_mode="sum"),
    L.TimeDistributed(L.Dense(3, name="each")), L.RNN(L.LSTMCell(2, name="one"), name="run"),
    L.RNN([L.GRUCell(2, name="a"), L.GRUCell(3, name="b")], return_sequences=True, name="two"),
    L.StackedRNNCells([L.LSTMCell(2, name="c")], name="cells"),
    L.Lambda(tf.keras.activations.relu, output_shape=(3,), arguments={"negative_slope": 0.1}, name="f"),
    L.InputLayer((None, 4), batch_size=2, dtype="int32", name="given"),
]  # fmt: skip


class Wider(L.Dense):
    def __init__(self, units, extra=1, **options):
        super().__init__(units * extra, **options)
        self.extra = extra

    def get_config(self):
        return {**super().get_config(), "extra": self.extra}


class Scaled(L.Layer):
    def __init__(self, factor, shift=0.5, **kwargs):
        super().__init__(**kwargs)
        self.factor, self.shift = factor, shift


def shown(layer):
    config = layer.get_config()
    again = type(layer).from_config(layer.get_config()).get_config()
    config["name"] = config["name"].rstrip("_0123456789")
    again["name"] = again["name"].rstrip("_0123456789")
    print(type(layer).__name__, json.dumps(config, sort_keys=True), again == config)


for name, calls in MADE.items():
    for arguments, options in calls:
        shown(getattr(L, name)(*arguments, **options))
for layer in NESTED:
    shown(layer)
wide = Wider(2, 3, kernel_initializer="he_normal", name="wide")
print(json.dumps(wide.get_config(), sort_keys=True))
print(json.dumps(Scaled(2, name="scaled").get_config(), sort_keys=True))
written = L.serialize(L.Dense(2, activation="relu", name="head"))
print(json.dumps(written, sort_keys=True))
print(L.deserialize(written).get_config() == written["config"])
