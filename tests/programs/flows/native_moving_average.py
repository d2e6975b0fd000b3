import penstock as ps

model, x = ps.layers.Dense(1, name="model"), ps.random.normal((8, 3))
model(x)
averages = [ps.Variable(v, name=f"average/{i}", trainable=False) for i, v in enumerate(model.variables)]
optimizer = ps.optimizers.SGD(0.01)
for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean((model(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.variables), model.variables))
    for average, variable in zip(averages, model.variables):
        average.assign(0.9 * average + 0.1 * variable)
