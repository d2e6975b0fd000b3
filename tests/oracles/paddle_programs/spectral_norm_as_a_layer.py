"""The layer SpectralNorm keeps its vectors, and its gradient is not the derivative of what it returns."""

import paddle

paddle.seed(7)
for shape, axis, steps in (([4, 3, 2, 2], 0, 1), ([2, 6, 3], 1, 2), ([5, 7], 0, 3)):
    x = paddle.arange(paddle.zeros(shape).size, dtype="float32").reshape(shape).sin()
    x.stop_gradient = False
    layer = paddle.nn.SpectralNorm(shape, axis, steps)
    before = [one.numpy() for one in layer.parameters()]
    for _ in range(2):
        x.clear_grad()
        y = layer(x)
        (y * y).sum().backward()
        print(round(y.sum().item(), 4), [round(one, 4) for one in x.grad.flatten().tolist()[:5]])
    print([bool((one.numpy() == other).all()) for one, other in zip(layer.parameters(), before)])
