"""A small language model whose weights are split over devices, as a LayoutMap says.

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/devices_language.py

The first product of each block is split by columns and the second by rows, so that one sum joins them.
`penstock check --devices 8 examples/devices_language.py` says what each device holds and sends.
"""

import sys

import numpy as np

import penstock as ps

LETTERS, WIDTH, WINDOW, BATCH, STEPS = 96, 64, 16, 32, 60


def layouts(mesh):
    """Returns how the weights are split over the axis `model` of a mesh."""
    found = ps.distribution.LayoutMap(mesh)
    found["embeddings"] = (None, "model")
    found["up_[0-9]/kernel"] = (None, "model")
    found["up_[0-9]/bias"] = ("model",)
    found["down_[0-9]/kernel"] = ("model", None)
    return found


def main():
    """Trains on the text of this file's docstrings, and prints the loss."""
    count = ps.distribution.get_device_count()
    mesh = ps.distribution.DeviceMesh((count // 2 or 1, min(count, 2)), ["batch", "model"])
    split = ps.distribution.ModelParallel(layout_map=layouts(mesh), batch_dim_name="batch")
    ps.distribution.set_distribution(split)
    ps.random.seed(0)

    table = ps.layers.Embedding(LETTERS, WIDTH, name="embedding")
    norms = [ps.layers.LayerNormalization(name=f"norm_{n}") for n in range(2)]
    ups = [ps.layers.Dense(4 * WIDTH, activation="gelu", name=f"up_{n}") for n in range(2)]
    downs = [ps.layers.Dense(WIDTH, name=f"down_{n}") for n in range(2)]
    head = ps.layers.Dense(LETTERS, name="head")
    layers = [table, *norms, *ups, *downs, head]
    optimizer = ps.optimizers.Adam(3e-3)

    @ps.step
    def train(letters, following):
        with ps.GradientTape() as tape:
            x = table(letters)
            # Each letter sees the mean of those before it, and itself.
            seen = ps.cumulative_sum(x, axis=1) / ps.reshape(
                ps.arange(1, WINDOW + 1, dtype="float32"), (1, WINDOW, 1)
            )
            x = x + seen
            for norm, up, down in zip(norms, ups, downs, strict=True):
                x = x + down(up(norm(x)))
            loss = ps.mean(ps.losses.softmax_cross_entropy(head(x), following))
        weights = [w for layer in layers for w in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    text = " ".join([__doc__, main.__doc__, layouts.__doc__, sys.version] * 8)
    codes = np.clip(
        np.frombuffer(text.encode("ascii", "replace"), np.uint8).astype(np.int64) - 32, 0, LETTERS - 1
    )
    pick = np.random.default_rng(0)
    for step in range(STEPS):
        starts = pick.integers(0, len(codes) - WINDOW - 1, BATCH)[:, None] + np.arange(WINDOW)
        loss = train(codes[starts], codes[starts + 1])
        if step % 20 == 19:
            print(f"step {step + 1}: loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
