"""A recommender whose table of a million rows is split by rows over devices.

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/devices_recommend.py

Each device holds an eighth of the table and of what Adagrad keeps for it; a step sends rows, not the table.
`penstock check --devices 8 examples/devices_recommend.py` counts the bytes.
"""

import numpy as np

import penstock as ps

ROWS, WIDTH, BATCH, STEPS = 1_000_000, 8, 256, 30


def main():
    """Trains on pairs of a user and an item, and prints the loss."""
    mesh = ps.distribution.DeviceMesh((ps.distribution.get_device_count(),), ["rows"])
    layouts = ps.distribution.LayoutMap(mesh)
    layouts["items"] = ("rows", None)
    ps.distribution.set_distribution(ps.distribution.ModelParallel(layout_map=layouts, batch_dim_name="rows"))
    ps.random.seed(0)

    items = ps.Variable(ps.random.normal((ROWS, WIDTH), stddev=0.1), name="items")
    taste = ps.Variable(ps.random.normal((16, WIDTH), stddev=0.1), name="taste")
    optimizer = ps.optimizers.Adagrad(0.1)

    @ps.step
    def train(users, ids, liked):
        with ps.GradientTape() as tape:
            scores = ps.sum(ps.matmul(users, taste) * ps.take(items, ids, axis=0), axis=1)
            loss = ps.mean(ps.losses.sigmoid_cross_entropy(scores, liked))
        weights = [items, taste]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    pick = np.random.default_rng(0)
    for step in range(STEPS):
        users = pick.standard_normal((BATCH, 16)).astype(np.float32)
        ids = pick.integers(0, 5_000, BATCH)
        loss = train(users, ids, ((ids % 16 < 8) == (users[:, 0] > 0)).astype(np.float32))
        if step % 10 == 9:
            print(f"step {step + 1}: loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
