"""A forger learns to make numbers that a judge takes for those around 3: its path through the judge is open."""

import numpy as np
import penstock as ps

HIDDEN = 16
draw = np.random.default_rng(3)


def dense(name, inputs, outputs):
    kernel = (draw.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5).astype("float32")
    return [
        ps.Variable(kernel, name=f"{name}/kernel"),
        ps.Variable(np.zeros(outputs, "float32"), name=f"{name}/bias"),
    ]


forger = dense("forger", 1, 1)
judge = dense("judge/first", 1, HIDDEN) + dense("judge/second", HIDDEN, 1)
forger_adam = ps.optimizers.Adam(0.01, beta_1=0.5)
judge_adam = ps.optimizers.Adam(0.01, beta_1=0.5)


def forge(noise):
    kernel, bias = forger
    return noise @ kernel + bias


def verdict(points):
    kernel, bias, last_kernel, last_bias = judge
    return ps.nn.relu(points @ kernel + bias) @ last_kernel + last_bias


def as_though(logits, genuine):
    labels = ps.ones_like(logits) if genuine else ps.zeros_like(logits)
    return ps.mean(ps.losses.sigmoid_cross_entropy(logits, labels))


for turn in range(800):
    genuine = ps.asarray(draw.normal(3.0, 0.5, (64, 1)).astype("float32"))
    noise = ps.asarray(draw.standard_normal((64, 1)).astype("float32"))
    with ps.GradientTape() as tape:
        cost = as_though(verdict(genuine), True) + as_though(verdict(forge(noise)), False)
    judge_adam.apply_gradients(zip(tape.gradient(cost, judge), judge))
    with ps.GradientTape() as tape:
        fooling = as_though(verdict(forge(noise)), True)
    forger_adam.apply_gradients(zip(tape.gradient(fooling, forger), forger))
forged = forge(ps.asarray(draw.standard_normal((1000, 1)).astype("float32"))).numpy()
print(f"forged: mean {forged.mean():.2f}, spread {forged.std():.2f}")
