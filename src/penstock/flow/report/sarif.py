"""A report as SARIF 2.1.0, the format in which code hosts and editors read findings.

The format is OASIS' (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
"""

from __future__ import annotations

import json
from typing import Any

from penstock.flow.codes import CODES
from penstock.flow.report.data import Names
from penstock.flow.report_model import Finding, Report
from penstock.flow.source import user_frames
from penstock.trace.source_site import Site

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(report: Report) -> str:
    """Returns a report as the text of a SARIF file.

    A script that failed is a notification in it, and so are skipped updates.
    """
    names = Names(report.script)
    rules = [
        {
            "id": one.code,
            "name": one.name,
            "shortDescription": {"text": f"{one.title[:1].upper()}{one.title[1:]}."},
            "help": {"text": f"penstock explain {one.code}"},
        }
        for one in CODES.values()
    ]
    run = {
        "tool": {"driver": {"name": "penstock", "rules": rules}},
        "invocations": [_invocation(report, names)],
        "results": [_result(one, names) for one in [*report.findings, *report.asides]],
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _invocation(report: Report, names: Names) -> dict[str, Any]:
    told = []
    if report.error is not None:
        frames = user_frames(report.error)
        failed = f"{type(report.error).__name__}: {report.error}"
        told.append(_notification("error", failed, frames[-1] if frames else None, names))
    # A line without any update is a result.
    told += [_notification("note", one.said, one.site, names) for one in report.skipped if not one.always]
    found: dict[str, Any] = {"executionSuccessful": report.error is None}
    return {**found, "toolExecutionNotifications": told} if told else found


def _notification(level: str, text: str, site: Site | None, names: Names) -> dict[str, Any]:
    places = [] if site is None else [_location(site, names)]
    return {"level": level, "message": {"text": text}, "locations": places}


def _result(finding: Finding, names: Names) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": list(CODES).index(finding.code),
        "level": finding.severity,
        "message": {"text": f"{finding.message} {finding.fix}"},
        "properties": {"variables": list(finding.variables)},
    }
    place = finding.site or finding.cause
    if place is not None:
        found["locations"] = [_location(place, names)]
    if finding.cause is not None and finding.cause != place:
        found["relatedLocations"] = [
            {**_location(finding.cause, names), "id": 1, "message": {"text": "the cause"}}
        ]
    return found


def _location(site: Site, names: Names) -> dict[str, Any]:
    file, cell = names.parts(site)
    place: dict[str, Any] = {"artifactLocation": {"uri": file.replace("\\", "/")}}
    if cell:
        # Lines in a notebook's cells are not lines of its file.
        return {"physicalLocation": place, "message": {"text": names.short(site)}}
    return {"physicalLocation": {**place, "region": {"startLine": max(site.line, 1)}}}
