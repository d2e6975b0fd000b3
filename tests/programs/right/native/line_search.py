"""A line search tries shorter steps from the same start."""

import penstock as ps
ps.random.seed(5)
w = ps.Variable(ps.random.normal((3,)), name="w")
def f(v):
    return ps.sum((v - 1.0) ** 4)
for _ in range(4):
    with ps.GradientTape() as tape:
        value = f(w)
    g = tape.gradient(value, w)
    old, rate = w.numpy(), 1.0
    w.assign(old - rate * g)
    while float(f(w)) > float(value) and rate > 1e-4:
        rate *= 0.5
        w.assign(old - rate * g)
print(float(value))
