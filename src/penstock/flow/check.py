"""Checking a program: it runs under inspection, and a report describes what happened."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path

from penstock.flow.inspection import Inspection
from penstock.flow.observed import Enough, Source
from penstock.flow.recorder import Recorder
from penstock.flow.report_model import Report


def inspect(
    script: str,
    run: Callable[[], BaseException | None],
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
    split: bool = False,
    source: Source | None = None,
    deep: bool = False,
) -> Report:
    """Runs a program under inspection; `run` returns the error if it failed. No hooks remain afterwards.

    `source` watches the engine that the program runs on; None means Penstock's own recorder, which splits
    writes by cause if `split` is true. With `deep`, gradients are measured in every step, for each term of a
    loss separately.
    """
    linecache.checkcache(str(Path(script).resolve()))
    with Inspection(source or Recorder(split), limit, progress, deep) as inspection:
        error = run()
        late = inspection.finish()
        error = late if error is None else error
        if isinstance(error, Enough) or (isinstance(error, SystemExit) and not error.code):
            error = None
        return inspection.report(script, error)


__all__ = ["inspect"]
