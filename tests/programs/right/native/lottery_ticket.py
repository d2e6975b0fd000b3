"""Lottery ticket: train, prune, rewind to the first values, train again."""

import penstock as ps

ps.random.seed(13)
w = ps.Variable(ps.random.normal((6, 1)), name="w")
first = ps.Variable(w, name="first", trainable=False)
mask = ps.Variable(ps.ones((6, 1)), name="mask", trainable=False)
x, y = ps.random.normal((16, 6)), ps.random.normal((16, 1))
for round in range(3):
    sgd = ps.optimizers.SGD(0.05)
    for _ in range(4):
        with ps.GradientTape() as tape:
            loss = ps.mean((x @ (w * mask) - y) ** 2)
        sgd.apply_gradients([(tape.gradient(loss, w), w)])
    print(round, float(loss))
    order = ps.sort(ps.reshape(ps.abs(w * mask), (-1,)))
    mask.assign(ps.where(ps.abs(w * mask) > order[round], 1.0, 0.0))
    w.assign(first)
