"""Magnitude pruning: a mask of zeros and ones is recomputed now and then, and the weights masked after each step."""

import penstock as ps

ps.random.seed(5)
w = ps.Variable(ps.random.normal((6, 3)), name="w")
mask = ps.Variable(ps.ones((6, 3)), name="mask", trainable=False)
x, y = ps.random.normal((16, 6)), ps.random.normal((16, 3))
adam = ps.optimizers.Adam(0.02)
for turn in range(9):
    with ps.GradientTape() as tape:
        loss = ps.mean((x @ (w * mask) - y) ** 2)
    adam.apply_gradients([(tape.gradient(loss, w), w)])
    if turn % 3 == 2:
        cut = float(ps.sort(ps.reshape(ps.abs(w), (-1,)))[turn])
        mask.assign(ps.where(ps.abs(w) > cut, 1.0, 0.0))
    w.assign(w * mask)
print(float(loss))
