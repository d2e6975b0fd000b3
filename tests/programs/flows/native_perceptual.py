import penstock as ps

maker, measure = ps.layers.Dense(3, name="maker"), ps.layers.Dense(4, name="measure")
x = ps.random.normal((8, 2))
measure(maker(x))
measure.trainable = False
optimizer = ps.optimizers.SGD(0.1)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((measure(maker(x)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, maker.variables), maker.variables))
