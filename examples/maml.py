"""Learning to learn: weights from which a few steps lead to any of many tasks (MAML, Finn and others, 2017).

    python examples/maml.py

Each task is a sine of another height and phase, of which ten points are seen. The loss is that after one step
of gradient descent, and its gradient goes through that step, so it holds second derivatives. The example
proves it: along a random direction it compares that gradient with finite differences of the loss after the
step, and then the gradient that leaves the second derivatives out.
"""

import numpy as np

import penstock as ps

WIDTH, POINTS, TASKS, STEPS = 32, 10, 8, 1500
INNER, META = 0.02, 2e-3


def tasks(draw, count):
    """Returns points of sines, to adapt to and to be judged by: x and y of each."""
    height, phase = draw.uniform(0.5, 3, (count, 1, 1)), draw.uniform(0, np.pi, (count, 1, 1))
    x = draw.uniform(-4, 4, (count, 2 * POINTS, 1))
    y = height * np.sin(x + phase)
    return [
        ps.asarray(one.astype(np.float32))
        for one in (x[:, :POINTS], y[:, :POINTS], x[:, POINTS:], y[:, POINTS:])
    ]


def error(weights, x, y):
    """Returns the mean squared error of a small network with these weights."""
    first, first_bias, second, second_bias, last = weights
    hidden = ps.tanh(x @ first + first_bias)
    return ps.mean((ps.tanh(hidden @ second + second_bias) @ last - y) ** 2)


def adapted(weights, x, y, second=True):
    """Returns weights after a step on one task; `second` keeps how they depend on the first ones."""
    slopes = ps.grad(error)(weights, x, y)
    if not second:
        slopes = [ps.stop_gradient(one) for one in slopes]
    return [weight - INNER * slope for weight, slope in zip(weights, slopes, strict=True)]


def after(weights, batch, second=True):
    """Returns the mean error of several tasks, each after its own step."""
    one_task = ps.vmap(lambda *task: error(adapted(weights, *task[:2], second), *task[2:]))
    return ps.mean(one_task(*batch))


def proof(weights, draw):
    """Prints how far both gradients are from finite differences along a direction, as parts of these."""
    weights = [ps.asarray(one.numpy().astype(np.float64)) for one in weights]
    batch = [ps.astype(one, "float64") for one in tasks(draw, TASKS)]
    along = [draw.standard_normal(one.shape) for one in weights]
    step = 1e-5
    ahead, behind = (
        float(after([one + sign * step * d for one, d in zip(weights, along, strict=True)], batch))
        for sign in (1, -1)
    )
    wanted = (ahead - behind) / (2 * step)
    for name, second in (("with second derivatives", True), ("without", False)):
        slopes = ps.grad(lambda w, second=second: after(w, batch, second))(weights)
        found = sum(float(ps.sum(slope * d)) for slope, d in zip(slopes, along, strict=True))
        print(f"{name}: off by {abs(found - wanted) / abs(wanted):.1e}")


def main():
    """Trains, and prints the errors of new tasks before and after one step, and the proof."""
    draw = np.random.default_rng(0)
    shapes = [(1, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 1)]
    weights = [
        ps.Variable(
            (draw.standard_normal(shape) / shape[0] ** 0.5 * (len(shape) > 1)).astype(np.float32),
            name=f"weights/{number}",
        )
        for number, shape in enumerate(shapes)
    ]
    optimizer = ps.optimizers.Adam(META)
    for _ in range(STEPS):
        batch = tasks(draw, TASKS)
        with ps.GradientTape() as tape:
            loss = after([one.value() for one in weights], batch)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    batch = tasks(np.random.default_rng(9), 100)
    now = [one.value() for one in weights]
    before = float(ps.mean(ps.vmap(lambda *task: error(now, *task[2:]))(*batch)))
    print(f"error on new tasks {before:.2f}, after one step {float(after(now, batch)):.2f}")
    proof(weights, draw)


if __name__ == "__main__":
    main()
