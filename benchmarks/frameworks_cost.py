"""What watching a PyTorch program costs: a step alone, one that is recorded whole, and one that is counted.

python benchmarks/frameworks_cost.py            # writes results/frameworks.* and docs/frameworks.md
python benchmarks/frameworks_cost.py mlp tiny   # some of them, to the screen alone

It needs PyTorch in the Python that runs it. The three kinds of steps take turns, in one process and one
thread. Every figure is the mean processor time of a step in a stretch, those included whose writes are
measured, and of all stretches of a kind the least: what else the machine did can only add to that.

The allocator of the C library is told to keep the memory that it has. Left to itself it gives the end of the
heap back after each step of the cnn, or does not, as it happens to lie: between none and two thousand page
faults a step, with a report and without, which is as much as a third of the step.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

import torch
import watching
from torch import nn
from torch.nn import functional as F

from penstock.flow.inspection import Inspection
from penstock.frameworks.torch.source import Torch

ROUNDS, STRETCH, WARM = 4, 0.25, 40
"""After WARM steps a program has seen its first updates measured and its first paths looked at."""
KEEP = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
"""What tells the allocator of GNU's C library to keep memory; others do not read it."""
BOUNDS = {
    "recording": {"mlp": 2.0, "transformer": 2.0},
    "counting": dict.fromkeys(("mlp", "cnn", "transformer"), 1.1),
}
BOUNDS["counting"]["tiny"] = 2.0


def tiny() -> Callable[[], None]:
    """Linear(4, 1), SGD: the step is little but the overhead of its calls."""
    net, x = nn.Linear(4, 1), torch.randn(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)

    def step() -> None:
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()

    return step


def mlp() -> Callable[[], None]:
    """784-256-256-10, batch 64, Adam."""
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.randn(64, 784), torch.randint(10, (64,))

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


def cnn() -> Callable[[], None]:
    """Two convolutions with BatchNorm, batch 32 of 1x28x28, SGD with momentum."""
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3),
        nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    x, y = torch.randn(32, 1, 28, 28), torch.randint(10, (32,))

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


def transformer() -> Callable[[], None]:
    """Two encoder layers, width 64, 4 heads, 16 tokens, batch 8, Adam."""
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
    net, head = nn.TransformerEncoder(layer, 2), nn.Linear(64, 10)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
    x, y = torch.randn(8, 16, 64), torch.randint(10, (8, 16))

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(head(net(x)).flatten(0, 1), y.flatten()).backward()
        optimizer.step()

    return step


PROGRAMS = {"tiny": tiny, "mlp": mlp, "cnn": cnn, "transformer": transformer}


@contextlib.contextmanager
def watched(recorded: bool) -> Iterator[None]:
    """Steps inside are watched: each recorded call by call, or counted from the fifth on."""
    with Inspection(Torch(whole=10**9) if recorded else Torch(), None, None):
        yield


def measure(make: Callable[[], Callable[[], None]]) -> dict[str, float]:
    """Returns the microseconds of a step of each kind."""

    def seconds() -> float:
        torch.manual_seed(0)
        # The first updates are measured, and few steps are recorded whole in a program that is run.
        return watching.mean(make(), WARM, STRETCH)

    return watching.least(ROUNDS, watched, seconds)


def table(rows: dict[str, dict[str, float]]) -> str:
    """Returns the figures as a table of Markdown."""
    lines = [
        "| step | plain us | recorded us | x plain | aim | counted us | x plain | aim |",
        "| :--- | -------: | ----------: | ------: | :-- | ---------: | ------: | :-- |",
    ]
    for name, row in rows.items():
        cells = [name, f"{row['plain']:,.0f}"]
        for kind in ("recording", "counting"):
            ratio, bound = row[kind] / row["plain"], BOUNDS[kind].get(name)
            aim = "" if bound is None else f"at most {bound:g}, {'met' if ratio <= bound else 'MISSED'}"
            cells += [f"{row[kind]:,.0f}", f"{ratio:.2f}", aim]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measures the programs of these names, or all; only the figures of all are written to files."""
    if any(os.environ.get(name) != value for name, value in KEEP.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})
    torch.set_num_threads(1)
    rows = {name: measure(PROGRAMS[name]) for name in names or PROGRAMS}
    print(table(rows))
    if names:
        return
    kinds = "\n".join(f"- `{name}`: {PROGRAMS[name].__doc__}" for name in rows)
    versions = {"PyTorch": torch.__version__, "threads": 1}
    watching.write(
        "frameworks", "What watching PyTorch costs", rows, table(rows), kinds, "frameworks.md", versions
    )


if __name__ == "__main__":
    main(sys.argv[1:])
