# PS404 base/kernel base/bias
import penstock as ps

x = ps.random.normal((8, 3))
base, head = ps.layers.Dense(4, name="base"), ps.layers.Dense(1, name="head")
head(base(x))
chosen = base.trainable_variables + head.trainable_variables
optimizer = ps.optimizers.Adam(0.01)
base.trainable = False
chosen = [v for v in chosen if v.trainable]  # right
for _ in range(3):
    with ps.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(chosen)
        loss = ps.mean(head(base(x)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
