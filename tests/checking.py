"""The report of `penstock check` on the program of a test, which is a file."""

import io
import linecache
import warnings
from typing import Any

from penstock.flow.check import inspect
from penstock.flow.report.text import show
from penstock.flow.report_model import Report
from penstock.running import run_script

DIALECTS = {"native": None, "tensorflow": "tensorflow", "tensorflow1": "tensorflow", "paddle": "paddle"}
"""The dialect of each vocabulary in which tests write programs."""


def report_on(
    file: object,
    dialect: str | None = None,
    *,
    fails: bool | None = False,
    warns: bool = False,
    **options: Any,
) -> Report:
    """Run a program under inspection, with options of `inspect`.

    `fails` says whether it ends in an error; None admits both. Of a program that `warns` no warning is an
    error, as it is elsewhere in the suite.
    """
    path = str(file)
    # Another program of this length may have been there less than a tick of the clock ago.
    linecache.cache.pop(path, None)
    if dialect == "paddle":
        from penstock.paddle._numbering import Names

        Names.restart()  # its names count through the process
    with warnings.catch_warnings():
        if warns:
            warnings.simplefilter("ignore")
        report = inspect(path, lambda: run_script(path, dialect, []), **options)
    assert fails is None or fails is (report.error is not None), report.error
    return report


def as_text(report: Report, width: int = 80) -> str:
    """What a report shows on a terminal."""
    stream = io.StringIO()
    show(report, stream, width=width)
    return stream.getvalue()
