"""Watching a block of a program, or a cell of a notebook, instead of a whole script."""

from __future__ import annotations

import ast
import io
import linecache
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from penstock.errors import PenstockError, SelectionError
from penstock.flow.inspection import Inspection
from penstock.flow.observed import Enough, Passage, Update, Wrote
from penstock.flow.recorder import Recorder
from penstock.flow.recording import Recorded
from penstock.flow.report.data import as_data, as_json
from penstock.flow.report_model import Finding, Report, Subject, Writer
from penstock.flow.settings import choose, settings_near
from penstock.flow.source import statement_at
from penstock.frameworks.leaves import leaves
from penstock.frameworks.sources import BLOCKS, PACKAGES, register, source_for
from penstock.optimizers.optimizer import Optimizer
from penstock.state.selection import variables_of
from penstock.trace.builder import require_no_recording
from penstock.trace.local import local
from penstock.trace.source_site import Site, display_file, here
from penstock.trace.tensor import Cell

WIDTH = 100
"""The width of a report that does not go to a terminal."""


def watch(*things: Any, framework: str | None = None, steps: int | None = None, **named: Any) -> Watch:
    """Watches a block: `with ps.watch(model, optimizer) as report:`; the report is complete after it.

    The report covers everything that runs in the block, like that of `penstock check` on a script. `things`
    are objects created before it: models, layers, variables, optimizers, or lists and dictionaries of these.
    The report lists them even if the block does not touch them, and gives unnamed ones the name of the
    argument. `framework` is "torch" for a block that runs in PyTorch, "tensorflow" for one that runs in
    TensorFlow; by default it follows from the things, and without things it is Penstock. After `steps` steps
    the block runs on unwatched.

    Exceptions propagate, and the report shows them. Blocks may be nested, and one object may watch several
    blocks, one after another. Comments `# penstock: ignore[PS203]` and a table [tool.penstock] work as for
    the command.

    Raises PenstockError for things that hold no variables, for an unknown framework, and for things of
    another framework.

    Args:
        things: variables, layers, models, optimizers, or structures of them.
        framework: "torch" or "tensorflow", or None for that of the arguments.
        steps: the number of steps to watch, an int; None for all.
        named: more things, with their keywords as names.

    Returns:
        A context manager; `as` gives the report.

    Raises:
        PenstockError: if a thing cannot be watched.

    >>> import penstock as ps
    >>> w = ps.Variable([1.0, 2.0], name="w")
    >>> with ps.watch(w) as report:
    ...     with ps.GradientTape() as tape:
    ...         loss = ps.sum(ps.round(w))
    ...     gradient = tape.gradient(loss, w)
    >>> report.status, [(one.code, one.variables) for one in report.findings]
    (1, [('PS105', ('w',))])
    """
    given = dict(zip(_names_at(here(), len(things)), things, strict=True)) | named
    if steps is not None and (type(steps) is not int or steps < 1):
        raise PenstockError(
            f"watch was given steps={steps!r}.",
            remedy="Give a whole number of at least 1, or omit it.",
            site=here(),
        )
    return Watch(given, _framework(given, framework), steps)


def _names_at(site: Site, count: int) -> list[str]:
    """Returns the text of the arguments on the line of a call: `watch(self.model, nets[0])`.

    An argument in another form, or whose line cannot be read, is named by its number.
    """
    written: list[ast.expr] = []
    for node in ast.walk(statement_at(site) or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(attr="watch") | ast.Name(id="watch"), args=found):
                written = found
                break
    if len(written) != count or any(isinstance(one, ast.Starred) for one in written):
        written = []
    names = [f"argument {number + 1}" for number in range(count)]
    for number, one in enumerate(written):
        if isinstance(one, ast.Name | ast.Attribute | ast.Subscript):
            names[number] = ast.unparse(one).removeprefix("self.")
    return names


def _framework(given: Mapping[str, Any], framework: str | None) -> str | None:
    if framework is not None and framework not in BLOCKS:
        raise PenstockError(
            f"watch was given framework={framework!r}.",
            remedy=f"Give {' or '.join(map(repr, BLOCKS))}, or omit it for programs that run on Penstock.",
            site=here(),
        )
    for name, thing in given.items():
        for one in leaves(thing):
            own = next((PACKAGES[root] for root in _roots(one) if PACKAGES.get(root) in BLOCKS), None)
            if own is None and framework is None:
                _variables(name, one)
            elif own is None or (framework or own) != own:
                raise PenstockError(
                    f"watch was given {name!r}, a {type(one).__name__}, which is not an object of "
                    f"{framework!r}.",
                    why="A block can be watched in one framework only.",
                    remedy="Give modules, tensors and optimizers of one framework, or lists of them.",
                    site=here(),
                )
            else:
                framework = own
    return framework


def _variables(name: str, thing: Any) -> list[Cell]:
    """Returns the variables of a thing. Paddle's things call them parameters."""
    held = thing
    if not hasattr(thing, "variables"):
        own = getattr(thing, "parameters", None)
        held = own() if callable(own) else getattr(thing, "_parameter_list", thing)
    try:
        return variables_of(held)
    except SelectionError:
        raise PenstockError(
            f"watch was given {name!r}, {thing!r} ({type(thing).__name__}), which has no variables.",
            remedy="Give models, layers, variables or optimizers, or lists of them; or nothing, to watch "
            "everything that runs in the block.",
            site=here(),
        ) from None


def _roots(thing: Any) -> Iterator[str]:
    """Yields the names of the packages that a thing's class and its bases come from."""
    for kind in type(thing).__mro__:
        yield kind.__module__.partition(".")[0]


class Watched(Inspection):
    """The sink of a block, which is not ended after enough steps: the block runs on unobserved."""

    def passed(
        self, passage: Passage, writes: Sequence[Wrote] = (), updates: Sequence[Update] = ()
    ) -> list[Writer]:
        """Processes a passage, its writes and its updates, as long as there are steps to watch."""
        if self.stopped:
            return []
        try:
            return super().passed(passage, writes, updates)
        except Enough:
            return []


class Watch:
    """A block under watch, then its report: `findings`, `status`, `steps`, `variables` and `error`.

    `str()` is the report as text, and a notebook shows it as a page. `data()` and `json()` are what `penstock
    check --format json` prints. Create one with `watch`; `site` is its line.
    """

    def __init__(
        self, given: Mapping[str, Any], framework: str | None, steps: int | None, site: Site | None = None
    ) -> None:
        self.framework = framework
        self._given, self._steps = given, steps
        self._inspection: Watched | None = None
        self._report: Report | None = None
        self.site = site
        self._fixed = site is not None

    def __enter__(self) -> Watch:
        if self._inspection is not None:
            raise PenstockError(
                "This watch is already open.",
                remedy="Call ps.watch() again for a nested block.",
                site=here(),
            )
        site = (self.site if self._fixed else None) or here()
        settings = settings_near(site.file)
        if self.framework is None:
            require_no_recording("watch", "Put the block around the call to the step.")
            _settle()
        source = source_for(self.framework) if self.framework is not None else Recorder()
        steps = self._steps or settings.steps
        if steps is not None and hasattr(source, "whole"):
            # Unreported steps need not be recorded call by call.
            source.whole = min(source.whole, steps)
        inspection = Watched(source, steps)
        linecache.checkcache(site.file)
        inspection.__enter__()
        try:
            self._register(inspection)
        except BaseException:
            inspection.__exit__(None, None, None)
            raise
        self._inspection, self._report, self.site = inspection, None, site
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        inspection, site = self._inspection, self.site
        assert inspection is not None and site is not None
        self._inspection = None
        late: BaseException | None = None
        try:
            if self.framework is not None:
                inspection.finish()
            elif not inspection.stopped:
                try:
                    _settle()
                except Exception as failure:
                    late = failure
        finally:
            inspection.__exit__(None, None, None)
        report = inspection.report(display_file(site.file), error or late)
        report.block = True
        self._report = choose(report, settings_near(site.file))
        if error is None and late is not None:
            raise late

    def _register(self, inspection: Watched) -> None:
        """Reports to the sink the things that were created before the block."""
        if self.framework is not None:
            register(self.framework, inspection.source, self._given)
            return
        for name, thing in self._given.items():
            numbered = isinstance(thing, list | tuple)
            for number, one in enumerate(thing if numbered else [thing]):
                owner = type(one).__name__ if isinstance(one, Optimizer) else ""
                for variable in _variables(name, one):
                    observed = Recorded(variable)
                    inspection.created(observed, owner, one is variable)
                    if one is variable and isinstance(one, Cell) and observed.unnamed:
                        inspection.subject(observed).path = f"{name}[{number}]" if numbered else name

    # -- afterwards ----------------------------------------------------------------------------------------

    @property
    def report(self) -> Report:
        """Everything that was observed. Raises PenstockError before the block has ended."""
        if self._report is None:
            raise PenstockError(
                "The report was read before the block ended." if self._inspection else "Nothing was watched.",
                remedy="Write `with ps.watch(...) as report:`, and read the report after the block.",
                site=here(),
            )
        return self._report

    @property
    def findings(self) -> list[Finding]:
        """The findings, worst first."""
        return self.report.findings

    @property
    def status(self) -> int:
        """0 if there are no findings (notes do not count), 1 if there are, 2 if the block failed."""
        return self.report.status

    @property
    def steps(self) -> int:
        """The number of steps that were observed."""
        return self.report.steps

    @property
    def variables(self) -> list[Subject]:
        """The observations of each variable, except those that belong to optimizers."""
        return self.report.variables

    @property
    def error(self) -> BaseException | None:
        """The exception that ended the block, if any."""
        return self.report.error

    def data(self) -> dict[str, Any]:
        """Returns the report as dictionaries and lists."""
        return as_data(self.report)

    def json(self) -> str:
        """Returns the report as JSON text, which `penstock diff` reads."""
        return as_json(self.report)

    def page(self) -> str:
        """Returns the report as the text of an HTML file."""
        from penstock.flow.report.page import as_page

        return as_page(self.report)

    def __str__(self) -> str:
        from penstock.flow.report.text import show

        stream = io.StringIO()
        show(self.report, stream, width=WIDTH)
        return stream.getvalue().strip("\n")

    def __repr__(self) -> str:
        if self._report is None:
            return f"<ps.watch: {'watching' if self._inspection else 'nothing watched yet'}>"
        return str(self)

    def _repr_html_(self) -> str:
        """The display in a notebook: the page in a frame, so that no style leaks into the notebook."""
        from html import escape

        height = min(900, 240 + 26 * len(self.variables) + 220 * len(self.findings))
        return (
            f'<iframe srcdoc="{escape(self.page())}" title="what the block did" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>'
        )


def _settle() -> None:
    """Runs the pending operations, so that those of a block are separate from the others."""
    trace = local.trace
    if trace.node.parent is not None:
        trace.run(not trace.taping)


__all__ = ["Watch", "watch"]
