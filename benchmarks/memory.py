"""Does a long loop that never looks at a value hold memory constant, with a tape a step or one long tape?

Prints resident memory and the nodes of the trace tree at each tenth of the way. Each loop has a process of
its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import penstock as ps

ALLOWED_GROWTH = 4.0
"""Mebibytes between the second tenth, when every plan has its executable, and the end."""


def resident() -> float:
    """Mebibytes of memory this process holds now; where that cannot be asked, the most it has held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Watch:
    """Prints a line at each tenth of the way and remembers the figures."""

    def __init__(self, steps: int) -> None:
        self.start, self.every = time.perf_counter(), max(1, steps // 10)
        self.seen: list[tuple[float, int]] = []
        print(f"{'steps':>10}{'resident MiB':>15}{'tree nodes':>13}{'seconds':>10}")

    def __call__(self, step: int) -> None:
        if step % self.every == 0:
            memory, nodes = resident(), ps.trace_statistics().nodes
            self.seen.append((memory, nodes))
            print(
                f"{step:>10,}{memory:>15.1f}{nodes:>13,}{time.perf_counter() - self.start:>10.1f}", flush=True
            )

    def verdict(self) -> str:
        if len(self.seen) < 3:
            return "too few steps to tell"
        (memory, nodes), (memory_after, nodes_after) = self.seen[1], self.seen[-1]
        growth = memory_after - memory
        constant = growth <= ALLOWED_GROWTH and nodes_after == nodes
        word = "constant" if constant else "NOT CONSTANT"
        return f"{word}: {growth:+.1f} MiB and {nodes_after - nodes:+,} nodes from 20% to 100%"


def plain(steps: int, watch: Watch) -> None:
    """A tape a step, and nobody ever looks."""
    x, y = ps.Variable(0.0), ps.Variable(1.0, trainable=False)
    optimizer = ps.optimizers.SGD(0.1)
    for step in range(1, steps + 1):
        with ps.GradientTape() as tape:
            loss = (x - 2) ** 2 + (y - 3) ** 2
        optimizer.apply_gradients(zip(tape.gradient(loss, [x]), [x]))
        y.assign(y - 0.1 * (2 * (y - 3)))
        watch(step)


def long_tape(steps: int, watch: Watch) -> None:
    """One tape around the whole loop, reset in each pass."""
    x, y = ps.Variable(0.0), ps.Variable(1.0, trainable=False)
    optimizer = ps.optimizers.SGD(0.1)
    with ps.GradientTape(persistent=True) as tape:
        for step in range(1, steps + 1):
            tape.reset()
            loss = (x - 2) ** 2 + (y - 3) ** 2
            optimizer.apply_gradients(zip(tape.gradient(loss, [x]), [x]))
            y.assign(y - 0.1 * (2 * (y - 3)))
            watch(step)


LOOPS: dict[str, Callable[[int, Watch], None]] = {"plain": plain, "long_tape": long_tape}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--loop", choices=LOOPS, help="run this one, here (default: each in its own process)")
    options = parser.parse_args()
    if options.loop:
        watch = Watch(options.steps)
        LOOPS[options.loop](options.steps, watch)
        print(watch.verdict())
        return 0
    for name, loop in LOOPS.items():
        print(f"\n{name}: {loop.__doc__}", flush=True)
        command = [sys.executable, __file__, "--loop", name, "--steps", str(options.steps)]
        status = subprocess.run(command, check=False).returncode
        if status:
            print(f"{name} failed with exit status {status}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
