"""Without JAX everything runs in NumPy; a hot step says once how to make it fast."""

import inspect
import json
import os
import re
import subprocess
import sys
import threading
import tomllib
import types
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
import processes
from penstock.errors import DTypeError, PenstockError
from penstock.testing import assert_close, use_engine
from penstock.tiers import choice, compiler

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "tests" / "programs"
BLOCKED = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jax", "jaxlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Without())
"""
INSTALL = 'pip install "penstock[xla]"'
HOT = choice.HOT_RUNS + 1


def alone(program, *arguments, engine="auto", **environment):
    """Runs a program in a new process that does not find JAX."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + program, *arguments],
        cwd=PROGRAMS,
        env=ours | {"PENSTOCK_ENGINE": engine, "COLUMNS": "80"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def turned(turns):
    """Trains a weight in a plain loop; returns the weight and the first line of its body."""
    weight = ps.Variable([1.0, 2.0], name="weight")
    sgd = ps.optimizers.SGD(0.1)
    line = sys._getframe().f_lineno + 2
    for _ in range(turns):
        with ps.GradientTape() as tape:
            loss = ps.sum(weight * weight)
        sgd.apply_gradients([(tape.gradient(loss, weight), weight)])
    return weight, line


# -- everything runs --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def every_way(tmp_path_factory):
    """The results of each way to train without JAX, and the messages during it."""
    file = tmp_path_factory.mktemp("without") / "ways.npz"
    done = alone(
        """
import numpy as np
sys.path.insert(0, "")
import every_way
found = {f"{name} {i}": one for name, all in every_way.results().items() for i, one in enumerate(all)}
np.savez(sys.argv[1], **found)
assert not any(name.partition(".")[0] in ("jax", "jaxlib") for name in sys.modules)
""",
        str(file),
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays}, done.stderr


def ways():
    """The names of the ways, as they stand in the file."""
    text = (PROGRAMS / "every_way.py").read_text(encoding="utf-8")
    return re.findall(r"@way\ndef (\w+)", text)


@pytest.mark.xla
@pytest.mark.parametrize("name", ways())
def test_results_equal_those_with_jax(every_way, name, monkeypatch):
    monkeypatch.syspath_prepend(PROGRAMS)
    from every_way import values

    with use_engine("auto"):
        wanted = values(name)
    found = [one for key, one in every_way[0].items() if key.partition(" ")[0] == name]
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted):
        assert_close(got, want, name)


def test_one_warning_is_all_that_is_said(every_way):
    lines = every_way[1].splitlines()
    assert re.fullmatch(
        rf".*every_way\.py:\d+: UserWarning: A step of 13 operations has run {HOT} times in NumPy, "
        r"the last time in [\d.]+ (µs|ms|s)\.",
        lines[0],
    )
    assert "JAX is not installed" in lines[1]
    assert INSTALL in lines[2]
    assert "PENSTOCK_ENGINE=numpy" in lines[3]
    assert len(lines) == 5, "the user's line, and nothing after it"


def test_the_commands_run(tmp_path):
    page = tmp_path / "page.html"
    command = "from penstock.cli import main\nsys.exit(main(sys.argv[1:]))"
    checked = alone(command, "check", "--format", "json", "--html", str(page), "nudge_after_adam.py")
    usual = processes.run(["-m", "penstock", "check", "--format", "json", "nudge_after_adam.py"], PROGRAMS)
    assert (checked.returncode, checked.stderr) == (usual.returncode, usual.stderr)
    assert json.loads(checked.stdout) == json.loads(usual.stdout)
    assert page.stat().st_size > 1000
    for dialect, file, status in (("tensorflow", "held_factor", 1), ("paddle", "written", 0)):
        done = alone(command, "check", "--as", dialect, "--format", "json", f"audit/{dialect}/{file}.py")
        assert done.returncode == status, done.stderr
        assert bool(json.loads(done.stdout)["findings"]) == bool(status)


# -- messages ---------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def engine_comes_back(monkeypatch):
    """A step without XLA continues in NumPy, and so does the process: this restores XLA for later tests."""
    monkeypatch.setattr(choice.settings, "engine", choice.settings.engine)


@pytest.fixture
def absent(monkeypatch):
    """Hides JAX from this process, as if no message had appeared yet; counts the searches for it."""
    looks = []

    def lack():
        looks.append(None)
        return compiler._absent()

    monkeypatch.setattr(compiler, "lack", lack)
    monkeypatch.setattr(compiler, "_said", [])
    return looks


def told(caught):
    return [one for one in caught if INSTALL in str(one.message)]


def test_a_hot_step_names_the_line_and_says_it_once(absent):
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, line = turned(100)
        turned(100)
        assert choice.settings.engine == "numpy"
    (one,) = told(caught)
    assert (one.category, one.filename, one.lineno) == (UserWarning, __file__, line)
    assert f"has run {HOT} times" in str(one.message)
    assert len(absent) == 1, "nothing is looked for after that"


def test_a_step_that_ends_before_it_is_hot_says_nothing(absent):
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weight = ps.Variable(np.ones(7, np.float32))
        for _ in range(choice.HOT_RUNS):
            ps.wait(weight.assign(weight * 0.5))
    assert not told(caught)
    assert not absent


def test_programs_that_xla_leaves_to_numpy_get_no_message(absent):
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(100):
            (ps.asarray(np.ones(3, np.float32)) + 2.0).numpy()
    assert not told(caught)


@pytest.mark.parametrize("times", [1, 40])
def test_a_captured_step_is_reported_on_the_line_of_its_call(absent, times):
    weight = ps.Variable([1.0] * (times + 2), name="weight")

    @ps.step
    def step():
        weight.assign_sub(weight * 0.125)

    call = step if times == 1 else ps.repeat(step, times)
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(40 // times):
            call()
    (one,) = told(caught)
    assert one.filename == __file__
    assert "A step of 2 operations" in str(one.message)
    assert np.allclose(weight.numpy(), 0.875**40)


def test_a_heavy_step_is_reported_when_it_comes_back(absent, monkeypatch):
    # Two products of matrices take longer than compiling one.
    monkeypatch.setattr(choice, "KERNEL", 1_600_000)
    a = ps.Variable(np.eye(320, dtype=np.float32))
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            ps.wait(a.assign(a @ a))
    (one,) = told(caught)
    assert "has run 2 times" in str(one.message)


def test_a_warning_that_is_an_error_leaves_the_step_out_and_goes_on(absent):
    weight = ps.Variable([1.0, 1.0, 1.0])
    failed = 0
    with use_engine("auto"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(HOT + 3):
            try:
                ps.wait(weight.assign(weight * 0.5))
            except UserWarning:
                failed += 1
    assert failed == 1
    assert weight.numpy().tolist() == [0.5 ** (HOT + 2)] * 3
    assert weight.version == HOT + 2


def test_many_threads_get_one_warning(absent):
    def train():
        ready.wait()
        turned(60)

    ready = threading.Barrier(4)
    threads = [threading.Thread(target=train) for _ in range(4)]
    with use_engine("auto"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert len(told(caught)) == 1


def test_an_engine_set_to_numpy_is_silent():
    program = "import test_without_jax; test_without_jax.turned(40)"
    done = alone(program, engine="numpy", PYTHONPATH=str(ROOT / "tests"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# -- errors -----------------------------------------------------------------------------------------------


def test_an_engine_set_to_xla_is_refused_by_name():
    program = """
import penstock as ps
weight = ps.Variable(1.0, name="weight")
try:
    ps.wait(weight.assign_add(1.0))
except ps.errors.PenstockError as error:
    print(error)
print(weight.version)
"""
    done = alone(program, engine="xla")
    assert done.stderr == ""
    *message, version = done.stdout.splitlines()
    assert message[0] == "The engine is set to 'xla', but JAX is not installed."
    assert f"Install it: {INSTALL}" in message
    assert any("PENSTOCK_ENGINE" in line for line in message)
    assert version == "0"


def test_use_engine_refuses_xla(monkeypatch):
    monkeypatch.setattr(compiler, "_found", lambda: (None, compiler._absent()))
    compiler.jax.cache_clear()
    own = inspect.unwrap(use_engine)
    with pytest.raises(PenstockError, match="JAX is not installed") as raised, contextmanager(own)("xla"):
        raise AssertionError("the block is not entered")
    compiler.jax.cache_clear()
    assert INSTALL in raised.value.remedy


class Foreign:
    """An array whose dtype NumPy does not know."""

    def __dlpack__(self, **options):
        raise BufferError("bfloat16 is not supported")

    def __dlpack_device__(self):
        return (1, 0)


def test_an_array_that_only_jax_could_read_is_refused_with_what_to_type(absent):
    with pytest.raises(DTypeError, match="bfloat16 is not supported") as raised:
        ps.from_dlpack(Foreign())
    assert "JAX is not installed" in raised.value.why
    assert INSTALL in raised.value.remedy


# -- a JAX that does not work -----------------------------------------------------------------------------


def a_jax(**names):
    module = types.ModuleType("jax")
    module.__path__ = []
    for name, value in names.items():
        setattr(module, name, value)
    return module


def whole(**names):
    return a_jax(**dict.fromkeys(compiler.NEEDED), **names)


class Raising:
    """Has an import of JAX fail with this error."""

    def __init__(self, error):
        self.error = error

    def find_spec(self, name, path=None, target=None):
        if name == "jax":
            raise self.error


@pytest.mark.parametrize(
    ("module", "words", "remedy"),
    [
        (
            whole(__version__="0.7.2"),
            ["JAX 0.7.2 is older than 0.8"],
            f"Upgrade it: {INSTALL}",
        ),
        (
            a_jax(__version__="2.1.0", **{name: None for name in compiler.NEEDED if name != "enable_x64"}),
            ["JAX 2.1.0 has no jax.enable_x64"],
            'pip install --upgrade "penstock[xla]"',
        ),
        (a_jax(__file__="project/jax.py"), ["project/jax.py, is not JAX"], "Rename that file"),
        (
            ImportError("libxla.so: cannot open"),
            ["cannot be imported", "libxla.so: cannot open"],
            "jax jaxlib",
        ),
        (
            ModuleNotFoundError("jax requires jaxlib", name="jaxlib"),
            ["cannot be imported", "ModuleNotFoundError: jax requires jaxlib"],
            "pip install --force-reinstall jax jaxlib",
        ),
        (AttributeError("_ARRAY_API not found"), ["cannot be imported", "AttributeError: _ARRAY"], "--force"),
    ],
    ids=["too old", "too new", "a file of that name", "a library", "no jaxlib", "another error"],
)
def test_a_jax_that_does_not_work_is_reported_with_what_is_wrong(monkeypatch, module, words, remedy):
    for name in [one for one in sys.modules if one == "jax" or one.startswith("jax.")]:
        monkeypatch.delitem(sys.modules, name)
    if isinstance(module, Exception):
        monkeypatch.setattr(sys, "meta_path", [Raising(module), *sys.meta_path])
    else:
        monkeypatch.setitem(sys.modules, "jax", module)
    lacking = compiler._found.__wrapped__()[1]
    monkeypatch.setattr(compiler, "lack", lambda: lacking)
    monkeypatch.setattr(compiler, "_said", [])
    with use_engine("auto"), pytest.warns(UserWarning, match="NumPy continues") as caught:
        weight, line = turned(40)
    (one,) = caught
    for word in words:
        assert word in str(one.message)
    assert remedy in str(one.message)
    assert (one.filename, one.lineno) == (__file__, line)
    assert np.abs(weight.numpy()).max() < 0.001, "it has gone on"


@pytest.mark.xla
def test_a_jax_that_finds_no_device_is_reported_with_the_setting():
    done = subprocess.run(
        [sys.executable, "-c", "import test_without_jax; test_without_jax.turned(40)"],
        cwd=ROOT / "tests",
        env=os.environ | {"JAX_PLATFORMS": "abacus", "PENSTOCK_ENGINE": "auto"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr.count("UserWarning") == 1
    assert "JAX_PLATFORMS is 'abacus'" in done.stderr
    assert "does not start" in done.stderr


def test_the_oldest_jax_is_the_one_that_the_extra_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (needed,) = project["optional-dependencies"]["xla"]
    assert needed == "jax>=" + ".".join(map(str, compiler.OLDEST))
    assert not [one for one in project["dependencies"] if one.startswith("jax")]
