"""Hooks that make something else of a PyLayer's tensors until backward."""

import paddle


class Product(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensor()
        return gradient * b, gradient * a


def pack(x):
    packed.append(x.tolist())
    return x.numpy()


def unpack(x):
    unpacked.append(x.tolist())
    return paddle.to_tensor(x)


packed, unpacked = [], []
a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
b = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
with paddle.autograd.saved_tensors_hooks(pack, unpack):
    y = Product.apply(a, b)
print(packed, unpacked)
y.sum().backward()
print(packed, unpacked)
print(a.grad.tolist(), b.grad.tolist())
z = Product.apply(a, b)
z.sum().backward()
print(len(packed), len(unpacked), a.grad.tolist())
with paddle.autograd.saved_tensors_hooks(lambda x: x, lambda x: x):
    (a * b + a * a).sum().backward()
print(a.grad.tolist(), b.grad.tolist())
