"""What a parameter's attributes and a group's numbers say of its steps: a factor of the rate, a penalty."""

import numpy
import paddle
from paddle import ParamAttr, nn
from paddle.regularizer import L1Decay, L2Decay

ATTRIBUTES = (
    {"learning_rate": 0.5},
    {"learning_rate": 0.5, "regularizer": L2Decay(0.3)},
    {"regularizer": L2Decay(0.1)},
    {"regularizer": L1Decay(0.1)},
)


def trained(kind, decay=None, **attributes):
    start = nn.initializer.Constant(2.0)
    layer = nn.Linear(1, 1, weight_attr=ParamAttr(initializer=start, **attributes))
    options = {} if decay is None else {"weight_decay": decay}
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=layer.parameters(), **options)
    for _ in range(2):
        layer(paddle.ones([1, 1])).square().sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return [round(one.item(), 4) for one in layer.parameters()]


for kind in ("SGD", "Momentum", "Adam", "Adagrad", "RMSProp", "Adamax"):
    print(kind, [trained(kind, None, **one) for one in ATTRIBUTES], trained(kind, 0.5, **ATTRIBUTES[2]))
print("AdamW", trained("AdamW", 0.3, learning_rate=0.5))

for kind in ("Adam", "AdamW", "NAdam", "Adamax", "RMSProp", "Momentum"):
    one, other = nn.Linear(2, 2), nn.Linear(2, 2)
    for layer in (one, other):
        layer.weight.set_value(numpy.array([[0.1, 0.2], [0.3, 0.4]], "float32"))
        layer.bias.set_value(numpy.zeros(2, "float32"))
    own = {"RMSProp": {"rho": 0.5}, "Momentum": {"momentum": 0.2}}.get(kind, {"beta1": 0.8})
    groups = [
        {"params": one.parameters(), "learning_rate": 0.5},
        {"params": other.parameters(), "weight_decay": 0.1, **own},
    ]
    optimizer = getattr(paddle.optimizer, kind)(learning_rate=0.1, parameters=groups)
    for _ in range(2):
        other(one(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(kind, [[round(n, 3) for n in layer.weight.flatten().tolist()] for layer in (one, other)])
