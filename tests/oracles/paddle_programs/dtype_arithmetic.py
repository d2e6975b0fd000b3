"""Numbers and tensors of one kind."""

import paddle

i = paddle.to_tensor([1, 2, 3])
f = paddle.to_tensor([0.5, 1.5, 2.5])
for made in (i + 1, i * 1.5, i / 2, i // 2, i % 2, i**2, 2 - i, f + 1, 1 / f, f**2, -f, i > 1, f == 0.5):
    print(made.dtype, made.numpy().tolist())
print((f + paddle.to_tensor([1.0, 1.0, 1.0], dtype="float64")).dtype)
print((i + paddle.to_tensor(1.5)).dtype)
