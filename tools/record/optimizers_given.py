"""What optimizers of PyTorch and Optax are stepped along, and how their records are written.

The answer of each is a JSON file in `tests/oracles/`:

    versions     of what ran
    dtype        of everything below
    start        value of the one variable, six numbers; a case may give it another shape
    gradients    six numbers for each of the 20 steps, the same for every case
    optimizers   a list of
      name         of the case
      class        in the framework
      arguments    given to it
      shape        of the variable
      values       of the variable after each step, flat

Everything is float64, so that a difference in the last digits is not an accident of rounding.
"""

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

ORACLES = Path(__file__).resolve().parents[2] / "tests" / "oracles"
STEPS = 20
START = [1.0, -2.0, 0.5, 0.25, 3.0, 100.0]


def make_gradients() -> list[list[float]]:
    """Return ordinary, sparse, huge, small, sign-changing and vanishing gradients, one column each."""
    columns = [
        [0.5 + 0.125 * (step % 5) for step in range(STEPS)],
        [(-1.0) ** step * (1.0 + 0.25 * step) for step in range(STEPS)],
        [2.0 if step % 7 == 3 else 0.0 for step in range(STEPS)],
        [1e-3 * (step - 9) for step in range(STEPS)],
        [0.9**step for step in range(STEPS)],
        [1000.0 if step < 2 else 0.25 for step in range(STEPS)],
    ]
    return [[column[step] for column in columns] for step in range(STEPS)]


Run = Callable[[dict[str, Any], list[list[float]]], list[list[float]]]


def main(name: str, versions: dict[str, str], cases: list[dict[str, Any]], run: Run) -> int:
    """Record every case in `tests/oracles/NAME.json`, or with --check say whether it is as recorded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare with the record instead of writing it")
    chosen = parser.parse_args()
    gradients = make_gradients()
    head = {
        "versions": {**versions, "python": platform.python_version()},
        "dtype": "float64",
        "start": START,
        "gradients": gradients,
    }
    lines = [f' "{key}": {json.dumps(value)},' for key, value in head.items()]
    cases = [{"shape": [len(START)], **case} for case in cases]
    found = [{**case, "values": run(case, gradients)} for case in cases]
    body = ",\n".join("  " + json.dumps(one, allow_nan=False) for one in found)
    text = "\n".join(["{", *lines, ' "optimizers": [', body, " ]", "}"]) + "\n"
    path = ORACLES / f"{name}.json"
    if chosen.check:
        same = path.read_text(encoding="utf-8") == text
        print(f"{path.name}: {'as recorded' if same else 'differs from the record'}")
        return 0 if same else 1
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(cases)} cases, {STEPS} steps each")
    return 0
