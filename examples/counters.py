"""A step counter, a learning rate and a best loss, all kept in variables without a gradient.

    python examples/counters.py

The program writes these variables with `assign`, and the report shows it; changing the learning rate compiles
nothing again. The counter may be an integer, since it is not learned.
"""

import numpy as np

import penstock as ps

STEPS = 300
PATIENCE = 20
LEAST = 0.05


def main():
    """Fits a line, halving the rate where the loss has not improved for a while; prints what was counted."""
    draw = np.random.default_rng(0)
    points = draw.standard_normal((64, 3)).astype(np.float32)
    wanted = points @ np.array([[1.0], [-2.0], [0.5]], np.float32)
    wanted += 0.1 * draw.standard_normal((64, 1)).astype(np.float32)
    x, y = ps.asarray(points), ps.asarray(wanted)
    weights = ps.Variable(np.zeros((3, 1), np.float32), name="weights")
    steps = ps.Variable(0, name="counters/steps", trainable=False)
    rate = ps.Variable(0.4, name="settings/rate", trainable=False)
    best = ps.Variable(100.0, name="counters/best", trainable=False)
    optimizer = ps.optimizers.SGD(rate)
    stale = 0

    for _ in range(STEPS):
        with ps.GradientTape() as tape:
            loss = ps.mean((x @ weights - y) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        steps.assign_add(1)
        stale = 0 if float(loss) < float(best) else stale + 1
        best.assign(ps.minimum(best, loss))
        if stale == PATIENCE and float(rate) > LEAST:
            rate.assign(rate * 0.5)
            stale = 0

    print(f"{int(steps)} steps, best loss {float(best):.4f}")
    print(f"rate {float(rate):.3f} after {rate.version} changes")


if __name__ == "__main__":
    main()
