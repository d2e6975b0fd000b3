import penstock as ps

online, target = ps.layers.Dense(1, name="online"), ps.layers.Dense(1, name="target")
x = ps.random.normal((8, 3))
online(x), target(x)
target.set_weights(online.get_weights())
optimizer = ps.optimizers.Adam(0.01)
for step in range(9):
    goal = 1.0 + 0.9 * target(x)
    with ps.GradientTape() as tape:
        loss = ps.mean((online(x) - goal) ** 2)
    variables = online.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    if step % 3 == 2:
        target.set_weights(online.get_weights())
