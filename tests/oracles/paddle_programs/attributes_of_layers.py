"""The arguments of layers as their attributes, and what setting one changes."""

import numpy as np
import paddle

nn = paddle.nn
x = paddle.to_tensor(np.arange(16.0, dtype="float32").reshape(1, 1, 4, 4) / 8 - 1)
x.stop_gradient = False


def shown(layer, *words):
    print(type(layer).__name__, {word: getattr(layer, word) for word in words})


def result(layer, given=x):
    out = layer(given)
    (gradient,) = paddle.grad(out.sum(), [given])
    print(
        type(layer).__name__, out.shape, round(float(out.sum()), 4), round(float(gradient.square().sum()), 4)
    )


for kind in (nn.MaxPool2D, nn.MaxPool3D):
    shown(kind(2, name="pool"), "name", "ksize", "stride", "padding")
for kind in (nn.MaxPool1D, nn.AvgPool1D):
    shown(kind(2, name="pool"), "name", "kernel_size", "stride", "padding")
shown(nn.AvgPool2D(2, divisor_override=3), "ksize", "divisor", "exclusive", "name")
shown(nn.AvgPool3D(2), "divisor", "name")
shown(nn.LPPool1D(2, 2), "norm_type", "kernel_size", "stride", "padding", "ceil_mode", "data_format", "name")
shown(nn.LPPool2D(2, 2), "norm_type", "ksize", "stride", "padding", "ceil_mode", "data_format", "name")
shown(nn.MaxUnPool2D(2), "ksize", "stride", "output_size", "name")
shown(nn.AdaptiveAvgPool1D(2), "output_size", "name")
shown(nn.AdaptiveAvgPool2D(2), "output_size")
shown(nn.AdaptiveAvgPool3D(2), "output_size")
shown(nn.AdaptiveMaxPool1D(2, True, "a"), "output_size", "return_mask", "return_indices", "name")
shown(nn.AdaptiveMaxPool2D(2), "return_indices")
shown(nn.Fold([4, 4], 2), "output_sizes", "output_size", "kernel_sizes", "kernel_size", "stride", "strides")
shown(nn.Fold([4, 4], 2), "padding", "paddings", "dilation", "dilations", "name")
shown(nn.Unfold(2), "kernel_sizes", "strides", "paddings", "dilations", "name")
shown(nn.LocalResponseNorm(3), "size", "alpha", "beta", "k", "data_format", "name")
shown(nn.Pad1D(1), "padding", "value")
shown(nn.Pad2D([1, 2, 0, 1]), "padding", "value")
shown(nn.ConstantPad2D(1, 2.0), "padding", "value")
shown(nn.ZeroPad3D(1), "padding", "value")
shown(nn.ReflectionPad2D(1), "padding", "value")
shown(nn.GLU(), "dim")
shown(nn.CosineSimilarity(), "dim")
shown(nn.PairwiseDistance(), "norm", "eps", "name")
shown(nn.Hardshrink(), "lambd")
shown(nn.Softshrink(0.3), "lambd")
shown(nn.Sigmoid("s"), "name")
shown(nn.Hardsigmoid(), "name")
shown(nn.Embedding(4, 2, padding_idx=1), "padding_idx")
shown(nn.Dropout2D(0.2, name="d"), "p", "name")
shown(nn.AlphaDropout(), "p", "name")
shown(nn.Unflatten(0, [1, 1]), "axis", "shape", "name")
shown(nn.Upsample([2, 2]), "size", "name")
shown(nn.UpsamplingBilinear2D([2, 2], name="u"), "size", "name")
for loss in (
    nn.CrossEntropyLoss,
    nn.BCELoss,
    nn.L1Loss,
    nn.SmoothL1Loss,
    nn.TripletMarginLoss,
    nn.SoftMarginLoss,
):
    shown(loss(), "name")
shown(nn.L1Loss(name="l"), "name", "reduction")
for kind in (nn.LSTM, nn.GRU, nn.SimpleRNN):
    layer = kind(2, 3, num_layers=2, direction="bidirect")
    shown(layer, "mode", "proj_size", "could_use_cudnn", "num_layers", "state_components")
    print(layer.flatten_parameters())
print(nn.LSTM(2, 3, bias_ih_attr=False).could_use_cudnn, nn.SimpleRNN(2, 3, activation="relu").mode)
print(nn.SimpleRNN(2, 3).activation)


class Plain(nn.RNNCellBase):
    def forward(self, inputs, states):
        return states, states


for word in ("state_shape", "state_dtype"):
    try:
        print(getattr(Plain(), word))
    except NotImplementedError as error:
        print(error)
shown(nn.ClipGradByGlobalNorm(1.0), "clip_norm", "group_name", "auto_skip_clip", "should_comm_on_shard_dim")

# Forward reads the attributes.
for layer, word, value in (
    (nn.MaxPool2D(2), "stride", 1),
    (nn.AvgPool2D(2), "divisor", 2),
    (nn.LPPool2D(2, 2), "norm_type", 3.0),
    (nn.LocalResponseNorm(3), "beta", 2.0),
    (nn.Hardshrink(), "lambd", 0.9),
    (nn.Pad2D(1), "padding", [2, 2, 2, 2]),
    (nn.AdaptiveAvgPool2D(2), "output_size", 2),
    (nn.Unfold(2), "strides", 2),
):
    result(layer)
    setattr(layer, word, value)
    result(layer)
