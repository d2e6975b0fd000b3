# PS108 w
import penstock as ps

w, b = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="b")
optimizer = ps.optimizers.SGD(0.001)
for _ in range(3):
    with ps.GradientTape() as tape:
        y = ps.exp(w)
        y = ps.asarray(y.numpy() + 1.0)  # wrong
        y = y + 1.0  # right
        loss = (y * b - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [w, b]), [w, b])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
