"""Fixtures of the whole suite: the tier a behaviour test runs on, and a check that nothing stays open."""

import gc
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import just

from accelerators import on_accelerator
from emitters import AS_USERS, Chosen, compiled_quickly
from order import MOST, longest_first, run_and_report, too_long

if TYPE_CHECKING:
    from penstock.flow.report_model import Report

# Programs that tests run; they are not tests, and import what need not be installed.
collect_ignore_glob = ["oracles/*", "programs/*", "on_devices.py", "two_processes.py"]

# The same examples on every run and machine; a slow machine is not a wrong result.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.load_profile("suite")


COMPILED = 128 << 20
"""Bytes of executables after which a process of the suite releases them."""


pytest_runtest_protocol = run_and_report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--code-of-users",
        action="store_true",
        help="compile every program as users' are, which takes longer: see tests/emitters.py",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the long files if there are several workers."""
    if hasattr(config, "workerinput"):
        longest_first(items)


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:  # not in the oldest
    """Name the tests that exceeded the time limit; a slow machine is no failure."""
    reports = [one for several in terminalreporter.stats.values() for one in several]
    if lines := too_long(reports):
        terminalreporter.section(f"TESTS THAT TOOK MORE THAN {MOST:.0f} s, which none may on an idle machine")
        for line in lines:
            terminalreporter.write_line(line)


@given(just(None))
def draws(nothing: None) -> None:
    """Draw once: Hypothesis looks for the holder of its generator, and finds none once that is frozen."""


def pytest_collection_finish() -> None:
    """Freezes the half million objects that exist before the first test, so that collections skip them."""
    draws()
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["numpy", "xla"])
def tier(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once on each tier; the name of the tier is the fixture's value."""
    from penstock.testing import use_engine

    with use_engine(request.param):
        yield request.param


@pytest.fixture
def processor() -> None:
    """Skip a test of what is done for XLA on a processor, such as the libraries and passes it uses there."""
    if on_accelerator():
        pytest.skip("XLA does not compute on the processor here")


@pytest.fixture
def asked_of_a_gpu() -> Iterator[None]:
    """Have a Paddle program ask for an accelerator: on a processor mixed precision has no effect."""
    from penstock import paddle

    paddle.set_device("gpu")
    yield
    paddle.set_device("cpu")


@pytest.fixture
def compiled() -> Iterator[None]:
    """Run the test in the XLA tier."""
    from penstock.testing import use_engine

    with use_engine("xla"):
        yield


@pytest.fixture
def rounding() -> float:
    """What the tiers may differ by in one operation on float32, relatively: nothing on a processor.

    A GPU's quotient is one of the two nearest numbers.
    """
    return 2.0**-22 if on_accelerator() else 0.0


@pytest.fixture(autouse=True, scope="module")
def quick_code(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compile in a fraction of the time, except where a file is about what XLA makes of a program."""
    Chosen.code_of_users = request.config.getoption("--code-of-users")
    if request.path.stem in AS_USERS:
        yield
    else:
        with compiled_quickly():
            yield


@pytest.fixture(autouse=True, scope="module")
def nothing_handed_on() -> Iterator[None]:
    """Release the programs that a file has recorded and compiled, and its garbage.

    What stays is not looked at again: the tests that collect garbage would otherwise wait longer and longer.
    """
    yield
    if "penstock.trace.recorder" in sys.modules:
        from penstock.trace.budget import budget

        budget.clear()
    let_go()
    gc.freeze()


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., "Report"]:
    """Check a program given as a text, after the lines of `head`, or by its file; return the report."""
    from checking import report_on

    def run(program: str | Path, dialect: str | None = None, head: str = "", **options: Any) -> "Report":
        if isinstance(program, Path):
            return report_on(program, dialect, **options)
        file = tmp_path / "program.py"
        file.write_text(head + dedent(program), encoding="utf-8")
        return report_on(file, dialect, **options)

    return run


@pytest.fixture
def no_others() -> None:
    """Let go of programs that earlier tests ran in this process: patterns would find their variables."""
    let_go()


def let_go() -> None:
    local = sys.modules.get("penstock.trace.local")
    if local is not None:
        local.local.trace.previous = None  # What the last step used stays for `explain`.
    gc.collect()


@pytest.fixture(autouse=True)
def begun_anew() -> None:
    """Call the first layer of a test `dense`, and draw the same numbers, whatever tests there were before."""
    naming = sys.modules.get("penstock.layers.naming")
    if naming is not None:
        naming.counts.clear()
    keras = sys.modules.get("penstock.tensorflow.keras._automatic_names")
    if keras is not None:
        keras.clear_session()
    seeded = sys.modules.get("penstock.paddle._seeded")
    if seeded is not None:
        seeded.sequence.engine = None
    own = sys.modules.get("penstock.functions.random")
    if own is not None:
        own.seed(0)
    seeds = sys.modules.get("penstock.tensorflow._seeds")
    if seeds is not None:
        seeds.eager.seed = None
    # What Keras takes seeds from.
    random.seed(0)


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    """Fail a test that leaves a tape or another scope open behind it."""
    yield
    from penstock.testing import assert_idle
    from penstock.trace.budget import budget

    assert_idle()
    if budget.compiled.taken > COMPILED:
        # Between two tests, so that none that counts compilations has it happen in its middle.
        budget.clear()
