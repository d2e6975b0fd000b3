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
from typing import Any, NamedTuple

SECONDS, ROUNDS, FIRST = 2.0, 5, 20
STARTED = "BENCHMARK_STARTED"
"""The environment variable with the time, in seconds since 1970, at which this process was asked for."""
ON_GPU = os.environ.get("BENCHMARK_DEVICE") == "gpu"
"""Whether the frameworks that must be told are to compute on the GPU: `models.py --device gpu`."""
Step = Callable[[], Any]


class Transformer(NamedTuple):
    """The size of a language model of pre-norm blocks, and of its batch."""

    width: int
    heads: int
    blocks: int
    vocabulary: int
    tokens: int
    batch: int


GPT = Transformer(width=256, heads=8, blocks=6, vocabulary=512, tokens=128, batch=8)
GPT_124M = Transformer(width=768, heads=12, blocks=12, vocabulary=50_304, tokens=512, batch=8)
"""As large as the smallest GPT-2: for GPUs."""


def named(gpt: Callable[[Transformer], Any], resnet18: Any, lstm: Callable[[int], Any]) -> dict[str, Any]:
    """Returns the models by their names: `gpt` builds one of a size, `lstm` one of a number of steps."""
    return {
        "gpt": gpt(GPT), "gpt_124m": gpt(GPT_124M), "resnet18": resnet18,
        "lstm_100": lstm(100), "lstm_1000": lstm(1000),
    }  # fmt: skip


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
