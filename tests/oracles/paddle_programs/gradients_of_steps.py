"""Step functions have gradients that are zeros, and are not left out."""

import numpy as np

import paddle

NUMBERS = [[0.4, -1.6, 2.5], [1.0, 0.0, -0.5]]
STEPS = {
    "floor": paddle.floor,
    "ceil": paddle.ceil,
    "round": paddle.round,
    "round to a digit": lambda x: paddle.round(x, 1),
    "sign": paddle.sign,
    "trunc": paddle.trunc,
    "frac": paddle.frac,
    "heaviside": lambda x: paddle.heaviside(x, paddle.ones_like(x)),
    "heaviside's value": lambda x: paddle.heaviside(paddle.zeros_like(x), x),
    "straight through": lambda x: x + (paddle.round(x) - x).detach(),
    "comparison": lambda x: (x > 0).astype("float32"),
}
for name, step in STEPS.items():
    x = paddle.to_tensor(NUMBERS, stop_gradient=False)
    y = step(x)
    print(name, y.stop_gradient, np.round(y.numpy(), 4).tolist())
    if not y.stop_gradient:
        y.sum().backward()
        print((x.grad + 0.0).tolist())

layer = paddle.nn.Linear(2, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
optimizer = paddle.optimizer.AdamW(0.1, parameters=layer.parameters(), weight_decay=0.5)
for _ in range(3):
    loss = paddle.round(layer(paddle.ones([3, 2]))).mean()
    loss.backward()
    print(loss.stop_gradient, layer.weight.grad.flatten().tolist())
    optimizer.step()
    optimizer.clear_grad()
print(np.round(layer.weight.numpy(), 6).tolist())
x = paddle.to_tensor([0.4, -1.6, 2.5], stop_gradient=False)
paddle.frexp(x)[0].sum().backward()
print(x.grad.tolist())
