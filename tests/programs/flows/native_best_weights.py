import penstock as ps

model, x = ps.layers.Dense(1, name="model"), ps.random.normal((8, 3))
model(x)
optimizer, best, kept = ps.optimizers.SGD(0.01), None, None
for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean((model(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.variables), model.variables))
    if best is None or float(loss) < best:
        best, kept = float(loss), model.get_weights()
model.set_weights(kept)
