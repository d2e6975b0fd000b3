"""A network that knows a law of physics: the heat equation (Raissi, Perdikaris and Karniadakis, 2019).

    python examples/heat.py [--picture heat.png]

A rod of length 1 is hot in the middle and cold at its ends. The network is given no temperature but those at
the beginning and at the ends. All else it learns from the law that heat follows, u_t = k u_xx, which needs
derivatives of the network by its inputs, of second order, inside the loss. The exact solution is known, so
the error is, too.
"""

import sys

import numpy as np

import penstock as ps

SPREAD, WIDTH, STEPS, POINTS = 0.1, 24, 1500, 128


def temperature(weights, x, t):
    """Returns the temperature at places x and times t."""
    first, first_bias, second, second_bias, last, last_bias = weights
    hidden = ps.tanh(ps.stack([x, t], axis=-1) @ first + first_bias)
    return ps.squeeze(ps.tanh(hidden @ second + second_bias) @ last + last_bias, axis=-1)


def law(weights, x, t):
    """Returns by how much the network breaks the law at each point."""
    with ps.GradientTape() as outer:
        outer.watch(x)
        with ps.GradientTape() as tape:
            tape.watch([x, t])
            heat = temperature(weights, x, t)
        by_x, by_t = tape.gradient(heat, [x, t])
    return by_t - SPREAD * outer.gradient(by_x, x)


def exact(x, t):
    """Returns the true temperature."""
    return np.sin(np.pi * x) * np.exp(-SPREAD * np.pi**2 * t)


def main(picture=None):
    """Trains, and prints the largest error anywhere, beside the largest temperature at the end."""
    draw = np.random.default_rng(0)
    shapes = [(2, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 1), (1,)]
    weights = [
        ps.Variable(
            (draw.standard_normal(shape) / shape[0] ** 0.5 * (len(shape) > 1)).astype(np.float32),
            name=f"weights/{number}",
        )
        for number, shape in enumerate(shapes)
    ]
    optimizer = ps.optimizers.Adam(ps.optimizers.schedules.CosineDecay(8e-3, STEPS))
    for _ in range(STEPS):
        x, t, along, beginning = draw.random((4, POINTS)).astype(np.float32)
        ends = (draw.random(POINTS) < 0.5).astype(np.float32)
        x, t = ps.asarray(x), ps.asarray(t)
        with ps.GradientTape() as tape:
            physics = ps.mean(law(weights, x, t) ** 2)
            start = ps.mean((temperature(weights, beginning, 0 * beginning) - exact(beginning, 0)) ** 2)
            rim = ps.mean(temperature(weights, ends, along) ** 2)
            loss = physics + 10.0 * start + 10.0 * rim
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    x, t = np.meshgrid(np.linspace(0, 1, 41, dtype=np.float32), np.linspace(0, 1, 41, dtype=np.float32))
    found = temperature(weights, x.ravel(), t.ravel()).numpy().reshape(x.shape)
    print(
        f"off by {np.abs(found - exact(x, t)).max():.4f} at most; the end has at most {exact(0.5, 1.0):.3f}"
    )
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, panel = plt.subplots(figsize=(5, 3.2))
        for row in (0, 10, 20, 40):
            panel.plot(x[row], found[row], linewidth=2, label=f"t = {t[row, 0]:.2f}")
            panel.plot(x[row], exact(x, t)[row], "--", color="black", linewidth=1)
        panel.set(xlabel="place", ylabel="temperature", title="learned, and exact (dashed)")
        panel.legend(frameon=False, loc="lower center", fontsize=8)
        figure.tight_layout()
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[2:] if sys.argv[1:2] == ["--picture"] else [])
