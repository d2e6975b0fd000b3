"""Small programs of the kinds that people run in TensorFlow: right ones, and similar wrong ones.

A wrong program comes with its expected finding: code, variables, and the marked line.
"""

HEAD = """import numpy as np
import tensorflow as tf
tf.keras.utils.set_random_seed(0)
"""

RIGHT = {
    "a plain loop over two variables": """
        w, b = tf.Variable(0.5, name="w"), tf.Variable(0.0, name="b")
        for _ in range(30):
            with tf.GradientTape() as tape:
                loss = (w * 3.0 + b - 2.0) ** 2
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(0.05 * dw)
            b.assign_sub(0.05 * db)
        """,
    "a step in a function": """
        x, y = tf.random.normal([32, 4]), tf.random.normal([32, 1])
        w, b = tf.Variable(tf.random.normal([4, 1]), name="w"), tf.Variable(tf.zeros([1]), name="b")
        optimizer = tf.keras.optimizers.Adam(0.05)

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
            gradients = tape.gradient(loss, [w, b])
            optimizer.apply_gradients(zip(gradients, [w, b]))
            return loss

        for _ in range(30):
            loss = step(x, y)
        """,
    "only the forward pass in a function": """
        x, y = tf.random.normal([32, 4]), tf.random.normal([32, 1])
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)

        @tf.function
        def cost(x, y):
            return tf.reduce_mean(tf.square(model(x) - y))

        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = cost(x, y)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "a compiled model that is fitted": """
        x = np.random.rand(64, 4).astype("float32")
        y = (x.sum(1) > 2).astype("float32")
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(8, activation="relu"),
                tf.keras.layers.Dropout(0.3),
                tf.keras.layers.BatchNormalization(),
                tf.keras.layers.Dense(1, activation="sigmoid"),
            ]
        )
        model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
        model.fit(x, y, epochs=3, batch_size=16, verbose=0, validation_split=0.25)
        model.evaluate(x, y, verbose=0)
        predicted = model.predict(x, verbose=0)
        """,
    "batches that are trained one by one": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(2)])
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer=tf.keras.optimizers.RMSprop(0.01), loss=loss)
        for _ in range(6):
            x = np.random.rand(16, 3).astype("float32")
            model.train_on_batch(x, (x.sum(1) > 1.5).astype("int32"))
        """,
    "a model with a step of its own": """
        class Net(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.hidden = tf.keras.layers.Dense(8, "relu")
                self.out = tf.keras.layers.Dense(1)

            def call(self, x, training=False):
                return self.out(self.hidden(x))

            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
                gradients = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
                return {"loss": loss}

        model = Net()
        model.compile(optimizer=tf.keras.optimizers.Adam(0.01))
        model.fit(np.random.rand(32, 3), np.random.rand(32, 1), epochs=3, verbose=0)
        """,
    "two networks that train against each other": """
        layers = tf.keras.layers
        generator = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(4)], name="generator")
        discriminator = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)], name="discriminator")
        cost = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        first, second = tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.Adam(1e-3)

        @tf.function
        def step(real):
            noise = tf.random.normal([16, 2])
            with tf.GradientTape() as tape_g, tf.GradientTape() as tape_d:
                fake = generator(noise, training=True)
                said, of_fake = discriminator(real, training=True), discriminator(fake, training=True)
                loss_g = cost(tf.ones_like(of_fake), of_fake)
                loss_d = cost(tf.ones_like(said), said) + cost(tf.zeros_like(of_fake), of_fake)
            mine = tape_g.gradient(loss_g, generator.trainable_variables)
            theirs = tape_d.gradient(loss_d, discriminator.trainable_variables)
            first.apply_gradients(zip(mine, generator.trainable_variables))
            second.apply_gradients(zip(theirs, discriminator.trainable_variables))

        for _ in range(8):
            step(tf.random.normal([16, 4]))
        """,
    "a penalty on gradients": """
        critic = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(1e-3)
        for _ in range(6):
            real, fake = tf.random.normal([8, 3]), tf.random.normal([8, 3])
            share = tf.random.uniform([8, 1])
            with tf.GradientTape() as tape:
                mixed = share * real + (1.0 - share) * fake
                with tf.GradientTape() as inner:
                    inner.watch(mixed)
                    said = critic(mixed)
                slopes = inner.gradient(said, mixed)
                penalty = tf.reduce_mean((tf.norm(slopes, axis=1) - 1.0) ** 2)
                loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
            variables = critic.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "a frozen base": """
        base = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.BatchNormalization()])
        base.build([None, 4])
        base.trainable = False
        model = tf.keras.Sequential([base, tf.keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
        model.fit(np.random.rand(32, 4), np.random.rand(32, 1), epochs=4, verbose=0)
        """,
    "a target network that follows": """
        def network():
            return tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(2)])

        online, target = network(), network()
        online.build([None, 3])
        target.build([None, 3])
        target.set_weights(online.get_weights())
        optimizer = tf.keras.optimizers.Adam(1e-2)
        for turn in range(24):
            x, action = tf.random.normal([8, 3]), tf.random.uniform([8], 0, 2, tf.int32)
            goal = tf.reduce_max(target(x), axis=1)
            with tf.GradientTape() as tape:
                taken = tf.gather(online(x), action, axis=1, batch_dims=1)
                loss = tf.reduce_mean(tf.square(goal - taken))
            gradients = tape.gradient(loss, online.trainable_variables)
            optimizer.apply_gradients(zip(gradients, online.trainable_variables))
            if turn % 6 == 5:
                target.set_weights(online.get_weights())
        """,
    "a moving average of weights": """
        w = tf.Variable(tf.ones([3]), name="w")
        shadow = tf.Variable(tf.ones([3]), trainable=False, name="shadow")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            shadow.assign(0.9 * shadow + 0.1 * w)
        """,
    "rows of a table": """
        table = tf.keras.layers.Embedding(10, 4)
        head = tf.keras.layers.Dense(1)
        optimizer = tf.keras.optimizers.Adagrad(0.1)
        for _ in range(6):
            ids = tf.random.uniform([8, 3], 0, 10, tf.int32)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(head(tf.reduce_mean(table(ids), axis=1)) ** 2)
            variables = [*table.trainable_variables, *head.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "a recurrent network": """
        model = tf.keras.Sequential(
            [tf.keras.layers.Embedding(20, 8), tf.keras.layers.LSTM(8), tf.keras.layers.Dense(1)]
        )
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.random.randint(0, 20, [32, 5]), np.random.rand(32, 1), epochs=2, verbose=0)
        """,
    "a loop inside a function": """
        w = tf.Variable(0.9, name="w")
        optimizer = tf.keras.optimizers.SGD(0.01)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                state = x
                for _ in tf.range(4):
                    state = tf.tanh(w * state)
                loss = tf.reduce_mean(state**2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        for _ in range(8):
            step(tf.ones([3]))
        """,
    "a branch inside a function": """
        a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
        optimizer = tf.keras.optimizers.SGD(0.01)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                if tf.reduce_sum(x) > 0.0:
                    y = a * x
                else:
                    y = b * x
                loss = tf.reduce_mean(y**2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [a, b]), [a, b]))

        for _ in range(8):
            step(tf.random.normal([3]))
        """,
    "a training loop inside a function": """
        w = tf.Variable(tf.ones([3]), name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        data = tf.data.Dataset.from_tensor_slices(tf.random.normal([12, 3])).batch(3)

        @tf.function
        def epoch():
            for x in data:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((w * x - 1.0) ** 2)
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        for _ in range(5):
            epoch()
        """,
    "a gradient of its own": """
        @tf.custom_gradient
        def rounded(x):
            return tf.round(x), lambda upstream: upstream

        w = tf.Variable([0.2, 1.7], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((rounded(w) - 3.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "a gradient of its own, in a function": """
        @tf.custom_gradient
        def rounded(x):
            return tf.round(x), lambda upstream: upstream

        w = tf.Variable([0.2, 1.7], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((rounded(w) - 3.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        for _ in range(6):
            step()
        """,
    "a pass that is computed again": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
        x = tf.random.normal([8, 3])
        model(x)
        optimizer = tf.keras.optimizers.SGD(0.05)
        again = tf.recompute_grad(lambda x: model(x))
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(again(x) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "straight through": """
        w = tf.Variable(tf.random.normal([4]), name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(5):
            with tf.GradientTape() as tape:
                hard = w + tf.stop_gradient(tf.sign(w) - w)
                loss = tf.reduce_mean((hard - 0.5) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "a learned input": """
        image = tf.Variable(tf.random.normal([1, 4]), name="image")
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(0.1)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = -tf.reduce_mean(model(image))
            optimizer.apply_gradients([(tape.gradient(loss, image), image)])
        """,
    "the slope at the input": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(3)])
        x = tf.random.normal([2, 4])
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(model(x)[:, 0])
            x = x + 0.1 * tf.sign(tape.gradient(loss, x))
        """,
    "clipped gradients": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(5):
            x = tf.random.normal([8, 3])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x) ** 2)
            variables = model.trainable_variables
            clipped, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
            optimizer.apply_gradients(zip(clipped, variables))
        """,
    "gradients of several batches": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
        model.build([None, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(4):
            total = [tf.zeros_like(one) for one in model.trainable_variables]
            for _ in range(3):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(model(tf.random.normal([8, 3])) ** 2) / 3.0
                slopes = tape.gradient(loss, model.trainable_variables)
                total = [one + slope for one, slope in zip(total, slopes)]
            optimizer.apply_gradients(zip(total, model.trainable_variables))
        """,
    "a persistent tape": """
        a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
        first, second = tf.keras.optimizers.SGD(0.01), tf.keras.optimizers.SGD(0.01)
        for _ in range(5):
            with tf.GradientTape(persistent=True) as tape:
                one = (a * b - 1.0) ** 2
                two = (a + b) ** 2
            first.apply_gradients([(tape.gradient(one, a), a)])
            second.apply_gradients([(tape.gradient(two, b), b)])
            del tape
        """,
    "second derivatives": """
        x = tf.Variable(2.0, name="x")
        for _ in range(4):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = x**3
                slope = inner.gradient(y, x)
            curvature = outer.gradient(slope, x)
            x.assign_sub(0.1 * slope / tf.abs(curvature))
        """,
    "a module with its own variables": """
        class Line(tf.Module):
            def __init__(self):
                super().__init__()
                self.w, self.b = tf.Variable(5.0), tf.Variable(0.0)

            def __call__(self, x):
                return self.w * x + self.b

        model = Line()
        x = tf.random.normal([100])
        y = 3.0 * x + 2.0
        for _ in range(10):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(y - model(x)))
            dw, db = tape.gradient(loss, [model.w, model.b])
            model.w.assign_sub(0.1 * dw)
            model.b.assign_sub(0.1 * db)
        """,
    "attention": """
        inputs = tf.keras.Input((6, 8))
        mixed = tf.keras.layers.MultiHeadAttention(2, 4)(inputs, inputs)
        hidden = tf.keras.layers.LayerNormalization()(inputs + mixed)
        outputs = tf.keras.layers.Dense(1)(tf.keras.layers.GlobalAveragePooling1D()(hidden))
        model = tf.keras.Model(inputs, outputs)
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.random.rand(16, 6, 8), np.random.rand(16, 1), epochs=2, verbose=0)
        """,
    "an autoencoder that samples": """
        layers = tf.keras.layers
        encoder = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(4)])
        decoder = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(6)])
        optimizer = tf.keras.optimizers.Adam(1e-2)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                mean, spread = tf.split(encoder(x), 2, axis=1)
                z = mean + tf.exp(0.5 * spread) * tf.random.normal(tf.shape(mean))
                kept = tf.reduce_mean(tf.reduce_sum((decoder(z) - x) ** 2, axis=1))
                kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + spread - mean**2 - tf.exp(spread), axis=1))
                loss = kept + kl
            variables = encoder.trainable_variables + decoder.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            return loss

        for _ in range(6):
            step(tf.random.normal([16, 6]))
        """,
    "a policy that is rewarded": """
        policy = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(2)])
        optimizer = tf.keras.optimizers.Adam(1e-2)
        for _ in range(4):
            with tf.GradientTape() as tape:
                losses = []
                for _ in range(5):
                    logits = policy(tf.random.normal([1, 4]))
                    action = int(tf.random.categorical(logits, 1)[0, 0])
                    reward = 1.0 if action else -1.0
                    losses.append(-tf.nn.log_softmax(logits)[0, action] * reward)
                loss = tf.add_n(losses)
            variables = policy.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    "layers with half precision": """
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
        last = tf.keras.layers.Dense(1, dtype="float32")
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), last])
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.random.rand(32, 4), np.random.rand(32, 1), epochs=3, verbose=0)
        tf.keras.mixed_precision.set_global_policy("float32")
        """,
    "fitted without a function": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse", run_eagerly=True)
        model.fit(np.random.rand(32, 4), np.random.rand(32, 1), epochs=2, verbose=0)
        """,
    "several steps in one call": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse", steps_per_execution=4)
        model.fit(np.random.rand(64, 4), np.random.rand(64, 1), batch_size=4, epochs=2, verbose=0)
        """,
    "a validation between steps": """
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(8), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
        )
        optimizer = tf.keras.optimizers.Adam(1e-2)
        for _ in range(4):
            x = tf.random.normal([16, 3])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x, training=True) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            measured = float(tf.reduce_mean(model(tf.random.normal([16, 3]), training=False) ** 2))
        """,
    "an optimizer of TensorFlow 1": """
        w = tf.Variable(tf.ones([3]), name="w")
        optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
        for _ in range(5):
            optimizer.minimize(lambda: tf.reduce_sum((w - 2.0) ** 2), var_list=[w])
        """,
    "a regularized layer": """
        l2 = tf.keras.regularizers.l2(0.01)
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(8, "relu", kernel_regularizer=l2), tf.keras.layers.Dense(1)]
        )
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.random.rand(32, 4), np.random.rand(32, 1), epochs=2, verbose=0)
        """,
    "a decaying optimizer": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
        rate = tf.keras.optimizers.schedules.CosineDecay(1e-2, 100)
        model.compile(optimizer=tf.keras.optimizers.AdamW(rate, weight_decay=1e-3, clipnorm=1.0), loss="mse")
        model.fit(np.random.rand(32, 4), np.random.rand(32, 1), epochs=3, verbose=0)
        """,
    "the best weights come back": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
        stop = tf.keras.callbacks.EarlyStopping(patience=1, restore_best_weights=True)
        x, y = np.random.rand(32, 4), np.random.rand(32, 1)
        model.fit(x, y, validation_split=0.5, epochs=4, verbose=0, callbacks=[stop])
        """,
    "tf.gradients in a function": """
        x, y = tf.random.normal([16, 4]), tf.random.normal([16, 1])
        w = tf.Variable(tf.ones([4, 1]), name="w")
        frozen = tf.Variable(tf.ones([4, 1]), trainable=False)
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step(x, y):
            hidden = tf.nn.tanh(tf.matmul(x, w))
            loss = tf.reduce_mean((hidden + tf.matmul(x, frozen) - y) ** 2)
            dw, _, dx, _ = tf.gradients(loss, [w, hidden, x, frozen])
            (second,) = tf.gradients(tf.reduce_sum(dx**2), [w])
            optimizer.apply_gradients([(dw + 0.1 * second, w)])

        for _ in range(10):
            step(x, y)
        """,
    "a model that a strategy mirrors": """
        x = np.random.rand(32, 4).astype("float32")
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
            model.compile(optimizer="adam", loss="mse")
        model.fit(x, x.sum(1), epochs=2, batch_size=8, verbose=0)
        """,
    "inference alone": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        total = sum(float(tf.reduce_sum(model(tf.random.normal([4, 3])))) for _ in range(5))
        """,
}

WRONG = {
    "a generator's loss that is stopped": (
        """
        g, d = tf.keras.layers.Dense(3, name="g"), tf.keras.layers.Dense(1, name="d")
        optimizer = tf.keras.optimizers.Adam()
        g(tf.zeros([1, 2])), d(tf.zeros([1, 3]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                fake = tf.stop_gradient(g(tf.random.normal([4, 2])))
                loss = tf.reduce_mean(tf.nn.softplus(-d(fake)))
            variables = g.trainable_variables + d.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS106",
        ("g/kernel", "g/bias"),
    ),
    "a loss through argmax": (
        """
        net = tf.keras.layers.Dense(4, name="net")
        other = tf.Variable(1.0, name="other")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                hit = tf.cast(tf.argmax(net(tf.random.normal([8, 3])), 1) == 1, tf.float32)
                loss = 1.0 - tf.reduce_mean(hit) + other
            variables = [*net.trainable_variables, other]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS105",
        ("net/kernel", "net/bias"),
    ),
    "a value that went through a Python number": (
        """
        net, scale = tf.keras.layers.Dense(1, name="net"), tf.Variable(1.0, name="scale")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                value = float(tf.reduce_mean(net(tf.random.normal([8, 3]))))
                loss = scale * value
            variables = [*net.trainable_variables, scale]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS108",
        ("net/kernel", "net/bias"),
    ),
    "a body outside of the tape": (
        """
        body, head = tf.keras.layers.Dense(4, name="body"), tf.keras.layers.Dense(1, name="head")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            features = body(tf.random.normal([8, 3]))
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(head(features) ** 2)
            variables = body.trainable_variables + head.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS107",
        ("body/kernel", "body/bias"),
    ),
    "a function called after the tape": (
        """
        w = tf.Variable(2.0, name="w")
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = w * 3.0
            loss = y**2
            slope = tape.gradient(loss, w)  # here
        """,
        "PS107",
        ("w",),
    ),
    "a variable of whole numbers": (
        """
        level = tf.Variable(3, name="level")
        w = tf.Variable(1.0, name="w")
        with tf.GradientTape() as tape:
            loss = (w * tf.cast(level, tf.float32) - 1.0) ** 2
        slopes = tape.gradient(loss, [w, level])  # here
        """,
        "PS103",
        ("level",),
    ),
    "a constant that nobody watches": (
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x**2)
        slope = tape.gradient(y, x)  # here
        """,
        "PS101",
        ("x",),
    ),
    "a name that is bound to a tensor": (
        """
        w = tf.Variable(5.0, name="w")
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = w**2
            slope = tape.gradient(loss, w)
            if slope is None:
                break
            w = w - 0.1 * slope  # here
        """,
        "PS104",
        ("w",),
    ),
    "all gradients are None": (
        """
        w = tf.Variable(5.0, name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape:
            loss = tf.stop_gradient(w) ** 2
        slope = tape.gradient(loss, w)  # here
        if slope is not None:
            optimizer.apply_gradients([(slope, w)])
        """,
        "PS106",
        ("w",),
    ),
    "a layer that the optimizer does not get": (
        """
        first, second = tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Dense(1, name="second")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(second(first(tf.random.normal([8, 3]))) ** 2)
            variables = first.trainable_variables + second.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients[:2], variables[:2]))  # here
        """,
        "PS401",
        ("second/kernel", "second/bias"),
    ),
    "an optimizer made in the loop": (
        """
        w = tf.Variable(5.0, name="w")
        for _ in range(6):
            optimizer = tf.keras.optimizers.Adam(0.1)  # here
            with tf.GradientTape() as tape:
                loss = w**2
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
        "PS201",
        ("w",),
    ),
    "a loss in NumPy": (
        """
        net = tf.keras.layers.Dense(1, name="net")
        x = tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            loss = tf.constant(np.mean(net(x).numpy() ** 2))
        slopes = tape.gradient(loss, net.trainable_variables)  # here
        """,
        "PS108",
        ("net/kernel", "net/bias"),
    ),
    "a loss in NumPy, by its functions": (
        """
        net = tf.keras.layers.Dense(1, name="net")
        x = tf.random.normal([8, 3])
        with tf.GradientTape() as tape:
            said = net(x)
            loss = tf.constant(np.mean(np.square(said)))
        slopes = tape.gradient(loss, net.trainable_variables)  # here
        """,
        "PS108",
        ("net/kernel", "net/bias"),
    ),
    "a step in a function, with a stop": (
        """
        w, b = tf.Variable(1.0, name="w"), tf.Variable(1.0, name="b")
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + tf.stop_gradient(b * x)) ** 2)
            gradients = tape.gradient(loss, [w, b])  # here
            optimizer.apply_gradients([(gradients[0], w)])

        for _ in range(4):
            step(tf.ones([3]))
        """,
        "PS106",
        ("b",),
    ),
    "a stop before tf.gradients": (
        """
        w, v = tf.Variable([[1.0], [2.0]], name="w"), tf.Variable([[1.0], [1.0]], name="v")

        @tf.function
        def step(x):
            loss = tf.reduce_sum((tf.matmul(x, w) + tf.stop_gradient(tf.matmul(x, v))) ** 2)
            dw, dv = tf.gradients(loss, [w, v])  # here
            w.assign_sub(0.01 * dw)

        for _ in range(3):
            step(tf.ones([3, 2]))
        """,
        "PS106",
        ("v",),
    ),
    "a stop in the step of a replica": (
        """
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            w, v = tf.Variable([[1.0], [2.0]], name="w"), tf.Variable([[1.0], [1.0]], name="v")
            optimizer = tf.keras.optimizers.SGD(0.1)

        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.matmul(x, w) + tf.stop_gradient(tf.matmul(x, v))) ** 2)
            dw, dv = tape.gradient(loss, [w, v])  # here
            optimizer.apply_gradients([(dw, w)])

        @tf.function
        def step(x):
            strategy.run(replica, args=(x,))

        for _ in range(3):
            step(tf.ones([3, 2]))
        """,
        "PS106",
        ("v",),
    ),
    "a fitted model with a cut": (
        """
        class Cut(tf.keras.layers.Layer):
            def call(self, x):
                return tf.round(x)

        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(4, name="first"), Cut(), tf.keras.layers.Dense(1, name="second")]
        )
        model.compile(optimizer="sgd", loss="mse")
        model.fit(np.random.rand(32, 3), np.random.rand(32, 1), epochs=2, verbose=0)  # here
        """,
        "PS105",
        ("model/first/kernel", "model/first/bias"),
    ),
    "a layer that nothing reads": (
        """
        used, spare = tf.keras.layers.Dense(1, name="used"), tf.keras.layers.Dense(1, name="spare")
        used.build([None, 3]), spare.build([None, 3])
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(used(tf.random.normal([4, 3])) ** 2)
            variables = used.trainable_variables + spare.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # here
        """,
        "PS101",
        ("spare/kernel", "spare/bias"),
    ),
    "an assignment inside the tape": (
        """
        w, v = tf.Variable(1.0, name="w"), tf.Variable(0.0, name="v")
        with tf.GradientTape() as tape:
            v.assign(3.0 * w)
            loss = v**2
        slope = tape.gradient(loss, w)  # here
        """,
        "PS109",
        ("w",),
    ),
    "a value stored in a new variable": (
        """
        w = tf.Variable(1.0, name="w")
        with tf.GradientTape() as tape:
            kept = tf.Variable(3.0 * w, name="kept")
            loss = kept**2
        slope = tape.gradient(loss, w)  # here
        """,
        "PS108",
        ("w",),
    ),
    "a loss that is not finite": (
        """
        w = tf.Variable([0.0, 1.0], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sqrt(w))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])  # here
        """,
        "PS407",
        ("w",),
    ),
}

FAILING = {
    "a step in a function whose optimizer gets nothing": (
        """
        generator = tf.keras.Sequential([tf.keras.layers.Dense(2)], name="generator")
        critic = tf.keras.Sequential([tf.keras.layers.Dense(1)], name="critic")
        optimizers = tf.keras.optimizers.Adam(), tf.keras.optimizers.Adam()

        @tf.function
        def train(real):
            with tf.GradientTape() as first, tf.GradientTape() as second:
                fake = tf.stop_gradient(generator(tf.random.normal([8, 3])))  # here
                lost = tf.reduce_mean(critic(fake) ** 2)
                won = tf.reduce_mean(critic(real)) - lost
            gradients = first.gradient(won, critic.trainable_variables)
            optimizers[0].apply_gradients(zip(gradients, critic.trainable_variables))
            gradients = second.gradient(lost, generator.trainable_variables)
            optimizers[1].apply_gradients(zip(gradients, generator.trainable_variables))

        for _ in range(3):
            train(tf.random.normal([8, 2]))
        """,
        ("generator/dense/kernel", "generator/dense/bias"),
    ),
    "a function inside a loop of another": (
        """
        w = tf.Variable([1.0, 2.0], name="w")
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def inner(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.stop_gradient(x * w) ** 2)  # here
            optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))

        @tf.function
        def outer(x):
            for _ in tf.range(3):
                inner(x + 1.0)

        outer(tf.constant(2.0))
        """,
        ("w",),
    ),
    "a model whose own step is stopped": (
        """
        class Stopped(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = tf.keras.layers.Dense(1)

            def call(self, x):
                return tf.stop_gradient(self.dense(x))  # here

            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x) - y) ** 2)
                gradients = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
                return {"loss": loss}

        model = Stopped()
        model.compile(optimizer="sgd")
        model.fit(np.ones((8, 2), "float32"), np.ones((8, 1), "float32"), verbose=0)
        """,
        ("stopped/dense/kernel", "stopped/dense/bias"),
    ),
}
"""Programs that TensorFlow ends while it traces a function: what is stopped, at the marked line."""
