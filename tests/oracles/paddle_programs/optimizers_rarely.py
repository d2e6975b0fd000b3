"""Optimizers of the rarer kind on one function, for several settings."""

import warnings

import paddle

warnings.simplefilter("ignore")


def trained(make, steps=7):
    x = paddle.to_tensor([4.0, -0.5, 0.01], stop_gradient=False)
    optimizer = make([x])
    for _ in range(steps):
        (x * x - x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return x.numpy().round(4).tolist()


opt = paddle.optimizer
print(trained(lambda p: opt.RAdam(0.1, parameters=p)))
print(trained(lambda p: opt.RAdam(0.1, 0.8, 0.9, parameters=p, weight_decay=0.1), 12))
print(trained(lambda p: opt.Rprop(0.1, parameters=p)))
print(trained(lambda p: opt.Rprop(0.02, (0.01, 0.03), p, (0.3, 1.5)), 12))
print(trained(lambda p: opt.ASGD(0.001, 3, parameters=p)))
print(trained(lambda p: opt.ASGD(0.001, parameters=p, weight_decay=0.1)))
for rate, history in ((1.0, 100), (0.1, 3)):
    x = paddle.to_tensor([1.5, -0.5, 0.2], stop_gradient=False)
    optimizer = opt.LBFGS(rate, max_iter=4, history_size=history, parameters=[x])

    def closure():
        optimizer.clear_grad()
        loss = ((x - 1.0) ** 2 * paddle.to_tensor([1.0, 3.0, 10.0])).sum() + (x[0] * x[1]) ** 2
        loss.backward()
        return loss

    for _ in range(3):
        print(round(float(optimizer.step(closure)), 4), x.numpy().round(4).tolist())
