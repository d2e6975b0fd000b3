"""The manual's programs for findings on numbers: see `penstock.flow.pages`."""

from __future__ import annotations

NUMBER_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS406": (
        "zero-gradient",
        "a gradient was exactly zero in every step, although a path is open",
        """
        import penstock as ps

        x = ps.asarray([[1.0, 2.0], [3.0, 1.0]])
        hidden = ps.Variable([[-1.0, -2.0], [-3.0, -1.0]], name="hidden")
        out = ps.Variable([[0.5], [0.5]], name="out")
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.mean((ps.nn.relu(x @ hidden) @ out - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [hidden, out]), [hidden, out]))
        """,
        """
        import penstock as ps

        x = ps.asarray([[1.0, 2.0], [3.0, 1.0]])
        hidden = ps.Variable([[0.1, -0.2], [0.3, 0.1]], name="hidden")
        out = ps.Variable([[0.5], [0.5]], name="out")
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.mean((ps.nn.relu(x @ hidden) @ out - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [hidden, out]), [hidden, out]))
        """,
        "The finding names the operation whose slope was zero: a relu whose units are all dead, a saturated "
        "activation, a step function, a product with zeros, a mask that selects nothing. Gradients are "
        "measured in the first four steps and then more and more rarely. A gradient that starts at zero and "
        "changes later, such as that of one of two factors, is not reported.",
    ),
    "PS407": (
        "not-finite",
        "a step wrote a value that is not finite",
        """
        import penstock as ps

        share = ps.Variable([0.0, 0.4], name="share")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = -ps.sum(ps.log(share))
            optimizer.apply_gradients([(tape.gradient(loss, share), share)])
        """,
        """
        import penstock as ps

        share = ps.Variable([0.0, 0.4], name="share")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = -ps.sum(ps.log(ps.abs(share) + 0.1))
            optimizer.apply_gradients([(tape.gradient(loss, share), share)])
        """,
        "Penstock computes the step that wrote the first such value once more, operation by operation, so "
        "the finding names the first operation whose result was not finite. A program that demonstrates "
        "divergence says so at the line that updates: # penstock: ignore[PS407]. Updates that an optimizer "
        "skips are PS205.",
    ),
    "PS501": (
        "tiny-update",
        "updates are so small that rounding swallows them",
        """
        import penstock as ps

        w = ps.Variable([0.3, 0.7], name="w")
        optimizer = ps.optimizers.Adam(learning_rate=2e-8)
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.sum((w - 2.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import penstock as ps

        w = ps.Variable([0.3, 0.7], name="w")
        optimizer = ps.optimizers.Adam(learning_rate=2e-3)
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.sum((w - 2.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "All variables of the line move by less than 6e-8 of their size, half the distance between "
        "neighbouring float32 numbers, although their gradients have an ordinary size. Small rates for "
        "fine-tuning, such as 1e-5, move weights a thousand times as far. A rate that is still warming up "
        "is not reported.",
    ),
    "PS502": (
        "vanishing-gradient",
        "the gradient of a layer is tiny beside that of other layers",
        """
        import penstock as ps

        x = ps.asarray([[1.0, 2.0], [3.0, 1.0]])
        encoder = ps.Variable([[0.5, -0.2], [0.3, 0.1]], name="encoder")
        head = ps.Variable([[0.5], [0.5]], name="head")
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                hidden = x @ encoder
                for _ in range(24):
                    hidden = ps.nn.sigmoid(hidden)
                loss = ps.mean((hidden @ head - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [encoder, head]), [encoder, head]))
        """,
        """
        import penstock as ps

        x = ps.asarray([[1.0, 2.0], [3.0, 1.0]])
        encoder = ps.Variable([[0.5, -0.2], [0.3, 0.1]], name="encoder")
        head = ps.Variable([[0.5], [0.5]], name="head")
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                hidden = x @ encoder
                for _ in range(2):
                    hidden = ps.nn.sigmoid(hidden)
                loss = ps.mean((hidden @ head - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [encoder, head]), [encoder, head]))
        """,
        "Each sigmoid passes at most a quarter of the gradient, so little is left after many of them. "
        "Reported if the numbers of one layer get less than 1e-8 of the gradient of those of another layer "
        "of the same loss, in the steps that were measured. Biases are not compared.",
    ),
    "PS503": (
        "exploding-gradient",
        "a gradient and the values it moves have grown without bound",
        """
        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        optimizer = ps.optimizers.SGD(learning_rate=20.0)
        for _ in range(8):
            with ps.GradientTape() as tape:
                loss = ps.sum(w ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        optimizer = ps.optimizers.SGD(learning_rate=0.2)
        for _ in range(8):
            with ps.GradientTape() as tape:
                loss = ps.sum(w ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "While they were watched, the gradient grew a million times and the values a thousand times. Soon "
        "they will not be finite, which is PS407.",
    ),
}
"""By code: its name, its title, the wrong program, the right program, and a remark."""
