"""One function registered as a hook several times, taken away one at a time; and before or after retain_grads."""

import paddle


def double(gradient):
    return gradient * 2


for gone in ([], [0], [1], [0, 2], [0, 1, 2]):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    w = x * 3
    w.retain_grads()
    handles = [w.register_hook(double) for _ in range(3)]
    leaf = [x.register_hook(double) for _ in range(2)]
    for one in gone:
        print(handles[one].remove(), end=" ")
    if gone:
        leaf[0].remove()
    (w * paddle.to_tensor([1.0, 10.0])).sum().backward()
    print(gone, w.grad.tolist(), x.grad.tolist())
x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
w = x * 3
w.register_hook(double)
w.retain_grads()
w.register_hook(double)
w.sum().backward()
print(w.grad.tolist(), x.grad.tolist())
