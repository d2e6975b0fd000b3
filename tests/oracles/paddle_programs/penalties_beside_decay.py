"""A regularizer of a parameter's own under optimizers that take their decay from the value."""

import paddle
from paddle.regularizer import L1Decay, L2Decay


def made(optimizer, own, **options):
    paddle.seed(0)
    start = paddle.nn.initializer.Assign([[0.9, -2.1], [0.45, 3.2]])
    attr = paddle.ParamAttr(initializer=start, regularizer=own)
    layer = paddle.nn.Linear(2, 2, weight_attr=attr)
    step = optimizer(learning_rate=0.1, parameters=layer.parameters(), **options)
    for i in range(3):
        x = paddle.to_tensor([[1.0, 2.0 + i], [-1.0, 0.5]])
        layer(x).square().mean().backward()
        step.step()
        step.clear_grad()
    return [round(one, 4) for one in layer.weight.flatten().tolist() + layer.bias.tolist()]


for own in (None, L2Decay(0.3), L1Decay(0.2)):
    word = None if own is None else type(own).__name__
    print(word, "AdamW", made(paddle.optimizer.AdamW, own, weight_decay=0.05))
    print(word, "AdamW without decay", made(paddle.optimizer.AdamW, own, weight_decay=0.0))
    print(word, "Lamb", made(paddle.optimizer.Lamb, own, lamb_weight_decay=0.05))
    print(word, "Adam", made(paddle.optimizer.Adam, own, weight_decay=0.05))
