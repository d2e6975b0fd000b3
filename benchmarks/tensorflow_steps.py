"""The workloads in TensorFlow 2: eager, inside `tf.function`, and inside `tf.function(jit_compile=True)`."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import data
import tensorflow as tf
from harness import Step, main

v1 = tf.compat.v1


def variables(tree):
    return data.mapped(tf.Variable, tree)


def stepper(step, parameters):
    return Step(step, lambda: data.mapped(lambda variable: variable.numpy(), parameters))


def adam():
    """With the floor the other frameworks have; Keras takes 1e-7."""
    return tf.keras.optimizers.Adam(1e-3, epsilon=1e-8)


def modes(build, names=("eager", "function", "xla")):
    """`build(wrap)` makes a step in which `wrap` is applied to the function that does everything."""
    wraps = {
        "eager": lambda step: step,
        "function": tf.function,
        "xla": lambda step: tf.function(step, jit_compile=True),
    }
    return {name: lambda wrap=wraps[name]: build(wrap) for name in names}


def session(build):
    """TensorFlow 1's way: `build()` adds a step to a graph and gives its operation and the variables."""

    def stepper():
        with tf.Graph().as_default():
            operation, parameters = build()
            run = v1.Session().run
            run(v1.global_variables_initializer())
        return Step(lambda: run(operation), lambda: data.mapped(run, parameters))

    return {"session": stepper}


def two_scalars_graph():
    x, y = v1.get_variable("x", initializer=0.0), v1.get_variable("y", initializer=1.0, trainable=False)
    loss = (x - 2) ** 2 + (y - 3) ** 2
    descend = v1.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[x])
    return tf.group(descend, v1.assign(y, y - 0.1 * (2 * (y - 3)))), [x, y]


def three_weights_graph():
    weights, inputs = data.three_weights()
    w1, w2, w3 = (v1.get_variable(name, initializer=value) for name, value in weights.items())
    x = tf.constant(inputs["x"])
    a1, a2 = tf.matmul(x, w1), tf.stop_gradient(tf.matmul(x, w2 * w3))
    loss = tf.reduce_mean(tf.square(a1 - a2))
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[w1]), [w1]


def actor_critic_graph():
    parameters, inputs = data.actor_critic()
    a, c = data.mapped(v1.Variable, parameters["actor"]), data.mapped(v1.Variable, parameters["critic"])
    states, rewards, actions = (tf.constant(inputs[name]) for name in ("states", "rewards", "actions"))

    def network(p, x):
        return tf.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    advantage = tf.stop_gradient(rewards - network(c, states))[:, 0]
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=network(a, states))
    error = tf.reduce_mean(tf.square(rewards - network(c, states)))
    act = v1.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(advantage * surprise), var_list=a)
    return tf.group(act, v1.train.AdamOptimizer(1e-3).minimize(error, var_list=c)), [a, c]


def two_scalars(wrap):
    x, y = tf.Variable(0.0), tf.Variable(1.0, trainable=False)
    optimizer = tf.keras.optimizers.SGD(0.1)

    def step():
        with tf.GradientTape() as tape:
            loss = (x - 2) ** 2 + (y - 3) ** 2
        gradients = tape.gradient(loss, [x])
        optimizer.apply_gradients(zip(gradients, [x]))
        y.assign(y - 0.1 * (2 * (y - 3)))

    return stepper(wrap(step), [x, y])


def three_weights(wrap):
    weights, inputs = data.three_weights()
    w1, w2, w3 = variables(list(weights.values()))
    x = tf.constant(inputs["x"])
    optimizer = tf.keras.optimizers.SGD(0.1)

    def step():
        with tf.GradientTape() as tape:
            a1 = tf.matmul(x, w1)
            a2 = tf.stop_gradient(tf.matmul(x, w2 * w3))
            loss = tf.reduce_mean(tf.square(a1 - a2))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w1]), [w1]))

    return stepper(wrap(step), [w1])


def mlp(wrap):
    parameters, inputs = data.mlp()
    w1, b1, w2, b2 = trained = variables(list(parameters.values()))
    x, labels = tf.constant(inputs["x"]), tf.constant(inputs["labels"])
    optimizer = adam()

    def step():
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return stepper(wrap(step), trained)


def cnn(wrap):
    parameters, inputs = data.cnn()
    kernel1, kernel2, dense = trained = variables(list(parameters.values()))
    x, labels = tf.constant(inputs["x"]), tf.constant(inputs["labels"])
    optimizer = tf.keras.optimizers.SGD(0.01)

    def step():
        with tf.GradientTape() as tape:
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel1, 1, "SAME")), 2, 2, "VALID")
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, kernel2, 1, "SAME")), 2, 2, "VALID")
            logits = tf.reshape(h, (64, -1)) @ dense
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return stepper(wrap(step), trained)


def embedding(make_optimizer):
    def build(wrap):
        parameters, inputs = data.embedding()
        table, ids = tf.Variable(parameters["table"]), tf.constant(inputs["ids"])
        optimizer = make_optimizer()
        optimizer.build([table])

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [table]), [table]))

        return stepper(wrap(step), [table])

    return modes(build, ("eager", "function"))


def frozen_backbone(wrap):
    parameters, inputs = data.frozen_backbone()
    backbone = [tf.Variable(weight, trainable=False) for weight in inputs["backbone"]]
    head = tf.Variable(parameters["head"])
    x, labels = tf.constant(inputs["x"]), tf.constant(inputs["labels"])
    optimizer = tf.keras.optimizers.SGD(0.01)

    def step():
        with tf.GradientTape() as tape:
            h = x
            for weight in backbone:
                h = tf.nn.relu(h @ weight)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, h @ head))
        optimizer.apply_gradients(zip(tape.gradient(loss, [head]), [head]))

    return stepper(wrap(step), [head])


def gan(wrap):
    parameters, inputs = data.gan()
    g, d = variables(parameters["generator"]), variables(parameters["discriminator"])
    real, noise = tf.constant(inputs["real"]), tf.constant(inputs["noise"])
    g_optimizer, d_optimizer = adam(), adam()

    def generator(z):
        return tf.tanh(tf.nn.relu(z @ g[0] + g[1]) @ g[2] + g[3])

    def discriminator(x):
        return tf.nn.relu(x @ d[0] + d[1]) @ d[2] + d[3]

    def bce(logits, target):
        target = tf.fill(logits.shape, target)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(target, logits))

    def step():
        with tf.GradientTape() as tape:
            fake = tf.stop_gradient(generator(noise))
            loss = bce(discriminator(real), 1.0) + bce(discriminator(fake), 0.0)
        d_optimizer.apply_gradients(zip(tape.gradient(loss, d), d))
        with tf.GradientTape() as tape:
            loss = bce(discriminator(generator(noise)), 1.0)
        g_optimizer.apply_gradients(zip(tape.gradient(loss, g), g))

    return stepper(wrap(step), [g, d])


def actor_critic(wrap):
    parameters, inputs = data.actor_critic()
    a, c = variables(parameters["actor"]), variables(parameters["critic"])
    states, rewards, actions = (tf.constant(inputs[name]) for name in ("states", "rewards", "actions"))
    a_optimizer, c_optimizer = adam(), adam()

    def network(p, x):
        return tf.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    def step():
        with tf.GradientTape() as tape:
            advantage = tf.stop_gradient(rewards - network(c, states))[:, 0]
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, network(a, states))
            loss = tf.reduce_mean(advantage * surprise)
        a_optimizer.apply_gradients(zip(tape.gradient(loss, a), a))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(rewards - network(c, states)))
        c_optimizer.apply_gradients(zip(tape.gradient(loss, c), c))

    return stepper(wrap(step), [a, c])


def transformer(wrap):
    parameters, inputs = data.transformer()
    width, heads, tokens, batch = data.WIDTH, data.HEADS, data.TOKENS, data.BATCH
    p = variables(parameters)
    trained = data.leaves(p)
    ids = tf.constant(inputs["ids"])
    mask = tf.constant(data.future_mask())
    optimizer = adam()

    def norm(x, gain):
        return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6) * gain

    def split(x):
        return tf.transpose(tf.reshape(x, (batch, tokens, heads, width // heads)), (0, 2, 1, 3))

    def step():
        with tf.GradientTape() as tape:
            h = tf.gather(p["embed"], ids[:, :-1]) + p["position"]
            for b in p["blocks"]:
                q, k, v = (split(t) for t in tf.split(norm(h, b["gain1"]) @ b["qkv"], 3, -1))
                weights = tf.nn.softmax(q @ tf.transpose(k, (0, 1, 3, 2)) * (width // heads) ** -0.5 + mask)
                mixed = tf.reshape(tf.transpose(weights @ v, (0, 2, 1, 3)), (batch, tokens, width))
                h += mixed @ b["out"]
                h += tf.nn.relu(norm(h, b["gain2"]) @ b["up"]) @ b["down"]
            logits = h @ p["unembed"]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ids[:, 1:], logits))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return stepper(wrap(step), p)


main(
    "tensorflow",
    {
        "two_scalars": modes(two_scalars) | session(two_scalars_graph),
        "three_weights": modes(three_weights) | session(three_weights_graph),
        "mlp": modes(mlp),
        "cnn": modes(cnn),
        "embedding_sgd": embedding(lambda: tf.keras.optimizers.SGD(0.1)),
        "embedding_adagrad": embedding(lambda: tf.keras.optimizers.Adagrad(0.01)),
        "frozen_backbone": modes(frozen_backbone),
        "gan": modes(gan),
        "actor_critic": modes(actor_critic) | session(actor_critic_graph),
        "transformer": modes(transformer),
    },
)
