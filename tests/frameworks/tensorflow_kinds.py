"""More programs for TensorFlow: flags that change, threads, data pipelines, compiled and distributed steps.

They are in the form of those in tensorflow_programs.py.
"""

RIGHT = {
    "a base that is frozen between two trainings": """
        base = tf.keras.layers.Dense(4, "tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, tf.keras.layers.Dense(1)])
        x, y = np.random.rand(16, 3), np.random.rand(16, 1)
        model.compile("sgd", "mse")
        model.fit(x, y, epochs=2, batch_size=8, verbose=0)
        base.trainable = False
        model.compile("sgd", "mse")
        model.fit(x, y, epochs=2, batch_size=8, verbose=0)
        """,
    "a base that is unfrozen for fine-tuning": """
        base = tf.keras.Sequential(
            [tf.keras.Input([3]), tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.BatchNormalization()]
        )
        base.trainable = False
        inputs = tf.keras.Input([3])
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(base(inputs, training=False)))
        x, y = np.random.rand(16, 3), np.random.rand(16, 1)
        model.compile("adam", "mse")
        model.fit(x, y, epochs=12, batch_size=8, verbose=0)
        base.trainable = True
        model.compile(tf.keras.optimizers.Adam(1e-5), "mse")
        model.fit(x, y, epochs=2, batch_size=8, verbose=0)
        """,
    "layers that are unfrozen one after another": """
        layers = [tf.keras.layers.Dense(4, "tanh", name=f"block_{at}") for at in range(3)]
        model = tf.keras.Sequential([tf.keras.Input([3]), *layers, tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)
        for layer in layers:
            layer.trainable = False
        for turn in range(24):
            if turn % 6 == 5 and turn // 6 < 3:
                layers[2 - turn // 6].trainable = True
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(tf.random.normal([8, 3])) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "a critic that is frozen in turns": """
        layers = tf.keras.layers
        critic = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(1)], name="critic")
        critic.compile("sgd", "mse")
        maker = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(3)], name="maker")
        both = tf.keras.Sequential([maker, critic])
        both.compile("sgd", "mse")
        for _ in range(12):
            critic.trainable = True
            critic.train_on_batch(np.random.rand(4, 3), np.ones([4, 1]))
            critic.trainable = False
            both.train_on_batch(np.random.rand(4, 2), np.zeros([4, 1]))
        """,
    "a step that is traced again after a freeze": """
        base, head = tf.keras.layers.Dense(4, "tanh", name="base"), tf.keras.layers.Dense(1, name="head")
        model, optimizer = tf.keras.Sequential([base, head]), tf.keras.optimizers.SGD(0.1)
        model.build([None, 3])
        optimizer.build(model.trainable_variables)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

        for turn in range(24):
            if turn == 12:
                base.trainable = False
                step = tf.function(step.python_function)
            step(tf.ones([8, 3]))
        """,
    "a function inside the map of a data set": """
        mean = tf.Variable([1.0, 2.0], trainable=False, name="mean")
        w, optimizer = tf.Variable([1.0, 1.0], name="w"), tf.keras.optimizers.SGD(0.1)

        @tf.function
        def scaled(x):
            return (x - mean) / 2.0

        data = tf.data.Dataset.from_tensor_slices(tf.random.normal([24, 2])).map(scaled).batch(4)
        for x in data.prefetch(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x * w - 1.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "a model that prepares the data of another": """
        scale = tf.keras.layers.Normalization(axis=-1)
        x, y = np.random.rand(32, 3).astype("float32"), np.random.rand(32, 1).astype("float32")
        scale.adapt(x)
        encoder = tf.keras.layers.Dense(4, trainable=False, name="encoder")
        encoder.build([None, 3])
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
        data = data.map(lambda one, other: (encoder(scale(one)), other), num_parallel_calls=2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(data, epochs=3, verbose=0)
        """,
    "a Python function between the data and the step": """
        w, optimizer = tf.Variable([1.0, 1.0], name="w"), tf.keras.optimizers.SGD(0.1)
        data = tf.data.Dataset.range(12).map(
            lambda at: tf.py_function(lambda one: np.float32([float(one), 1.0]) / 12.0, [at], tf.float32)
        )
        for x in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x * w - 1.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "a Python function with a gradient, inside a function": """
        w, optimizer = tf.Variable([1.0, 1.0], name="w"), tf.keras.optimizers.SGD(0.1)

        def cube(x):
            return x * x * x

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.py_function(cube, [x * w], tf.float32) - 1.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        for _ in range(6):
            step(tf.constant([0.5, 0.2]))
        """,
    "tf.while_loop inside a step": """
        w, optimizer = tf.Variable(0.5, name="w"), tf.keras.optimizers.SGD(0.05)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                _, state = tf.while_loop(
                    lambda at, _: at < 4, lambda at, state: (at + 1, tf.tanh(w * state)), [0, x]
                )
                loss = tf.reduce_mean((state - 0.1) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        for _ in range(6):
            step(tf.ones([3]))
        """,
    "tf.while_loop in a plain loop": """
        w, optimizer = tf.Variable(0.5, name="w"), tf.keras.optimizers.SGD(0.05)
        for _ in range(6):
            with tf.GradientTape() as tape:
                _, state = tf.while_loop(
                    lambda at, _: at < 4, lambda at, state: (at + 1, tf.tanh(w * state)), [0, tf.ones([3])]
                )
                loss = tf.reduce_mean((state - 0.1) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "gradients that are added up in variables": """
        model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)
        kept = [tf.Variable(tf.zeros(one.shape), trainable=False) for one in model.trainable_variables]
        parts = 3

        @tf.function
        def add(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x) ** 2) / parts
            for one, slope in zip(kept, tape.gradient(loss, model.trainable_variables)):
                one.assign_add(slope)

        @tf.function
        def update():
            optimizer.apply_gradients(zip([one.value() for one in kept], model.trainable_variables))
            for one in kept:
                one.assign(tf.zeros_like(one))

        for turn in range(12):
            add(tf.random.normal([8, 3]))
            if turn % parts == parts - 1:
                update()
        """,
    "gradients that the optimizer adds up": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=3), "mse")
        model.fit(np.random.rand(48, 3), np.random.rand(48, 1), batch_size=4, epochs=2, verbose=0)
        """,
    "a loss that is scaled by hand": """
        w = tf.Variable([1.0, 2.0], name="w")
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.01), initial_scale=2.0**120, dynamic_growth_steps=4
        )
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w - 300.0) ** 2)
                scaled = optimizer.scale_loss(loss)
            optimizer.apply_gradients([(tape.gradient(scaled, w), w)])
        """,
    "a scaled loss that skips some steps of fit": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.01), initial_scale=2.0**127, dynamic_growth_steps=4
        )
        model.compile(optimizer, "mse")
        model.fit(np.random.rand(64, 3) * 100, np.random.rand(64, 1), batch_size=4, epochs=2, verbose=0)
        """,
    "a gradient of its own that has variables": """
        w, v = tf.Variable([0.5, 1.5], name="w"), tf.Variable(2.0, name="v")

        @tf.custom_gradient
        def scaled(x):
            def backward(upstream, variables=None):
                return upstream * v, [tf.reduce_sum(upstream * x)]

            return x * v, backward

        optimizer = tf.keras.optimizers.SGD(0.05)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((scaled(w) - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [w, v]), [w, v]))
        """,
    "a step that XLA compiles": """
        w, b = tf.Variable(tf.ones([4, 1]), name="w"), tf.Variable(tf.zeros([1]), name="b")
        optimizer = tf.keras.optimizers.SGD(0.05)
        optimizer.build([w, b])

        @tf.function(jit_compile=True)
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
            gradients = tape.gradient(loss, [w, b])
            optimizer.apply_gradients(zip(gradients, [w, b]))
            return loss

        x, y = tf.random.normal([32, 4]), tf.random.normal([32, 1])
        for _ in range(12):
            loss = step(x, y)
        """,
    "a fitted model that XLA compiles": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse", jit_compile=True)
        model.fit(np.random.rand(32, 3), np.random.rand(32, 1), batch_size=8, epochs=3, verbose=0)
        """,
    "a thread that fetches batches": """
        import queue
        import threading

        w, optimizer = tf.Variable([1.0, 1.0], name="w"), tf.keras.optimizers.SGD(0.1)
        batches = queue.Queue(2)

        def fetch():
            for at in range(8):
                batches.put(tf.constant([at / 8.0, 1.0]) * 0.5)

        thread = threading.Thread(target=fetch)
        thread.start()
        for _ in range(8):
            x = batches.get()
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x * w - 1.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        thread.join()
        """,
    "a model on one device": """
        x = np.random.rand(32, 4).astype("float32")
        with tf.distribute.OneDeviceStrategy("CPU:0").scope():
            model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
            model.compile("adam", "mse")
        model.fit(x, x.sum(1), epochs=2, batch_size=8, verbose=0)
        """,
    "a model with a central storage": """
        x = np.random.rand(32, 4).astype("float32")
        with tf.distribute.experimental.CentralStorageStrategy().scope():
            model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        model.fit(x, x.sum(1), epochs=2, batch_size=8, verbose=0)
        """,
    "a model of several workers, of which there is one": """
        x = np.random.rand(32, 4).astype("float32")
        with tf.distribute.MultiWorkerMirroredStrategy().scope():
            model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        model.fit(x, x.sum(1), epochs=2, batch_size=8, verbose=0)
        """,
}

WRONG = {
    "a base that is frozen after fit": (
        """
        base = tf.keras.layers.Dense(4, "tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, tf.keras.layers.Dense(1)])
        x, y = np.random.rand(64, 3), np.random.rand(64, 1)
        model.compile("sgd", "mse")
        model.fit(x, y, epochs=4, batch_size=4, verbose=0)
        base.trainable = False
        model.fit(x, y, epochs=1, batch_size=4, verbose=0)  # here
        """,
        "PS404",
        ("base/kernel", "base/bias"),
    ),
    "a base that is unfrozen after fit": (
        """
        base = tf.keras.layers.Dense(4, "tanh", name="base")
        model = tf.keras.Sequential([tf.keras.Input([3]), base, tf.keras.layers.Dense(1)])
        base.trainable = False
        x, y = np.random.rand(64, 3), np.random.rand(64, 1)
        model.compile("sgd", "mse")
        model.fit(x, y, epochs=4, batch_size=4, verbose=0)
        base.trainable = True
        model.fit(x, y, epochs=1, batch_size=4, verbose=0)  # here
        """,
        "PS401",
        ("base/kernel", "base/bias"),
    ),
    "a base that is frozen after the first call of a step": (
        """
        base, head = tf.keras.layers.Dense(4, "tanh", name="base"), tf.keras.layers.Dense(1, name="head")
        model = tf.keras.Sequential([base, head])
        model.build([None, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

        for turn in range(40):
            if turn == 30:
                base.trainable = False
            step(tf.random.normal([8, 3]))  # here
        """,
        "PS404",
        ("base/kernel", "base/bias"),
    ),
    "a base that is unfrozen after the first call of a step": (
        """
        base, head = tf.keras.layers.Dense(4, "tanh", name="base"), tf.keras.layers.Dense(1, name="head")
        model = tf.keras.Sequential([base, head])
        model.build([None, 3])
        base.trainable = False
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

        for turn in range(40):
            if turn == 30:
                base.trainable = True
            step(tf.ones([8, 3]))  # here
        """,
        "PS401",
        ("base/kernel", "base/bias"),
    ),
    "variables that are chosen before a base is unfrozen": (
        """
        base, head = tf.keras.layers.Dense(4, "tanh", name="base"), tf.keras.layers.Dense(1, name="head")
        model = tf.keras.Sequential([base, head], name="model")
        model.build([None, 3])
        base.trainable = False
        chosen = model.trainable_variables
        base.trainable = True
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(tf.ones([8, 3])) - 1.0) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
        """,
        "PS401",
        ("base/kernel", "base/bias"),
    ),
    "a critic that is frozen before its first training": (
        """
        layers = tf.keras.layers
        critic = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(1, name="judge")], name="critic")
        critic.compile("sgd", "mse")
        maker = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(3)], name="maker")
        critic.trainable = False
        both = tf.keras.Sequential([maker, critic])
        both.compile("sgd", "mse")
        for _ in range(4):
            critic.train_on_batch(np.random.rand(4, 3), np.ones([4, 1]))  # here
            both.train_on_batch(np.random.rand(4, 2), np.zeros([4, 1]))
        """,
        "PS432",
        ("critic/judge/kernel", "critic/judge/bias"),
    ),
    "statistics of a normalization that is frozen after fit": (
        """
        norm = tf.keras.layers.BatchNormalization(name="norm")
        model = tf.keras.Sequential([tf.keras.Input([3]), norm, tf.keras.layers.Dense(1)])
        x, y = np.random.rand(16, 3), np.random.rand(16, 1)
        model.compile("sgd", "mse")
        model.fit(x, y, epochs=2, verbose=0)
        norm.trainable = False
        model.fit(x, y, epochs=2, verbose=0)  # here
        """,
        "PS404",
        ("norm/gamma", "norm/beta"),
    ),
    "normalizations that are trained in inference mode": (
        """
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [layers.Dense(4), layers.BatchNormalization(), layers.Dense(4), layers.BatchNormalization()]
        )
        optimizer = tf.keras.optimizers.Adam(0.01)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(tf.random.normal([8, 3])) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS413",
        (
            "model/batch_normalization/moving_mean",
            "model/batch_normalization/moving_variance",
            "model/batch_normalization_1/moving_mean",
            "model/batch_normalization_1/moving_variance",
        ),
    ),
    "a loss in a Python function without a gradient": (
        """
        net, scale = tf.keras.layers.Dense(1, name="net"), tf.Variable(1.0, name="scale")
        net.build([None, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                value = tf.numpy_function(lambda one: np.float32(np.mean(one**2)), [net(x)], tf.float32)
                loss = value * scale
            variables = [*net.trainable_variables, scale]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here

        for _ in range(3):
            step(tf.random.normal([8, 3]))
        """,
        "PS101",
        ("net/kernel", "net/bias"),
    ),
}
