"""Probabilities as labels, and weights of losses: most of them get no gradient from Paddle's kernels."""

import warnings

import numpy as np

import paddle
import paddle.nn.functional as F

# Paddle says that some of these names are old.
warnings.simplefilter("ignore")


def tensor(seed, *shape, low=None):
    made = np.cos(np.arange(np.prod(shape)) * 1.7 + seed).reshape(shape)
    made = made if low is None else low + (1 - 2 * low) * (made + 1) / 2
    return paddle.to_tensor(made.astype("float32"), stop_gradient=False)


def show(name, loss, *tensors):
    print(name, [f"{number:.5g}" for number in loss.flatten().tolist()])
    gradients = paddle.grad((loss * loss).sum(), tensors, allow_unused=True)
    for one in gradients:
        print("   ", None if one is None else [f"{number:.4g}" for number in one.flatten().tolist()])


x, chance, label = tensor(0, 2, 3), tensor(1, 2, 3, low=0.1), tensor(2, 2, 3, low=0.1)
weight, positive, classes = tensor(3, 2, 3, low=0.2), tensor(4, 3, low=0.3), tensor(5, 3, low=0.2)
show("kl_div", F.kl_div(x, label), x, label)
show("kl_div of logarithms", F.kl_div(x, tensor(2, 2, 3), reduction="sum", log_target=True), x)
show("binary", F.binary_cross_entropy(chance, label, weight), chance, label, weight)
logits = F.binary_cross_entropy_with_logits
show("logits", logits(x, label, reduction="none"), x, label)
show("logits with weights", logits(x, label, weight, "none", positive), x, label, weight, positive)
show("log_loss", F.log_loss(chance[:, :1], label[:, :1]), chance, label)
shares = F.softmax(label)
for reduction in ("mean", "sum", "none"):
    for index in (-100, 0, 1):
        if index < 1:
            soft = F.cross_entropy(x, shares, classes, index, reduction, soft_label=True)
            show(f"soft {reduction} {index}", soft, x, label, classes)
        smooth = F.cross_entropy(x, paddle.to_tensor([1, 2]), None, index, reduction, label_smoothing=0.1)
        show(f"smooth {reduction} {index}", smooth, x)
        both = F.cross_entropy(x, paddle.to_tensor([1, 2]), classes, index, reduction, label_smoothing=0.1)
        show(f"smooth with weights {reduction} {index}", both, x)
hot = paddle.to_tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
show("one-hot labels equal to the index", F.cross_entropy(x, hot, None, 0, soft_label=True), x)
show("nll", F.nll_loss(F.log_softmax(x), paddle.to_tensor([2, 0]), classes, reduction="sum"), x, classes)
loss, beside = F.softmax_with_cross_entropy(x, paddle.to_tensor([[1], [2]]), return_softmax=True)
show("shares beside the loss", loss + beside.sum(), x)
show("lerp", paddle.lerp(x, label, weight), x, label, weight)
show("label_smooth", F.label_smooth(label, prior_dist=shares[:1]), label, shares)
lengths, steps = paddle.to_tensor([2, 1]), paddle.to_tensor([4, 3])
words = paddle.to_tensor([[1, 2], [2, 1]], dtype="int32")
speech = tensor(6, 4, 2, 3)
for reduction in ("mean", "sum", "none"):
    show("ctc", F.ctc_loss(speech, words, steps, lengths, 0, reduction, norm_by_times=True), speech)
places = paddle.to_tensor([1, 0, 1])
for made in (
    paddle.diag_embed(x),
    F.diag_embed(x, 1, 0, 2),
    paddle.linalg.lstsq(tensor(1, 3, 2), tensor(2, 3, 1))[0],
    paddle.bincount(places, classes),
    paddle.nextafter(x, label),
):
    print(made.shape, made.stop_gradient)
F.cross_entropy(x, shares, ignore_index=1, soft_label=True)
