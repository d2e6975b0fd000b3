"""Small trainings in each vocabulary and with each part of the engine, turned often enough to get hot."""

import tempfile

import numpy as np

import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf

TURNS = 24
WAYS = {}


def way(function):
    WAYS[function.__name__] = function
    return function


def data(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@way
def native_loop():
    x, y = ps.Variable(0.0), ps.Variable(1.0, trainable=False)
    sgd = ps.optimizers.SGD(0.1)
    for _ in range(TURNS):
        with ps.GradientTape() as tape:
            loss = (x - 2) ** 2 + (y - 3) ** 2
        sgd.apply_gradients(zip(tape.gradient(loss, [x]), [x]))
        y.assign(y - 0.1 * (2 * (y - 3)))
    return x, y, loss


def classifier():
    ps.random.seed(1)
    hidden, head = ps.layers.Dense(16, activation="relu"), ps.layers.Dense(3)
    drop = ps.layers.Dropout(0.3)
    adam = ps.optimizers.Adam(0.01)
    images, labels = ps.asarray(data(12, 8)), ps.asarray(np.arange(12) % 3)

    def step():
        with ps.GradientTape() as tape:
            logits = head(drop(hidden(images), training=True))
            loss = ps.mean(ps.losses.softmax_cross_entropy(logits, labels))
        weights = hidden.trainable_variables + head.trainable_variables
        adam.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    return step, lambda: hidden.trainable_variables + head.trainable_variables


@way
def layers_in_a_loop():
    step, weights = classifier()
    for _ in range(TURNS):
        loss = step()
    return [loss, *weights()]


@way
def captured_step():
    step, weights = classifier()
    step = ps.step(step)
    for _ in range(TURNS):
        loss = step()
    return [loss, *weights()]


@way
def repeated_step():
    step, weights = classifier()
    step()
    loss = ps.repeat(ps.step(step), TURNS)()
    return [loss, *weights()]


@way
def tensorflow_loop():
    tf.keras.utils.set_random_seed(2)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.RMSprop(0.01)
    for _ in range(TURNS):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(data(6, 3), training=True) - 1.0))
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return [loss, *weights]


@way
def tensorflow_sessions():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [4, 3])
        weight = v1.get_variable("weight", initializer=tf.constant(data(3, 1)))
        loss = tf.reduce_mean(tf.square(tf.matmul(fed, weight) - 1.0))
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(TURNS):
                session.run(train, {fed: data(4, 3)})
            return session.run([weight, loss], {fed: data(4, 3)})


@way
def paddle_loop():
    paddle.seed(3)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 1))
    adam = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    for _ in range(TURNS):
        loss = paddle.nn.functional.mse_loss(net(paddle.to_tensor(data(6, 3))), paddle.ones([6, 1]))
        loss.backward()
        adam.step()
        adam.clear_grad()
    return [loss, *net.parameters()]


@way
def programs_inside():
    x = ps.Variable(data(5))
    sgd = ps.optimizers.SGD(0.05)
    for _ in range(TURNS):
        with ps.GradientTape() as tape:
            total, steps = ps.scan(lambda carry, one: (carry * 0.5 + one, carry), ps.zeros(()), x)
            chosen = ps.cond(total > 0.0, lambda: total * 2.0, lambda: total * 3.0)
            turned = ps.while_loop(lambda a: a > 1.0, lambda a: a * 0.5, chosen, max_iterations=9)
            loss = turned**2 + ps.sum(steps)
        sgd.apply_gradients([(tape.gradient(loss, x), x)])
    return x, loss


@way
def functions_of_functions():
    for _ in range(TURNS):
        x = ps.asarray(data(3))
        found = [
            ps.vmap(lambda one: ps.sum(ps.sin(one) * one))(ps.asarray(data(4, 3))),
            *ps.jvp(ps.tanh, x, ps.ones(3)),
            ps.vjp(ps.exp, x)[1](ps.ones(3)),
            ps.jacobian(lambda one: one**2 * ps.sum(one))(x),
            ps.hessian(lambda one: ps.sum(one**4))(x),
        ]
    return found


@way
def arrays():
    square = ps.asarray(data(4, 4))
    even = square @ square.mT + ps.eye(4)
    return [
        ps.linalg.cholesky(even), ps.linalg.solve(even, square), ps.linalg.svd(square).S,
        ps.linalg.eigh(even).eigenvalues, ps.linalg.det(square), ps.linalg.inv(even),
        ps.abs(ps.fft.fft(square)), ps.fft.irfft(ps.fft.rfft(square)),
        ps.special.gammaln(ps.abs(square) + 1.0), ps.special.erfinv(ps.tanh(square)),
        ps.special.betainc(2.0, 3.0, ps.nn.sigmoid(square)),
        ps.nn.conv(ps.asarray(data(2, 8, 8, 3)), ps.asarray(data(3, 3, 3, 4))),
        ps.nn.max_pool(ps.asarray(data(2, 8, 8, 3)), 2),
        ps.sort(square, axis=0), ps.argsort(square), ps.cumulative_sum(square, axis=0),
        ps.einsum("ij,kj->ik", square, even), ps.segments.segment_sum(square, ps.asarray([0, 1, 1, 0]), 2),
    ]


@way
def half_precision():
    x = ps.Variable(data(6), dtype="bfloat16")
    sgd = ps.optimizers.SGD(0.1)
    for _ in range(TURNS):
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.tanh(x) ** 2)
        sgd.apply_gradients([(tape.gradient(loss, x), x)])
    return ps.astype(x, "float32"), ps.astype(loss, "float32")


@way
def random_numbers():
    ps.random.seed(7)
    for _ in range(TURNS):
        found = [ps.random.normal((5,)), ps.random.uniform((5,)), ps.random.permutation(6)]
    return found


@way
def checkpoints():
    x = ps.Variable(data(3), name="kept")
    adam = ps.optimizers.Adam(0.1)

    def turn():
        with ps.GradientTape() as tape:
            loss = ps.sum(x**2)
        adam.apply_gradients([(tape.gradient(loss, x), x)])

    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TURNS):
            turn()
        ps.save(folder + "/here.safetensors", {"x": x, "adam": adam})
        turn()
        after = x.numpy()
        ps.load(folder + "/here.safetensors", {"x": x, "adam": adam})
        turn()
    assert np.allclose(after, x.numpy(), rtol=1e-6)
    return after


@way
def explanations():
    w = ps.Variable(0.7, name="w")
    with ps.GradientTape() as tape:
        wrong = ps.where(w > 0.5, 1.0, 0.0)
        loss = wrong * wrong
    assert tape.gradient(loss, w) is None
    return len(str(ps.explain(loss, w)).splitlines())


def values(name):
    """Returns the arrays that a way ends with."""
    made = WAYS[name]()
    made = made if isinstance(made, list | tuple) else [made]
    return [np.asarray(one.numpy() if hasattr(one, "numpy") else one) for one in made]


def results():
    """Returns by the name of each way the arrays that it ends with."""
    return {name: values(name) for name in WAYS}
