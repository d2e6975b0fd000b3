"""The workloads in JAX with Optax: one jitted function a step, the old state donated."""

import data
import jax
import jax.numpy as jnp
import numpy as np
import optax
from harness import Step, main
from jax import lax


def stepper(state, update, *inputs, parameters=lambda state: state, wait=True):
    """`update(state, *inputs)` returns the new state."""
    update = jax.jit(update, donate_argnums=0)
    state = jax.tree.map(jnp.array, state)
    inputs = jax.tree.map(jnp.array, inputs)

    def run():
        nonlocal state
        state = update(state, *inputs)
        jax.block_until_ready(state)

    def run_on():
        nonlocal state
        state = update(state, *inputs)

    def values():
        return data.mapped(np.asarray, parameters(state))

    return Step(run, values) if wait else Step(run_on, values, lambda: jax.block_until_ready(state))


def both(build):
    """`jit` waits for the new values at the end of every step, `jit_unwaited` at the end of the loop."""
    return {"jit": build, "jit_unwaited": lambda: build(wait=False)}


def trained(parameters, loss, optimizer, *inputs, wait=True):
    """The usual Optax step: gradient, update, apply."""

    def update(state, *inputs):
        parameters, memory = state
        updates, memory = optimizer.update(jax.grad(loss)(parameters, *inputs), memory, parameters)
        return optax.apply_updates(parameters, updates), memory

    state = parameters, optimizer.init(jax.tree.map(jnp.array, parameters))
    return stepper(state, update, *inputs, parameters=lambda state: state[0], wait=wait)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def two_scalars(wait=True):
    def update(state):
        x, y = state["x"], state["y"]
        gradient = jax.grad(lambda x: (x - 2) ** 2 + (y - 3) ** 2)(x)
        return {"x": x - 0.1 * gradient, "y": y - 0.1 * (2 * (y - 3))}

    return stepper(data.two_scalars()[0], update, wait=wait)


def three_weights(wait=True):
    weights, inputs = data.three_weights()

    def update(w1, x, w2, w3):
        target = lax.stop_gradient(x @ (w2 * w3))
        return w1 - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - target) ** 2))(w1)

    def values(w1):
        return [w1]

    return stepper(
        weights["w1"], update, inputs["x"], weights["w2"], weights["w3"], parameters=values, wait=wait
    )


def mlp(wait=True):
    parameters, inputs = data.mlp()

    def loss(p, x, labels):
        return cross_entropy(jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"], labels)

    return trained(parameters, loss, optax.adam(1e-3), inputs["x"], inputs["labels"], wait=wait)


def cnn():
    parameters, inputs = data.cnn()

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss(p, x, labels):
        h = pool(jax.nn.relu(convolve(x, p["kernel1"])))
        h = pool(jax.nn.relu(convolve(h, p["kernel2"])))
        return cross_entropy(h.reshape(64, -1) @ p["dense"], labels)

    return trained(parameters, loss, optax.sgd(0.01), inputs["x"], inputs["labels"])


def embedding(optimizer):
    def build():
        parameters, inputs = data.embedding()
        return trained(parameters, lambda p, ids: jnp.sum(p["table"][ids] ** 2), optimizer(), inputs["ids"])

    return {"jit": build}


def embedding_by_hand():
    """What a JAX expert writes: differentiate the gathered rows, scatter the update."""
    parameters, inputs = data.embedding()

    def update(table, ids):
        return table.at[ids].add(-0.1 * jax.grad(lambda rows: jnp.sum(rows**2))(table[ids]))

    return stepper(parameters["table"], update, inputs["ids"], parameters=lambda table: [table])


def frozen_backbone():
    parameters, inputs = data.frozen_backbone()

    def loss(p, x, labels, backbone):
        h = x
        for w in backbone:
            h = jax.nn.relu(h @ w)
        return cross_entropy(h @ p["head"], labels)

    return trained(parameters, loss, optax.sgd(0.01), inputs["x"], inputs["labels"], inputs["backbone"])


def gan():
    parameters, inputs = data.gan()
    optimizer = optax.adam(1e-3)

    def generator(g, z):
        return jnp.tanh(jax.nn.relu(z @ g[0] + g[1]) @ g[2] + g[3])

    def discriminator(d, x):
        return jax.nn.relu(x @ d[0] + d[1]) @ d[2] + d[3]

    def bce(logits, target):
        return optax.sigmoid_binary_cross_entropy(logits, jnp.full_like(logits, target)).mean()

    def update(state, real, noise):
        g, g_memory, d, d_memory = state

        def d_loss(d):
            fake = lax.stop_gradient(generator(g, noise))
            return bce(discriminator(d, real), 1.0) + bce(discriminator(d, fake), 0.0)

        def g_loss(g):
            return bce(discriminator(d, generator(g, noise)), 1.0)

        updates, d_memory = optimizer.update(jax.grad(d_loss)(d), d_memory)
        d = optax.apply_updates(d, updates)
        updates, g_memory = optimizer.update(jax.grad(g_loss)(g), g_memory)
        return optax.apply_updates(g, updates), g_memory, d, d_memory

    g, d = (jax.tree.map(jnp.array, parameters[name]) for name in ("generator", "discriminator"))
    state = g, optimizer.init(g), d, optimizer.init(d)
    return stepper(
        state, update, inputs["real"], inputs["noise"], parameters=lambda state: [state[0], state[2]]
    )


def actor_critic():
    parameters, inputs = data.actor_critic()
    optimizer = optax.adam(1e-3)

    def network(p, x):
        return jnp.tanh(x @ p[0] + p[1]) @ p[2] + p[3]

    def update(state, states, rewards, actions):
        a, a_memory, c, c_memory = state

        def actor_loss(a):
            advantage = lax.stop_gradient(rewards - network(c, states))[:, 0]
            surprise = optax.softmax_cross_entropy_with_integer_labels(network(a, states), actions)
            return jnp.mean(advantage * surprise)

        def critic_loss(c):
            return jnp.mean((rewards - network(c, states)) ** 2)

        updates, a_memory = optimizer.update(jax.grad(actor_loss)(a), a_memory)
        a = optax.apply_updates(a, updates)
        updates, c_memory = optimizer.update(jax.grad(critic_loss)(c), c_memory)
        return a, a_memory, optax.apply_updates(c, updates), c_memory

    a, c = (jax.tree.map(jnp.array, parameters[name]) for name in ("actor", "critic"))
    state = a, optimizer.init(a), c, optimizer.init(c)
    fed = inputs["states"], inputs["rewards"], inputs["actions"]
    return stepper(state, update, *fed, parameters=lambda state: [state[0], state[2]])


def transformer():
    parameters, inputs = data.transformer()
    width, heads, tokens, batch = data.WIDTH, data.HEADS, data.TOKENS, data.BATCH
    mask = jnp.array(data.future_mask())

    def norm(x, gain):
        return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain

    def split(x):
        return x.reshape(batch, tokens, heads, width // heads).transpose(0, 2, 1, 3)

    def loss(p, ids):
        h = p["embed"][ids[:, :-1]] + p["position"]
        for b in p["blocks"]:
            q, k, v = (split(t) for t in jnp.split(norm(h, b["gain1"]) @ b["qkv"], 3, -1))
            weights = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (width // heads) ** -0.5 + mask)
            h = h + (weights @ v).transpose(0, 2, 1, 3).reshape(batch, tokens, width) @ b["out"]
            h = h + jax.nn.relu(norm(h, b["gain2"]) @ b["up"]) @ b["down"]
        return cross_entropy(h @ p["unembed"], ids[:, 1:])

    return trained(parameters, loss, optax.adam(1e-3), inputs["ids"])


main(
    "jax",
    {
        "two_scalars": both(two_scalars),
        "three_weights": both(three_weights),
        "mlp": both(mlp),
        "cnn": {"jit": cnn},
        "embedding_sgd": embedding(lambda: optax.sgd(0.1)) | {"by_hand": embedding_by_hand},
        "embedding_adagrad": embedding(lambda: optax.adagrad(0.01)),
        "frozen_backbone": {"jit": frozen_backbone},
        "gan": {"jit": gan},
        "actor_critic": {"jit": actor_critic},
        "transformer": {"jit": transformer},
    },
)
