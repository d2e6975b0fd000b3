"""The manual's programs in TensorFlow's words: for each code a wrong one and the right one.

`penstock check --with tensorflow` reports the code for the wrong program, and nothing for the right one.
"""

from __future__ import annotations

TENSORFLOW_PAGES: dict[str, tuple[str, str, str, str, str]] = {
    "PS432": (
        "nothing-to-train",
        "a model is trained although all of its variables are frozen",
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        critic = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(1)], name="critic")
        critic.compile("sgd", "mse")
        maker = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(3)], name="maker")
        critic.trainable = False
        both = tf.keras.Sequential([maker, critic])
        both.compile("sgd", "mse")
        for _ in range(3):
            critic.train_on_batch(np.ones([4, 3]), np.ones([4, 1]))
            both.train_on_batch(np.ones([4, 2]), np.zeros([4, 1]))
        """,
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        critic = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(1)], name="critic")
        critic.compile("sgd", "mse")
        maker = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(3)], name="maker")
        both = tf.keras.Sequential([maker, critic])
        both.compile("sgd", "mse")
        for _ in range(3):
            critic.trainable = True
            critic.train_on_batch(np.ones([4, 3]), np.ones([4, 1]))
            critic.trainable = False
            both.train_on_batch(np.ones([4, 2]), np.zeros([4, 1]))
        """,
        "Keras traces the training step at its first call, and goes by the flags that it finds then; "
        "compile() does not look at them. Harmless if the call is only made to measure: evaluate() says so.",
    ),
}

TENSORFLOW_PROGRAMS: dict[str, tuple[str, str]] = {
    "PS101": (
        """
        import tensorflow as tf

        used, spare = tf.keras.layers.Dense(1, name="used"), tf.keras.layers.Dense(1, name="spare")
        used.build([None, 3]), spare.build([None, 3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(used(tf.ones([4, 3])) ** 2)
        slopes = tape.gradient(loss, used.trainable_variables + spare.trainable_variables)
        """,
        """
        import tensorflow as tf

        used, spare = tf.keras.layers.Dense(1, name="used"), tf.keras.layers.Dense(1, name="spare")
        used.build([None, 3]), spare.build([None, 3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((used(tf.ones([4, 3])) + spare(tf.ones([4, 3]))) ** 2)
        slopes = tape.gradient(loss, used.trainable_variables + spare.trainable_variables)
        """,
    ),
    "PS103": (
        """
        import tensorflow as tf

        level = tf.Variable(3, name="level")
        with tf.GradientTape() as tape:
            loss = tf.cast(level, tf.float32) ** 2
        slope = tape.gradient(loss, level)
        """,
        """
        import tensorflow as tf

        level = tf.Variable(3.0, name="level")
        with tf.GradientTape() as tape:
            loss = level**2
        slope = tape.gradient(loss, level)
        """,
    ),
    "PS104": (
        """
        import tensorflow as tf

        w = tf.Variable(2.0, name="w")
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = w**2
            slope = tape.gradient(loss, w)
            if slope is not None:
                w = w - 0.1 * slope
        """,
        """
        import tensorflow as tf

        w = tf.Variable(2.0, name="w")
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = w**2
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    ),
    "PS105": (
        """
        import tensorflow as tf

        net, x = tf.keras.layers.Dense(4, name="net"), tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            hit = tf.cast(tf.argmax(net(x), axis=1) == 1, tf.float32)
            loss = 1.0 - tf.reduce_mean(hit)
        slopes = tape.gradient(loss, net.trainable_variables)
        """,
        """
        import tensorflow as tf

        net, x = tf.keras.layers.Dense(4, name="net"), tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            labels = tf.ones([8], tf.int32)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, net(x))
            loss = tf.reduce_mean(losses)
        slopes = tape.gradient(loss, net.trainable_variables)
        """,
    ),
    "PS106": (
        """
        import tensorflow as tf

        maker, critic = tf.keras.layers.Dense(3, name="maker"), tf.keras.layers.Dense(1, name="critic")
        with tf.GradientTape() as tape:
            fake = tf.stop_gradient(maker(tf.random.normal([4, 2])))
            loss = tf.reduce_mean(tf.nn.softplus(-critic(fake)))
        slopes = tape.gradient(loss, maker.trainable_variables)
        """,
        """
        import tensorflow as tf

        maker, critic = tf.keras.layers.Dense(3, name="maker"), tf.keras.layers.Dense(1, name="critic")
        with tf.GradientTape() as tape:
            fake = maker(tf.random.normal([4, 2]))
            loss = tf.reduce_mean(tf.nn.softplus(-critic(fake)))
        slopes = tape.gradient(loss, maker.trainable_variables)
        """,
    ),
    "PS107": (
        """
        import tensorflow as tf

        body, head = tf.keras.layers.Dense(4, name="body"), tf.keras.layers.Dense(1, name="head")
        features = body(tf.random.normal([8, 3]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(head(features) ** 2)
        slopes = tape.gradient(loss, body.trainable_variables + head.trainable_variables)
        """,
        """
        import tensorflow as tf

        body, head = tf.keras.layers.Dense(4, name="body"), tf.keras.layers.Dense(1, name="head")
        with tf.GradientTape() as tape:
            features = body(tf.random.normal([8, 3]))
            loss = tf.reduce_mean(head(features) ** 2)
        slopes = tape.gradient(loss, body.trainable_variables + head.trainable_variables)
        """,
    ),
    "PS108": (
        """
        import numpy as np
        import tensorflow as tf

        net, x = tf.keras.layers.Dense(1, name="net"), tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            loss = tf.constant(np.mean(net(x).numpy() ** 2))
        slopes = tape.gradient(loss, net.trainable_variables)
        """,
        """
        import tensorflow as tf

        net, x = tf.keras.layers.Dense(1, name="net"), tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(net(x) ** 2)
        slopes = tape.gradient(loss, net.trainable_variables)
        """,
    ),
    "PS109": (
        """
        import tensorflow as tf

        w, memory = tf.Variable(2.0, name="w"), tf.Variable(0.0, name="memory", trainable=False)
        with tf.GradientTape() as tape:
            memory.assign(3.0 * w)
            loss = memory**2
        slope = tape.gradient(loss, w)
        """,
        """
        import tensorflow as tf

        w, memory = tf.Variable(2.0, name="w"), tf.Variable(0.0, name="memory", trainable=False)
        with tf.GradientTape() as tape:
            value = 3.0 * w
            memory.assign(value)
            loss = value**2
        slope = tape.gradient(loss, w)
        """,
    ),
    "PS110": (
        """
        import tensorflow as tf

        w, mean = tf.Variable([1.0, 2.0], name="w"), tf.Variable([0.5, 0.5], name="mean", trainable=False)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w - mean) ** 2)
        slopes = tape.gradient(loss, [w, mean])
        """,
        """
        import tensorflow as tf

        w, mean = tf.Variable([1.0, 2.0], name="w"), tf.Variable([0.5, 0.5], name="mean", trainable=False)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w - mean) ** 2)
        slopes = tape.gradient(loss, [one for one in (w, mean) if one.trainable])
        """,
    ),
    "PS201": (
        """
        import tensorflow as tf

        w = tf.Variable(5.0, name="w")
        for _ in range(4):
            optimizer = tf.keras.optimizers.Adam(0.1)
            with tf.GradientTape() as tape:
                loss = w**2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import tensorflow as tf

        w = tf.Variable(5.0, name="w")
        optimizer = tf.keras.optimizers.Adam(0.1)
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = w**2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    ),
    "PS205": (
        """
        import tensorflow as tf

        w = tf.Variable([1.0, 0.0], name="w")
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = optimizer.scale_loss(tf.reduce_sum(tf.sqrt(w)))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import tensorflow as tf

        w = tf.Variable([1.0, 0.0], name="w")
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = optimizer.scale_loss(tf.reduce_sum(tf.sqrt(tf.abs(w) + 1e-3)))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    ),
    "PS303": (
        """
        import tensorflow as tf

        l2 = tf.keras.regularizers.L2(0.1)
        net, x = tf.keras.layers.Dense(1, name="net", kernel_regularizer=l2), tf.random.normal([8, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                fit = tf.reduce_mean((net(x) - 1.0) ** 2)
                decay = tf.add_n(net.losses)
                loss = fit + decay
                total = loss + decay
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(total, variables), variables))
        """,
        """
        import tensorflow as tf

        l2 = tf.keras.regularizers.L2(0.1)
        net, x = tf.keras.layers.Dense(1, name="net", kernel_regularizer=l2), tf.random.normal([8, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                fit = tf.reduce_mean((net(x) - 1.0) ** 2)
                decay = tf.add_n(net.losses)
                loss = fit + decay
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    ),
    "PS401": (
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        base = layers.Dense(4, activation="tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, layers.Dense(1, name="head")], name="model")
        base.trainable = False
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        base.trainable = True
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        """,
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        base = layers.Dense(4, activation="tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, layers.Dense(1, name="head")], name="model")
        base.trainable = False
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        base.trainable = True
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        """,
    ),
    "PS403": (
        """
        import tensorflow as tf

        norm, head = tf.keras.layers.BatchNormalization(name="norm"), tf.keras.layers.Dense(1, name="head")
        x = tf.random.normal([8, 3])
        head(norm(x))
        norm.gamma.trainable = norm.beta.trainable = False
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(head(norm(x, training=True)) ** 2)
            variables = head.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import tensorflow as tf

        norm, head = tf.keras.layers.BatchNormalization(name="norm"), tf.keras.layers.Dense(1, name="head")
        x = tf.random.normal([8, 3])
        head(norm(x))
        norm.trainable = False
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(head(norm(x, training=True)) ** 2)
            variables = head.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    ),
    "PS404": (
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        base = layers.Dense(4, activation="tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, layers.Dense(1, name="head")], name="model")
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        base.trainable = False
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        """,
        """
        import numpy as np
        import tensorflow as tf

        layers = tf.keras.layers
        base = layers.Dense(4, activation="tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, layers.Dense(1, name="head")], name="model")
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        base.trainable = False
        model.compile("sgd", "mse")
        model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, verbose=0)
        """,
    ),
    "PS407": (
        """
        import tensorflow as tf

        w = tf.Variable([0.0, 1.0], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sqrt(w))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        """
        import tensorflow as tf

        w = tf.Variable([0.0, 1.0], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sqrt(tf.maximum(w, 0.0) + 1e-3))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    ),
    "PS410": (
        """
        import tensorflow as tf

        online, target = (tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)]) for _ in "ab")
        optimizer, x = tf.keras.optimizers.SGD(0.1), tf.random.normal([8, 3])
        for _ in range(3):
            goal = 1.0 + 0.9 * target(x)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((online(x) - goal) ** 2)
            variables = online.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            target.set_weights(target.get_weights())
        """,
        """
        import tensorflow as tf

        online, target = (tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)]) for _ in "ab")
        optimizer, x = tf.keras.optimizers.SGD(0.1), tf.random.normal([8, 3])
        for _ in range(3):
            goal = 1.0 + 0.9 * target(x)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((online(x) - goal) ** 2)
            variables = online.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            target.set_weights(online.get_weights())
        """,
    ),
    "PS413": (
        """
        import tensorflow as tf

        layers = tf.keras.layers
        net = tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.05)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(net(tf.random.normal([16, 3]), training=True) ** 2)
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            guess = net(tf.random.normal([8, 3]) + 5.0, training=True)
            print(float(tf.reduce_mean(guess**2)))
        """,
        """
        import tensorflow as tf

        layers = tf.keras.layers
        net = tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.05)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(net(tf.random.normal([16, 3]), training=True) ** 2)
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            guess = net(tf.random.normal([8, 3]) + 5.0, training=False)
            print(float(tf.reduce_mean(guess**2)))
        """,
    ),
    "PS414": (
        """
        import tensorflow as tf

        w = tf.Variable([1.0, 2.0], name="w")
        average = tf.Variable(w, trainable=False, name="average")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w - 3.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            w.assign(average)
        """,
        """
        import tensorflow as tf

        w = tf.Variable([1.0, 2.0], name="w")
        average = tf.Variable(w, trainable=False, name="average")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w - 3.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            average.assign(0.9 * average + 0.1 * w)
        """,
    ),
    "PS415": (
        """
        import tensorflow as tf

        def network():
            layers = tf.keras.layers
            return tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])

        fast, slow, x = network(), network(), tf.random.normal([16, 3])
        fast(x), slow(x)
        slow.set_weights(fast.get_weights())
        optimizer = tf.keras.optimizers.SGD(0.05)
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((fast(x, training=True) - 1.0) ** 2)
            variables = fast.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            for mine, other in zip(slow.trainable_variables, fast.trainable_variables):
                mine.assign(0.9 * mine + 0.1 * other)
        print(float(tf.reduce_mean(slow(x))))
        """,
        """
        import tensorflow as tf

        def network():
            layers = tf.keras.layers
            return tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])

        fast, slow, x = network(), network(), tf.random.normal([16, 3])
        fast(x), slow(x)
        slow.set_weights(fast.get_weights())
        optimizer = tf.keras.optimizers.SGD(0.05)
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((fast(x, training=True) - 1.0) ** 2)
            variables = fast.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            for mine, other in zip(slow.variables, fast.variables):
                mine.assign(0.9 * mine + 0.1 * other)
        print(float(tf.reduce_mean(slow(x))))
        """,
    ),
    "PS417": (
        """
        import tensorflow as tf

        policy = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(2)])
        target = policy
        optimizer, x = tf.keras.optimizers.SGD(0.1), tf.random.normal([8, 4])
        for _ in range(3):
            with tf.GradientTape() as tape:
                goal = tf.stop_gradient(1.0 + 0.9 * tf.reduce_max(target(x), axis=1))
                loss = tf.reduce_mean((policy(x)[:, 0] - goal) ** 2)
            variables = policy.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import tensorflow as tf

        policy = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(2)])
        target = tf.keras.models.clone_model(policy)
        optimizer, x = tf.keras.optimizers.SGD(0.1), tf.random.normal([8, 4])
        for _ in range(3):
            with tf.GradientTape() as tape:
                goal = tf.stop_gradient(1.0 + 0.9 * tf.reduce_max(target(x), axis=1))
                loss = tf.reduce_mean((policy(x)[:, 0] - goal) ** 2)
            variables = policy.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    ),
    "PS422": (
        """
        import tensorflow as tf

        base, head = tf.keras.layers.Dense(4, name="base"), tf.keras.layers.Dense(1, name="head")
        model, x = tf.keras.Sequential([base, head], name="model"), tf.random.normal([8, 3])
        model(x)
        base.trainable = False
        for layer in model.layers:
            layer.trainable = True
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
        """
        import tensorflow as tf

        base, head = tf.keras.layers.Dense(4, name="base"), tf.keras.layers.Dense(1, name="head")
        model, x = tf.keras.Sequential([base, head], name="model"), tf.random.normal([8, 3])
        model(x)
        for layer in model.layers:
            layer.trainable = True
        base.trainable = False
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    ),
}
"""A wrong program and the right one for codes whose page has a program in other words."""
