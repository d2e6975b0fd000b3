"""An average of the weights, kept beside them, used to evaluate, and taken over at the end."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
x = ps.asarray(rng.standard_normal((32, 3)).astype(np.float32))
y = ps.sum(x * x, axis=1, keepdims=True)
net = ps.layers.Sequential([ps.layers.Dense(8, activation="relu"), ps.layers.Dense(1)], name="net")
net(x)
averages = [ps.Variable(v, trainable=False, name=f"average_{i}") for i, v in enumerate(net.variables)]
optimizer = ps.optimizers.Adam(0.02)
for epoch in range(3):
    for step in range(4):
        with ps.GradientTape() as tape:
            loss = ps.mean((net(x) - y) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
        for a, v in zip(averages, net.variables):
            a.assign(0.9 * a + 0.1 * v)
    kept = [v.numpy() for v in net.variables]
    for a, v in zip(averages, net.variables):
        v.assign(a)
    print("averaged:", float(ps.mean((net(x) - y) ** 2)))
    for k, v in zip(kept, net.variables):
        v.assign(k)
for a, v in zip(averages, net.variables):
    v.assign(a)
