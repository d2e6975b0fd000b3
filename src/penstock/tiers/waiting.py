"""Tells on standard error when a program waits for a long compilation."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.tiers import disk
from penstock.tiers.program import Program
from penstock.trace.source_site import Site, here

QUIET = "PENSTOCK_QUIET"
PATIENCE = 2.0
"""Seconds after which a compilation prints a line."""


@contextmanager
def announced(program: Program, kept: bool = True) -> Iterator[None]:
    """Writes a line if the block takes longer than `PATIENCE`; none if PENSTOCK_QUIET=1.

    `kept` says whether the result is kept on disk, if results are kept at all.
    """
    if os.environ.get(QUIET, "0") not in ("", "0"):
        yield
        return
    timer = threading.Timer(PATIENCE, _say, (program, here(), kept))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(program: Program, site: Site | None, kept: bool) -> None:
    where = f"{site} waits" if site is not None else "The program waits"
    folder = disk.folder() if kept else None
    later = f" Later runs will load the result from {folder}." if folder is not None and disk.bound() else ""
    text = f"penstock: {where} for XLA, which compiles {program.operations:,} operations.{later}\n"
    # In one piece, so that it does not mix with the program's own output.
    sys.stderr.write(text)
    sys.stderr.flush()
