"""Gradients by results and leaves of steps that an optimizer has ended, several steps back."""

import paddle

aside = paddle.create_parameter([1], "float32")
optimizer = paddle.optimizer.SGD(0.1, parameters=[aside])


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


def end_step():
    (aside * 1).sum().backward()
    optimizer.step()
    optimizer.clear_grad()


for _ in range(3):
    end_step()

for count in range(4):
    w = leaf(2.0)
    made = [w]
    for _ in range(count):
        made.append(made[-1] * made[-1] * w)
        made[-1].numpy()
        end_step()
    y = (made[-1] * w).sum()
    print([paddle.grad(y, one, retain_graph=True)[0].item() for one in made])
    y.backward()
    print(w.grad.tolist())

w = leaf(2.0)
a = w * 3
end_step()
b = w * 5
end_step()
y = (a * b).sum()
end_step()
z = (y * a).sum()
end_step()
print([one.item() for one in paddle.grad(z, [w, a, b, y], retain_graph=True)])
print([one.item() for one in paddle.grad([z, y], [w, a, b], retain_graph=True)])

a = w * 3
b = w * 5
end_step()
print(paddle.grad((a * b).sum(), w, no_grad_vars=[a])[0].item())

a = w * 3
a.retain_grads()
a.register_hook(lambda g: g * 10)
end_step()
w.clear_gradient(False)
(a * a).sum().backward()
print(a.grad.tolist(), w.grad.tolist())

for ended in ("before the square", "before the sum", "before backward"):
    w = leaf(2.0)
    a = w * 3
    a.register_hook(lambda g: g * 10)
    if ended == "before the square":
        end_step()
    b = a * a
    if ended == "before the sum":
        end_step()
    total = b.sum()
    if ended == "before backward":
        end_step()
    total.backward()
    print(ended, w.grad.tolist())
