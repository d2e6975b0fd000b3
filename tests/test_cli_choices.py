"""The command's inputs besides one script: modules, notebooks, several files, codes, settings, reports."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import processes
from penstock.cli import main
from penstock.flow.codes import CODES
from penstock.notebooks import cells_of

WRONG = (
    "import penstock as ps\n"
    "w, v = ps.Variable(1.0, name='w'), ps.Variable(1.0, name='v')\n"
    "with ps.GradientTape() as tape:\n"
    "    loss = ps.round(w)\n"
    "tape.gradient(loss, [w, v]){comment}\n"
)
COUNT = "import penstock as ps\nx = ps.Variable(0.0, name='x', trainable=False)\n{body}"
TURNS = "for turn in range({turns}):\n    x.assign_add(1.0)\n    float(x)\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into an empty working directory; returns its name."""
    monkeypatch.chdir(tmp_path)

    def file(text, name="train.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    return file


def wrong(comment=""):
    return WRONG.format(comment=comment)


def notebook(*cells):
    """The text of a notebook; a cell that begins with # Title is one of text."""
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": "markdown" if one.startswith("# Title") else "code",
                    "source": one,
                    "metadata": {},
                }
                for one in cells
            ],
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
        }
    )


def command(*arguments):
    return processes.run(["-m", "penstock", *arguments])


def told(capsys, *arguments):
    """The exit status, and the codes that JSON has."""
    status = main(["check", "--format", "json", *arguments])
    return status, [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]]


# -- the selection of findings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], ["PS101", "PS105"]),
        (["--ignore", "PS105"], ["PS101"]),
        (["--ignore=no-slope,PS101"], []),
        (["--ignore", "PS105", "--ignore", "PS10"], []),
        (["--select", "PS105"], ["PS105"]),
        (["--select", "PS2"], []),
        (["--select", "ps1", "--ignore", "missing_gradient"], ["PS105"]),
    ],
)
def test_codes_are_selected_and_ignored(options, codes, write, capsys):
    status, found = told(capsys, write(wrong()), *options)
    assert (sorted(found), status) == (codes, int(bool(codes)))


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_code_that_is_none_is_refused_by_name(option, write, capsys):
    assert main(["check", write(wrong()), option, "PS105,PS999"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and f"{option}: no finding has the code 'PS999'." in shown.err
    assert ", ".join(CODES) in shown.err


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("  # penstock: ignore[PS105]", ["PS101"]),
        ("  # penstock: ignore[PS105, PS101]", []),
        ("  # penstock: ignore", []),
        ("  # round  # penstock:ignore[no-slope]", ["PS101"]),
        ("  # penstock: ignore[PS302]", ["PS101", "PS105"]),
        ("  # penstock: ignored", ["PS101", "PS105"]),
    ],
)
def test_a_comment_ignores_codes_on_its_line(comment, codes, write, capsys):
    assert sorted(told(capsys, write(wrong(comment)))[1]) == codes


def test_hidden_findings_are_counted_at_the_end_of_the_report(write, capsys):
    assert main(["check", write(wrong("  # penstock: ignore[PS105]")), "--ignore", "PS101"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Left out: PS105 by the comment at line 5, PS101 by an option." in shown


def test_a_comment_with_a_code_that_is_none_ignores_nothing_and_says_so(write, capsys):
    status, codes = told(capsys, write(wrong("  # penstock: ignore[PS999]")))
    assert (status, sorted(codes)) == (1, ["PS101", "PS105"])
    main(["check", "train.py"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "line 5: no finding has the code 'PS999'. The comment there ignores nothing." in shown


def test_a_comment_anywhere_on_the_statement_counts(write, capsys):
    text = wrong().replace("[w, v])", "[\n    w, v\n])  # penstock: ignore")
    assert told(capsys, write(text)) == (0, [])


# -- settings ---------------------------------------------------------------------------------------------


def test_a_table_near_the_script_selects_findings(write, capsys):
    write('[tool.penstock]\nignore = ["PS105"]\n', "pyproject.toml")
    write("[tool.other]\nx = 1\n", "inner/pyproject.toml")
    script = write(wrong(), "inner/deep/train.py")
    assert told(capsys, script) == (1, ["PS101"])
    assert told(capsys, script, "--ignore", "PS101") == (1, ["PS105"])
    main(["check", script])
    assert "PS105 by pyproject.toml" in capsys.readouterr().out


def test_a_table_says_how_many_steps(write, capsys):
    write("[tool.penstock]\nsteps = 2\n", "pyproject.toml")
    script = write(COUNT.format(body=TURNS.format(turns=9)))
    assert main(["check", script]) == 0
    assert "2 steps, 1 variable, stopped there" in capsys.readouterr().out
    assert main(["check", script, "--steps", "3"]) == 0
    assert "3 steps, 1 variable, stopped there" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[tool.penstock]\nignores = []\n", "[tool.penstock] has no key 'ignores'. The keys are select,"),
        ("[tool.penstock]\nignore = 'PS105'\n", "ignore in [tool.penstock] is 'PS105'."),
        ("[tool.penstock]\nselect = ['PS999']\n", "no finding has the code 'PS999'."),
        ("[tool.penstock]\nsteps = 0\n", "steps in [tool.penstock] is 0."),
        ("[tool]\npenstock = 3\n", "tool.penstock is 3."),
        ("[tool.penstock\n", "cannot be read: "),
    ],
)
def test_a_table_that_means_nothing_is_refused_by_name(table, said, write, capsys):
    write(table, "pyproject.toml")
    assert main(["check", write("print('ran')\n")]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and "pyproject.toml" in shown.err
    assert "ran" not in shown.out


# -- modules ----------------------------------------------------------------------------------------------


def test_a_module_is_run_as_python_would(write, capsys):
    write("rate = 0.5\n", "pack/settings.py")
    write("print('imported once')\n", "pack/__init__.py")
    head = "import sys\nfrom .settings import rate\nprint(__name__, __package__, rate, sys.argv[1:])\n"
    write(head + wrong(), "pack/train.py")
    assert main(["check", "-m", "pack.train", "--epochs", "3", "-m", "x"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("imported once\n__main__ pack 0.5 ['--epochs', '3', '-m', 'x']\n")
    assert "penstock check pack/train.py" in shown and "line 7" in shown
    assert not [name for name in sys.modules if name.partition(".")[0] == "pack"]
    write("from .settings import rate\nprint(__package__, rate)\n", "pack/__main__.py")
    assert main(["run", "-m", "pack"]) == 0
    assert capsys.readouterr().out.endswith("pack 0.5\n")


def test_a_module_that_fails_while_its_package_is_imported(write, capsys):
    write("raise ValueError('no')\n", "pack/__init__.py")
    write("", "pack/train.py")
    assert main(["check", "-m", "pack.train"]) == 2
    assert "ValueError: no" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("nowhere.train", "There is no module 'nowhere'."),
        ("pack.train", "There is no module 'pack.train'."),
        ("pack", "The module 'pack' cannot be run"),
        ("math.floor", "There is no module 'math.floor'."),
        ("sys.path", "There is no module 'sys.path'."),
        ("sys", "The module 'sys' cannot be run"),
    ],
)
def test_a_module_that_is_not_there(module, said, write, capsys):
    write("", "pack/__init__.py")
    assert main(["check", "-m", module]) == 2
    assert said in capsys.readouterr().err


def test_auto_takes_a_program_of_penstock_for_one_even_if_it_uses_jax(write, capsys):
    file = write("import jax\nimport penstock as ps\nw = ps.Variable(1.0)\n")
    assert main(["check", "--with", "auto", file]) == 0
    assert "imports penstock: as with neither" in capsys.readouterr().err


# -- the framework, by the imports ------------------------------------------------------------------------


def test_auto_takes_a_program_of_ours_for_one(write, capsys):
    assert main(["check", "--with", "auto", write(wrong())]) == 1
    shown = capsys.readouterr()
    assert shown.err == "penstock: train.py imports penstock: as with neither --with nor --as.\n"
    assert "PS105" in shown.out


@pytest.mark.parametrize("option", ["--split", "--deep"])
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_what_a_framework_cannot_measure_is_refused_by_name(write, capsys, option, framework):
    assert main(["check", "--with", framework, option, write("")]) == 2
    said = capsys.readouterr().err
    assert f"{option} and --with cannot be combined: the script runs in {framework} itself, " in said
    typed = f"penstock check --as tensorflow {option} SCRIPT"
    assert (typed in said) == (framework == "tensorflow")


def test_auto_lets_a_script_of_a_dialect_run_on_penstock(write, capsys):
    write("import paddle as pd\nx = pd.ones([2])\n", "model.py")
    assert main(["check", "--with", "auto", write("from model import x\nprint(float(x.sum()))\n")]) == 0
    shown = capsys.readouterr()
    assert "penstock: model.py imports paddle: as with --as paddle.\n" in shown.err
    assert shown.out.startswith("2.0\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import mlx\n",
            "train.py imports mlx, which it cannot watch. It knows torch, tensorflow, jax, paddle",
        ),
        ("import jax, torch\n", "train.py imports torch and jax. Say which: --with torch, or --with jax."),
        ("import json\n", "train.py imports no framework that it knows."),
        (
            "import torch, tensorflow as tf\n",
            "train.py imports torch and tensorflow. Say which: --with torch, or --as tensorflow.",
        ),
    ],
)
def test_auto_refuses_by_name_what_it_cannot_decide(text, said, write, capsys):
    assert main(["check", "--with", "auto", write(text)]) == 2
    assert said in capsys.readouterr().err


# -- several scripts --------------------------------------------------------------------------------------


class Forked:
    """A script's process, as `penstock.several` starts it, but by fork and run to its end at once."""

    def __init__(self, command, stdout=None, encoding=None):
        self._done = processes.run(command[1:])
        self.returncode = self._done.returncode
        if stdout is None:
            print(self._done.stdout, end="")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def communicate(self):
        return self._done.stdout, None


@pytest.fixture
def forked(monkeypatch):
    monkeypatch.setattr("penstock.several.subprocess", SimpleNamespace(Popen=Forked, PIPE=subprocess.PIPE))


def test_several_scripts_are_checked_each_in_its_own_process(write):
    right, bad = write(COUNT.format(body=TURNS.format(turns=2)), "right.py"), write(wrong(), "wrong.py")
    done = command("check", right, bad)
    assert done.returncode == 1, done.stderr
    assert done.stdout.index("penstock check right.py") < done.stdout.index("penstock check wrong.py")


def test_the_worst_status_of_several_scripts_wins(write, forked, capsys):
    right, bad = write(COUNT.format(body=TURNS.format(turns=2)), "right.py"), write(wrong(), "wrong.py")
    assert main(["check", right, write("raise ValueError\n", "fails.py"), bad]) == 2
    shown = capsys.readouterr().out
    places = [shown.index(f"penstock check {one}") for one in (right, "fails.py", bad)]
    assert places == sorted(places)
    assert main(["check", right, bad]) == 1
    assert main(["check", right, right]) == 0


def test_formats_put_several_reports_together(write, forked, capsys):
    right, bad = write("print('noise')\n", "right.py"), write(wrong(), "wrong.py")

    def shown(form):
        assert main(["check", "--format", form, right, bad]) == 1
        return capsys.readouterr().out

    assert [one["script"] for one in json.loads(shown("json"))] == ["right.py", "wrong.py"]
    assert [len(one["results"]) for one in json.loads(shown("sarif"))["runs"]] == [0, 2]
    assert shown("github").count("file=wrong.py") == 2


def test_a_file_behind_an_argument_or_two_dashes_is_an_argument(write, capsys):
    script, other = write("import sys\nprint(sys.argv[1:])\n"), write("", "other.py")
    assert main(["check", script, "--", other]) == 0
    assert capsys.readouterr().out.startswith("['other.py']\n")
    assert main(["check", script, "--config", other]) == 0
    assert capsys.readouterr().out.startswith("['--config', 'other.py']\n")
    assert main(["run", script, other]) == 0
    assert capsys.readouterr().out.startswith("['other.py']\n")


def test_one_page_has_room_for_one_script(write, capsys):
    script = write("")
    assert main(["check", "--html", "page.html", script, script]) == 2
    assert "--html page.html and 2 scripts were given." in capsys.readouterr().err
    assert not Path("page.html").exists()


# -- notebooks --------------------------------------------------------------------------------------------

CELLS = (
    "# Title: markdown",
    "%matplotlib inline\n!echo no\nimport penstock as ps\nw = ps.Variable(1.0, name='w')",
    "%%bash\nrm -rf everything",
    "%%time\nwith ps.GradientTape() as tape:\n    loss = ps.round(w)",
    "display('shown')\ntape.gradient(loss, w)",
)


def test_a_notebook_is_run_cell_by_cell_and_lines_are_those_of_cells(write, capsys):
    assert main(["check", write(notebook(*CELLS), "train.ipynb")]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("shown\n")
    assert "cell 4, line 3" in shown and "PS105" in shown
    main(["check", "--format", "json", "train.ipynb"])
    data = json.loads(capsys.readouterr().out)
    finding = next(one for one in data["findings"] if one["code"] == "PS105")
    assert (finding["file"], finding["cell"], finding["line"]) == ("train.ipynb", 5, 2)
    assert data["variables"][0]["created"] == {"file": "train.ipynb", "cell": 2, "line": 4}


def test_a_notebook_in_other_formats(write, capsys):
    script = write(notebook(*CELLS), "train.ipynb")
    main(["check", "--format", "github", "--html", "page.html", script])
    assert "::warning file=train.ipynb,title=PS105 no-slope in cell 5%2C line 2::" in capsys.readouterr().out
    assert "nbformat" not in Path("page.html").read_text()
    main(["check", "--format", "sarif", script])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (place,) = next(one for one in run["results"] if one["ruleId"] == "PS105")["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "train.ipynb"}}
    assert place["message"]["text"] == "cell 5, line 2"


def test_comments_in_a_notebook_count(write, capsys):
    cells = [*CELLS[:3], CELLS[3] + "  # penstock: ignore", *CELLS[4:]]
    assert told(capsys, write(notebook(*cells), "train.ipynb")) == (0, [])


def test_an_error_in_a_cell_has_its_line(write, capsys):
    script = write(notebook("x = 1", "def f():\n    return 1 / 0\nf()"), "train.ipynb")
    assert main(["check", script]) == 2
    shown = capsys.readouterr().out
    assert "cell 2, line 3, in <module>" in shown and "return 1 / 0" in shown


def test_a_syntax_error_in_a_cell_has_its_line(write, capsys):
    script = write(notebook("x = 1", "y = 2\nz = = 3"), "train.ipynb")
    assert main(["check", script]) == 2
    assert "cell 2, line 2" in capsys.readouterr().out
    main(["check", "--format", "json", script])
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["type"], error["file"], error["cell"], error["line"]) == ("SyntaxError", script, 2, 2)


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', "print(1)"])
def test_a_file_other_than_a_notebook_is_refused(text, write, capsys):
    assert main(["check", write(text, "train.ipynb")]) == 2
    assert "train.ipynb cannot be read as a notebook" in capsys.readouterr().out


def test_lines_that_only_look_like_magic_stay(tmp_path):
    file = tmp_path / "a.ipynb"
    text = "x = (7\n  % 4)\ny = '''\n!no\n'''"
    file.write_text(notebook(text, ["%time x = 1\n", "x?\n", "x"][0] + "x?\nx"))
    assert [cell for _, cell in cells_of(file)] == [text, "pass  # time x = 1\npass  # \nx"]


# -- two reports ------------------------------------------------------------------------------------------

FITTED = (
    "import penstock as ps\n"
    "w = ps.Variable(1.0, name='w')\n"
    "optimizer = ps.optimizers.SGD(0.1)\n"
    "with ps.GradientTape() as tape:\n    loss = {loss}\n"
    "gradient = tape.gradient(loss, w)\n"
    "if gradient is not None:\n    optimizer.apply_gradients([(gradient, w)])\n"
)


@pytest.fixture
def saved(write, capsys):
    """Saves the report on a program in JSON; returns the file."""

    def save(name, text):
        main(["check", "--format", "json", write(text)])
        return write(capsys.readouterr().out, name)

    return save


def test_what_an_edit_has_changed_in_the_flow(saved, capsys):
    before = saved("before.json", FITTED.format(loss="ps.stop_gradient(w) ** 2"))
    after = saved("after.json", "# a line that moves the others\n" + FITTED.format(loss="w ** 2"))
    assert main(["diff", before, after]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "penstock diff before.json after.json"
    assert "w: TR... -> TRGOW; gradient stopped -> flows; written by nobody -> SGD (gradient)" in lines
    assert any(line.startswith("Gone: PS106 stopped-gradient w (train.py:") for line in lines)
    assert not any(line.startswith("New: ") for line in lines)
    assert main(["diff", after, before, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert "PS106" in [one["code"] for one in found["findings"]["new"]]
    assert found["findings"]["gone"] == []


def test_lines_that_only_move_are_no_change(saved, capsys):
    text = FITTED.format(loss="ps.round(w)")
    before, after = saved("before.json", text), saved("after.json", "\n\n" + text)
    assert main(["diff", before, after]) == 0
    assert capsys.readouterr().out.endswith("The flow is the same.\n")


def test_variables_and_errors_come_and_go(saved, capsys):
    before = saved("before.json", FITTED.format(loss="w ** 2"))
    after = saved("after.json", FITTED.format(loss="w ** 2") + "b = ps.Variable(2.0, name='b')\n1 / 0\n")
    assert main(["diff", before, after]) == 1
    shown = capsys.readouterr().out
    assert "b: new (T...., unused)" in shown
    assert "It is now: ZeroDivisionError: division by zero" in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "other.json cannot be read: No such file or directory."),
        ("{", "other.json is not JSON"),
        ("{}", "other.json is not a report of penstock."),
        ('{"variables": [{"path": 1}], "findings": [], "steps": 1}', "something is missing in it."),
        ("[{}, {}]", "other.json holds 2 reports."),
    ],
)
def test_a_file_other_than_a_report_is_refused(text, said, saved, write, capsys):
    before = saved("before.json", "")
    other = "other.json" if text is None else write(text, "other.json")
    assert main(["diff", before, other]) == 2
    assert said in capsys.readouterr().err


def test_a_reader_of_explain_or_diff_may_leave_early():
    for word in ("PS101", "stopped"):
        line = f"{sys.executable} -m penstock explain {word} | true"
        done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120, check=False)
        assert (done.stdout, done.stderr) == ("", "")


# -- words that the command does not know ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (["train.py"], "Type penstock check train.py"),
        (["chek", "train.py"], "Type check"),
        (["check", "--as", "torch", "train.py"], "Type --with torch"),
        (["check", "--with", "pytorch", "train.py"], "Type --with torch"),
        (["check", "--as", "jax", "train.py"], "Type --with jax"),
    ],
)
def test_an_unknown_word_is_answered_by_what_to_type(typed, answer, capsys):
    with pytest.raises(SystemExit):
        main(typed)
    assert capsys.readouterr().err.rstrip().endswith(answer)


def test_a_page_is_found_by_the_name_of_its_finding(capsys):
    assert main(["explain", "stopped-gradient"]) == 0
    assert capsys.readouterr().out.startswith("PS106 stopped-gradient")
    assert main(["explain", "stoped-gradient"]) == 2
    assert "Similar: stopped-gradient" in capsys.readouterr().err
