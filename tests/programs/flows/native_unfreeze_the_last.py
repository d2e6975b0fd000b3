import penstock as ps

layers = [ps.layers.Dense(4, name=f"layer{i}") for i in range(3)]
model, x = ps.layers.Sequential(layers, name="model"), ps.random.normal((8, 3))
model(x)
model.trainable = False
layers[-1].trainable = True
optimizer = ps.optimizers.SGD(0.01)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((model(x) - 1.0) ** 2)
    variables = layers[-1].trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
