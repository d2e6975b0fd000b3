"""Times one training step of one framework in a process of its own: each steps file ends by calling `main`.

`python FRAMEWORK_steps.py list` prints the workloads and their modes. `python FRAMEWORK_steps.py WORKLOAD
MODE` prints one JSON line; with `--changes` it also says what the first steps do to every parameter, so
that frameworks can be held against one another.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from data import leaves

STEPS_COMPARED = (2, 20)
WARM_UP_SECONDS, WARM_UP_FEWEST, WARM_UP_MOST = 0.5, 20, 2_000
MOST_STEPS_A_ROUND = 20_000


def nothing() -> None:
    """What is left to do at the end of a loop whose every step has waited for its values."""


class Step(NamedTuple):
    """A training step ready to run: `parameters()` gives the nest of current values as NumPy arrays."""

    run: Callable[[], Any]
    parameters: Callable[[], Any]
    finish: Callable[[], Any] = nothing  # for a step that returns before its new values exist


class Times(NamedTuple):
    first: float
    minimum: float
    median: float


def finished(step: Step) -> Step:
    """A peer's step that Penstock runs returns before its values exist: the loop is waited for at its end."""
    penstock = sys.modules.get("penstock")
    return step if penstock is None or step.finish is not nothing else step._replace(finish=penstock.wait)


def warm_up(step: Step) -> float:
    """Runs steps until compilers and caches have had their turn; gives the seconds of a step after that."""
    start, count = time.perf_counter(), 0
    while count < WARM_UP_FEWEST or (count < WARM_UP_MOST and time.perf_counter() - start < WARM_UP_SECONDS):
        step.run()
        count += 1
    step.finish()
    start = time.perf_counter()
    for _ in range(3):
        step.run()
    step.finish()
    return max((time.perf_counter() - start) / 3, 1e-7)


def measure(step: Step, first: float, seconds: float = 2.0, rounds: int = 5) -> Times:
    """Minimum and median over `rounds` of the mean seconds a step; together they last about `seconds`."""
    steps = max(1, min(MOST_STEPS_A_ROUND, int(seconds / rounds / warm_up(step))))
    run, times = step.run, []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(steps):
            run()
        step.finish()
        times.append((time.perf_counter() - start) / steps)
    times.sort()
    return Times(first, times[0], times[len(times) // 2])


def first_step(step: Step) -> float:
    start = time.perf_counter()
    step.run()
    step.finish()
    return time.perf_counter() - start


def changes(step: Step) -> list[float]:
    """Root mean square of what the first steps change: one number a parameter, at each count of steps."""
    before = [np.array(leaf) for leaf in leaves(step.parameters())]
    found, done = [], 0
    for count in STEPS_COMPARED:
        for _ in range(count - done):
            step.run()
        step.finish()
        done = count
        for new, old in zip(leaves(step.parameters()), before):
            found.append(float(np.sqrt(np.mean(np.square(np.asarray(new, np.float64) - old)))))
    return found


def peak_mebibytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def main(framework: str, workloads: dict[str, dict[str, Callable[[], Step]]]) -> None:
    words = sys.argv[1:]
    if words == ["list"]:
        for name, modes in workloads.items():
            print(name, *modes)
        return
    name, mode = words[:2]
    build = workloads[name][mode]
    step = finished(build())
    first = first_step(step)
    result: dict[str, Any] = {"framework": framework, "workload": name, "mode": mode}
    result["jax_loaded_by_first_step"] = "jax" in sys.modules
    result |= measure(step, first)._asdict()
    result["peak_mebibytes"] = peak_mebibytes()
    if "--changes" in words:
        del step
        result["changes"] = changes(finished(build()))
    print(json.dumps(result))
