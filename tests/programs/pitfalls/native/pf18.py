# nothing
import penstock as ps

x = ps.Variable([0.0, 1.0], name="x")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        root = ps.where(x > 0.0, ps.sqrt(x), 0.0)  # wrong
        root = ps.where(x > 0.0, ps.sqrt(ps.where(x > 0.0, x, 1.0)), 0.0)  # right
        loss = ps.sum((root - 2.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
