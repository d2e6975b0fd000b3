"""Writes the table of docs/devices.md: what the digits classifier holds and sends on 1, 2, 4 and 8 devices.

python tools/device_table.py [--write]

The step of examples/devices_digits.py is planned for each number of devices by `ps.distribution.plan`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import penstock as ps
from penstock.distribution.wording import size

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "devices.md"
HEAD = (
    "| devices | `DataParallel()` holds | sends | collectives "
    "| `shard_state=True` holds | sends | collectives |"
)
COUNTS = (1, 2, 4, 8)


def trained_step():
    """Returns the step of the example, after it was called."""
    found = importlib.util.spec_from_file_location("devices_digits", ROOT / "examples" / "devices_digits.py")
    example = importlib.util.module_from_spec(found)
    found.loader.exec_module(example)
    example.EPOCHS = 1
    steps = []
    step = ps.step
    remember = lambda function: steps.append(step(function)) or steps[-1]  # noqa: E731
    quiet = contextlib.redirect_stdout(io.StringIO())
    with mock.patch.object(ps, "step", remember), quiet:
        example.main()
    ps.distribution.set_distribution(None)
    (one,) = steps
    return one


def cells(step, count, **options):
    """Returns what one device holds, what it sends in a step, and the collectives."""
    with ps.distribution.DataParallel(devices=ps.distribution.list_devices()[:1], **options):
        found = ps.distribution.plan(step, count)
    kinds = Counter()
    for one in found.steps[0].sent:
        kinds[one.kind] += one.count
    names = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds)) or "none"
    return [size(found.bytes_per_device), size(found.steps[0].bytes_sent), names]


def rows():
    """Returns the lines of the table, without its head."""
    step = trained_step()
    return [
        "| " + " | ".join([str(count), *cells(step, count), *cells(step, count, shard_state=True)]) + " |"
        for count in COUNTS
    ]


def written(text, lines):
    """Returns the page with these lines below the head of the table."""
    before, head, after = text.partition(HEAD)
    rule, _, rest = after.lstrip("\n").partition("\n")
    rest = rest.partition("\n\n")[2]
    return "\n".join([before + head, rule, *lines, "", rest])


if __name__ == "__main__":
    new = written(PAGE.read_text(encoding="utf-8"), rows())
    if "--write" in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
    else:
        print(new.partition(HEAD)[2].partition("\n\n")[0])
