"""The loss is computed from the value itself; the variable only keeps it."""

import penstock as ps

weight = ps.Variable(1.5, name="weight")
memory = ps.Variable(0.0, trainable=False, name="memory")
with ps.GradientTape() as tape:
    value = weight * 3
    memory.assign(value)
    cost = value * value
print(f"slope {tape.gradient(cost, weight).numpy():.7f}")
