"""Sorted, largest, positions."""

import paddle

x = paddle.to_tensor([3.0, 1.0, 2.0], stop_gradient=False)
print(paddle.sort(x).tolist(), paddle.argsort(x, descending=True).tolist())
values, places = paddle.topk(x, 2)
print(values.tolist(), places.tolist())
(values * paddle.to_tensor([1.0, 10.0])).sum().backward()
print(x.grad.tolist())
print(paddle.nonzero(x > 1.5).tolist(), paddle.masked_select(x, x > 1.5).tolist())
