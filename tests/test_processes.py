"""Programs started by a process that has imported their modules: they run and end as any program does."""

import json
import os
import signal
import sys

import pytest

import processes

TELLS = """
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get("OURS"), __name__, "conftest" in sys.modules]))
print("an error", file=sys.stderr)
sys.exit(3)
"""


def test_a_program_has_its_arguments_folder_environment_and_streams(tmp_path):
    done = processes.run(["-c", TELLS, "one", 2], tmp_path, os.environ | {"OURS": "ö"})
    assert json.loads(done.stdout) == [["one", "2"], str(tmp_path), "ö", "__main__", False]
    assert (done.returncode, done.stderr) == (3, "an error\n")
    assert "OURS" not in os.environ and json.loads(processes.run(["-c", TELLS]).stdout)[2] is None


def test_files_and_modules_are_run_as_python_runs_them(tmp_path):
    (tmp_path / "beside.py").write_text("VALUE = 5\n")
    file = tmp_path / "program.py"
    file.write_text("import sys, beside\nprint(beside.VALUE, sys.argv)\n")
    assert processes.run([file, "x"]).stdout == f"5 {[str(file), 'x']}\n"
    assert processes.run(["-m", "program"], tmp_path).stdout.startswith("5 ")
    assert processes.run(["-m", "penstock", "--version"]).stdout.startswith("penstock ")


def test_errors_and_warnings_end_a_program_with_a_traceback():
    done = processes.run(["-W", "error", "-c", "import warnings\nwarnings.warn('mind')"])
    assert done.returncode == 1 and done.stderr.endswith("UserWarning: mind\n")
    assert processes.run(["-W", "ignore", "-c", "import warnings\nwarnings.warn('mind')"]).returncode == 0


@pytest.mark.parametrize("engine", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_a_program_computes_where_it_is_told_to(engine):
    text = (
        "import penstock as ps\nfrom penstock.tiers import xla\n"
        "print(float(ps.sum(ps.asarray([1.0, 2.0]) * 2.0)), len(xla.compilations))"
    )
    done = processes.run(["-c", text], env=os.environ | {"PENSTOCK_ENGINE": engine})
    assert done.stdout == f"6.0 {int(engine == 'xla')}\n", done.stderr


def test_a_program_may_be_killed():
    ours, theirs = os.pipe()
    with open(ours) as told, open(os.devnull) as nothing:
        streams = [nothing.fileno(), theirs, nothing.fileno()]
        running = processes.starter.begin(
            ["-c", "print(1, flush=True)\nimport time\ntime.sleep(60)"], streams
        )
        os.close(theirs)
        assert told.readline() == "1\n"
        running.kill()
        assert running.wait(60) == -signal.SIGKILL
    assert processes.run(["-c", "print(2)"]).stdout == "2\n"


def test_settings_read_at_the_start_of_a_process_are_refused():
    with pytest.raises(AssertionError, match="run this program by subprocess"):
        processes.run(["-c", "pass"], env=os.environ | {"PENSTOCK_PURE": "otherwise"})


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every program is begun as usual")
def test_each_is_a_child_of_one_process():
    text = "import os, sys\nprint(os.getppid(), 'penstock' in sys.modules)"
    found = {processes.run(["-c", text]).stdout for _ in range(2)}
    assert len(found) == 1 and found.pop().endswith(" True\n")
