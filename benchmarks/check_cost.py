"""What a check costs: a step of each workload alone, under `penstock check`, plain, `--split` and `--deep`.

python benchmarks/check_cost.py            # writes results/check.* and docs/check.md
python benchmarks/check_cost.py mlp gan    # some of them, to the screen alone

Every workload has a process of its own, in which the four kinds take turns. Every figure is the mean
processor time of a step in a stretch, and of all stretches of a kind the least: what else the machine did can
only add to that.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import watching

HERE = Path(__file__).parent
WORKLOADS = (
    "two_scalars", "three_weights", "mlp", "actor_critic", "gan", "frozen_backbone", "cnn", "transformer",
    "embedding_sgd", "embedding_adagrad",
)  # fmt: skip
KINDS = ("plain", "check", "split", "deep")
BOUNDS = {
    "check": {"two_scalars": 2.0, "mlp": 1.5},
    "split": dict.fromkeys(WORKLOADS, 5.0),
    "deep": {},
}
ROUNDS, STRETCH, WARM = 2, 0.3, 300
"""So many stretches of a kind, of so many seconds, each after so many steps that do not count."""
LONGEST, LEAST = 1.0, 40
"""Seconds after which no more than LEAST steps are made to warm up: the first are measured more often."""


@contextlib.contextmanager
def watched(kind: str) -> Iterator[None]:
    """Steps inside are watched as the command does, or not at all."""
    from penstock.flow.inspection import Inspection
    from penstock.flow.recorder import Recorder

    if kind == "plain":
        yield
        return
    with Inspection(Recorder(kind == "split"), None, None, kind == "deep"):
        yield


def measure(name: str) -> dict[str, float]:
    """Returns the microseconds of a step of each kind."""
    arguments, sys.argv = sys.argv, ["penstock_steps.py", "list"]
    with contextlib.redirect_stdout(io.StringIO()):
        import penstock_steps
    sys.argv = arguments
    found = dict.fromkeys(KINDS, float("inf"))
    for _ in range(ROUNDS):
        for kind in KINDS:
            gc.collect()
            with watched(kind):
                step = penstock_steps.looped_unwaited(penstock_steps.WORKLOADS[name])
                begun = time.perf_counter()
                for warm in range(WARM):
                    step.run()
                    if warm >= LEAST and time.perf_counter() > begun + LONGEST:
                        break
                step.finish()
                times, began = 0, time.process_time()
                while time.process_time() < began + STRETCH or times < len(KINDS):
                    step.run()
                    times += 1
                step.finish()
                found[kind] = min(found[kind], (time.process_time() - began) / times)
    return {kind: 1e6 * seconds for kind, seconds in found.items()}


def table(rows: dict[str, dict[str, float]]) -> str:
    """Returns the figures as a table of Markdown."""
    lines = [
        "| step | plain us | check us | x plain | aim | split us | x plain | aim | deep us | x plain |",
        "| :--- | -------: | -------: | ------: | :-- | -------: | ------: | :-- | ------: | ------: |",
    ]
    for name, row in rows.items():
        cells = [f"`{name}`", f"{row['plain']:,.0f}"]
        for kind in KINDS[1:]:
            ratio, bound = row[kind] / row["plain"], BOUNDS[kind].get(name)
            aim = "" if bound is None else f"at most {bound:g}, {'met' if ratio <= bound else 'MISSED'}"
            cells += [f"{row[kind]:,.0f}", f"{ratio:.2f}", aim][: 3 if BOUNDS[kind] else 2]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measures the workloads of these names, or all; only the figures of all are written to files."""
    rows = {}
    for name in names or WORKLOADS:
        done = subprocess.run(
            [sys.executable, __file__, "--one", name],
            check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        rows[name] = json.loads(done.stdout)
        print(table({name: rows[name]}).splitlines()[-1], flush=True)
    if names:
        return
    kinds = "The workloads are those of `benchmarks/README.md`, as plain loops."
    watching.write("check", "What a check costs", rows, table(rows), kinds, "check.md")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(sys.argv[1:])
