import penstock as ps

features, head = ps.layers.Dense(4, name="features"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(features(x))
optimizer = ps.optimizers.SGD(0.1)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((head(features(x)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, head.variables), head.variables))
