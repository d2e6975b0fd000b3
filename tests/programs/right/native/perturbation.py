"""Adversarial training: a perturbation of the input climbs the loss, the weights descend it."""

import penstock as ps

ps.random.seed(11)
w = ps.Variable(ps.random.normal((4, 1)), name="w")
delta = ps.Variable(ps.zeros((8, 4)), name="delta", trainable=False)
x, y = ps.random.normal((8, 4)), ps.random.normal((8, 1))
sgd = ps.optimizers.SGD(0.05)
for _ in range(4):
    delta.assign(ps.zeros((8, 4)))
    for _ in range(2):
        with ps.GradientTape() as tape:
            tape.watch(delta)
            loss = ps.mean(((x + delta) @ w - y) ** 2)
        delta.assign(ps.clip(delta + 0.1 * ps.sign(tape.gradient(loss, delta)), -0.2, 0.2))
    with ps.GradientTape() as tape:
        loss = ps.mean(((x + delta) @ w - y) ** 2)
    sgd.apply_gradients([(tape.gradient(loss, w), w)])
print(float(loss))
