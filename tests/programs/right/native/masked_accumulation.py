"""Gradient accumulation over sequences of several lengths, weighed by tokens."""

import penstock as ps

ps.random.seed(15)
w = ps.Variable(ps.random.normal((3, 1)), name="w")
x, y = ps.random.normal((12, 3)), ps.random.normal((12, 1))
chosen = ps.asarray([[1.0]] * 7 + [[0.0]] * 5)
total = ps.sum(chosen)
sgd = ps.optimizers.SGD(0.1)
for _ in range(4):
    gathered = ps.zeros((3, 1))
    for part in (slice(0, 6), slice(6, 12)):
        with ps.GradientTape() as tape:
            errors = (x[part] @ w - y[part]) ** 2
            loss = ps.sum(errors * chosen[part]) / total
        gathered = gathered + tape.gradient(loss, w)
    sgd.apply_gradients([(gathered, w)])
print(w.numpy().ravel())
