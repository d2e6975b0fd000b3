"""The effect of an edit on the flow: compares two reports saved as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

LETTERS = "TRGOW"


def read(file: str) -> dict[str, Any]:
    """Reads a report written by `penstock check --format json`. Raises PenstockError for other files."""
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise PenstockError(f"{file} is not JSON: {error}.", remedy=_HOW) from None
    if isinstance(found, list):
        raise PenstockError(
            f"{file} holds {len(found)} reports.", remedy="Compare reports of one script each."
        )
    if not isinstance(found, dict) or not {"variables", "findings", "steps"} <= found.keys():
        raise PenstockError(f"{file} is not a report of penstock.", remedy=_HOW)
    try:
        difference(found, found)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise PenstockError(
            f"{file} is not a report of penstock: something is missing in it.", remedy=_HOW
        ) from None
    return found


_HOW = "Write one with: penstock check --format json train.py > before.json"


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Returns the changes: variables by their paths, findings by code and variables; lines may move.

    `variables` has an entry for each variable that is new, is gone, or changed in its bits, its gradient or
    its writers; `findings` are the new ones and those that are gone.
    """
    old, new = _variables(before), _variables(after)
    changes = []
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key), new.get(key)
        if was is None or now is None:
            changes.append({"path": key[0], "change": "gone" if now is None else "new", **(was or now or {})})
        elif was != now:
            change = {name: [was[name], now[name]] for name in was if was[name] != now[name]}
            changes.append({"path": key[0], "change": "changed", **change})
    then, since = _findings(before), _findings(after)
    return {
        "variables": changes,
        "findings": {
            "gone": [one for key, one in then.items() if key not in since],
            "new": [one for key, one in since.items() if key not in then],
        },
        "error": [_error(before), _error(after)] if _error(before) != _error(after) else None,
    }


def _error(report: dict[str, Any]) -> str | None:
    error = report.get("error")
    return None if error is None else f"{error['type']}: {error['message'].partition(chr(10))[0]}"


def _variables(report: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Returns the compared facts of each variable; order distinguishes variables with the same path."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for one in report["variables"]:
        number = sum(path == one["path"] for path, _ in found)
        writers = sorted({f"{write['by']} ({', '.join(write['terms'])})" for write in one["writes"]})
        found[one["path"], number] = {"bits": one["bits"], "gradient": one["gradient"], "writers": writers}
    return found


def _findings(report: dict[str, Any]) -> dict[tuple[str, tuple[str, ...], int], dict[str, Any]]:
    found: dict[tuple[str, tuple[str, ...], int], dict[str, Any]] = {}
    for one in report["findings"]:
        key = one["code"], tuple(one["variables"])
        found[*key, sum(known[:2] == key for known in found)] = one
    return found


def as_text(found: dict[str, Any], before: str, after: str) -> str:
    """Returns a difference as lines of text."""
    lines = [f"penstock diff {before} {after}", ""]
    for one in found["variables"]:
        if one["change"] == "changed":
            said = "; ".join(_changes(one))
        else:
            said = f"{one['change']} ({_bits(one['bits'])}, {one['gradient']})"
        lines.append(f"{one['path']}: {said}")
    lines += [""] if found["variables"] else []
    for what, word in (("gone", "Gone"), ("new", "New")):
        for one in found["findings"][what]:
            names = ", ".join(one["variables"][:4]) + (", ..." if len(one["variables"]) > 4 else "")
            lines.append(f"{word}: {one['code']} {one['name']} {names} ({_place(one)})")
    lines += [""] if any(found["findings"].values()) else []
    if found["error"] is not None:
        was, now = (one or "none" for one in found["error"])
        lines += [f"The error was: {was}", f"It is now: {now}", ""]
    lines.append(_verdict(found))
    return "\n".join(lines)


def _changes(one: dict[str, Any]) -> Sequence[str]:
    said = []
    if "bits" in one:
        was, now = one["bits"]
        said.append(f"{_bits(was)} -> {_bits(now)}")
    if "gradient" in one:
        said.append("gradient {} -> {}".format(*one["gradient"]))
    if "writers" in one:
        was, now = ([", ".join(side) or "nobody"] for side in one["writers"])
        said.append(f"written by {was[0]} -> {now[0]}")
    return said


def _bits(bits: str) -> str:
    """Returns five bits with the letters of the table: "TR.O." is trainable, read and in an optimizer."""
    return "".join(letter if bit == "1" else "." for letter, bit in zip(LETTERS, bits.split(), strict=True))


def _place(one: dict[str, Any]) -> str:
    if one.get("line") is None:
        return one.get("file") or "no line"
    if one.get("cell"):
        return f"{one['file']} cell {one['cell']}, line {one['line']}"
    return f"{one['file']}:{one['line']}"


def _verdict(found: dict[str, Any]) -> str:
    if not has_changed(found):
        return "The flow is the same."
    variables, findings = len(found["variables"]), found["findings"]
    parts = [f"{variables} variable{'s' * (variables != 1)} changed"]
    parts += [f"{len(findings[what])} finding{'s' * (len(findings[what]) != 1)} {what}" for what in findings]
    return f"{', '.join(parts)}."


def has_changed(found: dict[str, Any]) -> bool:
    """Returns whether there is any difference."""
    return bool(found["variables"] or any(found["findings"].values()) or found["error"])


__all__ = ["as_text", "difference", "has_changed", "read"]
