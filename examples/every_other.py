"""Two parts of a model: one is updated in every step, the other in every other step.

    python examples/every_other.py

The condition is plain Python. Each of the two paths through the loop is recorded once, and `penstock check`
counts the writes: the slow part has half as many.
"""

import numpy as np

import penstock as ps

STEPS = 400


def main():
    """Fits a line whose slope is the fast part and whose height is the slow one; prints both."""
    draw = np.random.default_rng(0)
    points = draw.uniform(-1, 1, 200).astype(np.float32)
    heights = 2.0 * points - 1.0 + 0.05 * draw.standard_normal(200).astype(np.float32)
    fast = ps.Variable(0.0, name="fast/slope")
    slow = ps.Variable(0.0, name="slow/height")
    fast_optimizer = ps.optimizers.SGD(0.1)
    slow_optimizer = ps.optimizers.Adam(0.05)
    x, y = ps.asarray(points), ps.asarray(heights)

    for step in range(STEPS):
        with ps.GradientTape() as tape:
            loss = ps.mean((fast * x + slow - y) ** 2)
        slopes = tape.gradient(loss, [fast, slow])
        fast_optimizer.apply_gradients([(slopes[0], fast)])
        if step % 2 == 0:
            slow_optimizer.apply_gradients([(slopes[1], slow)])

    print(
        f"slope {float(fast):.2f} in {fast.version} writes, height {float(slow):.2f} in {slow.version} writes"
    )
    print(f"loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
