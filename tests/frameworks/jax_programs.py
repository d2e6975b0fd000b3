"""Small programs of the kinds that people run in JAX: right ones, and similar wrong ones.

A wrong program comes with its expected finding: code, variables, and the marked line. `PLAIN` ones need JAX
alone, the others the libraries that they import.
"""

HEAD = """import jax
import jax.numpy as jnp
import numpy as np
key = jax.random.key(0)
x = jax.random.normal(key, (16, 3))
y = x.sum(1, keepdims=True)
def dense(key, m, n):
    return {"kernel": jax.random.normal(key, (m, n)) * 0.3, "bias": jnp.zeros(n)}
def apply(layer, x):
    return x @ layer["kernel"] + layer["bias"]
def descend(params, gradients, rate=0.05):
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)
"""

_NET = """
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
"""

PLAIN = {
    "a loop without a compiled step": """
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
        def loss(params, x, y):
            return jnp.mean((apply(params["head"], jax.nn.relu(apply(params["encoder"], x))) - y) ** 2)
        for _ in range(8):
            value, gradients = jax.value_and_grad(loss)(params, x, y)
            params = descend(params, gradients)
        """,
    "a compiled step with momentum by hand": """
        params = dense(key, 3, 1)
        speed = jax.tree.map(jnp.zeros_like, params)
        @jax.jit
        def step(params, speed):
            gradients = jax.grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            speed = jax.tree.map(lambda s, g: 0.9 * s + g, speed, gradients)
            return descend(params, speed), speed
        for _ in range(12):
            params, speed = step(params, speed)
        """,
    "Adam by hand, with donated memory": """
        from functools import partial
        params = dense(key, 3, 1)
        zeros = lambda: jax.tree.map(jnp.zeros_like, params)
        state = {"mean": zeros(), "square": zeros(), "count": jnp.zeros(())}
        @partial(jax.jit, donate_argnums=(0, 1))
        def step(params, state):
            value, g = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], g)
            square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state["square"], g)
            params = jax.tree.map(lambda p, m, s: p - 0.01 * m / (jnp.sqrt(s) + 1e-8), params, mean, square)
            return params, {"mean": mean, "square": square, "count": state["count"] + 1}, value
        for _ in range(12):
            params, state, value = step(params, state)
        """,
    "parameters frozen by a stop around them": """
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
        @jax.jit
        def step(params):
            def loss(params):
                frozen = jax.lax.stop_gradient(params["encoder"])
                return jnp.mean((apply(params["head"], jnp.tanh(apply(frozen, x))) - y) ** 2)
            return descend(params, jax.grad(loss)(params))
        for _ in range(10):
            params = step(params)
        """,
    "two networks that train against each other": """
        g, d = dense(key, 2, 3), dense(jax.random.key(1), 3, 1)
        def softplus(x):
            return jnp.mean(jax.nn.softplus(x))
        @jax.jit
        def step(g, d, noise):
            def loss_d(d):
                fake = jax.lax.stop_gradient(apply(g, noise))
                return softplus(-apply(d, x)) + softplus(apply(d, fake))
            def loss_g(g):
                return softplus(-apply(d, apply(g, noise)))
            return descend(g, jax.grad(loss_g)(g)), descend(d, jax.grad(loss_d)(d))
        for number in range(8):
            g, d = step(g, d, jax.random.normal(jax.random.key(number), (16, 2)))
        """,
    "a target network that follows": """
        online = dense(key, 3, 4)
        target = online
        def loss(online, target, x, action, reward):
            chosen = jnp.take_along_axis(apply(online, x), action[:, None], 1)[:, 0]
            best = jnp.max(apply(target, x), axis=1)
            return jnp.mean((chosen - jax.lax.stop_gradient(reward + 0.9 * best)) ** 2)
        step = jax.jit(lambda online, *given: descend(online, jax.grad(loss)(online, *given)))
        for number in range(12):
            action = jax.random.randint(jax.random.key(number), (16,), 0, 4)
            online = step(online, target, x, action, y[:, 0])
            if number % 4 == 3:
                target = jax.tree.map(lambda t, o: 0.9 * t + 0.1 * o, target, online)
        """,
    "codes with a straight-through gradient": """
        params = {"codes": jax.random.normal(key, (5, 4))}
        params |= {"encoder": dense(key, 3, 4), "decoder": dense(key, 4, 3)}
        def loss(params):
            z = apply(params["encoder"], x)
            nearest = jnp.argmin(((z[:, None] - params["codes"]) ** 2).sum(-1), 1)
            q = params["codes"][nearest]
            stop = jax.lax.stop_gradient
            out = apply(params["decoder"], z + stop(q - z))
            return jnp.mean((out - x) ** 2) + jnp.mean((stop(z) - q) ** 2) + jnp.mean((z - stop(q)) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))
        for _ in range(8):
            params = step(params)
        """,
    "meta-learning with steps inside the loss": """
        params = dense(key, 3, 1)
        def inner(params, x, y):
            return jnp.mean((apply(params, x) - y) ** 2)
        def outer(params):
            fast = params
            for _ in range(2):
                fast = descend(fast, jax.grad(inner)(fast, x[:8], y[:8]))
            return inner(fast, x[8:], y[8:])
        for _ in range(6):
            params = descend(params, jax.grad(outer)(params))
        """,
    "gradients of each example": """
        params = dense(key, 3, 1)
        def loss(params, x, y):
            return jnp.sum((apply(params, x) - y) ** 2)
        @jax.jit
        def step(params):
            each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)
            clipped = jax.tree.map(lambda g: jnp.mean(jnp.clip(g, -1, 1), 0), each)
            return descend(params, clipped)
        for _ in range(6):
            params = step(params)
        """,
    "an epoch in a scan": """
        params = dense(key, 3, 1)
        def one(params, batch):
            x, y = batch
            value, gradients = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            return descend(params, gradients), value
        @jax.jit
        def epoch(params):
            return jax.lax.scan(one, params, (x.reshape(4, 4, 3), y.reshape(4, 4, 1)))
        for _ in range(6):
            params, values = epoch(params)
        """,
    "a recurrent network in a scan": """
        params = {"in": dense(key, 1, 4), "again": dense(key, 4, 4), "out": dense(key, 4, 1)}
        def loss(params):
            def cell(h, now):
                return jnp.tanh(apply(params["in"], now) + apply(params["again"], h)), None
            h, _ = jax.lax.scan(cell, jnp.zeros((16, 4)), x.T[:, :, None])
            return jnp.mean((apply(params["out"], h) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))
        for _ in range(6):
            params = step(params)
        """,
    "branches in Python and in the program": """
        params = {"a": dense(key, 3, 1), "b": dense(jax.random.key(1), 3, 1)}
        def loss(params, flag):
            out = jax.lax.cond(flag > 0.5, lambda: apply(params["a"], x), lambda: apply(params["b"], x))
            if out.sum() > 0:
                out = out * 0.5
            return jnp.mean((out - y) ** 2)
        for number in range(8):
            params = descend(params, jax.grad(loss)(params, jnp.float32(number % 2)))
        """,
    "checkpoints and derivatives of its own": """
        @jax.custom_vjp
        def scaled(x):
            return x * 2
        scaled.defvjp(lambda x: (scaled(x), None), lambda _, g: (g,))
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
        @jax.checkpoint
        def body(layer, x):
            return jax.nn.gelu(apply(layer, x))
        @jax.jit
        def step(params):
            def loss(params):
                return jnp.mean((apply(params["head"], scaled(body(params["encoder"], x))) - y) ** 2)
            return descend(params, jax.grad(loss)(params))
        for _ in range(6):
            params = step(params)
        """,
    "examples made to mislead": """
        params = dense(key, 3, 1)
        def loss(params, x):
            return jnp.mean((apply(params, x) - y) ** 2)
        @jax.jit
        def step(params, x):
            worse = x + 0.1 * jnp.sign(jax.grad(loss, argnums=1)(params, x))
            return descend(params, jax.grad(loss)(params, worse))
        for number in range(6):
            params = step(params, x + number)
        """,
    "an evaluation between steps, with one function for both": """
        from functools import partial
        params = dense(key, 3, 1)
        @partial(jax.jit, static_argnames="train")
        def run(params, x, y, train):
            loss = lambda p: jnp.mean((apply(p, x) - y) ** 2)
            if not train:
                return params, loss(params)
            value, gradients = jax.value_and_grad(loss)(params)
            return descend(params, gradients), value
        values = []
        for number in range(12):
            params, value = run(params, x, y, train=True)
            values.append(float(value))
            if number % 3 == 0:
                values.append(float(run(params, x[:5], y[:5], train=False)[1]))
        """,
    "an ensemble through one function": """
        members = [dense(jax.random.key(number), 3, 1) for number in range(3)]
        @jax.jit
        def step(params):
            return descend(params, jax.grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params))
        for _ in range(8):
            members = [step(one) for one in members]
        """,
    "a policy and its value": """
        params = {"policy": dense(key, 3, 2), "value": dense(jax.random.key(1), 3, 1)}
        def loss(params, action, reward):
            logits, value = apply(params["policy"], x), apply(params["value"], x)[:, 0]
            advantage = jax.lax.stop_gradient(reward - value)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
            entropy = -jnp.sum(jax.nn.softmax(logits) * jax.nn.log_softmax(logits), -1).mean()
            return -jnp.mean(chosen * advantage) + jnp.mean((reward - value) ** 2) - 0.01 * entropy
        step = jax.jit(lambda p, *given: descend(p, jax.grad(loss)(p, *given)))
        for number in range(6):
            logits = apply(params["policy"], x)
            params = step(params, jax.random.categorical(jax.random.key(number), logits), y[:, 0])
        """,
}

OPTAX = {
    "an optimizer of Optax": """
        import optax
        params = dense(key, 3, 1)
        optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(0.01))
        state = optimizer.init(params)
        @jax.jit
        def step(params, state):
            value, gradients = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            updates, state = optimizer.update(gradients, state, params)
            return optax.apply_updates(params, updates), state, value
        for _ in range(20):
            params, state, value = step(params, state)
        """,
    "a part that the optimizer keeps at zero": """
        import optax
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
        rules = {"train": optax.adam(0.01), "keep": optax.set_to_zero()}
        optimizer = optax.multi_transform(rules, {"encoder": "keep", "head": "train"})
        state = optimizer.init(params)
        @jax.jit
        def step(params, state):
            def loss(params):
                return jnp.mean((apply(params["head"], jnp.tanh(apply(params["encoder"], x))) - y) ** 2)
            updates, state = optimizer.update(jax.grad(loss)(params), state, params)
            return optax.apply_updates(params, updates), state
        for _ in range(10):
            params, state = step(params, state)
        """,
    "updates outside of compiled code, over several steps": """
        import optax
        params = dense(key, 3, 1)
        optimizer = optax.MultiSteps(optax.sgd(0.05, momentum=0.9), 2)
        state = optimizer.init(params)
        gradient = jax.jit(jax.grad(lambda p: jnp.mean((apply(p, x) - y) ** 2)))
        for _ in range(10):
            updates, state = optimizer.update(gradient(params), state, params)
            params = optax.apply_updates(params, updates)
        """,
    "a moving average beside the parameters": """
        import optax
        params = dense(key, 3, 1)
        average = params
        optimizer = optax.adam(0.01)
        state = optimizer.init(params)
        @jax.jit
        def step(params, average, state):
            gradients = jax.grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
            updates, state = optimizer.update(gradients, state, params)
            params = optax.apply_updates(params, updates)
            return params, optax.incremental_update(params, average, 0.1), state
        for _ in range(10):
            params, average, state = step(params, average, state)
        """,
}

LINEN = {
    "a train state with statistics and dropout": """
        import optax
        import flax.linen as nn
        from flax.training import train_state
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x, train):
                x = nn.BatchNorm(use_running_average=not train)(nn.Dense(4)(x))
                return nn.Dense(1)(nn.Dropout(0.2, deterministic=not train)(nn.relu(x)))
        class State(train_state.TrainState):
            statistics: dict
        model = Net()
        made = model.init(key, x, train=False)
        state = State.create(
            apply_fn=model.apply, params=made["params"], statistics=made["batch_stats"], tx=optax.adamw(0.01)
        )
        @jax.jit
        def step(state, key):
            def loss(params):
                out, new = state.apply_fn(
                    {"params": params, "batch_stats": state.statistics}, x, train=True,
                    mutable=["batch_stats"], rngs={"dropout": key},
                )
                return jnp.mean((out - y) ** 2), new
            (value, new), gradients = jax.value_and_grad(loss, has_aux=True)(state.params)
            return state.apply_gradients(grads=gradients, statistics=new["batch_stats"]), value
        for number in range(10):
            state, value = step(state, jax.random.key(number))
        """,
}

NNX = {
    "a module of Flax NNX": """
        import optax
        from flax import nnx
        class Net(nnx.Module):
            def __init__(self, rngs):
                self.first, self.norm = nnx.Linear(3, 4, rngs=rngs), nnx.BatchNorm(4, rngs=rngs)
                self.drop, self.last = nnx.Dropout(0.2, rngs=rngs), nnx.Linear(4, 1, rngs=rngs)
            def __call__(self, x):
                return self.last(self.drop(nnx.relu(self.norm(self.first(x)))))
        model = Net(nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(0.01), wrt=nnx.Param)
        @nnx.jit
        def step(model, optimizer):
            value, gradients = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
            optimizer.update(model, gradients)
            return value
        for _ in range(10):
            value = step(model, optimizer)
        """,
}

EQUINOX = {
    "a module of Equinox": """
        import equinox as eqx
        import optax
        model = eqx.nn.MLP(3, 1, 4, 2, key=key)
        optimizer = optax.adam(0.01)
        state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
        @eqx.filter_value_and_grad
        def loss(model):
            return jnp.mean((jax.vmap(model)(x) - y) ** 2)
        @eqx.filter_jit
        def step(model, state):
            value, gradients = loss(model)
            updates, state = optimizer.update(gradients, state, model)
            return eqx.apply_updates(model, updates), state, value
        for _ in range(10):
            model, state, value = step(model, state)
        """,
}

_ENCODER = ("params/encoder/bias", "params/encoder/kernel")

ADVERSARIES = """
        g, d = dense(key, 3, 2), dense(jax.random.key(1), 2, 1)
        def softplus(x):
            return jnp.mean(jax.nn.softplus(x))
        @jax.jit
        def step_d(g, d, noise):
            def loss_d(d):
                fake = jax.lax.stop_gradient(apply(g, noise))  # stop
                return softplus(-apply(d, x[:, :2])) + softplus(apply(d, fake))  # judged
            return descend(d, jax.grad(loss_d)(d))
        @jax.jit
        def step_g(g, d, noise):
            def loss_g(g):
                fake = apply(g, noise)
                return softplus(-apply(d, fake))
            return descend(g, jax.grad(loss_g)(g))  # here
        for number in range(8):
            noise = jax.random.normal(jax.random.key(number), (16, 3))
            d = step_d(g, d, noise)
            g = step_g(g, d, noise)
        """
"""Two networks in two compiled steps: the generator is data of the first."""

WRONG = {
    "a generator whose loss does not contain it": (
        ADVERSARIES.replace("fake = apply(g, noise)\n", "fake = noise[:, :2]\n"),
        "PS101",
        ("g/bias", "g/kernel"),
    ),
    "a parameter from outside in place of the argument": (
        """
        params = dense(key, 3, 1)
        @jax.jit
        def step(params):
            def loss(p):
                return jnp.mean((x @ params["kernel"] + p["bias"] - y) ** 2)
            return descend(params, jax.grad(loss)(params))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS101",
        ("p/kernel",),
    ),
    "a stop on a result": (
        _NET
        + """
        def loss(params):
            features = jax.lax.stop_gradient(jnp.tanh(apply(params["encoder"], x)))
            return jnp.mean((apply(params["head"], features) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS106",
        _ENCODER,
    ),
    "a stop in a loop without a compiled step": (
        _NET
        + """
        def loss(params):
            features = jax.lax.stop_gradient(jnp.tanh(apply(params["encoder"], x)))
            return jnp.mean((apply(params["head"], features) - y) ** 2)
        for _ in range(6):
            params = descend(params, jax.grad(loss)(params))  # here
        """,
        "PS106",
        _ENCODER,
    ),
    "a choice by argmax": (
        _NET
        + """
        def loss(params):
            chosen = jax.nn.one_hot(jnp.argmax(apply(params["encoder"], x), 1), 4)
            return jnp.mean((apply(params["head"], chosen) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS105",
        _ENCODER,
    ),
    "rounded features": (
        _NET
        + """
        def loss(params):
            return jnp.mean((apply(params["head"], jnp.round(apply(params["encoder"], x))) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS105",
        _ENCODER,
    ),
    "features computed before the function": (
        _NET
        + """
        @jax.jit
        def step(params):
            features = jnp.tanh(apply(params["encoder"], x))
            def loss(params):
                return jnp.mean((apply(params["head"], features) - y) ** 2)
            return descend(params, jax.grad(loss)(params))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS107",
        _ENCODER,
    ),
    "a layer that nothing uses": (
        _NET
        + """
        params["spare"] = dense(key, 4, 4)
        def loss(params):
            return jnp.mean((apply(params["head"], jnp.tanh(apply(params["encoder"], x))) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS101",
        ("params/spare/bias", "params/spare/kernel"),
    ),
    "a stop in the body of a scan": (
        """
        params = {"encoder": dense(key, 3, 4), "again": dense(key, 4, 4), "head": dense(key, 4, 1)}
        def loss(params):
            first = apply(params["encoder"], x)
            def cell(h, _):
                return jax.lax.stop_gradient(jnp.tanh(apply(params["again"], h))), None
            h, _ = jax.lax.scan(cell, jnp.zeros((16, 4)), None, length=3)
            return jnp.mean((apply(params["head"], first + h) - y) ** 2)
        step = jax.jit(lambda params: descend(params, jax.grad(loss)(params)))  # here
        for _ in range(6):
            params = step(params)
        """,
        "PS106",
        ("params/again/bias", "params/again/kernel"),
    ),
    "a generator that learns from stopped fakes": (
        """
        g, d = dense(key, 2, 3), dense(jax.random.key(1), 3, 1)
        def softplus(x):
            return jnp.mean(jax.nn.softplus(x))
        @jax.jit
        def step(g, d, noise):
            def losses(g, d):
                fake = jax.lax.stop_gradient(apply(g, noise))
                return softplus(-apply(d, fake)), softplus(-apply(d, x)) + softplus(apply(d, fake))
            new_g = descend(g, jax.grad(lambda g: losses(g, d)[0])(g))  # here
            return new_g, descend(d, jax.grad(lambda d: losses(g, d)[1])(d))
        for number in range(8):
            g, d = step(g, d, jax.random.normal(jax.random.key(number), (16, 2)))
        """,
        "PS106",
        ("g/bias", "g/kernel"),
    ),
}

DECAYED = """
        import optax
        params = {"encoder": dense(key, 3, 4), "head": dense(jax.random.key(1), 4, 1)}
        optimizer = optax.adamw(0.01, weight_decay=0.1)
        state = optimizer.init(params)
        @jax.jit
        def step(params, state):
            def loss(params):
                frozen = jax.lax.stop_gradient(params["encoder"])
                return jnp.mean((apply(params["head"], jnp.tanh(apply(frozen, x))) - y) ** 2)
            updates, state = optimizer.update(jax.grad(loss)(params), state, params)
            return optax.apply_updates(params, updates), state  # here
        for _ in range(10):
            params, state = step(params, state)
        """
