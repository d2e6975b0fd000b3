"""`x.size` is a number, and a function of an axis; a short `perm` orders the first axes alone."""

import paddle

x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
w = paddle.create_parameter([4, 5], "float32")
for one in (x, w):
    print(one.size, one.size(), one.size(1), one.size(dim=-1), one.size + 1, isinstance(one.size, int))
print(f"{x.size:4d}", x.size == 24, x.size(0) * x.size(2), list(range(x.size(0))))
for perm in ([1, 0], [0], [], [1, 0, 2], [-2, 0, 2]):
    print(perm, paddle.transpose(x, perm).shape, x.transpose(perm).flatten().tolist()[:9])
x.stop_gradient = False
(x.transpose([1, 0]) * paddle.arange(3, dtype="float32").reshape([3, 1, 1])).sum().backward()
print(x.grad[0].tolist())
try:
    paddle.transpose(x, [0, 1, 2, 3])
except ValueError as error:
    print("refused")
try:
    x.size(3)
except IndexError as error:
    print(error)
