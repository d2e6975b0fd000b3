"""Gradients that tensors keep, and hooks, when the tensor is written in place afterwards: of the old value."""

import paddle

tensor = paddle.to_tensor


def scaled_twice(y):
    y.scale_(2.0).scale_(3.0)


def one_element(y):
    y[0] = 5.0


def all_elements(y):
    y[:] = tensor([4.0, 5.0])


def without_gradients(y):
    with paddle.no_grad():
        y.scale_(2.0)


def kept_again(y):
    y.scale_(2.0)
    y.retain_grads()


WRITES = {
    "add_": lambda y: y.add_(tensor([1.0, 1.0])),
    "scale_": lambda y: y.scale_(2.0),
    "scaled twice": scaled_twice,
    "one element": one_element,
    "all elements": all_elements,
    "zero_": lambda y: y.zero_(),
    "clip_": lambda y: y.clip_(0.0, 4.0),
    "reshape_": lambda y: y.reshape_([2, 1]),
    "without gradients": without_gradients,
    "kept again": kept_again,
}
for name, write in WRITES.items():
    x = tensor([1.0, 2.0], stop_gradient=False)
    y = x * 3
    y.retain_grads()
    write(y)
    (y * 2.5).sum().backward()
    print(name, y.grad.tolist(), x.grad.tolist(), y.tolist())
    x = tensor([1.0, 2.0], stop_gradient=False)
    y = x * 3
    y.register_hook(lambda gradient: print("    hook", gradient.tolist()))
    y.register_hook(lambda gradient: gradient * 10)
    write(y)
    (y * 2.5).sum().backward()
    print("   ", x.grad.tolist())

x = tensor([1.0, 2.0], stop_gradient=False)
y = x * 3
kept = y + 1.0
y.retain_grads()
y.scale_(2.0)
kept.sum().backward()
print("only the old value", y.grad.tolist(), x.grad.tolist())
y = x * 3
y.scale_(2.0)
y.retain_grads()
y.sum().backward()
print("kept after the write", y.grad.tolist())
y = x * 3
first = y.register_hook(lambda gradient: print("first", gradient.tolist()))
y.scale_(2.0)
y.register_hook(lambda gradient: print("second", gradient.tolist()))
(y * 2.0).sum().backward()
y = x * 3
taken = y.register_hook(lambda gradient: print("too late to remove"))
y.scale_(2.0)
print(taken.remove())
y.sum().backward()
y = x * 3
y.retain_grads()
y.scale_(2.0)
loss = (y * y).sum()
loss.backward(retain_graph=True)
print(y.grad.tolist())
loss.backward()
print(y.grad.tolist())
for turn in range(3):
    x.clear_gradient()
    y = x * 3
    y.retain_grads()
    y.scale_(turn + 1.0)
    (y * y).sum().backward()
    print(y.grad.tolist(), x.grad.tolist())
y = x * 3
y.retain_grads()
print(y.tolist())
y.scale_(2.0)
y.sum().backward()
print(y.grad.tolist())
