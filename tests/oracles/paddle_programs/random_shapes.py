"""Draws: shapes, dtypes, ranges, and seeds that repeat."""

import paddle

paddle.seed(7)
first = paddle.randn([3])
paddle.seed(7)
print(bool((first == paddle.randn([3])).all()))
print(paddle.rand([2, 3]).shape, paddle.rand([2]).dtype, paddle.randint(0, 5, [4]).dtype)
u = paddle.uniform([1000], min=2.0, max=3.0)
print(bool((u >= 2).all()), bool((u <= 3).all()))
print(sorted(paddle.randperm(5).tolist()))
print(paddle.normal(mean=1.0, std=2.0, shape=[3]).shape)
