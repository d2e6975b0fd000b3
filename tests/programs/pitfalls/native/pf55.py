# PS424 w
import penstock as ps

w = ps.Variable(1.0, name="w")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    total = ps.asarray(0.0)
    for share in ([1.0, 2.0], [3.0, 4.0]):
        with ps.GradientTape() as tape:
            loss = ps.mean((w * ps.asarray(share) - 1.0) ** 2)
        total = total + tape.gradient(loss, w)
    optimizer.apply_gradients([(total, w)])  # wrong
    optimizer.apply_gradients([(total / 2.0, w)])  # right
