"""The figures of a run as a page of tables, for the terminal and for `results/`, and as data."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compare import Row, disagreement, python_of
from targets import Table, Verdict

DISTRIBUTIONS = {
    "penstock": ("penstock", "jax", "jaxlib", "numpy"),
    "tensorflow": ("tensorflow_cpu", "tensorflow", "keras"),
    "torch": ("torch",),
    "paddle": ("paddlepaddle",),
    "jax": ("jax", "jaxlib", "optax"),
    "autograd": ("autograd", "numpy"),
}


def versions(framework: str, here: bool = False) -> dict[str, str]:
    """The versions of the distributions that matter, in the framework's own environment or in this one."""
    code = (
        "import importlib.metadata as m, json, sys\n"
        "found = {d.name.lower().replace('-', '_'): d.version for d in m.distributions()}\n"
        "print(json.dumps({n: found[n] for n in sys.argv[1:] if n in found}))"
    )
    command = [sys.executable if here else str(python_of(framework)), "-c", code, *DISTRIBUTIONS[framework]]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found: dict[str, str] = json.loads(told)
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}
    return found


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def circumstances(
    frameworks: Sequence[str], rounds: int, others: float | None, here: bool = False
) -> dict[str, Any]:
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "engine": os.environ.get("PENSTOCK_ENGINE", "auto"),
        "rounds": rounds,
        "cores_used_by_others": others,
        "versions": {
            framework: versions(framework, here) for framework in frameworks if framework in DISTRIBUTIONS
        },
    }


def lined_up(header: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """A Markdown table whose columns stand under one another; the first `left` columns are words."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return f"| {' | '.join(padded)} |"

    rule = [":" + "-" * (w - 1) if i < left else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return [line(header), line(rule), *map(line, rows)]


def times(figure: float, unit: float | None) -> str:
    return "" if unit is None else f"{figure / unit:.2f}"


def workload_lines(workload: str, rows: list[Row]) -> list[str]:
    """One table, fastest first; ratios are to Penstock's modes, or to the fastest row without them."""
    good = sorted((row for row in rows if row.runs and not row.failure), key=Row.median)
    units = {
        row.mode: row.median()
        for row in rows
        if row in good and row.framework == "penstock" and not row.mode.endswith("_unwaited")
    }
    if not units and good:
        units = {"fastest": good[0].median()}
    scale, unit = (1e3, "ms") if workload == "import" else (1e6, "us")
    header = ["framework", "mode", f"median {unit}", f"best {unit}", *(f"x {name}" for name in units)]
    if workload != "import":
        header += ["first step ms", "peak MiB"]
    body = []
    for row in good:
        cells = [row.framework, row.mode, f"{row.median() * scale:,.1f}", f"{row.best * scale:,.1f}"]
        cells += [times(row.median(), unit) for unit in units.values()]
        if workload != "import":
            cells += [f"{row.median('first') * 1e3:,.1f}", f"{row.median('peak_mebibytes'):,.0f}"]
        body.append(cells)
    lines = [f"## {workload}", "", *lined_up(header, body, left=2)]
    lines += [f"\n{row.name} failed: {row.failure}" for row in rows if row.failure]
    if sum(row.changes is not None for row in good) > 1:
        lines += ["", disagreement(good) or "All rows make the same changes to the parameters."]
    return lines


def page(table: Table, missing: dict[str, str], verdicts: list[Verdict], about: dict[str, Any]) -> str:
    """The whole report as Markdown."""
    others = about["cores_used_by_others"]
    lines = ["# Penstock beside its peers", ""]
    lines += [
        f"Measured on {about['date']}: {about['processor']}, {about['cores']} cores, {about['system']}, "
        f"Python {about['python']}, Penstock's engine {about['engine']}.",
        f"Rounds taken in turn: {about['rounds']}.",
        "Medians over the rounds; `best` is the fastest. A ratio above 1 is slower than Penstock's mode.",
    ]
    if others is not None:
        noisy = "; the figures are noisy" if others > 0.1 else ""
        lines.append(f"Other processes used {others:.2f} cores meanwhile{noisy}.")
    lines += ["", "## Targets", ""]
    cells = [[verdict.word, verdict.what, verdict.figure, verdict.target] for verdict in verdicts]
    lines += lined_up(["", "target", "reached", "bound"], cells, left=4)
    counted = {
        word: sum(verdict.word == word for verdict in verdicts) for word in ("met", "MISSED", "not measured")
    }
    lines += ["", ", ".join(f"{number} {word}" for word, number in counted.items()) + "."]
    for workload, rows in table.items():
        lines += ["", *workload_lines(workload, rows)]
    if missing:
        lines += ["", "## Not run", "", *(f"- {name}: {why}" for name, why in missing.items())]
    lines += ["", "## Versions", ""]
    for framework, found in about["versions"].items():
        lines.append(
            f"- {framework}: " + (", ".join(f"{k} {v}" for k, v in found.items()) or "not installed")
        )
    return "\n".join(lines) + "\n"


def as_data(table: Table, missing: dict[str, str], verdicts: list[Verdict], about: dict[str, Any]) -> str:
    """The same as JSON, every run included."""
    workloads = {
        workload: [
            {"framework": row.framework, "mode": row.mode, "runs": row.runs, "failure": row.failure}
            for row in rows
        ]
        for workload, rows in table.items()
    }
    targets = [{"what": v.what, "reached": v.figure, "target": v.target, "met": v.met} for v in verdicts]
    data = {"about": about, "targets": targets, "workloads": workloads, "not_run": missing}
    return json.dumps(data, indent=1) + "\n"
