"""Two heads take turns on a body that both train."""

import penstock as ps
ps.random.seed(3)
body = ps.Variable(ps.random.normal((3, 4)), name="body")
heads = [ps.Variable(ps.random.normal((4, 1)), name=f"head_{i}") for i in range(2)]
x = ps.random.normal((8, 3))
adam = ps.optimizers.Adam(0.01)
for turn in range(6):
    head = heads[turn % 2]
    with ps.GradientTape() as tape:
        loss = ps.mean((ps.tanh(x @ body) @ head - 1.0) ** 2)
    adam.apply_gradients(zip(tape.gradient(loss, [body, head]), [body, head]))
