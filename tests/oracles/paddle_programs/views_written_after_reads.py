"""Views share memory with their base also after values were read, steps ended and gradients came."""

import threading

import numpy as np
import paddle
from paddle import nn


def shown(*tensors):
    print(*(np.round(one.numpy(), 4).tolist() for one in tensors))


# A view is written after a read, then its base, then a view of the view.
y = paddle.arange(6, dtype="float32")
z = y.reshape([2, 3])
print(z)
z.scale_(2.0)
shown(y, z)
float(y.sum())
y.add_(paddle.ones([6]))
shown(y, z)
row = z[1]
corner = row[1:]
print(corner.numpy().tolist(), y.inplace_version, corner.inplace_version)
corner.zero_()
shown(y, z, row, corner)
print(z.inplace_version, row.inplace_version)
if y.sum() > 3:
    z[0, 0] = 50.0
shown(y, z, row)
z.set_value(np.full([2, 3], 7.0, "float32"))
shown(y, row)
y.set_value(paddle.arange(6, dtype="float32"))
shown(z, row, corner)

# Two views go on when their base is gone.
first, second = y[:4], y[2:]
shown(first, second)
del y, z, row, corner
second.scale_(10.0)
shown(first, second)
first[3] = -1.0
shown(first, second)

# Columns, diagonals, parts in other directions, and the halves of complex numbers.
square = paddle.arange(9, dtype="float32").reshape([3, 3]).clone()
column, diagonal, turned = square[:, 1], square.diagonal(), square.T
back, windows = square[::-1], square.unfold(1, 2, 1)
shown(column, diagonal)
column.fill_(0.0)
diagonal.add_(paddle.to_tensor([1.0, 2.0, 3.0]))
turned[0, 2] = 90.0
shown(square, column, diagonal, turned, back, windows)
flat = turned.reshape([9])
flat.zero_()
shown(square)
number = paddle.complex(paddle.ones([2]), paddle.zeros([2]))
number.imag().fill_(4.0)
pairs = paddle.as_real(number)
print(pairs.numpy().tolist())
pairs[0, 0] = 9.0
print(number.numpy().tolist())
bits = paddle.ones([2]).view("int32")
print(bits.numpy().tolist())

# Parameters: what an optimizer or the program writes is seen by views, and the other way round.
layer = nn.Linear(2, 2)
layer.weight.set_value(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
kept, flat, first = layer.weight.detach(), layer.weight.reshape([-1]), layer.weight[0]
shown(kept, flat, first)
optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
for _ in range(3):
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    shown(layer.weight, kept, flat, first)
layer.weight.detach()[...] = 8.0
shown(layer.weight, kept, flat, first)
with paddle.no_grad():
    first.zero_()
    layer.weight[1, 1] = 5.0
shown(layer.weight, kept, flat)
print(flat.stop_gradient, first.stop_gradient)
layer.set_state_dict({"weight": paddle.ones([2, 2]), "bias": paddle.zeros([2])})
shown(kept, flat, first)

# Buffers.
norm = nn.BatchNorm1D(2)
mean = norm._mean.detach()
norm(paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]]))
shown(mean, norm._mean)
mean.zero_()
shown(norm._mean)

# In hooks, and after backward.
x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
held = x.detach()
values = x * 2.0
part = values[1:]


def hook(gradient):
    held[0] = 11.0
    return gradient


values.register_hook(hook)
part.sum().backward()
shown(x, held, x.grad)
part.detach().fill_(0.0)
shown(values, part)
gradient = x.grad.reshape([3, 1])
shown(gradient)
gradient.fill_(6.0)
shown(x.grad)

# From another thread.
base = paddle.arange(4, dtype="float32")
view = base.reshape([2, 2])
shown(view)
worker = threading.Thread(target=lambda: view.add_(paddle.ones([2, 2])))
worker.start()
worker.join()
shown(base, view)


# What a static function computed.
@paddle.jit.to_static
def double(x):
    return x.reshape([2, 2]) * 2.0


found = double(base)
shape = found.flatten()
shown(shape)
found.zero_()
shown(shape, base)
base.scale_(3.0)
shown(base, view, double(base))

# `data`, another shape in place, and another dtype in place.
a = paddle.arange(4, dtype="float32")
b = a.reshape([2, 2])
shown(b)
a.reshape_([4, 1])
a[3, 0] = 30.0
shown(a, b)
b.t_()
b[0, 1] = 20.0
shown(a, b)
a.cast_("float64")
a.fill_(0.0)
print(a.dtype, b.numpy().tolist())
c = paddle.zeros([2])
d = c[1:]
c.data = paddle.ones([2])
c.scale_(4.0)
shown(c, d)
