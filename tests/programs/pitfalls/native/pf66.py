# PS301
import penstock as ps

table, w = ps.asarray([[1.0, 2.0], [3.0, 4.0]]), ps.Variable([1.0, 1.0], name="w")
optimizer = ps.optimizers.SGD(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        row = ps.stop_gradient(ps.take(table, ps.asarray(1), axis=0))  # wrong
        row = ps.take(table, ps.asarray(1), axis=0)  # right
        loss = ps.sum((row * w - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
