"""The manual's programs for what changes in the course of a program: a wrong one, the right one, a remark.

`penstock check` of the wrong program reports the code; of the right one it has nothing to say.
"""

from __future__ import annotations

COURSE_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS420": (
        "gradient-gone",
        "a gradient was there until some step, and has been missing since",
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
    "PS413": (
        "wrong-mode",
        "a pass runs with layers in the mode that is meant for another",
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
        "were loaded or assigned, or the layer was frozen for a while, nothing is said: that is fine-tuning. "
        "The same code tells of passes that only measure and write statistics, as their layers are in "
        "training mode, and of those that go on training after eval(). Data of training make it a note.",
    ),
    "PS422": (
        "freeze-undone",
        "variables were frozen, and set free again before any step",
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
    "PS419": (
        "wrong-scale",
        "gradients are added up, or clipped, at scales that do not go together",
        """
        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = optimizer.scale_loss(ps.sum(w**2))
            gradient = ps.clip_by_norm(tape.gradient(loss, w), 1.0)
            optimizer.apply_gradients([(gradient, w)])
        """,
        """
        import penstock as ps

        w = ps.Variable([1.0, 2.0], name="w")
        optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = optimizer.scale_loss(ps.sum(w**2))
            (gradient,) = optimizer.unscale(tape.gradient(loss, [w]))
            optimizer.apply_gradients([(ps.clip_by_norm(gradient, 1.0), w)])
        """,
        "The optimizer divides what it is given by the scale, unless `unscale` has done so. Its own options, "
        "such as `clipnorm`, come after that.",
    ),
    "PS424": (
        "summed-means",
        "an update applies a sum of gradients, each of a mean",
        """
        import penstock as ps

        w = ps.Variable(1.0, name="w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            total = ps.asarray(0.0)
            for part in ([0.5, 1.5], [1.0, 2.0]):
                with ps.GradientTape() as tape:
                    loss = ps.mean((w * ps.asarray(part) - 1.0) ** 2)
                total = total + tape.gradient(loss, w)
            optimizer.apply_gradients([(total, w)])
        """,
        """
        import penstock as ps

        w = ps.Variable(1.0, name="w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            total = ps.asarray(0.0)
            for part in ([0.5, 1.5], [1.0, 2.0]):
                with ps.GradientTape() as tape:
                    loss = ps.mean((w * ps.asarray(part) - 1.0) ** 2)
                total = total + tape.gradient(loss, w)
            optimizer.apply_gradients([(total / 2.0, w)])
        """,
        "Harmless where the parts are tasks of their own that are to be added. `gradient_accumulation_steps` "
        "takes the mean by itself.",
    ),
    "PS426": (
        "moved-by-zeros",
        "an optimizer moves what no backward pass reaches any more",
        """
        import penstock.paddle as paddle

        used, idle = paddle.nn.Linear(3, 1), paddle.nn.Linear(3, 1)
        both = used.parameters() + idle.parameters()
        optimizer = paddle.optimizer.SGD(0.1, parameters=both, weight_decay=0.1)
        x = paddle.randn([8, 3])
        for turn in range(5):
            found = used(x) + idle(x) if turn < 1 else used(x)
            (found**2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        """,
        """
        import penstock.paddle as paddle

        used, idle = paddle.nn.Linear(3, 1), paddle.nn.Linear(3, 1)
        both = used.parameters() + idle.parameters()
        optimizer = paddle.optimizer.SGD(0.1, parameters=both, weight_decay=0.1)
        x = paddle.randn([8, 3])
        for turn in range(5):
            found = used(x) + idle(x) if turn < 1 else used(x)
            (found**2).mean().backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
        """,
        "Optimizers pass over what has no gradient, and zeros are one. Said only of variables that no "
        "backward pass reaches again.",
    ),
    "PS425": (
        "never-followed",
        "a model is named after what it is to follow, and is never written",
        """
        import penstock as ps

        online, target = ps.Variable([1.0, 2.0], name="online/w"), ps.Variable([1.0, 2.0], name="target/w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(5):
            goal = 1.0 + 0.9 * ps.sum(target)
            with ps.GradientTape() as tape:
                loss = (ps.sum(online) - goal) ** 2
            optimizer.apply_gradients([(tape.gradient(loss, online), online)])
        """,
        """
        import penstock as ps

        online, target = ps.Variable([1.0, 2.0], name="online/w"), ps.Variable([1.0, 2.0], name="target/w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(5):
            goal = 1.0 + 0.9 * ps.sum(target)
            with ps.GradientTape() as tape:
                loss = (ps.sum(online) - goal) ** 2
            optimizer.apply_gradients([(tape.gradient(loss, online), online)])
            target.assign(0.9 * target + 0.1 * online)
        """,
        "A note, since it goes by names such as target, ema, average, shadow and slow. Harmless where the "
        "program is shorter than the time between two copies.",
    ),
    "PS427": (
        "update-never-run",
        "an operation that updates variables is built, and no session runs it",
        """
        import penstock.tensorflow.compat.v1 as tf

        tf.disable_eager_execution()
        x = tf.placeholder(tf.float32, [None])
        mean = tf.Variable(0.0, trainable=False, name="mean")
        update = tf.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(x))
        centred = x - mean
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for turn in range(3):
                session.run(centred, {x: [1.0 + turn, 2.0]})
        """,
        """
        import penstock.tensorflow.compat.v1 as tf

        tf.disable_eager_execution()
        x = tf.placeholder(tf.float32, [None])
        mean = tf.Variable(0.0, trainable=False, name="mean")
        update = tf.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(x))
        centred = x - mean
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for turn in range(3):
                session.run([centred, update], {x: [1.0 + turn, 2.0]})
        """,
        "Only of TensorFlow 1's graphs, and of variables that runs read and nothing else writes. What gives "
        "a variable a value that is fed or fixed may be there for later.",
    ),
    "PS428": (
        "freeze-left-behind",
        "what took the values of frozen variables is trained",
        """
        import penstock as ps

        base, low = ps.Variable(2.0, name="base"), ps.Variable(0.0, name="low")
        base.trainable = False
        weight = ps.Variable(0.0, name="weight")
        weight.assign(base)
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = (weight * 3.0 + low - 1.0) ** 2
            variables = [v for v in (weight, low) if v.trainable]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import penstock as ps

        base, low = ps.Variable(2.0, name="base"), ps.Variable(0.0, name="low")
        base.trainable = False
        weight = ps.Variable(0.0, name="weight")
        weight.assign(base)
        weight.trainable = base.trainable
        optimizer = ps.optimizers.SGD(0.01)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = (weight * 3.0 + low - 1.0) ** 2
            variables = [v for v in (weight, low) if v.trainable]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        "Nothing is said where the frozen variables are read themselves, as those of a teacher are, or where "
        "they were made frozen to keep first or best values.",
    ),
}
