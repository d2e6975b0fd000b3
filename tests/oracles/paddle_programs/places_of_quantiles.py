"""The place of a quantile is computed in the precision of x, and gradients go where sorting took it from."""

import paddle

for kind in ("float32", "float64"):
    for row in (
        [3.0, 1.0, 2.0, 2.0, 5.0, 4.0, 2.0, 1.0, 0.0, 2.0, 7.0],
        [float(i * i % 7) for i in range(101)],
    ):
        x = paddle.to_tensor(row, kind, stop_gradient=False)
        for share in (0.0, 0.1, 0.3, 0.5, 0.7, 1.0):
            for word in ("linear", "lower", "higher", "midpoint", "nearest"):
                x.clear_grad()
                value = paddle.quantile(x, share, interpolation=word)
                value.backward()
                places = paddle.nonzero(x.grad).flatten().tolist()
                print(kind, share, word, round(value.item(), 6), places)
x = paddle.to_tensor([[1.0, float("nan"), 3.0], [4.0, 5.0, 6.0]])
print(paddle.quantile(x, 0.4, 1).tolist(), paddle.nanquantile(x, [0.4, 0.9], 1).tolist())
print(paddle.quantile(x[1], [0.25]).shape, paddle.quantile(x[1], [0.25, 0.5], 0, keepdim=True).shape)
