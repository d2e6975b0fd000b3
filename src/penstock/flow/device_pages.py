"""The manual's programs for findings on programs for several devices: run them with `--devices 8`."""

from __future__ import annotations

_HEAD = """
        import numpy as np
        import penstock as ps

        mesh = ps.distribution.DeviceMesh((2, 4), ["batch", "model"])
        layouts = ps.distribution.LayoutMap(mesh)
        LAYOUTS
        ps.distribution.set_distribution(
            ps.distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")
        )
"""


def _split(layouts: str, body: str) -> str:
    return _HEAD.replace("LAYOUTS", layouts).rstrip() + "\n" + body


_TRAIN = """
        weights = [ps.Variable(np.ones((32, 32), "float32"), name=f"layer_{n}/kernel") for n in range(2)]
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                x = np.ones((8, 32), "float32")
                for weight in weights:
                    x = ps.matmul(x, weight) / 32.0
                loss = ps.mean(x ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        """

_SPREAD = """
        import numpy as np
        import penstock as ps

        ps.distribution.set_distribution(ps.distribution.DataParallel())
        weight = ps.Variable(np.ones((32, 4), "float32"), name="kernel")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.matmul(np.ones((BATCH, 32), "float32"), weight) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        """

_SCALED = """
        weight = ps.Variable(np.ones((1024, 64), "float32"), name="kernel")
        for _ in range(3):
            weight.assign(OPERATION)
        """

DEVICE_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS601": (
        "copied-everywhere",
        "a variable is copied to every device, although others like it are split",
        _split('layouts["layer_0/kernel"] = (None, "model")', _TRAIN),
        _split('layouts["layer_[0-9]/kernel"] = (None, "model")', _TRAIN),
        "The copies and the split variables differ only in a number in their paths. To keep copies on "
        'purpose, give them a layout that says so: layouts["layer_1/kernel"] = ().',
    ),
    "PS602": (
        "idle-pattern",
        "a pattern of a LayoutMap matches no variable",
        _split(
            'layouts["layer_[0-9]/kernel"] = (None, "model")\n        layouts["embed"] = ("model", None)',
            _TRAIN,
        ),
        _split('layouts["layer_[0-9]/kernel"] = (None, "model")', _TRAIN),
        "Penstock knows only the variables that some step has used: a program that was stopped early may "
        "use the others later.",
    ),
    "PS603": (
        "undivided-batch",
        "every device computes the whole batch, because it does not divide",
        _SPREAD.replace("BATCH", "12"),
        _SPREAD.replace("BATCH", "16"),
        "The numbers are right either way, but the other devices save no time. A shorter last batch of an "
        "epoch is not reported.",
    ),
    "PS604": (
        "gathered-weight",
        "a step gathers a split weight whole on every device",
        _split(
            'layouts["kernel"] = ("model", None)',
            _SCALED.replace("OPERATION", "ps.cumulative_sum(weight, axis=0) / 1024.0"),
        ),
        _split(
            'layouts["kernel"] = (None, "model")',
            _SCALED.replace("OPERATION", "ps.cumulative_sum(weight, axis=0) / 1024.0"),
        ),
        "While the line runs, each device needs memory for the whole variable. If that is intended, as with "
        "shard_weights of DataParallel, it is not reported.",
    ),
}
"""By code: its name, its title, the wrong program, the right program, and a remark."""
