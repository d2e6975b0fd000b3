"""The command `penstock`: run a script, check it and report, explain a word of a report."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from penstock.errors import PenstockError
from penstock.flow.check import inspect
from penstock.flow.manual import page, words
from penstock.flow.report.data import as_json
from penstock.flow.report.progress import progress_line
from penstock.flow.seen import Report
from penstock.frameworks.sources import FRAMEWORKS, source_for
from penstock.running import DIALECTS, run_script

_VALUED = ("--as", "--with", "--steps", "--format", "--html")
_FLAGS = ("--all", "--split")
_FORMATS = ("text", "json", "sarif", "github")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with these arguments (those of the process by default); returns the exit status.

    >>> main(["explain", "frozen"])  # doctest: +ELLIPSIS
    frozen: it is not trainable, so the tape does not watch it.
    ...
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, passed_on = _split(given)
    options = _parser().parse_args(own)
    if options.command == "explain":
        return _explain(options.code)
    problem = _unreadable(options.script) or _unsuited(options)
    if problem:
        print(f"penstock: {problem}", file=sys.stderr)
        return 2
    if options.command == "run":
        return _run(options.script, options.dialect, passed_on)
    return _check(options, passed_on)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penstock", allow_abbrev=False, description=main.__globals__["__doc__"]
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run a script", allow_abbrev=False)
    check = commands.add_parser(
        "check",
        help="run a script, then report which variables it changes and where gradients are cut",
        allow_abbrev=False,
        epilog="Exit status: 0 nothing to mend (notes mend nothing), 1 findings, 2 the script failed. What "
        "follows the script and is no option of penstock is passed on to it; everything after -- is.",
    )
    for command in (run, check):
        command.add_argument(
            "--as",
            dest="dialect",
            choices=list(DIALECTS),
            help="let the script's import of this framework resolve to Penstock",
        )
        command.add_argument("script", metavar="SCRIPT")
    check.add_argument(
        "--with",
        dest="framework",
        choices=list(FRAMEWORKS),
        help="let the script run in this framework itself, and report on it there",
    )
    check.add_argument("--steps", type=_count, metavar="N", help="stop the script after N steps")
    check.add_argument("--format", choices=list(_FORMATS), default="text")
    check.add_argument("--html", metavar="FILE", help="write the report as one page for a browser, too")
    check.add_argument("--all", action="store_true", help="list the variables that optimizers keep, too")
    check.add_argument(
        "--split", action="store_true", help="say how much each cause has moved each variable, and replay it"
    )
    explain = commands.add_parser("explain", help="explain a word or code of a report", allow_abbrev=False)
    explain.add_argument("code", metavar="CODE", help="one of: " + ", ".join(words()))
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 step")
    return number


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Returns penstock's own arguments and those of the script.

    Options of penstock may stand before or after the script; whatever else follows it is the script's.
    """
    if not arguments or arguments[0] not in ("run", "check"):
        return arguments, []
    own, rest = arguments[:1], arguments[1:]
    passed_on: list[str] = []
    script = False
    while rest:
        one = rest.pop(0)
        if one == "--" and script:
            return own, passed_on + rest
        if one in _VALUED:
            own += [one, *rest[:1]]
            rest = rest[1:]
        elif one in _FLAGS or one.partition("=")[0] in _VALUED:
            own.append(one)
        elif not script:
            own.append(one)
            script = not one.startswith("-")
        else:
            passed_on.append(one)
    return own, passed_on


def _unreadable(script: str) -> str:
    path = Path(script)
    if path.is_dir():
        return f"{script} is a directory; name a Python file in it."
    if not path.is_file():
        return f"there is no file {script}."
    if not os.access(path, os.R_OK):
        return f"the file {script} may not be read."
    return ""


def _unsuited(options: argparse.Namespace) -> str:
    """Says what does not go together with --with."""
    if getattr(options, "framework", None) is None:
        return ""
    for option, given in (("--as", options.dialect is not None), ("--split", options.split)):
        if given:
            return f"{option} and --with exclude each other: the script runs in {options.framework} itself."
    return ""


# -- run ------------------------------------------------------------------------------------------------


def _run(script: str, dialect: str | None, arguments: list[str]) -> int:
    error = run_script(script, dialect, arguments)
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        return _exit_status(error)
    traceback.print_exception(error)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _exit_status(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


# -- check ----------------------------------------------------------------------------------------------


def _check(options: argparse.Namespace, arguments: list[str]) -> int:
    as_text = options.format == "text"
    try:
        source = source_for(options.framework) if options.framework is not None else None
    except PenstockError as error:
        print(f"penstock: {error.fact} {error.remedy}", file=sys.stderr)
        return 2
    scope = contextlib.nullcontext() if as_text else _output_to_stderr()
    with scope:
        with progress_line(sys.stderr) as progress:
            report = inspect(
                options.script,
                lambda: run_script(options.script, options.dialect, arguments),
                options.steps,
                progress,
                options.split,
                source,
            )
        sys.stdout.flush()
    try:
        if options.html is not None and not _write_page(report, options.html):
            return 2
        if as_text:
            _show(report, options.all)
        elif text := _as_format(report, options.format, options.all):
            print(text, flush=True)
    except BrokenPipeError:
        # Whoever was reading has seen enough; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 130 if isinstance(report.error, KeyboardInterrupt) else report.status


def _show(report: Report, all_variables: bool) -> None:
    from penstock.flow.report.text import show

    show(report, sys.stdout, all_variables)


def _as_format(report: Report, wanted: str, all_variables: bool) -> str:
    if wanted == "sarif":
        from penstock.flow.report.sarif import as_sarif

        return as_sarif(report)
    if wanted == "github":
        from penstock.flow.report.github import as_github

        return as_github(report)
    return as_json(report, all_variables)


def _write_page(report: Report, file: str) -> bool:
    """Writes the report as a page; returns whether that went well."""
    from penstock.flow.report.page import as_page

    try:
        Path(file).write_text(as_page(report), encoding="utf-8")
    except OSError as error:
        print(f"penstock: the page {file} could not be written: {error.strerror}.", file=sys.stderr)
        return False
    return True


@contextlib.contextmanager
def _output_to_stderr() -> Iterator[None]:
    """Sends what is written to standard output to standard error, whoever writes it."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
        to = sys.stderr.fileno()
    except (AttributeError, io.UnsupportedOperation, ValueError):
        with contextlib.redirect_stdout(sys.stderr):
            yield
        return
    kept = os.dup(number)
    os.dup2(to, number)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, number)
        os.close(kept)


# -- explain --------------------------------------------------------------------------------------------


def _explain(code: str) -> int:
    found = page(code)
    if found is None:
        print(f"penstock: no page on {code!r}. There are pages on {', '.join(words())}.", file=sys.stderr)
        return 2
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
