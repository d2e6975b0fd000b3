"""The workloads in PaddlePaddle: eager, and with the loss made static by `paddle.jit.to_static`."""

import data
import paddle
import paddle.nn.functional as F
from harness import Step, main


def constants(tree):
    return data.mapped(paddle.to_tensor, tree)


def trainable(tree):
    return data.mapped(lambda array: paddle.to_tensor(array, stop_gradient=False), tree)


def stepper(step, parameters):
    return Step(step, lambda: data.mapped(lambda tensor: tensor.numpy(), parameters))


def both(build):
    """`build(wrap)` makes a step in which `wrap` is applied to the loss, a function of tensors."""
    return {"eager": lambda: build(lambda loss: loss), "static": lambda: build(paddle.jit.to_static)}


def eager(build):
    return {"eager": build}


def descend(optimizer, loss):
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()


def adam(parameters):
    return paddle.optimizer.Adam(1e-3, parameters=data.leaves(parameters), use_multi_tensor=True)


def two_scalars(wrap):
    x, y = paddle.to_tensor(0.0, stop_gradient=False), paddle.to_tensor(1.0)
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    loss = wrap(lambda x, y: (x - 2) ** 2 + (y - 3) ** 2)

    def step():
        descend(optimizer, loss(x, y))
        y.set_value(y - 0.1 * (2 * (y - 3)))

    return stepper(step, [x, y])


def three_weights(wrap):
    weights, inputs = data.three_weights()
    w1, w2, w3 = trainable(list(weights.values()))
    x = paddle.to_tensor(inputs["x"])
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w1])
    loss = wrap(lambda x, w1, w2, w3: ((x @ w1 - (x @ (w2 * w3)).detach()) ** 2).mean())
    return stepper(lambda: descend(optimizer, loss(x, w1, w2, w3)), [w1])


def mlp(wrap):
    parameters, inputs = data.mlp()
    trained = trainable(list(parameters.values()))
    x, labels = paddle.to_tensor(inputs["x"]), paddle.to_tensor(inputs["labels"]).astype("int64")
    optimizer = adam(trained)
    loss = wrap(lambda x, labels, w1, b1, w2, b2: F.cross_entropy(F.relu(x @ w1 + b1) @ w2 + b2, labels))
    return stepper(lambda: descend(optimizer, loss(x, labels, *trained)), trained)


def cnn():
    parameters, inputs = data.cnn()
    kernel1, kernel2 = (trainable(parameters[name].transpose(3, 2, 0, 1)) for name in ("kernel1", "kernel2"))
    # Paddle's pictures are channel first on a CPU, so the rows of the dense layer come in that order.
    rows = parameters["dense"].reshape(8, 8, 64, 10).transpose(2, 0, 1, 3).reshape(4096, 10)
    dense = trainable(rows)
    x = paddle.to_tensor(inputs["x"].transpose(0, 3, 1, 2).copy())
    labels = paddle.to_tensor(inputs["labels"]).astype("int64")
    optimizer = paddle.optimizer.SGD(0.01, parameters=[kernel1, kernel2, dense])

    def step():
        h = F.max_pool2d(F.relu(F.conv2d(x, kernel1, padding=1)), 2)
        h = F.max_pool2d(F.relu(F.conv2d(h, kernel2, padding=1)), 2)
        descend(optimizer, F.cross_entropy(h.reshape([64, -1]) @ dense, labels))

    return stepper(step, [kernel1, kernel2, dense])


def embedding_sgd():
    parameters, inputs = data.embedding()
    table, ids = trainable(parameters["table"]), paddle.to_tensor(inputs["ids"]).astype("int64")
    optimizer = paddle.optimizer.SGD(0.1, parameters=[table])

    def step():
        descend(optimizer, (F.embedding(ids, table, sparse=True) ** 2).sum())

    return stepper(step, [table])


def frozen_backbone():
    parameters, inputs = data.frozen_backbone()
    backbone, head = constants(inputs["backbone"]), trainable(parameters["head"])
    x, labels = paddle.to_tensor(inputs["x"]), paddle.to_tensor(inputs["labels"]).astype("int64")
    optimizer = paddle.optimizer.SGD(0.01, parameters=[head])

    def step():
        h = x
        for weight in backbone:
            h = F.relu(h @ weight)
        descend(optimizer, F.cross_entropy(h @ head, labels))

    return stepper(step, [head])


def gan():
    parameters, inputs = data.gan()
    g, d = trainable(parameters["generator"]), trainable(parameters["discriminator"])
    real, noise = paddle.to_tensor(inputs["real"]), paddle.to_tensor(inputs["noise"])
    ones, zeros = paddle.ones([64, 1]), paddle.zeros([64, 1])
    g_optimizer, d_optimizer = adam(g), adam(d)
    bce = F.binary_cross_entropy_with_logits

    def generator(z):
        return paddle.tanh(F.relu(z @ g[0] + g[1]) @ g[2] + g[3])

    def discriminator(x):
        return F.relu(x @ d[0] + d[1]) @ d[2] + d[3]

    def step():
        fake = generator(noise).detach()
        descend(d_optimizer, bce(discriminator(real), ones) + bce(discriminator(fake), zeros))
        descend(g_optimizer, bce(discriminator(generator(noise)), ones))
        d_optimizer.clear_grad()

    return stepper(step, [g, d])


def actor_critic():
    parameters, inputs = data.actor_critic()
    a, c = trainable(parameters["actor"]), trainable(parameters["critic"])
    states, rewards = paddle.to_tensor(inputs["states"]), paddle.to_tensor(inputs["rewards"])
    actions = paddle.to_tensor(inputs["actions"]).astype("int64")
    a_optimizer, c_optimizer = adam(a), adam(c)

    def network(p, x):
        return paddle.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    def step():
        advantage = (rewards - network(c, states)).detach()
        # With reduction="none" the result keeps the label's axis: [32, 1].
        surprise = F.cross_entropy(network(a, states), actions.unsqueeze(-1), reduction="none")
        descend(a_optimizer, (advantage * surprise).mean())
        descend(c_optimizer, ((rewards - network(c, states)) ** 2).mean())

    return stepper(step, [a, c])


main(
    "paddle",
    {
        "two_scalars": both(two_scalars),
        "three_weights": both(three_weights),
        "mlp": both(mlp),
        "cnn": eager(cnn),
        "embedding_sgd": eager(embedding_sgd),
        "frozen_backbone": eager(frozen_backbone),
        "gan": eager(gan),
        "actor_critic": eager(actor_critic),
    },
)
