"""Activations, losses and arrangements that are asked for less often: values, and gradients."""

import paddle
import paddle.nn.functional as F


def rounded(tensor):
    return [0.0 if abs(one) < 1e-5 else float(f"{one:.4g}") for one in tensor.flatten().tolist()]


def slope(function, *given):
    leaves = [paddle.to_tensor(one, stop_gradient=False) for one in given]
    found = function(*leaves)
    (found * paddle.arange(1.0, found.numel() + 1.0).reshape(found.shape)).sum().backward()
    print(found.shape, rounded(found), [rounded(one.grad) for one in leaves])


x = [[-2.0, -0.3, 0.4, 3.5], [1.5, -1.0, 0.7, 0.2]]
y = [[0.5, 0.3, -0.4, 1.5], [-0.5, 2.0, 0.1, 0.9]]
z = [[0.1, -0.3, 1.4, 0.5], [1.5, -1.0, -0.1, 2.9]]
signs = paddle.to_tensor([1.0, -1.0])
for function in (
    F.celu, F.hardshrink, F.softshrink, F.hardswish, F.thresholded_relu, F.glu,
    lambda x: F.maxout(x.reshape([1, 4, 2, 1]), 2),
    lambda x: F.prelu(x, paddle.to_tensor([0.2])),
    F.label_smooth,
    lambda x: F.pad(x, [1, 0, 0, 2], value=7.0),
    lambda x: F.pad(x.reshape([1, 2, 2, 2]), [1, 0, 1, 1], mode="reflect"),
    lambda x: F.pad(x.reshape([1, 1, 8]), [2, 1], mode="replicate", data_format="NCL"),
    lambda x: F.pixel_shuffle(x.reshape([1, 4, 1, 2]), 2),
    lambda x: F.instance_norm(x.reshape([1, 2, 2, 2])),
):  # fmt: skip
    slope(function, x)
slope(F.triplet_margin_loss, x, y, z)
slope(lambda a, b: F.margin_ranking_loss(a, b, paddle.to_tensor([[1.0], [-1.0]]), 0.1), x, y)
slope(lambda a: F.hinge_embedding_loss(a[:, 0], signs), x)
slope(lambda a, b: F.cosine_embedding_loss(a, b, paddle.to_tensor([1, -1]), 0.1), x, y)
slope(lambda a: F.poisson_nll_loss(a, paddle.to_tensor(z).abs(), full=True), x)
slope(lambda a: F.sigmoid_focal_loss(a, (paddle.to_tensor(y) > 0).astype("float32")), x)
print(F.sequence_mask(paddle.to_tensor([1, 3, 0]), maxlen=4))
q = [[[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 1.0]]]]
slope(lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True), q)
layers = [paddle.nn.PReLU(), paddle.nn.InstanceNorm2D(2), paddle.nn.ZeroPad2D(1), paddle.nn.CELU(2.0)]
for layer in layers:
    found = layer(paddle.to_tensor(x).reshape([1, 2, 2, 2]))
    print(found.shape, rounded(found))
print(rounded(paddle.nn.TripletMarginLoss(margin=2.0)(*map(paddle.to_tensor, (x, y, z)))))
