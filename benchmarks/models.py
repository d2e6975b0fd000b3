"""Measures real models in Penstock, PyTorch and JAX with Flax; writes results/models.md and models.json.

`python benchmarks/models.py [--models gpt,lstm_100] [--modes loop,eager,jit] [--rounds 3]`. Beside a step it
measures the first twenty steps of a fresh process, the same in a second process of the same program, and peak
memory. "Beyond" is what the first twenty took beyond twenty later steps: importing, recording, compiling.
"With the process" counts from the start of the process, all imports included. The rows of one model take
turns; a run with `--models` replaces these models in the results and leaves the others as they are, with the
circumstances of each.

`--device gpu` measures on a GPU instead, a GPT of 124 million parameters too, and writes results/gpu.md and
gpu.json; `--here` takes PyTorch and JAX from the Python that runs this program.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

from compare import PROCESSOR_ONLY
from environments import AS_INSTALLED, HERE, interpreter, make_missing
from model_harness import STARTED
from noise import Noise
from report import circumstances, lined_up

MODELS = ("gpt", "resnet18", "lstm_100", "lstm_1000")
ON_GPU = ("gpt", "gpt_124m", "resnet18", "lstm_100", "lstm_1000")


class Row(NamedTuple):
    """One way to run a model: the framework, its mode, and settings of the environment with their name."""

    framework: str
    mode: str
    named: str = ""
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return " ".join(filter(None, [self.framework, self.mode, self.named]))


ROWS = (Row("penstock", "loop"), Row("torch", "eager"), Row("torch", "compile"), Row("jax", "jit"))
TF32 = Row("penstock", "loop", "(TF32)", (("JAX_DEFAULT_MATMUL_PRECISION", "tensorfloat32"),))
"""With the products that JAX's users get on a GPU by default."""
FIRST_20 = ("first_20", "beyond_20", "process_20")
BOUNDS = (
    ("step", "median", {"gpt": 1.0, "resnet18": 1.2, "lstm_100": 1.5, "lstm_1000": 1.5}, "torch eager"),
    ("step", "median", {"lstm_100": 0.8}, "jax jit"),
    ("first 20", "first_20", dict.fromkeys(MODELS, 0.7), "jax jit"),
    # From the start of the process: JAX is imported before its first step, and by Penstock in it.
    ("first 20, with the process", "process_20", dict.fromkeys(MODELS, 0.7), "jax jit"),
    ("peak", "peak_mib", dict.fromkeys(MODELS, 1.2), "torch eager"),
)
"""What is to be reached: its name, the figure, at most so many times which row."""
AGAIN = 0.3
"""The first 20 steps in a second process are to take at most this part of those in the first."""
LIMIT = 900
"""Seconds after which a process is given up."""


def once(row: Row, model: str, folder: str, device: str, here: bool) -> dict[str, float] | None:
    """Runs one model in a fresh process; returns its figures, or None if it failed."""
    python = sys.executable if here or row.framework == "penstock" else str(interpreter(row.framework))
    command = [python, str(HERE / f"{row.framework}_models.py"), model, row.mode]
    environment = {**AS_INSTALLED, "PENSTOCK_CACHE_DIR": folder, "PENSTOCK_QUIET": "1", **dict(row.settings)}
    environment |= {"BENCHMARK_DEVICE": device, **(PROCESSOR_ONLY if device == "cpu" else {})}
    environment[STARTED] = repr(time.time())
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
    models: list[str], modes: list[str], rounds: int, device: str = "cpu", here: bool = False
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Returns, by model and row, the figures of each round; rows take turns within a round."""
    rows = [row for row in (*ROWS, *([TF32] if device == "gpu" else [])) if row.mode in modes]
    table: dict[str, dict[str, list[dict[str, float]]]] = {
        model: {row.name: [] for row in rows} for model in models
    }
    for number in range(rounds):
        for model in models:
            for row in rows:
                folder = tempfile.mkdtemp(prefix="penstock-bench-")
                try:
                    found = once(row, model, folder, device, here)
                    again = once(row, model, folder, device, here) if row == ROWS[0] else None
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                if found is None:
                    continue
                if again is not None:
                    found |= {f"second_{key}": again[key] for key in FIRST_20}
                table[model][row.name].append(found)
                print(number + 1, model, row.name, json.dumps(found), flush=True)
    return table


def middle(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Returns the medians over the rounds."""
    return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}


def targets(model: str, rows: dict[str, list[dict[str, float]]]) -> list[str]:
    """Returns a line for each target of a model whose rows were measured."""
    found = {name: middle(rounds) for name, rounds in rows.items() if rounds}
    own, lines = found.get("penstock loop"), []
    if own is None:
        return []
    for name, key, bounds, peer in BOUNDS:
        # Figures of an earlier run may lack a column that is new.
        if model in bounds and key in own and key in found.get(peer, {}):
            reached, bound = own[key] / found[peer][key], bounds[model]
            word = "met" if reached <= bound else "MISSED"
            lines.append(f"- {word}: {name}, {reached:.2f} of {peer}'s, at most {bound}")
    for key, name in (("first_20", "second process"), ("beyond_20", "second process, beyond 20 steps")):
        if f"second_{key}" in own:
            reached = own[f"second_{key}"] / own[key]
            word = "met" if reached <= AGAIN else "MISSED"
            lines.append(f"- {word}: {name}, {reached:.2f} of the first's, at most {AGAIN}")
    return lines


def page(
    table: dict[str, dict[str, list[dict[str, float]]]],
    abouts: dict[str, dict[str, Any]],
    device: str = "cpu",
) -> str:
    """Returns the figures as a page: medians over the rounds, with the circumstances of each model's run."""
    columns = ["first_20", "beyond_20", "process_20", *(f"second_{key}" for key in FIRST_20)]
    lines = ["# Real models"] if device == "cpu" else [*GPU_PAGE]
    for model, rows in table.items():
        lines += ["", f"## {model}", "", *(f"- {name}: {value}" for name, value in abouts[model].items()), ""]
        body = []
        for name, rounds in rows.items():
            if not rounds:
                body.append([name, "failed", *[""] * (len(columns) + 1)])
                continue
            one = middle(rounds)
            cells = [f"{one[key]:.2f}" if key in one else "" for key in columns]
            body.append([name, f"{one['median'] * 1e3:.1f}", *cells, f"{one['peak_mib']:,.0f}"])
        first = ["first 20 s", "beyond s", "with the process s"]
        header = ["", "step ms", *first, "second: first 20 s", "beyond s", "with the process s", "peak MiB"]
        lines += [*lined_up(header, body, 1), *(["", *targets(model, rows)] if device == "cpu" else [])]
    return "\n".join(lines) + "\n"


GPU_PAGE = (
    "# Real models on a GPU",
    "",
    "Float32 products have all their digits in `penstock loop`; `(TF32)` rounds operands to ten bits, as",
    "JAX does unless it is told otherwise. PyTorch does so in convolutions and not in matrix products.",
)


def graphics_card() -> str:
    """Returns the name of the first NVIDIA GPU, or what went wrong."""
    try:
        asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        return f"unknown ({type(error).__name__})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="")
    parser.add_argument("--modes", default="loop,eager,compile,jit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu", choices=("cpu", "gpu"))
    parser.add_argument("--here", action="store_true", help="PyTorch and JAX are in this Python, too")
    options = parser.parse_args()
    offered = MODELS if options.device == "cpu" else ON_GPU
    models = [name for name in (options.models or ",".join(offered)).split(",") if name]
    for name in models:
        if name not in offered:
            parser.error(f"there is no {name!r}; there are {', '.join(offered)}")
    missing = {} if options.here else make_missing(["torch", "jax"])
    if missing:
        parser.error(f"environments could not be made: {', '.join(missing)}")
    noise = Noise()
    table = measured(models, options.modes.split(","), options.rounds, options.device, options.here)
    about = circumstances(["penstock", "torch", "jax"], options.rounds, noise.cores(), options.here)
    if options.device == "gpu":
        about["gpu"] = graphics_card()
    name = "models" if options.device == "cpu" else "gpu"
    file = HERE / "results" / f"{name}.json"
    kept = json.loads(file.read_text()) if file.exists() else {"about": {}, "models": {}}
    for model in models:
        kept["about"][model], kept["models"][model] = about, table[model]
    kept = {
        key: {name: kept[key][name] for name in offered if name in kept[key]} for key in ("about", "models")
    }
    text = page(kept["models"], kept["about"], options.device)
    (HERE / "results" / f"{name}.md").write_text(text)
    file.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"\n{text}\nWritten to benchmarks/results/{name}.md and {name}.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
