"""PyLayer: gradients that a program computes itself; jacobians and hessians."""

import numpy
import paddle
from paddle.autograd import PyLayer, hessian, jacobian


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


class Tanh(PyLayer):
    @staticmethod
    def forward(ctx, x, scale=1.0):
        y = paddle.tanh(x)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y * scale

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensor()
        print("backward", round(float(gradient.sum()), 4))
        return gradient * ctx.scale * (1 - y * y)


class Two(PyLayer):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a + b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensor()
        return g * b + h, g * a * 100 + h


class Marked(PyLayer):
    @staticmethod
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    @staticmethod
    def backward(ctx, g, h):
        return g * 2


x = leaf(0.5, 1.0)
(Tanh.apply(x, scale=2.0) * 3).sum().backward()
print([round(one, 5) for one in x.grad.tolist()])
x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
u, v = Two.apply(x * 1, y)
(u * u + v).sum().backward()
print(x.grad.tolist(), y.grad.tolist())
x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
Two.apply(x, y)[0].sum().backward()
print(x.grad.tolist(), y.grad.tolist())
x = leaf(1.0)
a, b = Marked.apply(x)
a.sum().backward()
print(b.stop_gradient, x.grad.tolist())
layer = paddle.nn.Linear(2, 1)
layer.weight.set_value(numpy.ones((2, 1), "float32"))
optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
for i in range(4):
    loss = Tanh.apply(layer(paddle.to_tensor([[0.1 * i, 0.2]]))).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(round(float(loss), 4))

x, y = leaf(1.0, 2.0, 3.0), leaf(1.0, 2.0)
found = jacobian(x * x, x)
print(list(found.shape), found[:].tolist(), found[0].tolist(), found[1, 1].item())
print(jacobian((x * x).sum(), x)[:].tolist(), [one[:].tolist() for one in jacobian(x.sum() * y, (x, y))])
b = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
print(jacobian(b * b * b.sum(-1, keepdim=True), b, batch_axis=0)[:].tolist())
print(hessian((x**3).sum(), x)[:].tolist())
print([[one[:].tolist() for one in row] for row in hessian(x.sum() * (y * y).sum(), (x, y))])
print(hessian((b**3).sum(-1), b, batch_axis=0)[:].tolist())
