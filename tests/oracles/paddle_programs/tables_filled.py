"""Data that results are written into keeps their history from step to step."""

import numpy as np
import paddle


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


def outcome(loss, *leaves):
    try:
        loss.backward()
    except SystemError:
        return "freed"
    return [None if one.grad is None else one.grad.tolist() for one in leaves]


for count in (5, 70, 300):
    for reads in (False, True):
        w, table = leaf(2.0), paddle.to_tensor(np.zeros(count, "float32"))
        for i in range(count):
            table[i] = (w * i).sum()
            if reads:
                table[i].item()
        print(table.stop_gradient, table.is_leaf, outcome((table * 2.0).sum(), w))
        print(table.stop_gradient, outcome((table * 2.0).sum(), w))

# Rows that are written in turns of training.
for cut in (False, True):
    w, table = leaf(2.0), paddle.to_tensor([0.0, 0.0, 0.0])
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w])
    for i in range(3):
        if cut:
            table = table.detach()
        table[i] = w
        found = outcome((table * 2.0).sum(), w)
        optimizer.step()
        optimizer.clear_grad()
        print(found, table.stop_gradient, w.numpy().round(4).tolist(), table.numpy().round(4).tolist())

# A mean that moves, of which nobody asks the gradient until the end.
for detached in (True, False):
    w, mean = leaf(2.0), paddle.to_tensor([0.0])
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w])
    for _ in range(3):
        loss = (w * w).sum()
        mean[:] = 0.9 * mean + 0.1 * (loss.detach() if detached else loss)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(mean.stop_gradient, mean.numpy().round(4).tolist())
    if not mean.stop_gradient:
        print(outcome(mean.sum(), w))

w, mean = leaf(2.0), paddle.to_tensor([0.0])
optimizer = paddle.optimizer.SGD(0.1, parameters=[w])
for _ in range(3):
    mean[:] = mean + w
    (w * 1.0).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(mean.stop_gradient, mean.numpy().round(4).tolist())
print(outcome(mean.sum(), w))

# Written with data, set, and told to stop: what stays of the history.
w, table = leaf(2.0), paddle.to_tensor([0.0, 0.0, 0.0])
table[0] = w
print(outcome((table * 2.0).sum(), w), table.numpy().tolist())
for write in (
    lambda: table.__setitem__(slice(None), 1.0),
    lambda: table.zero_(),
    lambda: table.set_value(np.ones(3, "float32")),
):
    write()
    print(table.stop_gradient, outcome((table * 2.0).sum(), w), table.numpy().tolist())
table.stop_gradient = True
print(table.stop_gradient, (table * 2.0).stop_gradient, table.numpy().tolist())

w, table = leaf(2.0), paddle.to_tensor([0.0, 0.0, 0.0])
table[0] = w
print(table.numpy().tolist())
table.stop_gradient = True
print((table * w).sum().item(), outcome((table * w).sum(), w))
part = table[1:]
w, table = leaf(2.0), paddle.to_tensor([0.0, 0.0, 0.0])
table[0] = w
print(table[1:].numpy().tolist())
part = table[1:]
with paddle.no_grad():
    part[0] = 5.0
print(table.numpy().tolist(), table.stop_gradient, outcome((table * table.detach()).sum(), w))
