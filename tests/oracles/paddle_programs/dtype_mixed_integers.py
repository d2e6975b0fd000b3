"""Nor are two widths of integers."""

import paddle

paddle.to_tensor([1, 2]) * paddle.to_tensor([1, 2], dtype="int32")
