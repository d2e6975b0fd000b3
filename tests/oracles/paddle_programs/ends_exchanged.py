"""hardtanh whose ends are exchanged or meet, and what maxout refuses."""

import paddle

functional = paddle.nn.functional
for low, high in ((-1.0, 1.0), (2.0, -2.0), (0.0, 0.0)):
    x = paddle.to_tensor([-3.0, -1.0, 0.0, 1.0, 2.0, 3.0], stop_gradient=False)
    y = functional.hardtanh(x, low, high)
    y.sum().backward()
    print(y.tolist(), x.grad.tolist())
values = paddle.arange(16.0).reshape([1, 4, 2, 2])
print(functional.maxout(values, 2).tolist(), functional.maxout(values, 2, axis=3).shape)
for groups, axis in ((2, 5), (3, 1), (1, 1)):
    try:
        functional.maxout(values, groups, axis)
    except ValueError:
        print("refused", groups, axis)
