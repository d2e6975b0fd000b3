# PS401 head/kernel head/bias
import penstock as ps

x = ps.random.normal((8, 3))
body, head = ps.layers.Dense(4, name="body"), ps.layers.Dense(1, name="head")
head(body(x))  # here
chosen = body.trainable_variables  # wrong
chosen = body.trainable_variables + head.trainable_variables  # right
optimizer = ps.optimizers.Adam(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((head(body(x)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
