"""The manual's programs for what changes in the course of a program: a wrong one, the right one, a remark.

`penstock check` of the wrong program reports the code; of the right one it has nothing to say.
"""

from __future__ import annotations

COURSE_PAGES: dict[str, tuple[str, str, str]] = {
    "PS420": (
        """
        import penstock as ps

        body, head = ps.Variable(1.0, name="body"), ps.Variable(2.0, name="head")
        optimizer = ps.optimizers.Adam(0.1)
        for turn in range(6):
            with ps.GradientTape() as tape:
                hidden = body * 3.0
                if turn >= 2:
                    hidden = ps.stop_gradient(hidden)
                loss = (hidden * head - 1.0) ** 2
            pairs = zip(tape.gradient(loss, [body, head]), [body, head])
            optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
        """,
        """
        import penstock as ps

        body, head = ps.Variable(1.0, name="body"), ps.Variable(2.0, name="head")
        optimizer = ps.optimizers.Adam(0.1)
        for turn in range(6):
            with ps.GradientTape() as tape:
                hidden = body * 3.0
                loss = (hidden * head - 1.0) ** 2
            pairs = zip(tape.gradient(loss, [body, head]), [body, head])
            optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
        """,
        "Told only if the same line asks all along, and the gradient does not come back. A phase that asks "
        "for other variables on a line of its own, or freezes them, is meant.",
    ),
    "PS421": (
        """
        import penstock as ps

        norm, head = ps.layers.BatchNormalization(name="norm"), ps.layers.Dense(1, name="head")
        x = ps.random.normal((8, 3))
        head(norm(x))
        variables = norm.trainable_variables + head.trainable_variables
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean((head(norm(x)) - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import penstock as ps

        norm, head = ps.layers.BatchNormalization(name="norm"), ps.layers.Dense(1, name="head")
        x = ps.random.normal((8, 3))
        head(norm(x))
        variables = norm.trainable_variables + head.trainable_variables
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean((head(norm(x, training=True)) - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        "A layer that is called without training=True normalises by its moving mean and variance. Where they "
        "were loaded or assigned, or the layer was frozen for a while, nothing is said: that is fine-tuning.",
    ),
    "PS422": (
        """
        import penstock as ps

        base, head = ps.layers.Dense(4, name="base"), ps.layers.Dense(1, name="head")
        model, x = ps.layers.Sequential([base, head], name="model"), ps.random.normal((8, 3))
        model(x)
        base.trainable = False
        model.trainable = True
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import penstock as ps

        base, head = ps.layers.Dense(4, name="base"), ps.layers.Dense(1, name="head")
        model, x = ps.layers.Sequential([base, head], name="model"), ps.random.normal((8, 3))
        model(x)
        model.trainable = True
        base.trainable = False
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        "A flag that is set for a whole model is set for each of its parts. Nothing is said where a step was "
        "made in between, or where some of what the line froze stays frozen: that is unfreezing on purpose.",
    ),
}
