"""The pytest plugin: checks what a block of a test trains and what it leaves unchanged."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.errors import PenstockError
from penstock.flow.report.data import Names
from penstock.flow.report_model import Report, Subject
from penstock.frameworks.sources import BLOCKS
from penstock.state.selection import matches
from penstock.trace.source_site import Site, here
from penstock.watching import Watch, watch

OWN = "penstock"
FEW = 8
"""How many variables are listed if a pattern matches none."""


class FlowError(PenstockError, AssertionError):
    """A block of a test does not train what it should, or has findings."""


class Flow:
    """The fixture `flow`: watches a block, then checks what it trained.

    >>> import penstock as ps
    >>> flow, w = Flow(), ps.Variable(2.0, name="head/scale")
    >>> with flow.watch(w):
    ...     with ps.GradientTape() as tape:
    ...         loss = w * w
    ...     ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, w), w)])
    >>> flow.check(trains="head/*")
    """

    def __init__(self) -> None:
        self.report: Watch | None = None

    def watch(
        self, *things: Any, framework: str | None = None, steps: int | None = None, **named: Any
    ) -> Watch:
        """Returns the result of `penstock.watch`; use it in a `with` statement."""
        self.report = watch(*things, framework=framework, steps=steps, **named)
        return self.report

    def check(self, trains: str | Sequence[str] = (), keeps: str | Sequence[str] = ()) -> None:
        """Fails the test if the last watched block does not do what it should.

        Every variable that matches a pattern in `trains` must have a gradient and change; no variable that
        matches one in `keeps` may change; and there must be no finding except notes. In a pattern such as
        "head/*", `*` matches any characters and `/` also the dot of other frameworks; the name of the model
        in front may be omitted.

        Raises FlowError, an AssertionError, that says what is wrong.
        """
        # pytest should show the line of the test for a failure.
        __tracebackhide__ = True
        if self.report is None:
            raise PenstockError(
                "flow.check() was called, but nothing was watched.",
                remedy="Before it, write: with flow.watch(model, optimizer): train_step()",
                site=here(),
            )
        report = self.report.report
        problems = []
        for name, patterns, problem in (("trains", trains, _untrained), ("keeps", keeps, _changed)):
            for pattern in [patterns] if isinstance(patterns, str) else patterns:
                meant = [one for one in report.variables if _fits(pattern, one.path)]
                if not meant:
                    problems.append(_unmatched(name, pattern, report))
                problems += filter(None, (problem(one) for one in meant))
        problems += sentences(report)
        if problems:
            count = "one thing" if len(problems) == 1 else f"{len(problems)} things"
            raise FlowError(
                f"The block at {self.report.site} fails its check: {count}.",
                why="\n".join(dict.fromkeys(problems)),
                site=here(),
            )


def _fits(pattern: str, path: str) -> bool:
    wanted, whole = pattern.replace(".", "/"), path.replace(".", "/")
    return matches(wanted, whole) or matches(wanted, whole.partition("/")[2])


def _unmatched(name: str, pattern: str, report: Report) -> str:
    paths = [one.path for one in report.variables]
    known = ", ".join(paths[:FEW]) + (f" and {len(paths) - FEW} more" if len(paths) > FEW else "")
    return f"{name}={pattern!r} matches no variable of the block. The variables are {known or 'none'}."


def _untrained(one: Subject) -> str:
    """Says why a variable was not trained; "" if it was."""
    if not one.found and one.gradient == "flows":
        return f"{one.path!r} should be trained, but no gradient of it was requested."
    if not one.found:
        where = f" at {one.cut}" if one.cut is not None else ""
        return f"{one.path!r} should be trained, but has no gradient: {one.gradient}{where}."
    if not one.writers:
        return f"{one.path!r} should be trained: it has a gradient, but nothing wrote it."
    if not any(map(_moves, one.writers.values())):
        said = " and ".join(f"{writer.by} at {writer.site}" for writer in one.writers.values())
        return f"{one.path!r} should be trained: {said} wrote it but did not change it."
    return ""


def _changed(one: Subject) -> str:
    """Says what changed a variable; "" if nothing did."""
    said = [
        f"{writer.by} at {writer.site} wrote it {writer.times} time{'s' * (writer.times != 1)}"
        for writer in one.writers.values()
        if _moves(writer)
    ]
    return f"{one.path!r} should stay unchanged: {' and '.join(said)}." if said else ""


def _moves(writer: Any) -> bool:
    """Returns whether a writer may have changed something: an unmeasured change counts."""
    return bool(writer.times > writer.measured or writer.sum != 0)


def sentences(report: Report) -> list[str]:
    """Returns a line for each finding that is not a note: where, what, and what to type."""
    names = Names(report.script)
    found = []
    for one in report.findings:
        if one.severity != "note":
            place = one.site or one.cause
            where = f" at {place}" if place is not None else ""
            found.append(
                f"{one.code} {one.name}{where}: {names.shorten(one.message)} {names.shorten(one.fix)}"
            )
    return found


def known() -> tuple[str, ...]:
    """Returns the frameworks whose tests can be watched."""
    return OWN, *BLOCKS


def of_test(
    file: str, line: int, name: str, framework: str | None
) -> tuple[list[Watch], contextlib.AbstractContextManager[None]]:
    """Returns the watch of a test, and its scope: one framework, or all imported ones."""
    wanted = [framework] if framework is not None else [OWN, *(one for one in BLOCKS if one in sys.modules)]
    site = Site(file, line, name)
    watches = [Watch({}, None if one == OWN else one, None, site) for one in wanted]

    @contextlib.contextmanager
    def scope() -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for one in watches:
                stack.enter_context(one)
            yield

    return watches, scope()


__all__ = ["Flow", "FlowError", "known", "of_test", "sentences"]
