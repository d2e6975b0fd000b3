"""Inputs are tensors."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
try:
    paddle.grad(x * x, 2.0)
except (TypeError, AssertionError) as error:
    print("refused")
