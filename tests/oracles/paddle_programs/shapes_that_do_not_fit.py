"""Shapes that do not broadcast."""

import paddle

paddle.to_tensor([1.0, 2.0]) + paddle.to_tensor([1.0, 2.0, 3.0])
