"""Measures real models in Penstock, PyTorch and JAX with Flax; writes results/models.md and models.json.

`python benchmarks/models.py [--models gpt,lstm_100] [--rounds 3]`. Beside a step it measures the first twenty
steps of a fresh process, the same in a second process of the same program, and peak memory.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from environments import AS_INSTALLED, HERE, interpreter, make_missing
from noise import Noise
from report import circumstances, lined_up

MODELS = ("gpt", "resnet18", "lstm_100", "lstm_1000")
ROWS = (("penstock", "loop"), ("torch", "eager"), ("torch", "compile"), ("jax", "jit"))
LIMIT = 900
"""Seconds after which a process is given up."""


def once(framework: str, model: str, mode: str, folder: str) -> dict[str, float] | None:
    """Runs one model in a fresh process; returns its figures, or None if it failed."""
    python = sys.executable if framework == "penstock" else str(interpreter(framework))
    command = [python, str(HERE / f"{framework}_models.py"), model, mode]
    environment = {**AS_INSTALLED, "PENSTOCK_CACHE_DIR": folder, "PENSTOCK_QUIET": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print("\n".join(done.stderr.strip().splitlines()[-3:]))
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(models: list[str], rounds: int) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Returns, by model and row, the figures of each round; rows take turns within a round."""
    table: dict[str, dict[str, list[dict[str, float]]]] = {
        model: {" ".join(row): [] for row in ROWS} for model in models
    }
    for number in range(rounds):
        for model in models:
            for framework, mode in ROWS:
                folder = tempfile.mkdtemp(prefix="penstock-bench-")
                try:
                    found = once(framework, model, mode, folder)
                    again = once(framework, model, mode, folder) if framework == "penstock" else None
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                if found is None:
                    continue
                if again is not None:
                    found["second_20"] = again["first_20"]
                table[model][f"{framework} {mode}"].append(found)
                print(number + 1, model, framework, mode, json.dumps(found), flush=True)
    return table


def page(table: dict[str, dict[str, list[dict[str, float]]]], about: dict[str, Any]) -> str:
    """Returns the figures as a page: medians over the rounds."""
    lines = ["# Real models", ""]
    lines += [f"- {name}: {value}" for name, value in about.items()]
    for model, rows in table.items():
        lines += ["", f"## {model}", ""]
        body = []
        for name, rounds in rows.items():
            if not rounds:
                body.append([name, "failed", "", "", ""])
                continue
            middle = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
            second = f"{middle['second_20']:.2f}" if "second_20" in middle else ""
            body.append([
                name, f"{middle['median'] * 1e3:.1f}", f"{middle['first_20']:.2f}", second,
                f"{middle['peak_mib']:,.0f}",
            ])  # fmt: skip
        header = ["", "step ms", "first 20 s", "in a second process s", "peak MiB"]
        lines += lined_up(header, body, 1)
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    models = [name for name in options.models.split(",") if name]
    for name in models:
        if name not in MODELS:
            parser.error(f"there is no {name!r}; there are {', '.join(MODELS)}")
    missing = make_missing(["torch", "jax"])
    if missing:
        parser.error(f"environments could not be made: {', '.join(missing)}")
    noise = Noise()
    table = measured(models, options.rounds)
    about = circumstances(["penstock", "torch", "jax"], options.rounds, noise.cores())
    text = page(table, about)
    results = HERE / "results"
    name = "models" if set(models) == set(MODELS) else "partial"
    (results / f"{name}.md").write_text(text)
    (results / f"{name}.json").write_text(json.dumps({"about": about, "models": table}, indent=1) + "\n")
    print(f"\n{text}\nWritten to benchmarks/results/{name}.md and {name}.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
