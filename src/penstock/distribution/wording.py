"""The report on a distribution as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.distribution.costs import Cost, Distributed, Sent
    from penstock.distribution.placing import Placed

ROWS, LINES = 24, 12
"""How many variables, and how many collectives of a step, are shown; the others are counted."""


def size(count: float) -> str:
    """Returns a number of bytes as a reader would write it.

    >>> size(512), size(3 << 20)
    ('512 B', '3.0 MiB')
    """
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << power:
            return f"{count / (1 << power):,.1f} {unit}"
    return f"{count:,.0f} B"


def text(report: Distributed) -> str:
    """Returns the whole report."""
    whole = sum(one.bytes for one in report.variables)
    head = (
        f"{report.mesh}: {report.devices} device{'s' * (report.devices != 1)}. Variables and the state of "
        f"optimizers take {size(whole)}; each device holds {size(report.bytes_per_device)}."
    )
    if report.planned:
        head = f"Compiled for devices that are not here, and not run.\n{head}"
    parts = [head, _variables(report)]
    parts += [_step(one, number) for number, one in enumerate(report.steps, 1)]
    for one in report.findings:
        parts.append(f"{one.code} {one.name}  {one.site or ''}\n  {one.message}\n  {one.fix}")
    return "\n\n".join(filter(None, parts))


def _variables(report: Distributed) -> str:
    largest = sorted(report.variables, key=lambda one: -one.bytes_per_device)
    rows = [("variable", "shape", "lives", "a device holds")]
    rows += [
        (one.path, f"{one.dtype}{list(one.shape)}", lives(one), size(one.bytes_per_device))
        for one in largest[:ROWS]
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = ["  ".join([*(row[at].ljust(widths[at]) for at in range(3)), row[3]]) for row in rows]
    if len(largest) > ROWS:
        rest = sum(one.bytes_per_device for one in largest[ROWS:])
        lines.append(f"and {len(largest) - ROWS} more, {size(rest)} on each device")
    return "\n".join(lines)


def lives(one: Placed) -> str:
    """Returns the placement of a variable in words."""
    names = [f"axis {number} over {axis!r}" for number, axis in enumerate(one.axes) if axis]
    return "split: " + ", ".join(names) if names else "a copy on each"


def _step(one: Cost, number: int) -> str:
    at = f" ends at {one.site}" if one.site is not None else ""
    head = (
        f"Step {number}, {one.operations} operations,{at}: each device sends {size(one.bytes_sent)} a step, "
        f"takes {size(one.arguments)} and needs {size(one.temporaries + one.results)} more while it runs, "
        f"{size(one.memory)} in all."
    )
    lines = [_sent(sent) for sent in one.sent[:LINES]]
    if len(one.sent) > LINES:
        rest = one.sent[LINES:]
        lines.append(
            f"  and {sum(sent.count for sent in rest)} more, {size(sum(sent.sent for sent in rest))}"
        )
    if not lines:
        lines = ["  no collectives: no device waits for another"]
    return "\n".join([head, *lines])


def _sent(one: Sent) -> str:
    where = ", ".join(f"{site.file.rpartition('/')[2]}:{site.line}" for site in one.sites[:4])
    where += f" and {len(one.sites) - 4} more lines" if len(one.sites) > 4 else ""
    often = (
        ""
        if one.times == 1
        else f", {one.times} times in a loop"
        if one.times
        else ", in each turn of a loop"
    )
    return (
        f"  {one.count} {one.kind} among {one.parts}{often}: {size(one.size)}, each device sends "
        f"{size(one.sent)}  for {where or 'no line that is known'}"
    )
