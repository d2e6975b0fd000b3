"""What is not collected or run here: files that import others under their names; what is not installed."""

import functools
import gc
import os
import shutil
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

# What an earlier run of the suite has compiled is no part of this one: see tests/test_disk.py.
os.environ["PENSTOCK_CACHE_DIR"] = ""

# Processes that tests start read the bytecode that an earlier one has written, whatever is set outside.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Files of tests are in memory where it can hold them: a checkpoint waits for the disk twice, 7 ms each time.
MEMORY, ROOM = "/dev/shm", 4 << 30
if os.access(MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)

# Each of several workers has its share of the cores. Threads of BLAS that wait for work keep a core busy.
if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))

# Recordings live as long as the process. Python would visit all of them whenever they grew by a quarter,
# for a fifth of the time of tests that record much; tests of what is freed collect by themselves.
gc.set_threshold(2_000, 10, 100)

NAMES = ("fft", "linalg", "losses", "nn", "random", "segments", "special")
collect_ignore = [f"src/penstock/{name}.py" for name in NAMES]
collect_ignore.append("src/penstock/tensorflow/compat/v2.py")
for name in ("torch", "tensorflow", "paddle"):
    if find_spec(name) is None:
        collect_ignore.append(f"src/penstock/frameworks/{name}")
if find_spec("jax") is None:
    collect_ignore += ["src/penstock/distribution", "src/penstock/capture/export.py"]

WITHOUT_JAX = "JAX is not installed"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples only in files that have some: pytest imports a file and asks all that is in it.

    A dialect answers each question for a name it does not have with the names that are like it.
    """
    found = yield
    if any(isinstance(one, DoctestModule) for one in found) and b">>>" not in file_path.read_bytes():
        return [one for one in found if not isinstance(one, DoctestModule)]
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is about XLA itself, where there is none: the mark `xla`, and cases with that parameter."""
    if find_spec("jax") is None:
        for item in items:
            case = getattr(item, "callspec", None)
            if item.get_closest_marker("xla") or (case and "xla" in map(str, case.params.values())):
                item.add_marker(pytest.mark.skip(reason=WITHOUT_JAX))


def pytest_configure(config: pytest.Config) -> None:
    """Where JAX is not installed, skip a test that asks for the XLA tier, at the place where it does.

    NumPy runs the others, whatever they leave to Penstock; that a step gets hot is said in tests of its own.
    """
    if find_spec("jax") is None:
        from penstock import testing

        own = testing.use_engine

        @functools.wraps(own)
        def use_engine(tier: str):
            if tier == "xla":
                pytest.skip(WITHOUT_JAX)
            return own(tier)

        testing.use_engine = use_engine
        os.environ["PENSTOCK_ENGINE"] = "numpy"  # of the processes that tests start
        config.addinivalue_line("filterwarnings", "ignore:(?s).*JAX is not installed:UserWarning")
