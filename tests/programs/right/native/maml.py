"""Learning to learn, by the exact second-order gradient and by the first-order one."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
w = ps.Variable(0.5, name="w")
b = ps.Variable(0.0, name="b")
meta = ps.optimizers.Adam(0.05)


def fit(w, b, x, y):
    return ps.mean((w * x + b - y) ** 2)


for second_order in (True, False):
    for step in range(4):
        slope = float(rng.uniform(1.0, 3.0))
        x = ps.asarray(rng.standard_normal(10).astype(np.float32))
        y = slope * x + 1.0
        with ps.GradientTape() as outer:
            with ps.GradientTape() as inner:
                before = fit(w, b, x[:5], y[:5])
            dw, db = inner.gradient(before, [w, b])
            if not second_order:
                dw, db = ps.stop_gradient(dw), ps.stop_gradient(db)
            after = fit(w - 0.1 * dw, b - 0.1 * db, x[5:], y[5:])
        meta.apply_gradients(zip(outer.gradient(after, [w, b]), [w, b]))
print(w.numpy(), b.numpy())
