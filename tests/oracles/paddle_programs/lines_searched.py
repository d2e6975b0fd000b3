"""L-BFGS that searches along its directions, on a valley, a network and a function with a flat floor."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")

rng = np.random.default_rng(0)


def minimized(loss_of, parameters, steps, **options):
    step = paddle.optimizer.LBFGS(line_search_fn="strong_wolfe", parameters=parameters, **options)
    calls, found = 0, []

    def closure():
        nonlocal calls
        calls += 1
        step.clear_grad()
        loss = loss_of()
        loss.backward()
        return loss

    for _ in range(steps):
        found.append(round(float(step.step(closure)), 3))
    return calls, found, round(float(loss_of()), 3)


x = paddle.to_tensor([-1.2, 1.0], dtype="float64", stop_gradient=False)


def valley():
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


print(minimized(valley, [x], 4, max_iter=5), x.numpy().round(3).tolist())
x.set_value(np.array([2.0, -1.0]))
print(minimized(valley, [x], 2, max_iter=10, learning_rate=0.5, history_size=3), x.numpy().round(2).tolist())

w = paddle.to_tensor(rng.normal(size=(3, 4)), stop_gradient=False)
v = paddle.to_tensor(rng.normal(size=(4, 1)), stop_gradient=False)
data = paddle.to_tensor(rng.normal(size=(20, 3)))
target = paddle.sin(data.sum(1, keepdim=True))


def fit():
    return ((paddle.tanh(data @ w) @ v - target) ** 2).mean()


print(minimized(fit, [w, v], 3, max_iter=4))
y = paddle.to_tensor([3.0, -4.0, 0.5], dtype="float64", stop_gradient=False)
print(minimized(lambda: (y**4).sum() + y.sum(), [y], 3, max_iter=6), y.numpy().round(3).tolist())
