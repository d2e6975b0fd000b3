"""What is written behind the back of gradients keeps the history of what it replaces; so do other views."""

import numpy as np
import paddle


def leaf():
    return paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)


def first_row(y):
    y[0] = 5.0


writes = {
    "scale_": lambda y: y.scale_(3.0),
    "setitem": first_row,
    "set_value": lambda y: y.set_value(np.ones((2, 2), "float32")),
    "copy_": lambda y: y.copy_(paddle.ones([2, 2]), True),
    "clip_": lambda y: y.clip_(3.0, 7.0),
    "add_": lambda y: y.add_(paddle.ones([2, 2])),
    "assign": lambda y: paddle.assign(paddle.ones([2, 2]), y),
    "fill_": lambda y: y.fill_(2.0),
    "zero_": lambda y: y.zero_(),
}
for word, write in writes.items():
    for quietly in (True, False):
        x = leaf()
        y = x * 2
        with paddle.set_grad_enabled(not quietly):
            write(y)
        (y * y).sum().backward()
        print(word, quietly, y.stop_gradient, y.is_leaf, y.tolist(), x.grad.tolist())

views = {
    "row": (lambda b: b[0], lambda y: y.scale_(3.0)),
    "turned": (lambda b: b.t(), lambda y: y.scale_(4.0)),
    "backwards": (lambda b: b[::-1], lambda y: y.add_(paddle.ones([2, 2]))),
    "written": (lambda b: b[0], lambda y: y.set_value(paddle.ones([2]))),
}
for word, (view, write) in views.items():
    for by_view in (True, False):
        a = leaf()
        b = a * 0.5
        y, z = view(b), b.flatten()
        if by_view:
            write(y)
        elif word != "written":
            write(b)
        (b * b + z.reshape([2, 2])).sum().backward()
        (y * 2).sum()
        print(word, by_view, [np.round(one.numpy(), 4).tolist() for one in (b, y, z, a.grad)])

w = paddle.to_tensor([5.0, 6.0], stop_gradient=False)
d = paddle.ones([2, 2])
y = d[0]
y.add_(w)
print(d.stop_gradient, y.stop_gradient, d.tolist())
d = paddle.ones([2, 2])
y = d[0]
d.add_(w)
print(d.stop_gradient, y.stop_gradient, y.tolist())
with paddle.no_grad():
    d.scale_(2.0)
d.sum().backward()
print(d.stop_gradient, w.grad.tolist())

x = leaf()
y = x * 2
print(y.detach_() is y, y.stop_gradient, y.is_leaf)
y = x * 2
y.stop_gradient = True
print(y.is_leaf, x.reshape([2, 2]) is x, paddle.nn.functional.dropout(x, 0.0) is x)
y = x * 2
y.add_(x)
y[0] = 1.0
print(y.inplace_version, x.inplace_version)
