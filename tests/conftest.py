"""Fixtures of the whole suite: the tier a behaviour test runs on, and a check that nothing stays open."""

import gc
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Programs that tests run; they are not tests, and import what need not be installed.
collect_ignore_glob = ["oracles/*", "programs/*", "on_devices.py", "two_processes.py"]

# The same examples on every run and machine; a slow machine is not a wrong result.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.load_profile("suite")


COMPILED = 128 << 20
"""Bytes of executables after which a process of the suite lets go of them."""


def pytest_collection_finish() -> None:
    """Has collections of garbage leave alone what is there before the first test: half a million objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["numpy", "xla"])
def tier(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once on each tier; the name of the tier is the fixture's value."""
    from penstock.testing import use_engine

    with use_engine(request.param):
        yield request.param


@pytest.fixture
def no_others() -> None:
    """Let go of programs that earlier tests ran in this process: patterns would find their variables."""
    recorder = sys.modules.get("penstock.trace.recorder")
    if recorder is not None:
        recorder.local.trace.previous = None  # What the last step used stays for `explain`.
    gc.collect()


@pytest.fixture(autouse=True)
def begun_anew() -> None:
    """Call the first layer of a test `dense`, and draw the same numbers, whatever tests there were before."""
    layers = sys.modules.get("penstock.layers.base")
    if layers is not None:
        layers._counts.clear()
    keras = sys.modules.get("penstock.tensorflow.keras.backend")
    if keras is not None:
        keras.clear_session()
    random = sys.modules.get("penstock.functions.random")
    if random is not None:
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
