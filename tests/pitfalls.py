"""Programs with a mistake that people have made, each with its repair, and the findings that each must get.

The first line of a program says what `penstock check` has to find: codes with variables, `told:` with the
beginning of a remark, `refused:` with the error that Penstock raises, or `nothing`, where it is silent. A bar
stands between two codes of which either will do. Lines that end in `# wrong` are those of the mistake, lines
that end in `# right` those of the repair. A finding has to stand, or to have its cause, on a wrong line or on
one that ends in `# here`; in programs that have neither, and where no line is known, the variables count.
"""

import contextlib
import io
import linecache
import re
import tomllib
import warnings
from pathlib import Path

from penstock.flow.check import inspect
from penstock.flow.report.data import as_data
from penstock.running import run_script

PROGRAMS = Path(__file__).parent / "programs" / "pitfalls"
ENTRIES = tomllib.loads((PROGRAMS / "entries.toml").read_text(encoding="utf-8"))
DIALECTS = {"native": None, "tensorflow": "tensorflow", "paddle": "paddle", "torch": None}


def programs(*vocabularies):
    """The programs of some vocabularies, as "native/01"."""
    found = (path for one in vocabularies for path in sorted((PROGRAMS / one).glob("pf*.py")))
    return [f"{path.parent.name}/{path.stem.removeprefix('pf')}" for path in found]


def text_of(program):
    """The text of a program, with both kinds of lines."""
    vocabulary, entry = program.split("/")
    return (PROGRAMS / vocabulary / f"pf{entry}.py").read_text(encoding="utf-8")


def claims(program):
    """The parts of a program's first line."""
    return text_of(program).splitlines()[0].removeprefix("# ").split("; ")


def wrong_lines(program):
    """The numbers of the lines with the mistake, and of the lines that show its effect."""
    lines = text_of(program).splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(("# wrong", "# here"))}


def report_on(program, kind, folder, source=None):
    """Checks one of the two programs; returns the facts of the JSON report, and the error, if any."""
    other = "# right" if kind == "wrong" else "# wrong"
    file = folder / f"{kind}.py"
    kept = ("\n" if line.rstrip().endswith(other) else line for line in text_of(program).splitlines(True))
    file.write_text("".join(kept), encoding="utf-8")
    linecache.clearcache()
    dialect = DIALECTS[program.split("/")[0]]
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        report = inspect(str(file), lambda: run_script(str(file), dialect, []), source=source)
    return as_data(report), report.error


NUMBERED = re.compile(r"^(\w+?)_(\d+)\.")


def counted(paths, every):
    """Names such as linear_7.w_0, counted from the first of their kind: Paddle counts through the process."""
    first = {}
    for match in filter(None, map(NUMBERED.match, every)):
        first[match[1]] = min(first.get(match[1], int(match[2])), int(match[2]))
    found = []
    for path in paths:
        match = NUMBERED.match(path)
        if match:
            path = f"{match[1]}_{int(match[2]) - first[match[1]]}.{path[match.end() :]}"
        found.append(path.split(" (")[0])
    return found


def check_wrong(program, data, error):
    """Compares the findings on the program with the mistake with its first line."""
    every = [one["path"] for one in data["variables"]]
    said = {(one["code"], *counted(one["variables"], every)): one for one in data["findings"]}
    for claim in claims(program):
        if claim.startswith("refused: "):
            assert type(error).__name__ == claim.removeprefix("refused: ")
        elif claim.startswith("told: "):
            words = claim.removeprefix("told: ").split()
            assert any(set(words) <= set(remark.split()) for remark in data.get("remarks", ()))
        elif claim == "nothing":
            serious = [one["code"] for one in data["findings"] if one["severity"] != "note"]
            assert not serious and error is None
        else:
            codes, *variables = claim.split()
            options = [one for code in codes.split("|") if (one := said.get((code, *variables)))]
            assert options or "nothing" in codes, sorted(said)
            lines = wrong_lines(program)
            for one in options if lines else ():
                stands = {one["line"], one["cause_line"]}
                assert stands & lines or stands == {None}, stands


def check_right(data, error):
    """The repaired program gets no remark on updates, and nothing that is more than a note."""
    assert error is None
    assert [
        (one["code"], one["variables"])
        for one in data["findings"]
        if one["severity"] != "note" or one["code"].startswith("PS4")
    ] == []
