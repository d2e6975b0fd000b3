"""The workloads in HIPS autograd, the optimizers written in NumPy as its users write them."""

import autograd.numpy as np
import data
from autograd import grad
from harness import Step, main


def two_scalars():
    x, y = 0.0, 1.0
    slope = grad(lambda x, y: (x - 2) ** 2 + (y - 3) ** 2)

    def step():
        nonlocal x, y
        x = x - 0.1 * slope(x, y)
        y = y - 0.1 * (2 * (y - 3))

    return Step(step, lambda: [x, y])


def three_weights():
    weights, inputs = data.three_weights()
    w1, w2, w3 = weights.values()
    x = inputs["x"]
    slope = grad(lambda w1, target: np.mean((np.dot(x, w1) - target) ** 2))

    def step():
        nonlocal w1
        w1 = w1 - 0.1 * slope(w1, np.dot(x, w2 * w3))

    return Step(step, lambda: [w1])


def mlp():
    parameters, inputs = data.mlp()
    parameters = list(parameters.values())
    x, labels = inputs["x"], inputs["labels"]
    rows = np.arange(64)
    means, squares = [p * 0 for p in parameters], [p * 0 for p in parameters]
    count = 0

    def loss(p):
        logits = np.maximum(np.dot(x, p[0]) + p[1], 0) @ p[2] + p[3]
        logits = logits - np.max(logits, 1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(logits), 1)) - logits[rows, labels])

    slope = grad(loss)

    def step():
        nonlocal count
        count += 1
        for i, gradient in enumerate(slope(parameters)):
            means[i] = 0.9 * means[i] + 0.1 * gradient
            squares[i] = 0.999 * squares[i] + 0.001 * gradient * gradient
            mean, square = means[i] / (1 - 0.9**count), squares[i] / (1 - 0.999**count)
            parameters[i] = parameters[i] - 1e-3 * mean / (np.sqrt(square) + 1e-8)

    return Step(step, lambda: parameters)


main(
    "autograd",
    {
        "two_scalars": {"eager": two_scalars},
        "three_weights": {"eager": three_weights},
        "mlp": {"eager": mlp},
    },
)
