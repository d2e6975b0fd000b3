import penstock as ps

w = ps.Variable(1.0, name="w")
optimizer = ps.optimizers.SGD(0.01)
for step in range(6):
    optimizer.learning_rate = 0.01 * (step + 1)
    with ps.GradientTape() as tape:
        loss = (w - 2.0) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
