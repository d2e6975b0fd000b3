"""Measures Penstock beside its peers: makes their environments, runs the workloads, writes a report.

`python benchmarks/run.py --workloads all --models all --name whole` makes one page of everything.
The exit status is 0 even if a target is missed: this is a report, and it says so in words.
"""

from __future__ import annotations

import argparse
import json
import sys

import models
from compare import FRAMEWORKS, fill, plan
from environments import HERE, PEERS, make_missing
from noise import Noise
from report import as_data, circumstances, page
from targets import verdicts

RESULTS = HERE / "results"
USUAL = ["two_scalars", "three_weights", "actor_critic", "mlp", "import"]
OTHERS = [
    "cnn",
    "embedding_sgd",
    "embedding_adagrad",
    "frozen_backbone",
    "gan",
    "transformer",
]


def chosen(parser: argparse.ArgumentParser, text: str, known: list[str]) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            parser.error(f"there is no {name!r}; there are {', '.join(known)}")
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = ", ".join([*USUAL, *OTHERS])
    parser.add_argument("--workloads", default=",".join(USUAL), help=f"some of {everything}, or all")
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often each figure is measured (default: 3)"
    )
    parser.add_argument("--only", default=",".join(FRAMEWORKS), help="some of " + ", ".join(FRAMEWORKS))
    parser.add_argument(
        "--name", help="results/NAME.json and .md (default: latest, or partial for a selection)"
    )
    parser.add_argument("--models", default="", help=f"some of {', '.join(models.MODELS)}, or all")
    options = parser.parse_args()
    asked = everything if options.workloads == "all" else options.workloads
    workloads = chosen(parser, asked, [*USUAL, *OTHERS])
    frameworks = chosen(parser, options.only, list(FRAMEWORKS))
    whose = ", ".join(models.MODELS) if options.models == "all" else options.models
    real = chosen(parser, whose, list(models.MODELS))
    if options.rounds < 1 or not workloads or not frameworks:
        parser.error("there is nothing to measure")
    whole = set(USUAL) <= set(workloads) and set(frameworks) == set(FRAMEWORKS)
    name = options.name or ("latest" if whole else "partial")

    print("Environments of the peers")
    unmade = make_missing([framework for framework in frameworks if framework in PEERS])
    missing = dict.fromkeys(unmade, "its environment could not be made")
    runnable = [framework for framework in frameworks if framework not in missing]
    table, unrunnable = plan(workloads, runnable)
    missing |= unrunnable
    for framework, why in unrunnable.items():
        print(f"{framework} cannot be run: {why}")

    print(f"\nMeasuring, {options.rounds} rounds", flush=True)
    others = fill(table, options.rounds)
    noise = Noise()
    of_models = (
        models.measured(real, sorted({row.mode for row in models.ROWS}), options.rounds) if real else {}
    )
    reached = list(verdicts(table))
    about = circumstances(frameworks, options.rounds, others)
    text = page(table, missing, reached, about)
    data = as_data(table, missing, reached, about)
    if of_models:
        cores = noise.cores()
        text += "\n" + models.page(of_models, {model: {"cores_used_by_others": cores} for model in real})
        data = json.dumps(json.loads(data) | {"models": of_models}, indent=1) + "\n"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text)
    (RESULTS / f"{name}.json").write_text(data)
    print(f"\n{text}\nWritten to benchmarks/results/{name}.md and {name}.json.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
