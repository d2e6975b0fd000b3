"""Two adversaries, each with an optimizer of its own; the forger learns through the judge."""

import numpy as np

import penstock as ps

ps.random.seed(0)
rng = np.random.default_rng(0)
forger = ps.layers.Sequential([ps.layers.Dense(8, activation="relu"), ps.layers.Dense(1)], name="forger")
judge = ps.layers.Sequential([ps.layers.Dense(8, activation="relu"), ps.layers.Dense(1)], name="judge")
forger(ps.zeros((1, 2)))
judge(ps.zeros((1, 1)))
forger_optimizer, judge_optimizer = ps.optimizers.Adam(0.01), ps.optimizers.Adam(0.01)


def entropy(logits, wanted):
    return ps.mean(ps.nn.softplus(logits) - wanted * logits)


for turn in range(6):
    real = ps.asarray((3.0 + 0.5 * rng.standard_normal((16, 1))).astype(np.float32))
    noise = ps.asarray(rng.standard_normal((16, 2)).astype(np.float32))
    with ps.GradientTape() as tape:
        fake = ps.stop_gradient(forger(noise))
        loss = entropy(judge(real), 1.0) + entropy(judge(fake), 0.0)
    judge_optimizer.apply_gradients(
        zip(tape.gradient(loss, judge.trainable_variables), judge.trainable_variables)
    )
    with ps.GradientTape() as tape:
        fooling = entropy(judge(forger(noise)), 1.0)
    forger_optimizer.apply_gradients(
        zip(tape.gradient(fooling, forger.trainable_variables), forger.trainable_variables)
    )
print(float(fooling))
