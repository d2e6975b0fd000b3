"""Several scripts in one call: each is checked in its own process, and the reports are combined."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence


def check_each(scripts: Sequence[str], options: Sequence[str], arguments: Sequence[str], form: str) -> int:
    """Checks scripts one after another and prints their reports; returns the worst exit status.

    `options` are those of penstock, `arguments` those that each script is given. The reports are one list in
    JSON, and one log with a run for each script in SARIF.
    """
    worst, said = 0, []
    for script in scripts:
        command = [sys.executable, "-m", "penstock", "check", *options, script, "--", *arguments]
        sys.stdout.flush()
        try:
            done = subprocess.run(
                command, stdout=None if form == "text" else subprocess.PIPE, encoding="utf-8", check=False
            )
        except KeyboardInterrupt:
            return 130
        worst = max(worst, done.returncode if done.returncode >= 0 else 2)
        if done.returncode == 130:
            return 130
        if form != "text":
            said.append(done.stdout)
    if form != "text" and (text := _together(said, form)):
        print(text, flush=True)
    return worst


def _together(said: Sequence[str], form: str) -> str:
    if form == "github":
        return "".join(said).rstrip("\n")
    reports = [json.loads(one) for one in said if one.strip()]
    if form == "sarif" and reports:
        whole = {**reports[0], "runs": [run for one in reports for run in one["runs"]]}
        return json.dumps(whole, indent=2, ensure_ascii=False)
    return json.dumps(reports, indent=2, ensure_ascii=False)


__all__ = ["check_each"]
