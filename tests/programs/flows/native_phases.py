import penstock as ps

body, head = ps.layers.Dense(4, name="body"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(body(x))
for chosen in (head.trainable_variables, head.trainable_variables + body.trainable_variables):
    optimizer = ps.optimizers.SGD(0.01)
    for _ in range(5):
        with ps.GradientTape() as tape:
            loss = ps.mean((head(body(x)) - 1.0) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
