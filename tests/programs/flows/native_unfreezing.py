import penstock as ps

norm, head = ps.layers.BatchNormalization(name="norm"), ps.layers.Dense(1, name="head")
model, x = ps.layers.Sequential([norm, head], name="model"), ps.random.normal((8, 3))
model(x)
norm.trainable = False
for rate in (0.1, 0.01):
    optimizer = ps.optimizers.Adam(rate)
    for _ in range(5):
        with ps.GradientTape() as tape:
            loss = ps.mean((head(norm(x, training=False)) - 1.0) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    norm.trainable = True
