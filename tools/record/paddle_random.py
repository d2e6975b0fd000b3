"""Run random programs under PaddlePaddle and write down what they showed.

Usage, from the root of the repository, in an environment that has PaddlePaddle 3.3:

    python tools/record/paddle_random.py

The programs are those of `tests/paddle_random_programs.py`; the answer is `tests/oracles/paddle_random.json`:
for each program its kind, its seed, its statements, and what it showed. Each runs in a process of its own;
those in which Paddle itself ends with a signal are left out.
"""

import json
import os
import sys
from typing import Any

import paddle
from paddle.base import unique_name
from records import ORACLES

sys.path.insert(0, str(ORACLES.parent))

from paddle_random_programs import program, run

COUNTS = {"function": 60, "layer": 24, "training": 24, "views": 24, "views trained": 24}
"""How many programs of each kind are recorded: those of the seeds from 0."""


def recorded(kind: str, seed: int) -> str:
    """Return the record of a program as JSON, or nothing if Paddle crashes."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        unique_name.switch()
        statements = program(kind, seed)
        made: dict[str, Any] = {"kind": kind, "seed": seed, "statements": statements}
        with os.fdopen(writing, "w") as pipe:
            json.dump({**made, "seen": run(statements, paddle)}, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    _, status = os.waitpid(child, 0)
    return found if status == 0 else ""


def main() -> None:
    drawn = [(kind, seed) for kind, count in COUNTS.items() for seed in range(count)]
    found = [text for text in (recorded(*one) for one in drawn) if text]
    lines = ",\n".join(found)
    (ORACLES / "paddle_random.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(found)} programs recorded")


if __name__ == "__main__":
    main()
