"""Runs workloads in every framework, turn by turn and round after round, so that noise hits all alike."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from environments import AS_INSTALLED, HERE, PEERS, interpreter
from importing import measure_import
from noise import Noise

DIALECTS = {
    "penstock.tensorflow": ("tensorflow", ("eager", "session")),
    "penstock.paddle": ("paddle", ("eager",)),
}
"""Peers whose steps Penstock runs as they stand: whose they are, and which modes mean something there."""

FRAMEWORKS = ("penstock", *DIALECTS, *PEERS)
LONGEST_RUN = 900
PROCESSOR_ONLY = {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
SAME = 0.01
"""How far two frameworks' changes to a parameter may lie apart, relatively."""


@dataclass
class Row:
    """What the runs of one mode of one framework gave; `failure` is set if one of them failed."""

    framework: str
    mode: str
    runs: list[dict[str, Any]] = field(default_factory=list)
    failure: str | None = None

    @property
    def name(self) -> str:
        return f"{self.framework} {self.mode}"

    def median(self, key: str = "median") -> float:
        return float(statistics.median(run[key] for run in self.runs))

    @property
    def best(self) -> float:
        return float(min(run["minimum"] for run in self.runs))

    @property
    def jax_loaded(self) -> bool:
        return any(run["jax_loaded_by_first_step"] for run in self.runs)

    @property
    def changes(self) -> list[float] | None:
        return next((sorted(run["changes"]) for run in self.runs if "changes" in run), None)


class Failed(Exception):
    """A run that gave no figure; its text says why in a line."""


def python_of(framework: str) -> Path:
    """Penstock is measured in the environment this program runs in, a peer in its own."""
    return interpreter(framework) if framework in PEERS else Path(sys.executable)


def run(framework: str, *words: str) -> list[str]:
    """The lines a framework's steps file prints."""
    speaks, _ = DIALECTS.get(framework, (framework, ()))
    through = ["-m", "penstock", "run", "--as", speaks] if framework in DIALECTS else []
    command = [str(python_of(framework)), *through, str(HERE / f"{speaks}_steps.py"), *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN,
            cwd=HERE,
            env=AS_INSTALLED | PROCESSOR_ONLY,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"took more than {LONGEST_RUN} s") from error
    except OSError as error:
        raise Failed(f"cannot be started: {error.strerror}") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Failed(said[-1])
    return [line for line in done.stdout.splitlines() if line.strip()]


def modes_of(framework: str) -> dict[str, list[str]]:
    """{workload: its modes} of a framework."""
    found = {workload: modes for workload, *modes in (line.split() for line in run(framework, "list"))}
    if framework not in DIALECTS:
        return found
    _, kept = DIALECTS[framework]
    return {workload: [mode for mode in modes if mode in kept] for workload, modes in found.items()}


def plan(workloads: list[str], frameworks: list[str]) -> tuple[dict[str, list[Row]], dict[str, str]]:
    """The rows to fill for each workload, and {framework: why} for those that cannot be run."""
    offered, missing = {}, {}
    for framework in frameworks:
        try:
            offered[framework] = {"import": ["import"], **modes_of(framework)}
        except Failed as failure:
            missing[framework] = str(failure)
    table = {
        workload: [
            Row(framework, mode) for framework, modes in offered.items() for mode in modes.get(workload, [])
        ]
        for workload in workloads
    }
    return table, missing


def run_row(workload: str, row: Row, first_round: bool) -> dict[str, Any]:
    if workload == "import":
        try:
            return measure_import(python_of(row.framework), row.framework)
        except (OSError, subprocess.SubprocessError) as error:
            raise Failed(f"import {row.framework} failed") from error
    words = [workload, row.mode] + ["--changes"] * first_round
    lines = run(row.framework, *words)
    if not lines:
        raise Failed("printed nothing")
    figures: dict[str, Any] = json.loads(lines[-1])
    return figures


def fill(table: dict[str, list[Row]], rounds: int) -> float | None:
    """Runs everything `rounds` times, printing each figure; gives the cores others used meanwhile."""
    noise, start = Noise(), time.perf_counter()
    total = rounds * sum(len(rows) for rows in table.values())
    done = 0
    for turn in range(rounds):
        for workload, rows in table.items():
            for row in rows:
                done += 1
                print(f"[{done}/{total}] {workload:<18}{row.name:<26}", end=" ", flush=True)
                if row.failure:
                    print("failed before")
                    continue
                try:
                    row.runs.append(run_row(workload, row, turn == 0))
                except Failed as failure:
                    row.failure = str(failure)
                    print(f"failed: {failure}")
                    continue
                spent = time.perf_counter() - start
                left = spent / done * (total - done)
                print(f"{row.runs[-1]['median'] * 1e6:12,.1f} us   about {left / 60:.0f} min left")
    return noise.cores()


def disagreement(rows: list[Row]) -> str | None:
    """Which rows change the parameters otherwise than most do, in words; None if they all do the same."""
    known = [(row, row.changes) for row in rows if row.changes]

    def same(these: list[float], those: list[float]) -> bool:
        near = all(abs(a - b) <= SAME * max(abs(a), abs(b)) for a, b in zip(these, those))
        return near and len(these) == len(those)

    if not known:
        return None
    typical, usual = max(known, key=lambda pair: sum(same(pair[1], other) for _, other in known))
    others = [row.name for row, mine in known if not same(mine, usual)]
    return f"NOT the same step as {typical.name}: {', '.join(others)}." if others else None
