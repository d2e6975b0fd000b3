"""Slow weights that follow the fast ones every third step, and pull them back."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(3)
w = ps.Variable(rng.standard_normal((3, 1)).astype(np.float32), name="w")
slow = w.numpy()
optimizer = ps.optimizers.Adam(0.05)
for step in range(12):
    x = ps.asarray(rng.standard_normal((8, 3)).astype(np.float32))
    with ps.GradientTape() as tape:
        loss = ps.mean((ps.matmul(x, w) - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    if step % 3 == 2:
        slow = slow + 0.5 * (w.numpy() - slow)
        w.assign(slow)
print(float(loss))
