"""Tensors without axes of several dtypes, among themselves; bits and truth of integers."""

import paddle

f, i, j = paddle.to_tensor(3.0), paddle.to_tensor(2), paddle.to_tensor(5, dtype="int32")
t = paddle.to_tensor(True)
for x in (f / i, f * i, i + f, j + i, t * f, f == i, f > i, paddle.ones([4]).sum() / paddle.ones([4]).numel()):
    print(x.item(), x.dtype)
print(f"{f} {f:.3f}", f"{i}")
a, b = paddle.to_tensor([6, 0, 5]), paddle.to_tensor([3, 2, 0])
print((a & b).tolist(), (a | b).tolist(), (a ^ b).tolist(), (~a).tolist())
print(paddle.logical_and(a, b).tolist(), paddle.logical_or(a, b).tolist(), paddle.logical_not(a).tolist())
print(paddle.bitwise_left_shift(a, b).tolist(), paddle.bitwise_right_shift(a, b).tolist())
y = paddle.astype(f, "float32")
copy = paddle.cast(f, "float32")
copy.add_(paddle.to_tensor(1.0))
print(y is f, copy is f, f.item())
