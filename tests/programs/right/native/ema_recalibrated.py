"""Averaged weights follow the trained ones; their statistics are gathered anew at the end."""

import penstock as ps
ps.random.seed(2)
def network(name):
    return ps.layers.Sequential([ps.layers.Dense(4), ps.layers.BatchNormalization(), ps.layers.Dense(1)], name=name)
fast, slow = network("fast"), network("slow")
x, y = ps.random.normal((16, 3)), ps.random.normal((16, 1))
fast(x), slow(x)
adam = ps.optimizers.Adam(0.02)
for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean((fast(x, training=True) - y) ** 2)
    variables = fast.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for s, f in zip(slow.trainable_variables, fast.trainable_variables):
        s.assign(0.9 * s + 0.1 * f)
for _ in range(2):
    slow(x, training=True)
print(float(ps.mean((slow(x) - y) ** 2)))
