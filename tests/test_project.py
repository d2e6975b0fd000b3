"""The project speaks of itself alone, and its documents keep their promises."""

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from emitters import AS_USERS
from order import LONGEST, tells_something, too_long

ROOT = Path(__file__).parents[1]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HEADINGS = ["What we chose", "What we declined", "What would change our mind"]

# Brackets keep each pattern from matching the line it is written on.
FOREIGN = {
    "a path of somebody's machine": r"(?<![\w.$~}/-])/(?:home|root|Users|work|tmp|opt|mnt|srv)/[\w.]",
    "the host of a package index": r"(?:pypi|pythonhosted)[.](?:org|io)\b|(?:localhost|127[.]0[.]0[.]1):\d",
    "an option that names a package index": r"--(?:extra-)?index[-]url|--find[-]links",
}


def project_files() -> list[Path]:
    """What a commit would hold: tracked files, and new ones that are not ignored."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def foreign_words(text: str) -> list[tuple[int, str, str]]:
    """Line, kind and words of each trace of a machine in a text."""
    return [
        (text.count("\n", 0, match.start()) + 1, what, match.group())
        for what, pattern in FOREIGN.items()
        for match in re.finditer(pattern, text)
    ]


def test_no_file_mentions_a_machine():
    found = []
    for path in project_files():
        content = path.read_bytes()
        if b"\0" in content:
            continue
        for number, what, words in foreign_words(content.decode("utf-8")):
            found.append(f"{path.relative_to(ROOT)}:{number}: {words!r} is {what}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (("see /ho", "me/ada/train.py"), 1),
        (("'/tm", "p/jobs.7/stdout'"), 1),
        (("https://py", "pi.org/simple"), 1),
        (("pip install --index", "-url x"), 1),
        (("http://local", "host:8080/simple"), 1),
        (("src/work/", "table.py and $HOME/tmp/a and https://example.com/home/a"), 0),
        (("#!/usr/bin/", "env bash"), 0),
    ],
)
def test_a_planted_foreign_word_is_found(parts, found):
    assert len(foreign_words("".join(parts))) == found


def test_commands_of_the_documents_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"demo", "test", "check", "bench", "docs", "clean"} <= targets
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        code = " ".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
        assert set(re.findall(r"\bmake ([a-z]+)", code)) <= targets, document
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme


def constraints() -> list[str]:
    """What `make test-oldest` installs."""
    command = [sys.executable, ROOT / "tools" / "oldest.py"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()


def test_every_dependency_names_the_oldest_version_that_is_tested():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    assert len(constraints()) >= len(project["dependencies"])
    for constraint in constraints():
        name, _, version = constraint.partition("==")
        assert f'"{name}>={version}"' in text
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in re.findall(r"tests/\w+\.py", makefile):
        assert (ROOT / path).exists(), path


@pytest.mark.skipif(
    not sys.prefix.endswith("-oldest"), reason="this is not the environment of `make test-oldest`"
)
def test_the_oldest_versions_are_installed():
    for constraint in constraints():
        name, _, version = constraint.partition("==")
        there = [int(part) for part in importlib.metadata.version(name).split(".")]
        wanted = [int(part) for part in version.split(".")]
        assert there == wanted + [0] * (len(there) - len(wanted)), name


def test_continuous_integration_runs_the_test_command():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111, "the script has to be executable"
    assert "make test" in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.relative_to(ROOT)}: {target}"


@pytest.mark.parametrize("page", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_says_what_was_chosen_declined_and_what_would_change_it(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert re.match(rf"# {page.name[:4]}: \S", lines[0])
    assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS


def test_decisions_are_numbered_and_listed():
    assert [page.name[:4] for page in DECISIONS] == [f"{n:04}" for n in range(1, len(DECISIONS) + 1)]
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DECISIONS if page.name not in index] == []


def test_nothing_is_left_to_fill_in():
    left = [path.relative_to(ROOT) for path in DOCUMENTS if "TODO-" in path.read_text(encoding="utf-8")]
    assert not left


def test_the_long_files_of_the_suite_exist():
    assert [name for name in (*LONGEST, *AS_USERS) if not (ROOT / "tests" / f"{name}.py").exists()] == []
    assert len(set(LONGEST)) == len(LONGEST)


def test_slow_tests_are_named_with_their_total_time():
    def report(name, when, seconds):
        return pytest.TestReport(name, ("", None, ""), {}, "passed", None, when, duration=seconds)

    known = [report("a", "setup", 6.0), report("a", "call", 6.5), report("b", "call", 9.0)]
    assert too_long([*known, report("c", "call", 20.0), object()]) == ["  20.0 s  c", "  12.5 s  a"]
    told = [tells_something(report("a", when, taken)) for when in ("setup", "call") for taken in (0.001, 1.0)]
    assert told == [False, True, True, True]


OUTCOMES = """
import pytest
@pytest.fixture
def fails(): raise ValueError
@pytest.fixture
def ends_badly():
    yield
    raise ValueError
def test_setup(fails): pass
def test_call(): assert False
def test_teardown(ends_badly): pass
@pytest.mark.skip
def test_left_out(): pass
def test_left_out_late(): pytest.skip("late")
@pytest.mark.xfail
def test_expected(): assert False
"""


@pytest.mark.parametrize(("text", "kinds"), [("A file.\n\n>>> 1\n1\n", ["DoctestModule"]), ("A file.", [])])
def test_examples_are_looked_for_only_in_files_that_have_some(text, kinds, tmp_path, request):
    file = tmp_path / "some.py"
    file.write_text(f'"""{text}"""', encoding="utf-8")
    found = request.config.hook.pytest_collect_file(file_path=file, parent=request.session)
    assert [type(one).__name__ for one in found] == kinds


def test_a_worker_reports_every_outcome(tmp_path):
    (tmp_path / "conftest.py").write_text("from order import run_and_report as pytest_runtest_protocol")
    (tmp_path / "test_it.py").write_text(OUTCOMES)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
        "-n1",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "1 failed, 1 passed, 2 skipped, 1 xfailed, 2 errors in" in done.stdout, done.stdout + done.stderr
