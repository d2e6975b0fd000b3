"""Folds: each begins from the same values, with an optimizer of its own, and is measured before the next."""

import penstock as ps

ps.random.seed(17)
w = ps.Variable(ps.zeros((3, 1)), name="w")
start = w.numpy()
x, y = ps.random.normal((12, 3)), ps.random.normal((12, 1))
for fold in range(4):
    held = slice(3 * fold, 3 * fold + 3)
    adam = ps.optimizers.Adam(0.05)
    for _ in range(4):
        with ps.GradientTape() as tape:
            loss = ps.mean((x @ w - y) ** 2)
        adam.apply_gradients([(tape.gradient(loss, w), w)])
    print(fold, float(ps.mean((x[held] @ w - y[held]) ** 2)))
    w.assign(start)
