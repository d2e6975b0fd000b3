"""An energy whose low places are the data; negatives come from Langevin steps on the input."""

import numpy as np

import penstock as ps

ps.random.seed(0)
rng = np.random.default_rng(0)
energy = ps.layers.Sequential([ps.layers.Dense(8, activation="swish"), ps.layers.Dense(1)], name="energy")
energy(ps.zeros((1, 2)))
optimizer = ps.optimizers.Adam(0.01)
buffer = rng.standard_normal((16, 2)).astype(np.float32)
for step in range(5):
    x = ps.asarray(buffer)
    for _ in range(3):
        with ps.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            e = ps.sum(energy(x))
        g = tape.gradient(e, x)
        x = x - 0.1 * g + 0.05 * ps.asarray(rng.standard_normal((16, 2)).astype(np.float32))
    negative = ps.stop_gradient(x)
    positive = ps.asarray(rng.normal(1.0, 0.2, (16, 2)).astype(np.float32))
    with ps.GradientTape() as tape:
        up, down = energy(positive), energy(negative)
        loss = ps.mean(up) - ps.mean(down) + 0.1 * ps.mean(up**2 + down**2)
    grads = tape.gradient(loss, energy.trainable_variables)
    optimizer.apply_gradients(zip(grads, energy.trainable_variables))
    buffer = negative.numpy()
print(float(loss))
