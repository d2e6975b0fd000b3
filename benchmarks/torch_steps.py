"""The workloads in PyTorch: eager, with the loss compiled, and as one compiled pure function."""

import data
import torch
import torch.nn.functional as F
from harness import Step, main
from torch.func import grad


def tensors(tree):
    return data.mapped(lambda array: torch.tensor(array), tree)


def trainable(tree):
    return data.mapped(lambda array: torch.tensor(array, requires_grad=True), tree)


def stepper(step, parameters):
    return Step(step, lambda: data.mapped(lambda tensor: tensor.detach().numpy(), parameters))


def both(build):
    """`build(wrap)` makes a step in which `wrap` is applied to every loss function."""
    return {"eager": lambda: build(lambda loss: loss), "compile": lambda: build(torch.compile)}


def pure(update, state, parameters=lambda state: state):
    """The step as PyTorch's function transforms write it: `update(*state)` returns the new state."""
    update = torch.compile(update)

    def run():
        nonlocal state
        state = update(*state)

    return Step(run, lambda: data.mapped(lambda tensor: tensor.numpy(), parameters(state)))


def descend(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def adam(parameters):
    return torch.optim.Adam(data.leaves(parameters), lr=1e-3, fused=True)


def adagrad(parameters):
    """Starting where Keras and Optax start; PyTorch starts from 0."""
    return torch.optim.Adagrad(parameters, lr=0.01, initial_accumulator_value=0.1)


def two_scalars(wrap):
    x, y = torch.tensor(0.0, requires_grad=True), torch.tensor(1.0)
    optimizer = torch.optim.SGD([x], lr=0.1)
    loss = wrap(lambda x, y: (x - 2) ** 2 + (y - 3) ** 2)

    def step():
        descend(optimizer, loss(x, y))
        y.copy_(y - 0.1 * (2 * (y - 3)))

    return stepper(step, [x, y])


def two_scalars_pure():
    def update(x, y):
        gradient = grad(lambda x: (x - 2) ** 2 + (y - 3) ** 2)(x)
        return [x - 0.1 * gradient, y - 0.1 * (2 * (y - 3))]

    return pure(update, [torch.tensor(0.0), torch.tensor(1.0)])


def three_weights(wrap):
    weights, inputs = data.three_weights()
    w1, w2, w3 = trainable(list(weights.values()))
    x = torch.tensor(inputs["x"])
    optimizer = torch.optim.SGD([w1], lr=0.1)
    loss = wrap(lambda: ((x @ w1 - (x @ (w2 * w3)).detach()) ** 2).mean())
    return stepper(lambda: descend(optimizer, loss()), [w1])


def three_weights_pure():
    weights, inputs = data.three_weights()
    w1, w2, w3 = tensors(list(weights.values()))
    x = torch.tensor(inputs["x"])

    def update(w1):
        return [w1 - 0.1 * grad(lambda w1: ((x @ w1 - (x @ (w2 * w3)).detach()) ** 2).mean())(w1)]

    return pure(update, [w1])


def mlp(wrap):
    parameters, inputs = data.mlp()
    w1, b1, w2, b2 = trained = trainable(list(parameters.values()))
    x, labels = torch.tensor(inputs["x"]), torch.tensor(inputs["labels"]).long()
    optimizer = adam(trained)
    loss = wrap(lambda: F.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, labels))
    return stepper(lambda: descend(optimizer, loss()), trained)


def mlp_pure():
    parameters, inputs = data.mlp()
    x, labels = torch.tensor(inputs["x"]), torch.tensor(inputs["labels"]).long()

    def loss(p):
        return F.cross_entropy(torch.relu(x @ p[0] + p[1]) @ p[2] + p[3], labels)

    def update(parameters, means, squares, count):
        count = count + 1
        scale_mean, scale_square = 1 - 0.9**count, 1 - 0.999**count
        moved = []
        for p, m, v, gradient in zip(parameters, means, squares, grad(loss)(parameters)):
            m = 0.9 * m + 0.1 * gradient
            v = 0.999 * v + 0.001 * gradient * gradient
            moved.append((p - 1e-3 * (m / scale_mean) / (torch.sqrt(v / scale_square) + 1e-8), m, v))
        return *(list(column) for column in zip(*moved)), count

    trained = tensors(list(parameters.values()))
    memory = [torch.zeros_like(p) for p in trained]
    return pure(update, (trained, memory, memory, torch.tensor(0.0)), parameters=lambda state: state[0])


def cnn(wrap):
    parameters, inputs = data.cnn()
    last = {"memory_format": torch.channels_last}
    kernels = [torch.tensor(parameters[name]).permute(3, 2, 0, 1) for name in ("kernel1", "kernel2")]
    kernel1, kernel2 = (kernel.contiguous(**last).requires_grad_() for kernel in kernels)
    dense = torch.tensor(parameters["dense"], requires_grad=True)
    x = torch.tensor(inputs["x"]).permute(0, 3, 1, 2).contiguous(**last)
    labels = torch.tensor(inputs["labels"]).long()
    optimizer = torch.optim.SGD([kernel1, kernel2, dense], lr=0.01)

    def loss():
        h = F.max_pool2d(F.relu(F.conv2d(x, kernel1, padding=1)), 2)
        h = F.max_pool2d(F.relu(F.conv2d(h, kernel2, padding=1)), 2)
        return F.cross_entropy(h.permute(0, 2, 3, 1).reshape(64, -1) @ dense, labels)

    loss = wrap(loss)
    return stepper(lambda: descend(optimizer, loss()), [kernel1, kernel2, dense])


def embedding(make_optimizer):
    def build():
        parameters, inputs = data.embedding()
        table, ids = trainable(parameters["table"]), torch.tensor(inputs["ids"]).long()
        optimizer = make_optimizer([table])

        def step():
            descend(optimizer, (F.embedding(ids, table, sparse=True) ** 2).sum())

        return stepper(step, [table])

    return {"eager": build}


def frozen_backbone(wrap):
    parameters, inputs = data.frozen_backbone()
    backbone, head = tensors(inputs["backbone"]), trainable(parameters["head"])
    x, labels = torch.tensor(inputs["x"]), torch.tensor(inputs["labels"]).long()
    optimizer = torch.optim.SGD([head], lr=0.01)

    def loss():
        h = x
        for weight in backbone:
            h = torch.relu(h @ weight)
        return F.cross_entropy(h @ head, labels)

    loss = wrap(loss)
    return stepper(lambda: descend(optimizer, loss()), [head])


def gan(wrap):
    parameters, inputs = data.gan()
    g, d = trainable(parameters["generator"]), trainable(parameters["discriminator"])
    real, noise = torch.tensor(inputs["real"]), torch.tensor(inputs["noise"])
    g_optimizer, d_optimizer = adam(g), adam(d)
    one, zero = torch.ones(64, 1), torch.zeros(64, 1)
    bce = F.binary_cross_entropy_with_logits

    def generator(z):
        return torch.tanh(torch.relu(z @ g[0] + g[1]) @ g[2] + g[3])

    def discriminator(x):
        return torch.relu(x @ d[0] + d[1]) @ d[2] + d[3]

    def d_loss():
        fake = generator(noise).detach()
        return bce(discriminator(real), one) + bce(discriminator(fake), zero)

    def g_loss():
        return bce(discriminator(generator(noise)), one)

    d_loss, g_loss = wrap(d_loss), wrap(g_loss)

    def step():
        descend(d_optimizer, d_loss())
        g_optimizer.zero_grad()
        g_loss().backward(inputs=g)
        g_optimizer.step()

    return stepper(step, [g, d])


def actor_critic(wrap):
    parameters, inputs = data.actor_critic()
    a, c = trainable(parameters["actor"]), trainable(parameters["critic"])
    states, rewards = torch.tensor(inputs["states"]), torch.tensor(inputs["rewards"])
    actions = torch.tensor(inputs["actions"]).long()
    a_optimizer, c_optimizer = adam(a), adam(c)

    def network(p, x):
        return torch.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    def actor_loss():
        advantage = (rewards - network(c, states)).detach()[:, 0]
        return (advantage * F.cross_entropy(network(a, states), actions, reduction="none")).mean()

    def critic_loss():
        return ((rewards - network(c, states)) ** 2).mean()

    actor_loss, critic_loss = wrap(actor_loss), wrap(critic_loss)

    def step():
        descend(a_optimizer, actor_loss())
        descend(c_optimizer, critic_loss())

    return stepper(step, [a, c])


def transformer(wrap):
    parameters, inputs = data.transformer()
    width, heads, tokens, batch = data.WIDTH, data.HEADS, data.TOKENS, data.BATCH
    p, ids = trainable(parameters), torch.tensor(inputs["ids"]).long()
    optimizer = adam(p)

    def norm(x, gain):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gain

    def split(x):
        return x.reshape(batch, tokens, heads, width // heads).transpose(1, 2)

    def loss():
        h = F.embedding(ids[:, :-1], p["embed"]) + p["position"]
        for b in p["blocks"]:
            q, k, v = (split(t) for t in (norm(h, b["gain1"]) @ b["qkv"]).split(width, -1))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            h = h + mixed.transpose(1, 2).reshape(batch, tokens, width) @ b["out"]
            h = h + torch.relu(norm(h, b["gain2"]) @ b["up"]) @ b["down"]
        return F.cross_entropy((h @ p["unembed"]).reshape(-1, data.VOCABULARY), ids[:, 1:].reshape(-1))

    loss = wrap(loss)
    return stepper(lambda: descend(optimizer, loss()), p)


main(
    "torch",
    {
        "two_scalars": both(two_scalars) | {"pure": two_scalars_pure},
        "three_weights": both(three_weights) | {"pure": three_weights_pure},
        "mlp": both(mlp) | {"pure": mlp_pure},
        "cnn": both(cnn),
        "embedding_sgd": embedding(lambda parameters: torch.optim.SGD(parameters, lr=0.1)),
        "embedding_adagrad": embedding(adagrad),
        "frozen_backbone": both(frozen_backbone),
        "gan": both(gan),
        "actor_critic": both(actor_critic),
        "transformer": both(transformer),
    },
)
