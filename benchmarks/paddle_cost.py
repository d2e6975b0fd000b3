"""What watching a PaddlePaddle program costs: a step alone, one recorded whole, and one that is counted.

python benchmarks/paddle_cost.py            # writes results/paddle.* and docs/frameworks.md
python benchmarks/paddle_cost.py mlp tiny   # some of them, to the screen alone

It needs PaddlePaddle in the Python that runs it. The three kinds of steps take turns, in one process. Every
figure is the mean processor time of a step in a stretch, those included whose writes are measured, and of all
stretches of a kind the least: what else the machine did can only add to that.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

import paddle
import watching
from paddle import nn
from paddle.nn import functional as F

from penstock.flow.inspection import Inspection
from penstock.frameworks.paddle.source import Paddle

ROUNDS, STRETCH, WARM = 4, 0.3, 40
"""After WARM steps a program has seen its first updates measured and its first paths looked at."""


def trained(net: nn.Layer, x: paddle.Tensor, y: paddle.Tensor, optimizer: object) -> Callable[[], None]:
    """Returns a step that trains a classifier."""

    def step() -> None:
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return step


def tiny() -> Callable[[], None]:
    """Linear(4, 1), SGD: the step is little but the overhead of its calls."""
    net, x = nn.Linear(4, 1), paddle.randn([8, 4])
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())

    def step() -> None:
        net(x).square().mean().backward()
        optimizer.step()
        optimizer.clear_grad()

    return step


def mlp() -> Callable[[], None]:
    """784-256-256-10, batch 64, Adam."""
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    return trained(net, paddle.randn([64, 784]), paddle.randint(0, 10, [64]), optimizer)


def cnn() -> Callable[[], None]:
    """Two convolutions with BatchNorm, batch 32 of 1x28x28, SGD with momentum."""
    net = nn.Sequential(
        nn.Conv2D(1, 16, 3), nn.BatchNorm2D(16), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(16, 32, 3), nn.BatchNorm2D(32), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(800, 10),
    )  # fmt: skip
    optimizer = paddle.optimizer.Momentum(0.01, parameters=net.parameters())
    return trained(net, paddle.randn([32, 1, 28, 28]), paddle.randint(0, 10, [32]), optimizer)


PROGRAMS = {"tiny": tiny, "mlp": mlp, "cnn": cnn}


@contextlib.contextmanager
def watched(recorded: bool) -> Iterator[None]:
    """Steps inside are watched: each recorded whole, or counted after the first ones."""
    with Inspection(Paddle(whole=10**9) if recorded else Paddle(), None, None):
        yield


def measure(name: str) -> dict[str, float]:
    """Returns the microseconds of a step of each kind."""

    def seconds() -> float:
        paddle.seed(0)
        return watching.mean(PROGRAMS[name](), WARM, STRETCH)

    return watching.least(ROUNDS, watched, seconds)


def main(names: list[str]) -> None:
    """Measures the programs of these names, or all; only the figures of all are written to files."""
    rows = {name: measure(name) for name in names or PROGRAMS}
    print(watching.table(rows))
    if names:
        return
    kinds = "\n".join(f"- `{name}`: {PROGRAMS[name].__doc__}" for name in rows)
    versions = {"PaddlePaddle": paddle.__version__}
    watching.write(
        "paddle", "What watching PaddlePaddle costs", rows, watching.table(rows), kinds, "frameworks.md",
        versions, mark="paddle cost",
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
