"""Factors of users and things, with things drawn that the user has not met."""

import numpy as np
import paddle
from paddle import nn

paddle.seed(0)
rng = np.random.default_rng(0)


class Factors(nn.Layer):
    def __init__(self, users, things, size):
        super().__init__()
        self.user = nn.Embedding(users, size)
        self.thing = nn.Embedding(things, size)
        self.bias = self.create_parameter([things], default_initializer=nn.initializer.Constant(0.0))

    def forward(self, u, i):
        return (self.user(u) * self.thing(i)).sum(axis=-1) + paddle.gather(self.bias, i)


model = Factors(6, 9, 4)
opt = paddle.optimizer.Adagrad(0.1, parameters=model.parameters())
for step in range(6):
    u = paddle.to_tensor(rng.integers(0, 6, 16))
    liked = paddle.to_tensor(rng.integers(0, 9, 16))
    drawn = paddle.to_tensor(rng.integers(0, 9, 16))
    loss = -nn.functional.log_sigmoid(model(u, liked) - model(u, drawn)).mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
print(float(loss))
