"""The manual's programs for changes in the course of a program: a wrong one, the right one, a remark.

`penstock check` reports the code for the wrong program, and nothing for the right one.
"""

from __future__ import annotations

COURSE_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS420": (
        "gradient-gone",
        "a variable had a gradient until some step, and none since then",
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
        "Reported only if the same line asks for the gradient all along, and it does not come back. A phase "
        "that asks for other variables on a line of its own, or freezes them, is intended.",
    ),
    "PS413": (
        "wrong-mode",
        "a pass runs while layers are in the wrong mode",
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
        "A layer that is called without training=True normalizes by its moving mean and variance. There is "
        "no finding if these were loaded or assigned, or if the layer was frozen for a while: that is "
        "fine-tuning. The same code reports passes that only measure and yet write statistics, because "
        "their layers are in training mode, and passes that go on training after eval(). If they see "
        "training data, it is a note.",
    ),
    "PS422": (
        "freeze-undone",
        "variables were frozen, and unfrozen again before any step",
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
        "Setting a flag on a whole model sets it on each of its parts. There is no finding if a step was "
        "made in between, or if some of what the line froze stays frozen: that is deliberate unfreezing.",
    ),
    "PS419": (
        "wrong-scale",
        "gradients are added or clipped at scales that do not match",
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
        "The optimizer divides the gradients it gets by the scale, unless `unscale` has already done so. "
        "Its own options, such as `clipnorm`, come after that.",
    ),
    "PS424": (
        "summed-means",
        "an update applies a sum of gradients of means",
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
        "Harmless if the parts are separate tasks whose gradients are to be added. Only losses that are "
        "means as a whole count, such as PyTorch's with their default reduction. "
        "`gradient_accumulation_steps` takes the mean for you.",
    ),
    "PS426": (
        "moved-by-zeros",
        "an optimizer moves variables that no backward pass reaches any more",
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
        "Optimizers skip variables without a gradient, but a gradient of zeros is one. Reported only for "
        "variables that no later backward pass reaches.",
    ),
    "PS425": (
        "never-followed",
        "a model whose name says that it follows another is never written",
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
        "A note, because it goes by names such as target, ema, average, shadow and slow. Harmless if the "
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
        "Reported only for TensorFlow 1's graphs, and for variables that runs read and nothing else writes. "
        "An operation that only sets a variable to a fed or fixed value may be meant for later.",
    ),
    "PS429": (
        "clip-without-effect",
        "gradients are clipped, and no update gets the clipped ones",
        """
        import penstock as ps

        w = ps.Variable([3.0, 4.0], name="w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum(w**2)
            gradients = tape.gradient(loss, [w])
            clipped, norm = ps.clip_by_global_norm(gradients, 1.0)
            optimizer.apply_gradients(zip(gradients, [w]))
        """,
        """
        import penstock as ps

        w = ps.Variable([3.0, 4.0], name="w")
        optimizer = ps.optimizers.SGD(0.1)
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum(w**2)
            gradients = tape.gradient(loss, [w])
            clipped, norm = ps.clip_by_global_norm(gradients, 1.0)
            optimizer.apply_gradients(zip(clipped, [w]))
        """,
        "The same code reports a line that clips after the update, or before the backward pass. If a program "
        "only wants the norm and calls the clipped gradients `_`, there is no finding.",
    ),
    "PS430": (
        "schedule-out-of-step",
        "a schedule of learning rates never steps, or steps before the first update",
        """
        import penstock.paddle as paddle

        net, x = paddle.nn.Linear(3, 1), paddle.randn([8, 3])
        schedule = paddle.optimizer.lr.StepDecay(0.1, step_size=2)
        optimizer = paddle.optimizer.SGD(schedule, parameters=net.parameters())
        for _ in range(4):
            (net(x) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        """,
        """
        import penstock.paddle as paddle

        net, x = paddle.nn.Linear(3, 1), paddle.randn([8, 3])
        schedule = paddle.optimizer.lr.StepDecay(0.1, step_size=2)
        optimizer = paddle.optimizer.SGD(schedule, parameters=net.parameters())
        for _ in range(4):
            (net(x) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
            schedule.step()
        """,
        "Schedules of PyTorch and Paddle step only when the program says so. Several steps before the first "
        "update are no finding: a run that is resumed makes them.",
    ),
    "PS431": (
        "trained-copy",
        "a copy that follows other variables is trained together with them",
        """
        import penstock as ps

        online, target = ps.Variable(1.0, name="online"), ps.Variable(1.0, name="target")
        optimizer = ps.optimizers.SGD(0.05)
        for _ in range(5):
            with ps.GradientTape() as tape:
                loss = (online - 0.9 * target - 1.0) ** 2
            gradients = tape.gradient(loss, [online, target])
            optimizer.apply_gradients(zip(gradients, [online, target]))
            target.assign(0.9 * target + 0.1 * online)
        """,
        """
        import penstock as ps

        online, target = ps.Variable(1.0, name="online"), ps.Variable(1.0, name="target")
        optimizer = ps.optimizers.SGD(0.05)
        for _ in range(5):
            with ps.GradientTape() as tape:
                loss = (online - 0.9 * ps.stop_gradient(target) - 1.0) ** 2
            optimizer.apply_gradients([(tape.gradient(loss, online), online)])
            target.assign(0.9 * target + 0.1 * online)
        """,
        "Only if one optimizer moves both. Networks with an optimizer each may copy each other, as in a "
        "population of which the best are kept.",
    ),
    "PS428": (
        "freeze-left-behind",
        "a trained variable took over the values of frozen variables",
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
        "There is no finding if the frozen variables themselves are also read, like those of a teacher, or "
        "if they were frozen to keep initial or best values.",
    ),
}
