"""A forger and a judge: learn to draw numbers from a distribution that is known only by samples.

    python examples/gan.py

The forger's gradient passes through the judge, whose variables are not on the list: no barrier is needed
there, and one would cut the only path. In the judge's step, a barrier keeps the forger out of the gradient.
"""

import numpy as np

import penstock as ps

HIDDEN = 16
BATCH = 128
STEPS = 1500
MEAN, SPREAD = 3.0, 0.5


def dense(name, inputs, outputs, draw):
    """Makes the two variables of a dense layer."""
    kernel = draw.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5
    return [
        ps.Variable(kernel.astype(np.float32), name=f"{name}/kernel"),
        ps.Variable(ps.zeros(outputs), name=f"{name}/bias"),
    ]


def forge(forger, noise):
    """Turns noise into numbers."""
    kernel, bias = forger
    return noise @ kernel + bias


def opinion(judge, numbers):
    """Returns a logit for each number: positive where it is taken for a genuine one."""
    first, first_bias, second, second_bias = judge
    return ps.nn.relu(numbers @ first + first_bias) @ second + second_bias


def distance(forged, genuine):
    """The earth mover's distance of two equally large samples: how far sorted values lie apart."""
    return float(np.mean(np.abs(np.sort(forged, axis=0) - np.sort(genuine, axis=0))))


def samples(draw, count=BATCH):
    """Draws genuine numbers and noise."""
    genuine = draw.normal(MEAN, SPREAD, (count, 1)).astype(np.float32)
    return genuine, draw.standard_normal((count, 1)).astype(np.float32)


def main():
    """Trains both, and prints how far the forgeries are from genuine numbers, before and after."""
    draw = np.random.default_rng(0)
    forger = dense("forger", 1, 1, draw)
    judge = dense("judge/first", 1, HIDDEN, draw) + dense("judge/second", HIDDEN, 1, draw)
    forger_optimizer = ps.optimizers.Adam(0.005, beta_1=0.5)
    judge_optimizer = ps.optimizers.Adam(0.01, beta_1=0.5)
    held_back, held_noise = samples(draw, 4000)
    before = distance(forge(forger, ps.asarray(held_noise)).numpy(), held_back)

    for _ in range(STEPS):
        genuine, noise = map(ps.asarray, samples(draw))
        with ps.GradientTape() as tape:
            forged = ps.stop_gradient(forge(forger, noise))
            trust = ps.mean(ps.nn.softplus(-opinion(judge, genuine)))
            doubt = ps.mean(ps.nn.softplus(opinion(judge, forged)))
            loss = trust + doubt
        judge_optimizer.apply_gradients(zip(tape.gradient(loss, judge), judge))

        with ps.GradientTape() as tape:
            fooling = ps.mean(ps.nn.softplus(-opinion(judge, forge(forger, noise))))
        forger_optimizer.apply_gradients(zip(tape.gradient(fooling, forger), forger))

    forged = forge(forger, ps.asarray(held_noise)).numpy()
    print(f"distance before {before:.3f}, after {distance(forged, held_back):.3f}")
    print(f"forged numbers: mean {forged.mean():.2f}, spread {forged.std():.2f}")


if __name__ == "__main__":
    main()
