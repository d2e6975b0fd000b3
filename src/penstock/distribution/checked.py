"""`penstock check` of a program for several devices: simulates them, and reports their cost."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

from penstock.errors import PenstockError
from penstock.flow.report_model import Report

FLAG = "--xla_force_host_platform_device_count"


def simulate(count: int) -> None:
    """Makes this process find this many devices, all of them this processor, when JAX starts.

    Raises PenstockError if JAX has already started and found fewer.
    """
    if "jax" in sys.modules:
        found = len(sys.modules["jax"].devices())
        if found < count:
            raise PenstockError(
                f"--devices {count}: JAX has started in this process and found {found}.",
                remedy=f"Start the process with JAX_PLATFORMS=cpu XLA_FLAGS={FLAG}={count}.",
            )
        return
    os.environ.update(simulated_in(os.environ, count))


def simulated_in(variables: Mapping[str, str], count: int) -> dict[str, str]:
    """Returns the environment variables with which a process finds this many devices."""
    others = re.sub(FLAG + r"=\d+", "", variables.get("XLA_FLAGS", "")).strip()
    return {"XLA_FLAGS": f"{others} {FLAG}={count}".strip(), "JAX_PLATFORMS": "cpu"}


def add_costs(report: Report, asked: bool) -> None:
    """Adds the cost of each distribution of the program to a report, and the findings on it.

    With `asked`, a program that sets no distribution gets a remark.
    """
    in_force = sys.modules.get("penstock.distribution.in_force")
    used = [one for one in in_force.placings() if one.runs] if in_force is not None else []
    if used:
        from penstock.distribution.costs import reported

        for placing in used:
            cost = reported(placing, list(placing.runs.values()))
            report.costs.append(cost)
            report.findings += cost.findings
    elif asked and report.error is None:
        report.remarks.append(
            "No distribution was set, so everything ran on one device: "
            "ps.distribution.set_distribution(ps.distribution.DataParallel()) uses them all."
        )
