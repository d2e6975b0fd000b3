"""An optimizer that goes after another."""

import warnings

import paddle

# Paddle says that one of its own operations is old.
warnings.simplefilter("ignore", DeprecationWarning)

w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
optimizer = paddle.incubate.LookAhead(paddle.optimizer.Momentum(0.1, parameters=[w]), alpha=0.4, k=2)
for step in range(5):
    ((w * paddle.to_tensor([1.0, 3.0])) ** 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(w.tolist())
