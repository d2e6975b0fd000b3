"""A scheduler says the learning rate."""

import paddle

lr = paddle.optimizer.lr
for scheduler in (
    lr.StepDecay(0.5, step_size=2, gamma=0.1),
    lr.MultiStepDecay(0.5, milestones=[1, 3], gamma=0.1),
    lr.ExponentialDecay(0.5, gamma=0.9),
    lr.CosineAnnealingDecay(0.5, T_max=4),
    lr.PolynomialDecay(0.5, decay_steps=4, end_lr=0.1),
    lr.LinearWarmup(0.5, warmup_steps=3, start_lr=0.0, end_lr=0.5),
    lr.PiecewiseDecay([2, 4], [0.5, 0.25, 0.1]),
    lr.NoamDecay(16, 3),
    lr.LambdaDecay(0.5, lambda epoch: 0.9**epoch),
    lr.InverseTimeDecay(0.5, gamma=0.5),
    lr.NaturalExpDecay(0.5, gamma=0.5),
):
    rates = []
    for _ in range(6):
        rates.append(round(scheduler.get_lr() if callable(scheduler) is False else scheduler(), 6))
        scheduler.step()
    print(type(scheduler).__name__, rates)
