"""Measures real models in Penstock, PyTorch and JAX with Flax; writes results/models.md and models.json.

`python benchmarks/models.py [--models gpt,lstm_100] [--modes loop,eager,jit] [--rounds 3]`. Beside a step it
measures the first twenty steps of a fresh process, the same in a second process of the same program, and peak
memory. The rows of one model take turns; a run with `--models` replaces these models in the results and
leaves the others as they are, with the circumstances of each.
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


def measured(
    models: list[str], modes: list[str], rounds: int
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Returns, by model and row, the figures of each round; rows take turns within a round."""
    table: dict[str, dict[str, list[dict[str, float]]]] = {
        model: {" ".join(row): [] for row in ROWS if row[1] in modes} for model in models
    }
    for number in range(rounds):
        for model in models:
            for framework, mode in (row for row in ROWS if row[1] in modes):
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


def page(table: dict[str, dict[str, list[dict[str, float]]]], abouts: dict[str, dict[str, Any]]) -> str:
    """Returns the figures as a page: medians over the rounds, with the circumstances of each model's run."""
    lines = ["# Real models"]
    for model, rows in table.items():
        lines += ["", f"## {model}", "", *(f"- {name}: {value}" for name, value in abouts[model].items()), ""]
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
    parser.add_argument("--modes", default="loop,eager,compile,jit")
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
    table = measured(models, options.modes.split(","), options.rounds)
    about = circumstances(["penstock", "torch", "jax"], options.rounds, noise.cores())
    file = HERE / "results" / "models.json"
    kept = json.loads(file.read_text()) if file.exists() else {"about": {}, "models": {}}
    for model in models:
        kept["about"][model], kept["models"][model] = about, table[model]
    kept = {
        key: {name: kept[key][name] for name in MODELS if name in kept[key]} for key in ("about", "models")
    }
    text = page(kept["models"], kept["about"])
    (HERE / "results" / "models.md").write_text(text)
    file.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"\n{text}\nWritten to benchmarks/results/models.md and models.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
