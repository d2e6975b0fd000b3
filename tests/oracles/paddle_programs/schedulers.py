"""Schedulers of learning rates: steps, named epochs, what they save, and arguments that they refuse."""

import warnings

import paddle
from paddle.optimizer import lr

warnings.simplefilter("ignore")
MADE = {
    "noam": lambda: lr.NoamDecay(64, 4, verbose=True),
    "piecewise": lambda: lr.PiecewiseDecay([2, 4], [0.1, 0.2, 0.3], verbose=True),
    "natural": lambda: lr.NaturalExpDecay(0.5, 0.1),
    "inverse": lambda: lr.InverseTimeDecay(0.5, 0.1),
    "exponential": lambda: lr.ExponentialDecay(0.5, 0.9),
    "polynomial": lambda: lr.PolynomialDecay(0.5, 4, 0.01, 2.0),
    "in cycles": lambda: lr.PolynomialDecay(0.5, 4, cycle=True),
    "warm": lambda: lr.LinearWarmup(0.5, 3, 0.0, 0.5),
    "warm, then steps": lambda: lr.LinearWarmup(lr.StepDecay(0.5, 2), 3, 0.0, 0.5),
    "steps": lambda: lr.StepDecay(0.5, 2),
    "milestones": lambda: lr.MultiStepDecay(0.5, [2, 4]),
    "lambda": lambda: lr.LambdaDecay(0.5, lambda epoch: 0.95**epoch),
    "factors": lambda: lr.MultiplicativeDecay(0.5, lambda epoch: 0.95),
    "cosine": lambda: lr.CosineAnnealingDecay(0.5, 4, 0.01),
    "restarts": lambda: lr.CosineAnnealingWarmRestarts(0.5, 2, 2, verbose=True),
    "one cycle": lambda: lr.OneCycleLR(1.0, 8),
    "three phases": lambda: lr.OneCycleLR(1.0, 8, three_phase=True, anneal_strategy="linear"),
    "cycles": lambda: lr.CyclicLR(0.5, 1.0, 2, 3),
    "lower cycles": lambda: lr.CyclicLR(0.5, 1.0, 2, mode="exp_range", exp_gamma=0.9),
    "linear": lambda: lr.LinearLR(0.5, 5),
}
for name, made in MADE.items():
    scheduler, found = made(), []
    for _ in range(7):
        found.append(round(scheduler(), 9))
        scheduler.step()
    print(name, found)
    scheduler = made()
    scheduler.step(3)
    found = [scheduler()]
    scheduler.step(5)
    print([round(one, 9) for one in (*found, scheduler())], scheduler.last_epoch)
    print(sorted(scheduler.state_dict()))
    other = made()
    other.set_state_dict(scheduler.state_dict())
    other.step()
    print(round(other(), 9), other.last_epoch)

plateau = lr.ReduceOnPlateau(1.0, patience=1, cooldown=1, verbose=True)
for metric in (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.6, 0.7, 0.8):
    plateau.step(paddle.to_tensor(metric))
print(plateau(), sorted(plateau.state_dict().items()))


class Listed(lr.LRScheduler):
    """A scheduler of one's own, whose rate is a list, and which saves more."""

    def __init__(self, rate):
        self.factor = 3
        super().__init__(rate)

    def get_lr(self):
        """The rate, in a list."""
        return [self.base_lr * self.factor]

    def state_keys(self):
        """What is saved."""
        self.keys = ["last_epoch", "last_lr", "factor"]


own = Listed(0.25)
print(own(), own.state_dict())
own.set_state_dict({"last_epoch": 4, "last_lr": [0.2], "factor": 5, "more": 1})
print(own(), own.factor)
own.step()
print(own(), own.last_epoch)
REFUSED = (
    lambda: own.set_state_dict({"last_epoch": 1}),
    lambda: lr.StepDecay("0.1", 2),
    lambda: lr.StepDecay(-1.0, 2),
    lambda: lr.StepDecay(0.1, 2.5),
    lambda: lr.StepDecay(0.1, 2, 1.5),
    lambda: lr.MultiStepDecay(0.1, 3),
    lambda: lr.MultiStepDecay(0.1, [3, 2]),
    lambda: lr.ExponentialDecay(0.1, 2.0),
    lambda: lr.PolynomialDecay(0.1, 0),
    lambda: lr.PolynomialDecay(0.1, 3, power=-1.0),
    lambda: lr.LinearWarmup("a", 3, 0.0, 0.5),
    lambda: lr.LinearWarmup(0.5, 3.0, 0.0, 0.5),
    lambda: lr.LinearWarmup(0.5, 3, 1.0, 0.5),
    lambda: lr.CosineAnnealingDecay(0.1, 3.0),
    lambda: lr.CosineAnnealingDecay(0.1, 0),
    lambda: lr.LambdaDecay(0.1, 3),
    lambda: lr.MultiplicativeDecay(0.1, 2),
    lambda: lr.NoamDecay(0, 4),
    lambda: lr.PiecewiseDecay([1], [0.1]),
    lambda: lr.OneCycleLR("a", 3),
    lambda: lr.OneCycleLR(1.0, 0),
    lambda: lr.CyclicLR(0.1, 1.0, 0),
    lambda: lr.LinearLR(0.1, 0),
    lambda: lr.CosineAnnealingWarmRestarts(0.1, 0),
    lambda: lr.ReduceOnPlateau(1.0, mode="up"),
    lambda: lr.ReduceOnPlateau(1.0, factor=2.0),
    lambda: lr.ReduceOnPlateau(1.0).step("a"),
    lambda: lr.ReduceOnPlateau(1.0).step(paddle.ones([2])),
)
for made in REFUSED:
    try:
        made()
    except (TypeError, ValueError, AssertionError, RuntimeError) as error:
        kinds = (TypeError, ValueError, AssertionError, RuntimeError)
        print(next(kind.__name__ for kind in kinds if isinstance(error, kind)), str(error).splitlines()[0])
