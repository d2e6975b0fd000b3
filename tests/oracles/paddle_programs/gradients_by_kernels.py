"""Gradients that are not the derivatives, or stop, as Paddle's kernels have them; inputs that are barred."""

import numpy as np

import paddle

F = paddle.nn.functional


def leaf(*values):
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


# Parts that overlap write their gradients over each other.
x = leaf(1.0, 2.0, 3.0, 4.0)
weights = paddle.arange(1.0, 13.0)
for found in (
    x.unfold(0, 2, 1),
    x.unfold(0, 3, 1),
    x.unfold(0, 2, 2),
    x.as_strided([3, 2], [1, 1]),
    x.as_strided([2, 2], [0, 1], 4),
    x.reshape([2, 2]).unfold(1, 1, 1),
):
    flat = found.flatten()
    print(found.tolist(), paddle.grad((flat * weights[: flat.shape[0]]).sum(), x)[0].tolist())

# The values on a diagonal get none.
square, values = leaf(*np.eye(3)), leaf(1.0, 2.0, 3.0)
for found in (paddle.diagonal_scatter(square, values), square.fill_diagonal_tensor(values)):
    print([None if one is None else one.tolist() for one in paddle.grad(found.sum(), [square, values], allow_unused=True)])

# The slope at a kink.
x = leaf(-3.0, -1.0, 0.0, 1.0, 3.0)
for found in (F.elu(x, 0.5), F.elu(x, 2.0), F.hardsigmoid(x), F.hardsigmoid(x, 1.0, 0.0), x.angle()):
    print(np.round(paddle.grad(found.sum(), x)[0].numpy(), 4).tolist())

# Written after it was saved.
for function in (lambda one: one.angle(), lambda one: F.rrelu(one, training=False)):
    y = x * 1.0
    found = function(y)
    y.add_(paddle.to_tensor(1.0))
    try:
        found.sum().backward()
        print("passes")
    except RuntimeError:
        print("refused")

# An input that is barred has no gradient; a gradient that a hook made stops.
x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
print([None if one is None else one.tolist() for one in paddle.grad(x * y, [x, y], no_grad_vars=[y], allow_unused=True)])
z = x * y
z.register_hook(lambda gradient: gradient**2)
for again in (False, True):
    (found,) = paddle.grad((z * z).sum(), x, create_graph=again, retain_graph=True)
    print(found.stop_gradient, found.tolist())
print(paddle.to_tensor([-1, -2, -2]).mean().item(), paddle.to_tensor([3, 4]).floor().dtype)
