import penstock as ps

w = ps.Variable([0.1, 0.2], name="w")
optimizer = ps.optimizers.SGD(0.001)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.sum((w - 0.15) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    w.assign(ps.clip(w, -1.0, 1.0))
