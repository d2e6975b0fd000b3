"""A coefficient that is not a weight is annealed by hand beside the training."""

import penstock as ps

ps.random.seed(10)
w = ps.Variable(ps.random.normal((4, 1)), name="w")
beta = ps.Variable(1.0, name="beta", trainable=False)
x, y = ps.random.normal((16, 4)), ps.random.normal((16, 1))
adam = ps.optimizers.Adam(0.05)
for _ in range(6):
    with ps.GradientTape() as tape:
        loss = ps.mean((x @ w - y) ** 2) + beta * ps.sum(w * w)
    adam.apply_gradients([(tape.gradient(loss, w), w)])
    beta.assign(beta * 0.9)
print(float(loss), float(beta))
