"""The gradient of a median goes to every element equal to it, or to one on either side."""

import paddle

ROWS = (
    [1.0, 2.0, 2.0, 2.0, 5.0],
    [1.0, 2.0, 2.0, 3.0, 3.0, 3.0],
    [4.0, 4.0],
    [2.0, 1.0, 2.0, 0.0, 2.0, 1.0, 2.0, 2.0],
    [float(i % 3) for i in range(30)],
    [1.0, float("nan"), 2.0, 2.0, 3.0],
)
for row in ROWS:
    x = paddle.to_tensor(row, stop_gradient=False)
    for found in (
        lambda: paddle.median(x),
        lambda: paddle.median(x, 0, keepdim=True),
        lambda: paddle.nanmedian(x),
        lambda: paddle.median(x, 0, mode="min")[0],
        lambda: paddle.nanmedian(x, 0, mode="min")[0],
    ):
        x.clear_grad()
        value = found()
        value.sum().backward()
        print(value.tolist(), [round(one, 4) for one in x.grad.tolist()])
table = paddle.to_tensor([[1.0, 1.0, 3.0], [1.0, 2.0, 3.0]], stop_gradient=False)
paddle.median(table).backward()
print([[round(one, 4) for one in row] for row in table.grad.tolist()])
table.clear_grad()
paddle.nanmedian(table, [0, 1], keepdim=True).sum().backward()
print([[round(one, 4) for one in row] for row in table.grad.tolist()])
holes = paddle.to_tensor([[1.0, float("nan"), 2.0, 2.0, float("nan")] * 5, [float(i % 3) for i in range(25)]])
print(paddle.nanmedian(holes, 1, mode="min")[1].tolist(), paddle.median(holes, 1, mode="min")[1].tolist())
