"""The workloads in Penstock: a plain Python loop, and the same function under `@ps.step`.

In both, a step is over when the new values exist (`ps.wait`). `loop_unwaited` waits at the end of the loop
only, as a user's loop does that looks at nothing.
"""

import data
from harness import Step, main

import penstock as ps


def variables(tree):
    return data.mapped(ps.Variable, tree)


def constants(inputs):
    return [ps.asarray(array) for array in inputs.values()]


def values(parameters):
    return data.mapped(lambda variable: variable.numpy(), parameters)


def looped(build):
    step, written, parameters = build()

    def run():
        step()
        for variable in written:
            ps.wait(variable)

    return Step(run, lambda: values(parameters))


def looped_unwaited(build):
    step, written, parameters = build()
    return Step(step, lambda: values(parameters), lambda: [ps.wait(variable) for variable in written])


def decorated(build):
    step, written, parameters = build()
    step = ps.step(step)

    def run():
        step()
        for variable in written:
            ps.wait(variable)

    return Step(run, lambda: values(parameters))


def modes(build):
    """`build()` gives a step, the variables whose new values end it, and all that it trains."""
    return {
        "loop": lambda: looped(build),
        "step": lambda: decorated(build),
        "loop_unwaited": lambda: looped_unwaited(build),
    }


def two_scalars():
    x, y = ps.Variable(0.0), ps.Variable(1.0, trainable=False)
    optimizer = ps.optimizers.SGD(0.1)

    def step():
        with ps.GradientTape() as tape:
            loss = (x - 2) ** 2 + (y - 3) ** 2
        gradients = tape.gradient(loss, [x])
        optimizer.apply_gradients(zip(gradients, [x]))
        y.assign(y - 0.1 * (2 * (y - 3)))

    return step, [y], [x, y]


def three_weights():
    weights, inputs = data.three_weights()
    w1, w2, w3 = variables(list(weights.values()))
    (x,) = constants(inputs)
    optimizer = ps.optimizers.SGD(0.1)

    def step():
        with ps.GradientTape() as tape:
            a1 = ps.matmul(x, w1)
            a2 = ps.stop_gradient(ps.matmul(x, w2 * w3))
            loss = ps.mean(ps.square(a1 - a2))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w1]), [w1]))

    return step, [w1], [w1]


def mlp():
    parameters, inputs = data.mlp()
    w1, b1, w2, b2 = trained = variables(list(parameters.values()))
    x, labels = constants(inputs)
    optimizer = ps.optimizers.Adam(1e-3)

    def step():
        with ps.GradientTape() as tape:
            logits = ps.nn.relu(x @ w1 + b1) @ w2 + b2
            loss = ps.mean(ps.losses.softmax_cross_entropy(logits, labels))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return step, [b2], trained


def cnn():
    parameters, inputs = data.cnn()
    kernel1, kernel2, dense = trained = variables(list(parameters.values()))
    x, labels = constants(inputs)
    optimizer = ps.optimizers.SGD(0.01)

    def step():
        with ps.GradientTape() as tape:
            h = ps.nn.max_pool(ps.nn.relu(ps.nn.conv(x, kernel1, padding="same")), 2)
            h = ps.nn.max_pool(ps.nn.relu(ps.nn.conv(h, kernel2, padding="same")), 2)
            logits = ps.reshape(h, (64, -1)) @ dense
            loss = ps.mean(ps.losses.softmax_cross_entropy(logits, labels))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return step, [dense], trained


def embedding(make_optimizer):
    def build():
        parameters, inputs = data.embedding()
        table, (ids,) = ps.Variable(parameters["table"]), constants(inputs)
        optimizer = make_optimizer()

        def step():
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.square(ps.take(table, ids, axis=0)))
            optimizer.apply_gradients(zip(tape.gradient(loss, [table]), [table]))

        return step, [table], [table]

    return build


def frozen_backbone():
    parameters, inputs = data.frozen_backbone()
    backbone = [ps.Variable(weight, trainable=False) for weight in inputs["backbone"]]
    head, x, labels = ps.Variable(parameters["head"]), ps.asarray(inputs["x"]), ps.asarray(inputs["labels"])
    optimizer = ps.optimizers.SGD(0.01)

    def step():
        with ps.GradientTape() as tape:
            h = x
            for weight in backbone:
                h = ps.nn.relu(h @ weight)
            loss = ps.mean(ps.losses.softmax_cross_entropy(h @ head, labels))
        optimizer.apply_gradients(zip(tape.gradient(loss, [head]), [head]))

    return step, [head], [head]


def gan():
    parameters, inputs = data.gan()
    g, d = variables(parameters["generator"]), variables(parameters["discriminator"])
    real, noise = constants(inputs)
    g_optimizer, d_optimizer = ps.optimizers.Adam(1e-3), ps.optimizers.Adam(1e-3)

    def generator(z):
        return ps.tanh(ps.nn.relu(z @ g[0] + g[1]) @ g[2] + g[3])

    def discriminator(x):
        return ps.nn.relu(x @ d[0] + d[1]) @ d[2] + d[3]

    def bce(logits, target):
        return ps.mean(ps.nn.relu(logits) - logits * target + ps.log1p(ps.exp(-ps.abs(logits))))

    def step():
        with ps.GradientTape() as tape:
            fake = ps.stop_gradient(generator(noise))
            loss = bce(discriminator(real), 1.0) + bce(discriminator(fake), 0.0)
        d_optimizer.apply_gradients(zip(tape.gradient(loss, d), d))
        with ps.GradientTape() as tape:
            loss = bce(discriminator(generator(noise)), 1.0)
        g_optimizer.apply_gradients(zip(tape.gradient(loss, g), g))

    return step, [d[-1], g[-1]], [g, d]


def actor_critic():
    parameters, inputs = data.actor_critic()
    a, c = variables(parameters["actor"]), variables(parameters["critic"])
    states, rewards, actions = constants(inputs)
    a_optimizer, c_optimizer = ps.optimizers.Adam(1e-3), ps.optimizers.Adam(1e-3)

    def network(p, x):
        return ps.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    def step():
        with ps.GradientTape() as tape:
            advantage = ps.stop_gradient(rewards - network(c, states))[:, 0]
            surprise = ps.losses.softmax_cross_entropy(network(a, states), actions)
            loss = ps.mean(advantage * surprise)
        a_optimizer.apply_gradients(zip(tape.gradient(loss, a), a))
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.square(rewards - network(c, states)))
        c_optimizer.apply_gradients(zip(tape.gradient(loss, c), c))

    return step, [a[-1], c[-1]], [a, c]


def transformer():
    parameters, inputs = data.transformer()
    width, heads, tokens, batch = data.WIDTH, data.HEADS, data.TOKENS, data.BATCH
    p = variables(parameters)
    trained = data.leaves(p)
    given, wanted = ps.asarray(inputs["ids"][:, :-1].copy()), ps.asarray(inputs["ids"][:, 1:].copy())
    mask = ps.asarray(data.future_mask())
    optimizer = ps.optimizers.Adam(1e-3)

    def norm(x, gain):
        return x / ps.sqrt(ps.mean(ps.square(x), axis=-1, keepdims=True) + 1e-6) * gain

    def split(x):
        return ps.permute_dims(ps.reshape(x, (batch, tokens, heads, width // heads)), (0, 2, 1, 3))

    def step():
        with ps.GradientTape() as tape:
            h = ps.take(p["embed"], given, axis=0) + p["position"]
            for b in p["blocks"]:
                mixed = norm(h, b["gain1"]) @ b["qkv"]
                q, k, v = (split(mixed[..., i * width : (i + 1) * width]) for i in range(3))
                scores = q @ ps.permute_dims(k, (0, 1, 3, 2)) * (width // heads) ** -0.5 + mask
                seen = ps.permute_dims(ps.nn.softmax(scores) @ v, (0, 2, 1, 3))
                h = h + ps.reshape(seen, (batch, tokens, width)) @ b["out"]
                h = h + ps.nn.relu(norm(h, b["gain2"]) @ b["up"]) @ b["down"]
            loss = ps.mean(ps.losses.softmax_cross_entropy(h @ p["unembed"], wanted))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))

    return step, [trained[-1]], p


WORKLOADS = {
    "two_scalars": two_scalars,
    "three_weights": three_weights,
    "mlp": mlp,
    "cnn": cnn,
    "embedding_sgd": embedding(lambda: ps.optimizers.SGD(0.1)),
    "embedding_adagrad": embedding(lambda: ps.optimizers.Adagrad(0.01, initial_accumulator_value=0.1)),
    "frozen_backbone": frozen_backbone,
    "gan": gan,
    "actor_critic": actor_critic,
    "transformer": transformer,
}

main("penstock", {name: modes(build) for name, build in WORKLOADS.items()})
