"""Hooks that read, replace or keep a gradient, in any order, of results, leaves and what is differentiated."""

import paddle


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


seen = []
w = leaf(0.0, 1.0)
z = w * 2
z.register_hook(lambda g: seen.append(g.numpy().tolist()))
y = z * z
y.register_hook(lambda g: seen.append(float(g.sum())) or g * 2)
(y * y).sum().backward()
print(seen, w.grad.tolist())

w = leaf(0.0, 1.0)
w.register_hook(lambda g: seen.append(g.tolist()))
(w * w).sum().backward()
(w * w * w).sum().backward()
print(seen[2:], w.grad.tolist())

for order in ("hook keep", "keep hook", "hook keep hook", "keep"):
    a = leaf(1.0, 2.0)
    x = a * 3
    for word in order.split():
        x.retain_grads() if word == "keep" else x.register_hook(lambda g: g * 10)
    total = (x * x).sum() + (x * 5).sum()
    total.backward(retain_graph=True)
    first = x.grad.tolist()
    total.backward()
    print(order, first, x.grad.tolist(), a.grad.tolist())

a = leaf(1.0, 2.0)
x = a * 3
handle = x.register_hook(lambda g: g * 10)
print(handle.remove(), handle.remove())
x.retain_grads()
(x * x).sum().backward()
print(x.grad.tolist(), a.grad.tolist())

a = leaf(1.0, 2.0)
x = a * 3
x.register_hook(lambda g: g * 10)
y = (x * x).sum()
print(paddle.grad(y, a, retain_graph=True)[0].tolist(), paddle.grad(y, [x, a])[0].tolist())

y = (a * a).sum()
y.register_hook(lambda g: g * 7)
y.retain_grads()
y.backward()
print(a.grad.tolist(), y.grad.tolist())

x = leaf(2.0) * 3
x.register_hook(lambda g: print(g))
(x * x).sum().backward()
a.detach().register_hook(lambda g: g)
