import penstock as ps

shared, left, right = (ps.Variable(1.0, name=name) for name in ("shared", "left", "right"))
optimizer = ps.optimizers.Adam(0.01)
for step in range(12):
    with ps.GradientTape() as tape:
        loss = (shared * (left if step % 3 else right) - 2.0) ** 2
    pairs = zip(tape.gradient(loss, [shared, left, right]), [shared, left, right])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
