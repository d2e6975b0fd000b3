# PS424 w
import penstock as ps

w = ps.Variable(1.0, name="w")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    total = ps.asarray(0.0)
    for part in ([0.5, 1.5], [1.0, 2.0], [0.0, 1.0], [2.0, 1.0]):
        with ps.GradientTape() as tape:
            loss = ps.mean((w * ps.asarray(part) - 1.0) ** 2)
        total = total + tape.gradient(loss, w)  # wrong
        total = total + tape.gradient(loss, w) / 4.0  # right
    optimizer.apply_gradients([(total, w)])
