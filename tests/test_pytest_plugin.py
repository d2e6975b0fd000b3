"""The plugin for pytest: the fixture `flow`, `--penstock`, and no cost unless it is used."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import processes

SOURCE = Path(__file__).parents[1] / "src"
HEAD = """
import penstock as ps

def parts():
    return ps.Variable(1.0, name="backbone/w"), ps.Variable(2.0, name="head/w"), ps.optimizers.SGD(0.1)

def train(backbone, head, optimizer, rate=1.0, both=False, cut=False):
    with ps.GradientTape() as tape:
        loss = (ps.stop_gradient(head) if cut else head) * backbone * rate
    wanted = [head, backbone] if both else [head]
    pairs = zip(tape.gradient(loss, wanted), wanted)
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest with the plugin, in a new process, on a file of tests; returns its output."""

    def pytest_on(text, *options, head=HEAD):
        (tmp_path / "test_it.py").write_text(head + dedent(text))
        plugin = [] if "-p" in options else ["-p", "pytest_penstock"]
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options, "test_it.py"]
        environment = {"PYTHONPATH": str(SOURCE), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
        if head:
            done = processes.run(command, tmp_path, environment, ["pytest"])
        else:
            # The tests import nothing of Penstock: nor has the process.
            done = subprocess.run(
                [sys.executable, *command],
                cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return pytest_on


def test_a_block_that_trains_the_right_variables_passes(run):
    status, shown = run("""
        def test_step(flow):
            backbone, head, optimizer = parts()
            with flow.watch(head, optimizer, backbone=backbone) as report:
                train(backbone, head, optimizer)
            flow.check(trains="head/*", keeps=["backbone/*"])
            assert report.steps == 1
    """)
    assert status == 0, shown


@pytest.mark.parametrize(
    ("call", "check", "said"),
    [
        ("train(backbone, head, optimizer)", 'trains="backbone/*"',
         "'backbone/w' should be trained, but no gradient of it was requested."),
        ("train(backbone, head, optimizer, both=True)", 'keeps="backbone"',
         "'backbone/w' should stay unchanged: SGD at test_it.py:"),
        ("train(backbone, head, optimizer, rate=0.0)", 'trains="head/*"', "wrote it but did not change it."),
        ("train(backbone, head, optimizer)", 'trains="body/*"',
         "trains='body/*' matches no variable of the block. The variables are backbone/w, head/w."),
        ("train(backbone, head, optimizer, cut=True)", "", "PS106 stopped-gradient at test_it.py:"),
    ],
)  # fmt: skip
def test_a_block_that_does_not_fails_the_test_and_says_why(call, check, said, run):
    text = f"""
        def test_step(flow):
            backbone, head, optimizer = parts()
            with flow.watch(backbone, head):
                {call}
            flow.check({check})
    """
    status, shown = run(text)
    line = (HEAD + dedent(text)).splitlines().index("    with flow.watch(backbone, head):") + 1
    assert status == 1
    assert f"FlowError: The block at test_it.py:{line} fails its check:" in shown
    assert "pytesting.py" not in shown
    assert said in " ".join(shown.split())


def test_a_check_of_nothing_is_refused(run):
    status, shown = run("def test_step(flow):\n    flow.check(trains='head')\n")
    assert status == 1 and "flow.check() was called, but nothing was watched." in shown


WRONG = """
    def test_right():
        backbone, head, optimizer = parts()
        train(backbone, head, optimizer)

    def test_wrong():
        backbone, head, optimizer = parts()
        train(backbone, head, optimizer, cut=True)
"""


def test_the_option_fails_tests_during_which_findings_came_up(run):
    status, shown = run(WRONG)
    assert status == 0, shown
    status, shown = run(WRONG, "--penstock")
    assert status == 1 and "1 failed, 1 passed" in shown
    assert "Penstock found something to mend during this test." in shown
    assert "PS106 stopped-gradient at test_it.py:" in shown and "Remove the stop_gradient" in shown
    meant = HEAD.replace("* rate\n", "* rate  # penstock: ignore[PS106, PS302]\n")
    status, shown = run(WRONG, "--penstock", head=meant)
    assert status == 0, shown


def test_a_test_that_fails_fails_for_its_own_reason(run):
    status, shown = run("def test_it():\n    assert 1 == 2\n", "--penstock")
    assert status == 1 and "assert 1 == 2" in shown and "something to mend" not in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--penstock", "--penstock-with", "jax"],
         "--penstock-with jax: penstock cannot watch it. It knows penstock, torch, tensorflow, paddle."),
        (["--penstock-with", "torch"], "give that option, too."),
    ],
)  # fmt: skip
def test_options_that_mean_nothing_are_refused(options, said, run):
    status, shown = run("def test_it():\n    pass\n", *options)
    assert status == 4 and said in shown


def test_the_engine_is_not_imported_without_a_request(run):
    status, shown = run("""
        import sys

        def test_it():
            assert "pytest_penstock" in sys.modules
            assert not [name for name in sys.modules if name.split(".")[0] in ("penstock", "numpy")]
    """, head="")  # fmt: skip
    assert status == 0, shown
