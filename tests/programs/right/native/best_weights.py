"""Early stopping: the weights of the best epoch are kept, and put back at the end."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
data = rng.standard_normal((40, 3)).astype(np.float32)
goal = data.sum(axis=1, keepdims=True) + 0.1 * rng.standard_normal((40, 1)).astype(np.float32)
train, held = (data[:30], goal[:30]), (data[30:], goal[30:])
net = ps.layers.Sequential([ps.layers.Dense(6, activation="relu"), ps.layers.Dense(1)])
net(ps.asarray(data[:1]))
optimizer = ps.optimizers.Adam(0.05)
best, waited, kept = np.inf, 0, [v.numpy() for v in net.variables]
for epoch in range(12):
    x, y = map(ps.asarray, train)
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x) - y) ** 2)
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
    value = float(ps.mean((net(ps.asarray(held[0])) - ps.asarray(held[1])) ** 2))
    if value < best:
        best, waited, kept = value, 0, [v.numpy() for v in net.variables]
    else:
        waited += 1
        if waited == 2:
            break
for v, value in zip(net.variables, kept):
    v.assign(value)
print(best)
