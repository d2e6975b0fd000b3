"""Gradients of normalising layers whose weight or bias is frozen, or not there."""

import numpy as np
import paddle

nn, F = paddle.nn, paddle.nn.functional
draw = np.random.RandomState(0)
VALUES = draw.randn(2, 4, 2, 2).astype("float32")
WEIGHTS = draw.randn(2, 4, 2, 2).astype("float32")


def shown(one):
    if one is None or one.grad is None:
        return None
    return (one.grad * one.grad).sum().numpy().astype("float64").round(3).tolist()


def gradients(layer, *frozen):
    for name in frozen:
        if getattr(layer, name, None) is not None:
            getattr(layer, name).stop_gradient = True
    for number, one in enumerate(layer.parameters()):
        one.set_value(paddle.to_tensor(np.cos(np.arange(one.size) + number).reshape(one.shape).astype("float32")))
    x = paddle.to_tensor(VALUES, stop_gradient=False)
    (layer(x) * paddle.to_tensor(WEIGHTS)).sum().backward()
    return shown(x), shown(getattr(layer, "weight", None)), shown(layer.bias)


for make in (
    lambda **options: nn.BatchNorm2D(4, **options),
    lambda **options: nn.GroupNorm(2, 4, **options),
    lambda **options: nn.GroupNorm(1, 4, **options),
    lambda **options: nn.LayerNorm([4, 2, 2], **options),
    lambda **options: nn.LayerNorm(2, **options),
    lambda **options: nn.InstanceNorm2D(4, **options),
):
    for options in ({}, {"weight_attr": False}, {"bias_attr": False}, {"weight_attr": False, "bias_attr": False}):
        for frozen in ((), ("weight",), ("bias",), ("weight", "bias")):
            for training in (True, False):
                try:
                    layer = make(**options)
                except AssertionError as error:
                    print("refused", str(error)[:40])
                    continue
                layer.training = training
                print(type(layer).__name__, options, frozen, training, *gradients(layer, *frozen))

# Functions, and images whose channels come last.
for data_format in ("NCHW", "NHWC"):
    x = paddle.to_tensor(VALUES if data_format == "NCHW" else VALUES.transpose(0, 2, 3, 1), stop_gradient=False)
    weights = WEIGHTS if data_format == "NCHW" else WEIGHTS.transpose(0, 2, 3, 1)
    found = F.group_norm(x, 2, data_format=data_format)
    (found * paddle.to_tensor(np.ascontiguousarray(weights))).sum().backward()
    print(x.grad.sum().numpy().astype("float64").round(3).tolist(), shown(x))

# A frozen encoder with a layer below it that is trained.
below, norm, head = nn.Linear(2, 2), nn.LayerNorm(2), nn.Linear(2, 1)
for number, one in enumerate([*below.parameters(), *norm.parameters(), *head.parameters()]):
    one.set_value(paddle.to_tensor(np.sin(np.arange(one.size) + number + 1).reshape(one.shape).astype("float32")))
norm.weight.stop_gradient = norm.bias.stop_gradient = True
optimizer = paddle.optimizer.SGD(0.1, parameters=below.parameters())
for _ in range(3):
    loss = (head(norm(below(paddle.to_tensor(VALUES[:, :, 0])))) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(loss.numpy().astype("float64").round(4).tolist())
