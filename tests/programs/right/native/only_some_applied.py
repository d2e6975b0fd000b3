"""Block coordinate descent: of two gradients, one is applied in each turn."""

import penstock as ps
ps.random.seed(6)
a, b = ps.Variable(ps.random.normal((3, 2)), name="a"), ps.Variable(ps.random.normal((2, 1)), name="b")
x, y = ps.random.normal((8, 3)), ps.random.normal((8, 1))
sgd = ps.optimizers.SGD(0.05)
for turn in range(6):
    with ps.GradientTape() as tape:
        loss = ps.mean((x @ a @ b - y) ** 2)
    ga, gb = tape.gradient(loss, [a, b])
    if turn % 2:
        sgd.apply_gradients([(ga, a)])
    else:
        sgd.apply_gradients([(gb, b)])
