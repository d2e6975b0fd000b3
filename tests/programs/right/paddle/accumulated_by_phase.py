"""Gradients of two losses are gathered on purpose, by two calls of backward, before one step."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(8)
net = nn.Linear(3, 2)
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())


def push(x, y):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    return float(loss)


for _ in range(5):
    push(paddle.randn([8, 3]), paddle.randn([8, 2]))
    push(paddle.randn([4, 3]), paddle.randn([4, 2]))
    adam.step()
    adam.clear_grad()
