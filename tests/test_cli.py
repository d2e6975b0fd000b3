"""The command: arguments, output streams, exit status, and behaviour on a terminal."""

import importlib.metadata
import importlib.util
import io
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import penstock as ps
from penstock.cli import main

PROGRAMS = Path(__file__).parent / "programs"
LOOP = (
    "import penstock as ps\n"
    "x = ps.Variable(0.0, name='x', trainable=False)\n"
    "for turn in range({turns}):\n    x.assign_add(1.0)\n    print('turn', turn, float(x))\n"
)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Write a script into an empty working directory; return its name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "train.py") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


def command(*arguments, **options):
    """Run the command in a new process."""
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **options,
    )


# -- check ----------------------------------------------------------------------------------------------


def test_the_script_prints_as_usual_and_the_report_follows(script, capsys):
    assert main(["check", script(LOOP.format(turns=3))]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("turn 0 1.0\nturn 1 2.0\nturn 2 3.0\n\npenstock check train.py ")
    assert "assign_add line 4" in shown
    assert "3 steps, 1 variable" in shown


def test_standard_output_is_json_alone(script):
    text = (
        LOOP.format(turns=2) + "import os, sys\nos.write(1, b'raw\\n')\nsys.stdout.write('no end of line')\n"
    )
    done = command("check", "--format", "json", script(text))
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert (data["script"], data["steps"]) == ("train.py", 2)
    assert data["variables"][0]["created"] == {"file": "train.py", "line": 2}
    for piece in ("turn 0", "turn 1", "raw", "no end of line"):
        assert piece in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", 0),
        (
            "import penstock as ps\nw = ps.Variable(1.0)\n"
            "with ps.GradientTape() as t:\n    y = ps.round(w)\nt.gradient(y, w)\n",
            1,
        ),
        ("raise ValueError('no')\n", 2),
        ("import sys\nsys.exit('no')\n", 2),
        ("import sys\nsys.exit()\n", 0),
    ],
    ids=["nothing to say", "finding", "failure", "exit with a word", "exit"],
)
def test_the_exit_status_of_check(text, status, script, capsys):
    assert main(["check", script(text)]) == status


def test_the_steps_to_watch(script, capsys):
    assert main(["check", script(LOOP.format(turns=1000)), "--steps", "5"]) == 0
    shown = capsys.readouterr().out
    assert "5 steps, 1 variable, stopped there" in shown
    assert "turn 5" not in shown


def test_all_lists_the_state_of_optimizers(capsys):
    assert main(["check", "--all", str(PROGRAMS / "nudge_after_adam.py")]) == 0
    assert "adam/position/momentum" in capsys.readouterr().out


def test_interrupting_shows_what_was_seen(script, capsys):
    assert main(["check", script(LOOP.format(turns=3) + "raise KeyboardInterrupt\n")]) == 130
    assert "3 steps, 1 variable" in capsys.readouterr().out


def test_a_reader_that_leaves_early_is_no_error(script):
    line = f"{sys.executable} -m penstock check {script(LOOP.format(turns=3))} | head -n 1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("turn 0 1.0\n", "")


# -- run ------------------------------------------------------------------------------------------------


def test_run_runs(script, capsys):
    assert main(["run", script(LOOP.format(turns=1))]) == 0
    assert capsys.readouterr().out == "turn 0 1.0\n"


def test_an_error_shows_only_the_users_frames(script, capsys):
    text = "import penstock as ps\n\ndef add():\n    return ps.zeros(2) + ps.zeros(3)\n\nadd()\n"
    assert main(["run", script(text)]) == 1
    shown = capsys.readouterr().err
    assert re.findall(r'File ".*?(\w+\.py)", line (\d+)', shown) == [("train.py", "6"), ("train.py", "4")]
    assert "ShapeError: add: the shapes (2,) and (3,) do not broadcast together." in shown


@pytest.mark.parametrize(("code", "status", "said"), [("3", 3, ""), ("None", 0, ""), ("'full'", 1, "full\n")])
def test_the_exit_status_of_a_script_is_that_of_run(code, status, said, script, capsys):
    assert main(["run", script(f"import sys\nsys.exit({code})\n")]) == status
    assert capsys.readouterr().err == said


# -- arguments ------------------------------------------------------------------------------------------

ECHO = "import sys\nprint(sys.argv)\n"


@pytest.mark.parametrize(
    ("given", "passed_on"),
    [
        (["train.py"], []),
        (["train.py", "--epochs", "5", "data.csv"], ["--epochs", "5", "data.csv"]),
        (["--format", "text", "train.py", "--epochs", "5"], ["--epochs", "5"]),
        (["train.py", "--format=text", "--epochs", "5"], ["--epochs", "5"]),
        (["train.py", "--epochs", "5", "--steps", "3"], ["--epochs", "5"]),
        (["train.py", "--", "--steps", "3", "--format", "x"], ["--steps", "3", "--format", "x"]),
        (["train.py", "-h"], ["-h"]),
        (["train.py", "a", "--", "--all"], ["a", "--all"]),
    ],
)
def test_unknown_options_go_to_the_script(given, passed_on, script, capsys):
    script(ECHO)
    assert main(["check", *given]) == 0
    assert capsys.readouterr().out.splitlines()[0] == str(["train.py", *passed_on])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["check"], "SCRIPT"),
        (["check", "train.py", "--format", "yaml"], "yaml"),
        (["check", "train.py", "--steps", "0"], "at least 1 step"),
        (["check", "train.py", "--steps", "many"], "--steps"),
        (["check", "--as", "numpy", "train.py"], "numpy"),
        (["chekc", "train.py"], "chekc"),
        ([], "COMMAND"),
    ],
)
def test_a_wrong_call_gets_a_message_about_the_mistake(given, said, script, capsys):
    script(ECHO)
    with pytest.raises(SystemExit) as stopped:
        main(given)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_file_that_is_not_there(verb, tmp_path, capsys):
    missing = str(tmp_path / "train.py")
    assert main([verb, missing]) == 2
    assert capsys.readouterr().err == f"penstock: there is no file {missing}.\n"
    assert main([verb, str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err


# -- explain --------------------------------------------------------------------------------------------


def test_a_word_is_explained_with_a_wrong_and_a_right_program(capsys):
    assert main(["explain", "stopped"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("stopped: every path meets stop_gradient.")
    assert shown.index("Wrong:") < shown.index("Right:")


@pytest.mark.parametrize("code", ["ps101", "PS102", "dead-end"])
def test_codes_in_any_spelling(code, capsys):
    assert main(["explain", code]) == 0
    assert capsys.readouterr().out


def test_a_word_that_is_none(capsys):
    assert main(["explain", "PS999"]) == 2
    assert "There are pages on unused, dead_end" in capsys.readouterr().err


# -- on a terminal --------------------------------------------------------------------------------------


def on_a_terminal(arguments: list[str]) -> str:
    """Run the command with a terminal for its output and errors; return the text that arrives there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock", *arguments], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        received += piece
    os.close(ours)
    process.wait(60)
    return received.decode().replace("\r\n", "\n")


def as_seen(output: str) -> list[str]:
    """The lines that stay on the screen: carriage returns and erasures done, styles left out."""
    lines = []
    for line in output.split("\n"):
        line = line.rpartition("\x1b[2K")[2] if "\x1b[2K" in line else line
        lines.append(re.sub(r"\x1b\[[0-9;]*m", "", line).rpartition("\r")[2])
    return lines


def test_progress_never_breaks_the_scripts_output(script):
    text = (
        "import time\nimport penstock as ps\n"
        "x = ps.Variable(0.0, name='x', trainable=False)\n"
        "for turn in range(12):\n"
        "    x.assign_add(1.0)\n    float(x)\n    time.sleep(0.05)\n"
        "    print('turn', turn)\n"
        "    print('half', end=' ')\n    x.assign_add(1.0)\n    float(x)\n    time.sleep(0.11)\n"
        "    print('whole')\n"
    )
    output = on_a_terminal(["check", script(text)])
    assert "steps recorded" in output
    seen = as_seen(output)
    own = [line for turn in range(12) for line in (f"turn {turn}", "half whole")]
    assert seen[: len(own)] == own
    assert not any("steps recorded" in line for line in seen)


def test_no_progress_where_there_is_no_terminal(script):
    done = command(
        "check", script("import time\n" + LOOP.format(turns=5) + "time.sleep(0.3)\nx.assign_add(1.0)\n")
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


# -- conventions of a shell -----------------------------------------------------------------------------


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert stopped.value.code == 0 and capsys.readouterr().out == f"penstock {project['version']}\n"


def piped(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_script_from_standard_input(script, monkeypatch, capsys):
    script("VALUE = 2.0\n", "beside.py")
    text = "import sys, beside\nprint(sys.argv, beside.VALUE)\n" + LOOP.format(turns=2)
    piped(monkeypatch, text)
    assert main(["check", "-", "--epochs", "5"]) == 0
    out = capsys.readouterr().out
    assert "['-', '--epochs', '5'] 2.0" in out and "check standard input" in out and "line 6" in out
    piped(monkeypatch, "print(1 + 1)\n")
    assert main(["run", "-"]) == 0 and capsys.readouterr().out == "2\n"
    piped(monkeypatch, "")
    assert main(["check", "-", script("pass\n")]) == 2
    assert "other scripts are given too" in capsys.readouterr().err


OWN = {
    "argparse": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--steps')\n"
    "print('steps', p.parse_args().steps)\n",
    "a module beside it": "from options import steps\nprint('steps', steps())\n",
    "absl": "import sys\nclass flags:\n    DEFINE_integer = print\nflags.DEFINE_integer('steps', 1)\n"
    "print('steps', sys.argv[2])\n",
}


@pytest.mark.parametrize("how", OWN)
def test_an_option_that_the_script_has_is_the_scripts(how, script, capsys):
    script("import sys\ndef steps():\n    return sys.argv[sys.argv.index('--steps') + 1]\n", "options.py")
    name = script(OWN[how] + LOOP.format(turns=3))
    assert main(["check", name, "--steps", "7"]) == 0
    told = capsys.readouterr()
    assert "steps 7" in told.out and "3 steps, 1 variable" in told.out
    assert told.err == (
        "penstock: --steps is passed to train.py, which has an option of this name; "
        "write penstock's own options before the script.\n"
    )
    assert main(["check", "--steps", "2", name, "--steps", "7"]) == 0
    told = capsys.readouterr()
    assert "steps 7" in told.out and "2 steps, 1 variable, stopped there" in told.out


@pytest.mark.parametrize("arguments", ["--help", "check --help", "explain frozen", "doctor"])
def test_a_reader_that_has_seen_enough(arguments):
    line = f"{sys.executable} -m penstock {arguments} | head -c 1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120, check=False)
    assert len(done.stdout) == 1 and done.stderr == ""


def test_the_signal_to_terminate_reports_as_an_interrupt_does(script):
    text = LOOP.format(turns=3) + "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"
    name = script(text)
    with subprocess.Popen(
        [sys.executable, "-m", "penstock", "check", name], stdout=subprocess.PIPE, text=True
    ) as child:
        while child.stdout.readline() != "ready\n":
            pass
        child.terminate()
        out = child.stdout.read()
    assert child.returncode == 143 and "3 steps, 1 variable" in out and "KeyboardInterrupt" in out


@pytest.mark.parametrize(
    ("module", "said"),
    [("tensorflow", "--as tensorflow"), ("keras", "--as tensorflow"), ("paddle", "--as paddle"),
     ("torch", "--with torch")],
)  # fmt: skip
def test_a_framework_that_is_not_installed(module, said, script, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, module)
    found = importlib.util.find_spec(module)
    if found is not None:
        pytest.skip(f"{module} is installed")
    name = script(f"import {module}\n")
    assert main(["check", name]) == 2
    out = capsys.readouterr().out
    assert f"No module named '{module}'" in out and said in " ".join(out.split())
    assert main(["run", name]) == 1
    assert said in capsys.readouterr().err
    assert main(["check", script("import nowhere_at_all\n")]) == 2
    assert "--as" not in capsys.readouterr().out


NARROW = (
    "import penstock as ps\n"
    "kernel = ps.Variable([1.0, 2.0], name='encoder/layers/0/attention/kernel')\n"
    "other = ps.Variable(1.0, name='somewhere/else')\n"
    "optimizer = ps.optimizers.SGD(0.1)\n"
    "for _ in range(3):\n"
    "    with ps.GradientTape() as tape:\n"
    "        loss = ps.sum(kernel * ps.round(kernel)) + other * ps.stop_gradient(other)\n"
    "    optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])\n"
)


@pytest.mark.parametrize("width", [20, 32, 40, 56, 80, 120])
def test_names_are_whole_on_a_narrow_terminal(width, script, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    main(["check", script(NARROW)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    if width >= 34:
        assert sum("encoder/layers/0/attention/kernel" in line for line in lines) >= 2


def test_no_color_means_no_bold_and_no_dim(script, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    name = script(NARROW)
    main(["check", name])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["check", name])
    assert "\x1b" not in capsys.readouterr().out


# -- doctor ---------------------------------------------------------------------------------------------


def test_the_doctor_lists_the_installation_and_slow_settings(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path))
    for name in ("PENSTOCK_ENGINE", "PENSTOCK_CHECK", "PENSTOCK_PURE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for package in ("numpy", "safetensors", "rich", "ml-dtypes"):
        assert f"{package} {importlib.metadata.version(package)}" in out
    assert ("built in C" in out) == ps.trace.fast_path.accelerated and f"0 in {tmp_path}" in out
    for name, value, said in (
        ("PENSTOCK_ENGINE", "numpy", "no step is compiled"),
        ("PENSTOCK_CHECK", "2", "every record is verified"),
        ("PENSTOCK_PURE", "1", "the hot path runs as Python"),
        ("PENSTOCK_CACHE_DIR", "", "each process compiles again"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            main(["doctor"])
            told = capsys.readouterr().out
        assert f"{name}={value}" in told and said in told and said not in out
