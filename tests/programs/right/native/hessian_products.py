"""Newton's method by conjugate gradients, from products of the Hessian with vectors."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
a = ps.asarray(rng.standard_normal((20, 4)).astype(np.float32))
b = ps.asarray(rng.standard_normal(20).astype(np.float32))
w = ps.Variable(np.zeros(4, np.float32), name="w")


def cost():
    return ps.mean(ps.log(ps.cosh(ps.matmul(a, w) - b))) + 0.05 * ps.sum(w * w)


def product(v):
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            c = cost()
        along = ps.sum(inner.gradient(c, w) * v)
    return outer.gradient(along, w)


for step in range(3):
    with ps.GradientTape() as tape:
        c = cost()
    g = tape.gradient(c, w)
    s, r = ps.zeros(4), -g
    d = r
    for _ in range(4):
        h = product(d)
        rr = ps.sum(r * r)
        alpha = rr / ps.sum(d * h)
        s, r = s + alpha * d, r - alpha * h
        d = r + d * ps.sum(r * r) / rr
    w.assign_add(s)
print(float(cost()))
