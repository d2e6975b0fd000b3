"""Parameters that get a gradient in some steps only: Adam and its like count the steps of each one."""

import numpy as np
import paddle
from paddle import nn, optimizer

x = paddle.to_tensor(np.linspace(-1, 1, 12).reshape(4, 3).astype("float32"))


def totals(parameters):
    return [round(one.abs().sum().item(), 4) for one in parameters]


def step(moved, layers, names):
    total = sum((layers[name](x) ** 2).sum() for name in names)
    total.backward()
    moved.step()
    moved.clear_grad(set_to_zero=False)


for make in (
    lambda given: optimizer.Adam(0.01, parameters=given),
    lambda given: optimizer.AdamW(0.01, parameters=given, grad_clip=nn.ClipGradByGlobalNorm(1.0)),
    lambda given: optimizer.Adamax(0.01, parameters=given),
    lambda given: optimizer.Lamb(0.01, parameters=given),
    lambda given: optimizer.NAdam(0.01, parameters=given),
    lambda given: optimizer.Momentum(0.01, parameters=given),
):
    paddle.seed(3)
    layers = {name: nn.Linear(3, 2) for name in "abc"}
    parameters = [one for layer in layers.values() for one in layer.parameters()]
    moved = make(parameters)
    for names in ("a", "ab", "b", "abc", "ac", "bc"):
        step(moved, layers, names)
    print(type(moved).__name__, totals(parameters))
    if not isinstance(moved, optimizer.NAdam):
        state = moved.state_dict()
        print(sorted(round(value.item(), 4) for name, value in state.items() if "pow" in name))
        moved.set_state_dict(state)
        for names in ("abc", "a"):
            step(moved, layers, names)
        print(totals(parameters))

paddle.seed(3)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
adam = optimizer.Adam(0.01, parameters=net.parameters())
for i in range(5):
    for one in net[0].parameters():
        one.stop_gradient = i < 3
    net(x).square().mean().backward()
    adam.step()
    adam.clear_grad()
    print(i, totals(net.parameters()))

layer = nn.Linear(3, 2)
groups = [{"params": [layer.weight], "learning_rate": 0.1}, {"params": [layer.bias], "weight_decay": 0.1}]
optimizer.SGD(0.1, parameters=groups)
print(layer.weight.optimize_attr, layer.bias.optimize_attr, type(layer.bias.regularizer).__name__)
layer.bias.set_value(paddle.ones([2]))
before = layer.weight.numpy().copy()
(layer(x + 1.0)).sum().backward()
optimizer.SGD(0.1, parameters=layer.parameters()).step()
print((layer.weight.numpy() - before).round(4).tolist(), layer.bias.numpy().round(4).tolist())
