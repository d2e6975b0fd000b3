"""Learning rates that rise and fall, step by step."""

from paddle.optimizer import lr

kinds = (
    lr.MultiplicativeDecay(0.5, lambda epoch: 0.9 + 0.01 * epoch),
    lr.LinearLR(0.5, 5), lr.LinearLR(0.5, 4, 0.5, 0.1),
    lr.CosineAnnealingWarmRestarts(0.5, 3), lr.CosineAnnealingWarmRestarts(0.5, 2, 2, 0.1),
    lr.OneCycleLR(1.0, 12), lr.OneCycleLR(1.0, 12, 10.0, 0.01, 0.4, "linear"), lr.OneCycleLR(1.0, 12, three_phase=True),
    lr.CyclicLR(0.1, 0.5, 3), lr.CyclicLR(0.1, 0.5, 3, 2, "triangular2"), lr.CyclicLR(0.1, 0.5, 2, mode="exp_range", exp_gamma=0.9),
    lr.CyclicLR(0.1, 0.5, 2, scale_fn=lambda x: 1 / x, scale_mode="cycle"),
)
for kind in kinds:
    rates = []
    for _ in range(12):
        rates.append(round(kind(), 6))
        kind.step()
    print(type(kind).__name__, rates)
