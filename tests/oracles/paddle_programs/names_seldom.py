"""Functions and layers of networks that few programs ask for, with gradients."""

import warnings

import numpy as np
import paddle
import paddle.nn.functional as F

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
t = paddle.to_tensor


def draw(*shape):
    return rng.normal(size=shape).astype("float32")


def shown(word, function, *arrays):
    leaves = [t(one, stop_gradient=one.dtype.kind != "f") for one in arrays]
    found = function(*leaves)
    total = (found * t(np.cos(np.arange(found.size)).reshape(found.shape).astype("float32"))).sum()
    total.backward()
    slopes = [round(float((one.grad * one).sum()), 3) for one in leaves if one.grad is not None]
    print(word, list(found.shape), round(float(total), 3), slopes)


image = draw(2, 4, 6, 6)
shown("unfold", lambda x: F.unfold(x, 3), image)
shown("unfold", lambda x: F.unfold(x, [2, 3], [2, 1], [1, 0, 2, 1], [1, 2]), image)
shown("fold", lambda x: F.fold(x, [5, 6], [2, 3], strides=1, paddings=1), draw(2, 12, 36))
shown("channel_shuffle", lambda x: F.channel_shuffle(x, 2), image)
shown("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 3), image)
shown("zeropad2d", lambda x: F.zeropad2d(x, [1, 0, 2, 1]), image)
shown("temporal_shift", lambda x: F.temporal_shift(x, 2, 0.25), image)
shown("local_response_norm", lambda x: F.local_response_norm(x, 3, 0.1), image)
shown("lp_pool2d", lambda x: F.lp_pool2d(x, 3.0, 2), np.abs(image))
shown("lp_pool1d", lambda x: F.lp_pool1d(x, 2.0, 2), np.abs(image[0]))
pair = draw(4, 5), draw(4, 5)
shown("pairwise_distance", lambda x, y: F.pairwise_distance(x, y, 3.0), *pair)
labels = np.array([1, 0, 3, 3])
signs = np.sign(pair[1])
shown("soft_margin_loss", lambda x: F.soft_margin_loss(x, t(signs)), pair[0])
shown(
    "multi_label_soft_margin_loss",
    lambda x: F.multi_label_soft_margin_loss(x, t((signs + 1) / 2), reduction="none"),
    pair[0],
)
shown("multi_margin_loss", lambda x: F.multi_margin_loss(x, t(labels)), pair[0])
shown(
    "multi_margin_loss",
    lambda x: F.multi_margin_loss(x, t(labels), 2, 0.7, t(np.abs(pair[1][0])), "sum"),
    pair[0],
)
shown(
    "gaussian_nll_loss",
    lambda x, v: F.gaussian_nll_loss(x, t(pair[1]), v, full=True),
    pair[0],
    np.abs(draw(4, 5)),
)
shown("npair_loss", lambda x, y: F.npair_loss(x, y, t(labels.astype("float32"))), *pair)
shown("dice_loss", lambda x: F.dice_loss(F.softmax(x), t(labels.reshape(-1, 1))), pair[0])
shown("triplet", lambda x, y: F.triplet_margin_with_distance_loss(x, y, t(draw(4, 5)), swap=True), *pair)
shown("bilinear", lambda x, y, w: F.bilinear(x, y, w), *pair, draw(3, 5, 5))
shown("rrelu", lambda x: F.rrelu(x, 0.1, 0.3, training=False), pair[0])
shown("swiglu", lambda x, y: F.swiglu(x, y), *pair)
layers = paddle.nn
shown("Softmax2D", layers.Softmax2D(), image)
shown("Unflatten", layers.Unflatten(1, [2, 2]), image)
shown("Pad3D", layers.Pad3D(1, value=2.0), draw(1, 2, 2, 2, 2))
shown("ZeroPad1D", layers.ZeroPad1D([1, 2]), draw(1, 2, 3))
shown("PixelUnshuffle", layers.PixelUnshuffle(2), image)
shown("LocalResponseNorm", layers.LocalResponseNorm(2), image)
shown("PairwiseDistance", layers.PairwiseDistance(), *pair)
start = layers.initializer
for one, shape in (
    (start.Dirac(), [4, 2, 3]),
    (start.Dirac(2), [4, 2, 3, 3]),
    (start.Bilinear(), [2, 1, 4, 4]),
):
    made = paddle.create_parameter(shape, "float32", default_initializer=one).numpy()
    print(shape, np.round(made.reshape(shape[0], -1)[-1], 4).tolist())
made = paddle.create_parameter([3, 5], "float32", default_initializer=start.Orthogonal(2.0)).numpy()
print((np.round(made @ made.T, 3) + 0.0).tolist())
start.set_global_initializer(start.Constant(0.5), start.Constant(0.25))
layer = layers.Linear(2, 2, bias_attr=paddle.ParamAttr(initializer=start.Constant(1.0)))
print(layer.weight.tolist(), layer.bias.tolist(), layers.Linear(2, 1).bias.tolist())
start.set_global_initializer(None)
print(layers.Linear(2, 1).bias.tolist())
