"""PyLayer: gradients that are None, tensors in lists, and what may not be returned."""

import paddle
from paddle.autograd.py_layer import PyLayer


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


class Withheld(PyLayer):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, gradient):
        return None, gradient * 2


class Nothing(PyLayer):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, gradient):
        return None


class Joined(PyLayer):
    @staticmethod
    def forward(ctx, parts, scale=1.0):
        ctx.scale = scale
        return paddle.concat(parts) * scale, "a word", None

    @staticmethod
    def backward(ctx, gradient):
        return [one * ctx.scale for one in paddle.split(gradient, 3)]


class Given(PyLayer):
    @staticmethod
    def forward(ctx, a, made):
        return made

    @staticmethod
    def backward(ctx, gradient):
        return 1


a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
Withheld.apply(a, b).sum().backward()
print(a.grad, b.grad.tolist())
c = a * 2
(Withheld.apply(c, b) + c).sum().backward()
print(a.grad.tolist(), b.grad.tolist())
x = leaf(1.0)
Nothing.apply(x).sum().backward()
print(x.grad)
layer = paddle.nn.Linear(2, 2)
layer.weight.set_value(paddle.ones([2, 2]))
optimizer = paddle.optimizer.Momentum(0.1, parameters=layer.parameters(), weight_decay=0.5)
Nothing.apply(layer.weight).sum().backward()
optimizer.step()
print(layer.weight.tolist(), layer.weight.grad)
print(paddle.grad(Withheld.apply(a, b).sum(), [a, b], allow_unused=True)[0])
parts = [leaf(1.0), leaf(2.0), leaf(3.0)]
found, word, none = Joined.apply(parts, scale=2.0)
(found * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
print(found.tolist(), word, none, [one.grad.tolist() for one in parts])
for made in (None, 1):
    try:
        Given.apply(leaf(1.0), made)
    except ValueError:
        print("refused")
