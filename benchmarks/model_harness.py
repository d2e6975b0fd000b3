"""Times one training step of one model in a process of its own: each models file ends by calling `main`.

`python FRAMEWORK_models.py list` prints the models and their modes; `python FRAMEWORK_models.py MODEL MODE`
prints one JSON line.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

SECONDS, ROUNDS, FIRST = 2.0, 5, 20
STARTED = "BENCHMARK_STARTED"
"""The environment variable with the time, in seconds since 1970, at which this process was asked for."""
Step = Callable[[], Any]


def measure(step: Step) -> dict[str, float]:
    """Returns the seconds of the first step, of the first 20 together, and of a step after these.

    A round has as many steps as take a fifth of two seconds; `median` is that of the rounds. `beyond_20` is
    what the first 20 took beyond 20 such steps, `process_20` what they took with all that the process did
    before them: a framework may import its compiler before its first step or in it.
    """
    start = time.perf_counter()
    step()
    first = time.perf_counter() - start
    for _ in range(FIRST - 1):
        step()
    first_20 = time.perf_counter() - start
    process_20 = time.time() - float(os.environ.get(STARTED, "nan"))
    start = time.perf_counter()
    step()
    once = max(time.perf_counter() - start, 1e-7)
    count = max(1, int(SECONDS / ROUNDS / once))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            step()
        times.append((time.perf_counter() - start) / count)
    median = sorted(times)[ROUNDS // 2]
    return {"first": first, "first_20": first_20, "beyond_20": first_20 - FIRST * median,
            "process_20": process_20, "min": min(times), "median": median}  # fmt: skip


def main(models: dict[str, dict[str, Callable[[], Step]]]) -> None:
    if sys.argv[1:] == ["list"]:
        for name, modes in models.items():
            print(name, *modes)
        return
    name, mode = sys.argv[1:3]
    found = measure(models[name][mode]())
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))
