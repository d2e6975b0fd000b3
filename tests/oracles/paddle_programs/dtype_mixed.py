"""Integers and fractions are not mixed."""

import paddle

print(paddle.to_tensor([1, 2]) + paddle.to_tensor([0.5, 1.5]))
