"""Reptile: adapt a copy of the weights to each task, then move the weights a part of the way."""

import penstock as ps

ps.random.seed(3)
w = ps.Variable(ps.random.normal((4, 1)), name="w")
inner = ps.optimizers.SGD(0.05)
for task in range(5):
    before = w.numpy()
    scale = ps.random.normal((4, 1))
    for _ in range(3):
        x = ps.random.normal((8, 4))
        with ps.GradientTape() as tape:
            loss = ps.mean((x @ w - x @ scale) ** 2)
        inner.apply_gradients([(tape.gradient(loss, w), w)])
    w.assign(before + 0.3 * (w - before))
print(w.numpy().ravel())
