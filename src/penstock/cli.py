"""The command `penstock`: run a script, check it and report, explain a word of a report."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from penstock import __version__
from penstock.errors import PenstockError
from penstock.flow.manual import page, words
from penstock.frameworks.sources import FRAMEWORKS, PACKAGES, is_installed, source_for
from penstock.launched import begin
from penstock.notebooks import SUFFIX
from penstock.running import DIALECTS, file_of, imported_engines, run_script
from penstock.scripts import own_options, standard_input
from penstock.several import check_each, terminated

if TYPE_CHECKING:
    # `penstock run` makes no report: what makes one would take as long to import as what runs programs.
    from penstock.flow.report_model import Report
    from penstock.flow.settings import Settings

_VALUED = (
    "--as", "--with", "--steps", "--devices", "--processes", "--patience", "--format", "--html", "--select",
    "--ignore",
)  # fmt: skip
_FLAGS = ("--all", "--split", "--deep")
AUTO = "auto"
_FORMATS = ("text", "json", "sarif", "github")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with these arguments (those of the process by default); returns the exit status.

    >>> main(["explain", "frozen"])  # doctest: +ELLIPSIS
    frozen: it is not trainable, so the tape does not watch it.
    ...
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        own, scripts, passed_on = _split(given)
        parser = _parser()
        options = parser.parse_args(own + scripts)
        if options.command in ("run", "check") and not scripts and options.module is None:
            parser.error("name a SCRIPT: a Python file, a notebook, - to read one, or a module with -m")
        with standard_input(scripts):
            status = _obey(options, own, scripts, passed_on)
        sys.stdout.flush()
        return status
    except PenstockError as error:
        said = " ".join(part for part in (error.fact, error.why, error.remedy) if part)
        print(f"penstock: {said}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has closed the pipe; the rest of the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit:
        # The user requested the help, or made a wrong call.
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _obey(options: argparse.Namespace, own: list[str], scripts: list[str], passed_on: list[str]) -> int:
    """Runs the requested command. Raises PenstockError if that is impossible."""
    if options.command == "explain":
        return _explain(options.code)
    if options.command == "doctor":
        from penstock.doctor import doctor

        return doctor()
    if options.command == "cache":
        return _cache(options.clear)
    if options.command == "diff":
        return _diff(options.before, options.after, options.format)
    options.script = file_of(options.module) if options.module is not None else scripts[0]
    for problem in (*map(_unreadable, scripts), _unsuited(options)):
        if problem:
            print(f"penstock: {problem}", file=sys.stderr)
            return 2
    if options.command == "run":
        return _run(options, passed_on)
    _read_settings(options)
    if len(scripts) > 1:
        if options.html is not None:
            raise PenstockError(
                f"--html {options.html} and {len(scripts)} scripts were given.",
                remedy="Call penstock once for each page: a page has one report.",
            )
        return check_each(scripts, own[1:], passed_on, options.format)
    return _check(options, passed_on)


OTHER_FRAMEWORKS = {
    "torch": "--with torch", "pytorch": "--with torch", "keras": "--with tensorflow, or --as tensorflow",
    "tf": "--with tensorflow, or --as tensorflow", "paddlepaddle": "--with paddle, or --as paddle",
    "jax": "--with jax", "flax": "--with jax",
}  # fmt: skip
"""What to type for a framework that was given to the wrong option, or by another name."""


class _Parser(argparse.ArgumentParser):
    """A parser that says what to type in place of a word that it does not know."""

    def error(self, message: str) -> NoReturn:
        from difflib import get_close_matches

        wrong = re.search("invalid choice: '(.*?)' \\(choose from (.*)\\)", message)
        if wrong is not None:
            word, known = wrong[1], re.findall("[a-z]+", wrong[2])
            if message.startswith(("argument --as", "argument --with")):
                answer = OTHER_FRAMEWORKS.get(word.lower(), "")
            elif word.endswith((".py", ".ipynb")):
                answer = f"penstock check {word}"
            else:
                answer = next(iter(get_close_matches(word, known, 1)), "")
            message += f". Type {answer}" if answer else ""
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="penstock", allow_abbrev=False, description=main.__globals__["__doc__"])
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run a script", allow_abbrev=False)
    check = commands.add_parser(
        "check",
        help="run a script, then report which variables it changes and where gradients are cut",
        allow_abbrev=False,
        epilog="Exit status: 0 no findings (notes do not count), 1 findings, 2 the script failed. "
        "Arguments after the script that are not options of penstock are passed on to it, and so are those "
        "that the script has an option for, and everything after --.",
    )
    for command in (run, check):
        command.add_argument(
            "--as",
            dest="dialect",
            choices=list(DIALECTS),
            help="run the script on Penstock: its import of this framework resolves to Penstock",
        )
        command.add_argument("-m", dest="module", metavar="MODULE", help="a module instead of a script")
    run.add_argument("script", metavar="SCRIPT", nargs="?", help="a Python file or a notebook, - to read one")
    run.add_argument(
        "--processes",
        type=_count,
        metavar="N",
        help="run it in N processes of this machine, joined for ps.distribution; if one fails, or keeps the "
        "others waiting, all are ended",
    )
    run.add_argument(
        "--devices",
        type=_count,
        metavar="N",
        help="give each process N simulated CPU devices",
    )
    run.add_argument(
        "--patience",
        type=_seconds,
        metavar="SECONDS",
        help="with --processes: how long a process may keep the others waiting, 300 by default",
    )
    check.add_argument(
        "script",
        metavar="SCRIPT",
        nargs="*",
        help="Python files or notebooks, each of several checked in its own process; - reads one",
    )
    check.add_argument(
        "--with",
        dest="framework",
        choices=[*FRAMEWORKS, AUTO],
        help="run the script in this framework itself (PyTorch, TensorFlow with Keras, JAX, PaddlePaddle) "
        "and report on it; "
        "auto decides by the script's imports and by the frameworks installed",
    )
    for option, what in (("--select", "report only"), ("--ignore", "do not report")):
        check.add_argument(
            option,
            action="append",
            metavar="CODES",
            help=f"{what} findings with these codes or names, separated by commas; PS4 means all codes that "
            "begin with it",
        )
    check.add_argument("--steps", type=_count, metavar="N", help="stop the script after N steps")
    check.add_argument(
        "--devices",
        type=_count,
        metavar="N",
        help="give the script N simulated CPU devices, and report what they cost",
    )
    check.add_argument("--format", choices=list(_FORMATS), default="text")
    check.add_argument("--html", metavar="FILE", help="also write the report as a page for a browser")
    check.add_argument("--all", action="store_true", help="also list the variables that belong to optimizers")
    check.add_argument(
        "--split",
        action="store_true",
        help="show how much each cause moved each variable, checked by a replay; once a program has "
        "settled, a step takes 1.0 to 3.9 times as long as in the plain run",
    )
    check.add_argument(
        "--deep",
        action="store_true",
        help="measure the gradients of every step that writes at most 4 million numbers, and what each term "
        "of a loss adds to them; a step then takes 1.0 to 13.4 times as long as in the plain run",
    )
    diff = commands.add_parser(
        "diff",
        help="show what an edit changed in the flow, from two JSON reports",
        allow_abbrev=False,
        epilog="Exit status: 0 the flow is the same, 1 it changed, 2 a file is not a report.",
    )
    diff.add_argument("before", metavar="BEFORE")
    diff.add_argument("after", metavar="AFTER")
    diff.add_argument("--format", choices=["text", "json"], default="text")
    cache = commands.add_parser(
        "cache",
        help="show the folder of compiled programs, which later runs reuse",
        allow_abbrev=False,
        epilog="PENSTOCK_CACHE_DIR names another folder, or none where it is empty; PENSTOCK_CACHE_DISK says "
        "how much room the files may take, as in 256MiB (1GiB by default).",
    )
    cache.add_argument("--clear", action="store_true", help="delete the files")
    commands.add_parser(
        "doctor",
        help="show what is installed, which device computes steps, and what would be faster",
        allow_abbrev=False,
    )
    explain = commands.add_parser("explain", help="explain a word or code of a report", allow_abbrev=False)
    explain.add_argument("code", metavar="CODE", help="one of: " + ", ".join(words()))
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 step")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("a number of seconds above 0")
    return number


def _split(arguments: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Returns penstock's own arguments, the scripts, and the scripts' arguments.

    Options of penstock may come before or after the script. Further scripts are files directly after the
    first one; everything else that follows belongs to the script.
    """
    if not arguments or arguments[0] not in ("run", "check"):
        return arguments, [], []
    own, rest = arguments[:1], arguments[1:]
    scripts: list[str] = []
    passed_on: list[str] = []
    script = False
    theirs: set[str] | None = None
    while rest:
        one = rest.pop(0)
        if one == "--" and script:
            return own, scripts, passed_on + rest
        if one == "-m" and not script:
            own += [one, *rest[:1]]
            rest, script = rest[1:], True
            continue
        named = one.partition("=")[0]
        if script and (named in _VALUED or named in _FLAGS):
            theirs = _their_options(own, scripts) if theirs is None else theirs
            if named in theirs:
                passed_on.append(one)
                what = scripts[0] if scripts else "the module"
                print(
                    f"penstock: {named} is passed to {what}, which has an option of this name; write "
                    "penstock's own options before the script.",
                    file=sys.stderr,
                )
                continue
        if one in _VALUED:
            own += [one, *rest[:1]]
            rest = rest[1:]
        elif one in _FLAGS or one.partition("=")[0] in _VALUED:
            own.append(one)
        elif not script:
            script = one == "-" or not one.startswith("-")
            (scripts if script else own).append(one)
        elif scripts and not passed_on and own[0] == "check" and _is_script(one):
            scripts.append(one)
        else:
            passed_on.append(one)
    return own, scripts, passed_on


def _their_options(own: list[str], scripts: list[str]) -> set[str]:
    """Returns the script's, or the module's, own options."""
    if scripts:
        return own_options(scripts[0])
    module = own[own.index("-m") + 1 :][:1]
    return own_options(file_of(module[0]), os.getcwd()) if module else set()


def _is_script(argument: str) -> bool:
    return argument.endswith((".py", SUFFIX)) and Path(argument).is_file()


def _unreadable(script: str) -> str:
    path = Path(script)
    if path.is_dir():
        return f"{script} is a directory; name a Python file in it."
    if not path.is_file():
        return f"there is no file {script}."
    if not os.access(path, os.R_OK):
        return f"the file {script} cannot be read: permission denied."
    return ""


_LACKING = {
    "--split": ", whose optimizers do not say how much of a change is momentum, decay or gradient",
    "--deep": ", where the gradient of each term of a loss would need a backward pass of its own",
}
"""What a framework would have to do for an option of Penstock's own programs."""


def _unsuited(options: argparse.Namespace) -> str:
    """Names the options that cannot be combined with --with."""
    if getattr(options, "framework", None) is None:
        return ""
    for option, given in (
        ("--as", options.dialect is not None),
        ("--split", options.split),
        ("--deep", options.deep),
        ("--devices", options.devices is not None),
    ):
        if given and (options.framework != AUTO or option == "--as"):
            why = _LACKING.get(option, "")
            text = (
                f"{option} and --with cannot be combined: the script runs in {options.framework} itself{why}."
            )
            if why and options.framework == "tensorflow":
                text += f" penstock check --as tensorflow {option} SCRIPT runs it on Penstock, which can."
            return text
    return ""


# -- cache ----------------------------------------------------------------------------------------------


def _cache(clear: bool) -> int:
    """Shows the folder of compiled programs, or deletes them."""
    from penstock.tiers import disk

    where, room = disk.folder(), disk.bound()
    if where is None or room == 0:
        named = disk.FOLDER if where is None else disk.BOUND
        print(f"No compiled programs are kept: {named} is {os.environ.get(named, 'not set')!r}.")
        return 0
    problem = disk.trouble(where)
    if problem is not None:
        print(f"penstock: {where} is not used: {problem}", file=sys.stderr)
        return 1
    if clear:
        count = disk.empty(where)
        print(f"Deleted {count} compiled program{'' if count == 1 else 's'} from {where}.")
        return 0
    sizes = [size for _, size, _ in disk.files(where)]
    programs = f"{len(sizes)} compiled program{'' if len(sizes) == 1 else 's'}"
    print(f"{where}: {programs}, {_mebibytes(sum(sizes))} of at most {_mebibytes(room)}.")
    return 0


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MiB"


# -- run ------------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, arguments: list[str]) -> int:
    if options.processes is not None:
        from penstock.launching import launch, require_unix

        require_unix()
        own = [] if options.dialect is None else ["--as", options.dialect]
        script = [options.script] if options.module is None else ["-m", options.module]
        return launch(options.processes, own, [*script, "--", *arguments], options.devices, options.patience)
    if options.patience is not None:
        raise PenstockError("--patience was given without --processes.", remedy="Add --processes N.")
    if options.devices is not None:
        from penstock.distribution.checked import simulate

        simulate(options.devices)
    beat = begin()
    error = run_script(options.script, options.dialect, arguments, options.module)
    if beat is not None:
        beat.end(error)
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
    from penstock.distribution.checked import add_costs, simulate
    from penstock.flow.check import inspect
    from penstock.flow.report.progress import progress_line
    from penstock.flow.settings import choose

    as_text = options.format == "text"
    if options.framework == AUTO:
        _choose_framework(options)
    source = source_for(options.framework) if options.framework is not None else None
    settings = _read_settings(options)
    if options.devices is not None:
        simulate(options.devices)
    scope = contextlib.nullcontext() if as_text else _output_to_stderr()
    with scope, terminated() as by_signal:
        with progress_line(sys.stderr) as progress:
            report = inspect(
                options.script,
                lambda: run_script(options.script, options.dialect, arguments, options.module),
                settings.steps,
                progress,
                options.split,
                source,
                options.deep,
            )
        add_costs(report, options.devices is not None)
        sys.stdout.flush()
    choose(report, settings)
    try:
        if options.html is not None and not _write_page(report, options.html):
            return 2
        if as_text:
            _show(report, options.all)
            for cost in report.costs:
                print(f"\n{cost}")
        elif text := _as_format(report, options.format, options.all):
            print(text, flush=True)
    except BrokenPipeError:
        # The reader has closed the pipe; the rest of the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(report.error, KeyboardInterrupt):
        return 128 + (by_signal[0] if by_signal else 2)
    return report.status


def _read_settings(options: argparse.Namespace) -> Settings:
    """Returns the settings of the options, completed by those of the table near the script."""
    from penstock.flow.settings import codes, settings_near

    return settings_near(options.script).over(
        select=codes(options.select or (), "--select"),
        ignore=codes(options.ignore or (), "--ignore"),
        steps=options.steps,
    )


def _choose_framework(options: argparse.Namespace) -> None:
    """Chooses the framework from the imports of a script, and prints the choice."""
    found = imported_engines(options.script, options.module)
    known = {name: _way(name) for name in dict.fromkeys([*FRAMEWORKS, *DIALECTS, "keras"])} | {"penstock": ""}
    options.framework = None
    others = [name for name in found if name not in known]
    chosen = [name for name in found if name in known]
    if "tensorflow" in chosen and "keras" in chosen:
        chosen.remove("keras")
    if "penstock" in chosen and "jax" in chosen:
        # Penstock computes with JAX, and its programs may use both.
        chosen.remove("jax")
    called = options.module or options.script
    if not chosen:
        what = f"{', '.join(others)}, which it cannot watch" if others else "no framework that it knows"
        raise PenstockError(f"--with auto: {called} imports {what}.", remedy=f"It knows {', '.join(known)}.")
    if len(chosen) > 1:
        raise PenstockError(
            f"--with auto: {called} imports {' and '.join(chosen)}.",
            remedy="Say which: " + ", or ".join(_flag(one, known[one]) for one in chosen) + ".",
        )
    (name,) = chosen
    if known[name] == "with":
        options.framework = PACKAGES[name]
        if problem := _unsuited(options):
            raise PenstockError(problem)
    elif known[name] == "as":
        options.dialect = "tensorflow" if name == "keras" else name
    where = found[name]
    print(f"penstock: {where} imports {name}: as with {_flag(name, known[name])}.", file=sys.stderr)


def _way(name: str) -> str:
    """Returns how a script that imports a framework runs: in it, if Penstock can watch it and it is here."""
    if name in DIALECTS or name == "keras":
        framework = PACKAGES.get(name)
        return "with" if framework is not None and is_installed(framework) else "as"
    return "with"


def _flag(name: str, how: str) -> str:
    return f"--{how} {'tensorflow' if name == 'keras' else name}" if how else "neither --with nor --as"


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
    from penstock.flow.report.data import as_json

    return as_json(report, all_variables)


def _write_page(report: Report, file: str) -> bool:
    """Writes the report as a page; returns whether that succeeded."""
    from penstock.flow.report.page import as_page

    try:
        Path(file).write_text(as_page(report), encoding="utf-8")
    except OSError as error:
        print(f"penstock: the page {file} could not be written: {error.strerror}.", file=sys.stderr)
        return False
    return True


@contextlib.contextmanager
def _output_to_stderr() -> Iterator[None]:
    """Redirects standard output to standard error, no matter what writes it."""
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
        from difflib import get_close_matches

        from penstock.flow.codes import CODES

        # A finding has a code and a name, and a report shows both.
        every = [*words(), *(one.name for one in CODES.values())]
        near = get_close_matches(code.lower(), every, 3)
        known = f"Similar: {', '.join(near)}." if near else f"There are pages on {', '.join(words())}."
        print(f"penstock: there is no page on {code!r}. {known}", file=sys.stderr)
        return 2
    print(found, flush=True)
    return 0


# -- diff -----------------------------------------------------------------------------------------------


def _diff(before: str, after: str, form: str) -> int:
    from penstock.flow.report.difference import as_text, difference, has_changed, read

    found = difference(read(before), read(after))
    if form == "json":
        print(json.dumps(found, indent=2, ensure_ascii=False), flush=True)
    else:
        print(as_text(found, before, after), flush=True)
    return int(has_changed(found))


if __name__ == "__main__":
    sys.exit(main())
