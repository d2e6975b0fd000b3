"""What a backward pass has freed is refused: in the same step, and after it was read or stepped over."""

import paddle

aside = paddle.create_parameter([1], "float32")
optimizer = paddle.optimizer.SGD(0.1, parameters=[aside])


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


def end_step(read):
    (aside * 1).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    return read.numpy()


def outcome(loss, *leaves, **options):
    try:
        loss.backward(**options)
    except SystemError:
        return "freed"
    return [None if one.grad is None else one.grad.numpy().round(4).tolist() for one in leaves]


def asked(output, *inputs):
    try:
        return [one.numpy().round(4).tolist() for one in paddle.grad(output, list(inputs))]
    except SystemError:
        return "freed"


MADE = {
    "a product": lambda x: x * x,
    "a sum, which saves nothing": lambda x: x + 1.0,
    "a view": lambda x: x.reshape([3, 1]),
    "a part": lambda x: x[0:2],
    "a copy": lambda x: x.clone(),
    "a sign": lambda x: paddle.sign(x),
    "the tensor itself": lambda x: x.astype("float32"),
    "no history": lambda x: x.detach() * 2.0,
}

for name, make in MADE.items():
    for read in (False, True):
        x = leaf(1.0, 2.0, 3.0)
        y = make(x)
        loss = y.sum()
        if not y.stop_gradient:
            loss.backward()
        if read:
            end_step(y)
        x.clear_grad()
        again = (y * 3.0).sum()
        print(name, y.stop_gradient, again.stop_gradient, "" if again.stop_gradient else outcome(again, x))

for retain in (False, True):
    for ends in (False, True):
        x = leaf(1.0, 2.0, 3.0)
        trunk = x * x
        first, second = (trunk * 2.0).sum(), (trunk * 3.0).sum()
        if ends:
            end_step(second)
        print(outcome(first, x, retain_graph=retain))
        if ends:
            end_step(first)
        print(outcome(second, x), outcome((trunk * 5.0).sum(), x))

# A state that is carried from turn to turn, with its history and without.
for cut in (False, True):
    w, h = leaf(0.5), paddle.zeros([1])
    for _ in range(3):
        h = paddle.tanh((h.detach() if cut else h) * w + 1.0)
        found = outcome((h * h).sum(), w)
        end_step(h)
        print(found, h.stop_gradient)

# Sums and means of losses have a history that nobody may ask for.
w, total, mean = leaf(0.5), 0.0, paddle.zeros([])
for _ in range(3):
    loss = (w * w).sum()
    loss.backward()
    end_step(loss)
    total = total + loss
    mean = mean * 0.9 + loss * 0.1
    print(total.stop_gradient, mean.stop_gradient, total.item(), round(mean.item(), 4))
print(outcome(total, w), outcome(mean, w), w.grad.tolist())

# paddle.grad frees nothing, and passes only what leads to its inputs.
x, v = leaf(1.0, 2.0, 3.0), leaf(4.0, 5.0, 6.0)
y = x * x
other = x + 1.0
print(asked(y.sum(), x), asked(y.sum(), x))
y.sum().backward()
for ends in (False, True):
    if ends:
        end_step(other)
    product = (y * v).sum()
    print(asked(product, v), asked(product, y), asked(product, x), asked(product, v, x))
end_step(product)
print(asked(product, v), asked(product, x))
print(outcome((y.detach() * v).sum(), v), outcome(other.sum(), x), outcome(other.sum(), x))

# What a pass through finished steps frees on its way.
for retain in (False, True):
    x = leaf(1.0, 2.0, 3.0)
    y = x * x
    end_step(y)
    z = y * 2.0
    end_step(z)
    u = z * 3.0
    end_step(u)
    print(outcome(u.sum(), x, retain_graph=retain))
    print(outcome((z * 3.0).sum(), x, retain_graph=retain), outcome((y * 3.0).sum(), x), outcome(u.sum(), x))

x = leaf(1.0, 2.0, 3.0)
y = x * x
end_step(y)
z = y * 2.0
end_step(z)
print(outcome(y.sum(), x))
print(asked(z.sum(), y), asked(z.sum(), x), outcome((z * 2.0).sum(), x))

# Values that were written over, and gradients that may be differentiated.
x = leaf(1.0, 2.0, 3.0)
for write in (
    lambda y: y.zero_(),
    lambda y: y.set_value(paddle.ones([3])),
    lambda y: y.add_(paddle.ones([3])),
):
    y = x * 1.0
    y.sum().backward()
    end_step(y)
    with paddle.no_grad():
        write(y)
    print(y.stop_gradient, outcome((y * 2.0).sum(), x))
y = x * x * x
(slope,) = paddle.grad(y.sum(), x, create_graph=True)
(y.sum() + (slope * slope).sum()).backward()
end_step(slope)
print(slope.stop_gradient, outcome((slope * 2.0).sum(), x), outcome((y * 2.0).sum(), x))

# A hook, a kept gradient, and a flag that hides the history for a while.
x = leaf(1.0, 2.0, 3.0)
y = x * x
y.register_hook(lambda gradient: gradient * 2.0)
y.retain_grads()
print(outcome(y.sum(), x, y), outcome((y * 2.0).sum(), x, y))
x = leaf(1.0, 2.0, 3.0)
for ends in (False, True):
    x.clear_grad()
    y = x * x
    if ends:
        end_step(y)
    y.stop_gradient = True
    print((y * 2.0).stop_gradient, y.is_leaf)
    y.stop_gradient = False
    print(y.is_leaf, outcome((y * 2.0).sum(), x), y.grad)
    y.stop_gradient = True
    y.stop_gradient = False
    print(outcome((y * 2.0).sum(), x))
