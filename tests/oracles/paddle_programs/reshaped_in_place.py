"""Shapes changed in place, one after another, and what views of the tensor see of writes afterwards."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
y = x * 2
y.unsqueeze_(0)
print(y.shape)
y.squeeze_(0)
print(y.shape, y.tolist())
y = x * 2
y.unsqueeze_(0).squeeze_(0).reshape_([3, 1]).reshape_([3])
print(y.shape, y.tolist())
(y * y).sum().backward()
print(x.grad.tolist())
y = paddle.arange(6.0)
z = y.reshape([2, 3])
y.reshape_([3, 2]).unsqueeze_(0)
z[0] = 7.0
y.scale_(2.0)
print(y.shape, y.tolist(), z.shape, z.tolist())
with paddle.no_grad():
    y.squeeze_(0).unsqueeze_(-1)
print(y.shape, z.shape)
for turn in range(3):
    y = x * turn
    y.unsqueeze_(0).squeeze_(0)
    x.clear_gradient()
    (y * x).sum().backward()
    print(y.shape, x.grad.tolist())

layer = paddle.nn.Linear(2, 2)
paddle.assign(paddle.ones([2, 2]), output=layer.weight)
layer.bias.set_value(paddle.to_tensor([1.0, -1.0]))
(layer(paddle.ones([1, 2])) ** 2).sum().backward()
print(layer.weight.tolist(), layer.weight.is_leaf, layer.weight.stop_gradient, layer.weight.grad.tolist())
print(paddle.increment(paddle.to_tensor([1.0], stop_gradient=False), 2.0).tolist())

a = paddle.to_tensor([0.5, 1.5], stop_gradient=False)
b = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
freed = paddle.exp(a * 0.1)
paddle.autograd.backward(freed.sum())
found = paddle.grad((b * b).sum() + freed.sum(), [b, freed])
print([one.tolist() for one in found])
