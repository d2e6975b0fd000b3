"""Scripts run unchanged: their view of the process, the targets of their imports, and their failures."""

import gc
import sys
import traceback
from pathlib import Path

import pytest

import penstock as ps
from penstock.errors import PenstockError
from penstock.running import run_script, trees
from penstock.state.selection import everywhere


@pytest.fixture
def script(tmp_path):
    """Writes a script, and modules next to it, and returns a function that runs it."""

    def run(text, dialect=None, arguments=(), **modules):
        for name, module in modules.items():
            (tmp_path / f"{name}.py").write_text(module, encoding="utf-8")
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        return run_script(str(path), dialect, list(arguments))

    return run


def test_a_script_sees_what_python_would_show_it(script, capsys, tmp_path):
    error = script(
        "import sys, helper\n"
        "print(__name__, sys.argv[1:], sys.modules['__main__'].__dict__ is globals())\n"
        "print(__file__, sys.path[0], helper.answer)\n",
        arguments=["--rate", "0.1"],
        helper="answer = 42",
    )
    assert error is None
    assert capsys.readouterr().out.splitlines() == [
        "__main__ ['--rate', '0.1'] True",
        f"{tmp_path / 'script.py'} {tmp_path} 42",
    ]


def test_nothing_of_the_run_stays(script):
    before = sys.argv[:], sys.path[:], sys.meta_path[:], sys.modules["__main__"]
    assert script("import sys; sys.argv = []; sys.path.append('x'); import tensorflow", "tensorflow") is None
    assert isinstance(script("import tensorflow.keras; raise KeyError('x')", "tensorflow"), KeyError)
    assert (sys.argv, sys.path, sys.meta_path, sys.modules["__main__"]) == before
    assert not [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]


def test_what_libraries_put_among_the_modules_need_not_be_modules(script):
    """As the compiled part of a library does, for functions that others look up there."""
    assert script("import sys\nsys.modules['a_thing'] = object()") is None
    assert type(sys.modules.pop("a_thing")) is object


@pytest.mark.parametrize(
    "line",
    [
        "import tensorflow as tf; tf.constant(1.0)",
        "from tensorflow import keras; keras.optimizers.SGD(0.1)",
        "import tensorflow.keras as keras; keras.optimizers.Adam()",
        "import tensorflow.keras.optimizers; tensorflow.keras.optimizers.SGD()",
        "from tensorflow.keras import optimizers; optimizers.SGD()",
        "from tensorflow.keras.optimizers import SGD; SGD()",
        "from tensorflow.keras.optimizers.schedules import ExponentialDecay",
        "import keras; keras.optimizers.SGD()",
        "import tensorflow.compat.v1 as tf; tf.assign",
        "import importlib; importlib.import_module('tensorflow.nn').relu(1.0)",
        "import helper; assert helper.tf.__name__ == 'penstock.tensorflow'",
    ],
)
def test_imports_resolve(script, line):
    assert script(line, "tensorflow", helper="import tensorflow as tf") is None


def test_a_package_beside_the_script_imports_from_itself(tmp_path, monkeypatch):
    """The script is looked through for TensorFlow 1 by its name alone, from its own folder."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("from . import layers\n")
    (tmp_path / "parts" / "layers.py").write_text("import tensorflow as tf\n")
    (tmp_path / "script.py").write_text("import parts\n")
    monkeypatch.chdir(tmp_path)
    assert [file.name for file, _ in trees(Path("script.py"), Path())] == ["script.py", "__init__.py"]


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.examples.tutorials.mnist import input_data; input_data.read_data_sets",
        "from tensorflow.python.framework import ops; ops.reset_default_graph()",
        "from tensorflow.keras.layers import Dense; assert Dense is tf.keras.layers.Dense",
        "import tensorflow.nn as nn; assert nn is tf.nn",
        "import tensorflow.signal as signal; assert signal is tf.signal",
        "import tensorflow.layers as layers; assert layers is tf.layers",
    ],
)
def test_a_program_of_tensorflow_1_imports_what_its_successor_still_has(script, line):
    assert script(f"import tensorflow as tf; x = tf.placeholder(tf.float32)\n{line}", "tensorflow") is None


def test_a_module_keeps_no_name_of_what_a_program_imported(script):
    from penstock import tensorflow as tf

    before = set(vars(tf.compat.v1))
    text = "import tensorflow as tf; x = tf.placeholder(tf.float32)\nimport tensorflow.python; tf.python"
    assert script(text, "tensorflow") is None
    assert "python" not in set(vars(tf.compat.v1)) - before


def test_both_names_mean_one_module(script):
    text = """
import sys, tensorflow, penstock.tensorflow, tensorflow.keras
assert tensorflow is penstock.tensorflow is sys.modules["tensorflow"]
assert tensorflow.keras is penstock.tensorflow.keras
assert tensorflow.__spec__.name == "penstock.tensorflow"
"""
    assert script(text, "tensorflow") is None


def test_a_module_that_is_not_there_says_so(script):
    error = script("import tensorflow.dada", "tensorflow")
    assert isinstance(error, ModuleNotFoundError)
    assert error.name == "tensorflow.dada"
    assert "'tensorflow.dada'" in str(error)
    assert "penstock.tensorflow does not have it (yet)" in str(error)
    assert isinstance(script("import tensorflow._variable", "tensorflow"), ModuleNotFoundError)


def test_a_name_that_is_not_there_says_so(script):
    error = script("from tensorflow.keras import dada", "tensorflow")
    assert isinstance(error, ImportError)
    assert error.__notes__ == [
        "Imports of tensorflow resolve to penstock.tensorflow, which does not have this name (yet)."
    ]


def test_without_a_dialect_nothing_is_resolved(script):
    try:
        import tensorflow  # noqa: F401
    except ModuleNotFoundError:
        assert isinstance(script("import tensorflow"), ModuleNotFoundError)


def test_a_module_already_imported_comes_back(script, monkeypatch):
    other = type(sys)("tensorflow")
    monkeypatch.setitem(sys.modules, "tensorflow", other)
    assert script("import tensorflow; tensorflow.constant(1.0)", "tensorflow") is None
    assert sys.modules["tensorflow"] is other


def test_pending_operations_run_at_the_end(script, monkeypatch):
    v = ps.Variable(1.0)
    module = type(sys)("shared")
    module.v = v
    monkeypatch.setitem(sys.modules, "shared", module)
    assert script("import shared; shared.v.assign_add(1.0)") is None
    assert v._pending is None
    assert isinstance(script("import shared; shared.v.assign_add(1.0); raise KeyError"), KeyError)
    assert v._pending is None
    assert float(v) == 3.0


def test_a_failure_found_at_the_end_is_the_scripts(script):
    error = script("import penstock as ps\nx = ps.take(ps.asarray([1.0]), ps.asarray([3]))\n")
    assert isinstance(error, ps.errors.RangeError)
    assert str(error.site).endswith("script.py:2")


@pytest.mark.parametrize(
    ("text", "code"),
    [("import sys; sys.exit()", None), ("raise SystemExit(0)", None), ("import sys; sys.exit(3)", 3)],
)
def test_leaving(script, text, code):
    error = script(text)
    assert (error is None) if code is None else (isinstance(error, SystemExit) and error.code == code)


def test_an_interrupt_is_given_back(script):
    assert isinstance(script("raise KeyboardInterrupt"), KeyboardInterrupt)


def test_a_traceback_shows_the_users_frames_alone(script, tmp_path):
    error = script(
        "import tensorflow as tf\nimport helper\n\n"
        "def work():\n    helper.add(tf.ones([2]), tf.ones([3]))\n\nwork()\n",
        "tensorflow",
        helper="def add(a, b):\n    return a + b\n",
    )
    frames = traceback.extract_tb(error.__traceback__)
    assert [(one.filename, one.lineno) for one in frames] == [
        (str(tmp_path / "script.py"), 7),
        (str(tmp_path / "script.py"), 5),
        (str(tmp_path / "helper.py"), 2),
    ]


def test_errors_behind_an_error_are_stripped_too(script):
    text = """
import tensorflow as tf
try:
    tf.ones([2]) + tf.ones([3])
except tf.errors.InvalidArgumentError as error:
    raise ValueError("wrapped") from error
"""
    error = script(text, "tensorflow")
    assert "penstock/" not in "".join(traceback.format_tb(error.__cause__.__traceback__))
    assert len(traceback.extract_tb(error.__cause__.__traceback__)) == 1


def test_a_script_that_does_not_parse(script):
    error = script("x = = 1\n")
    assert isinstance(error, SyntaxError)
    assert error.filename.endswith("script.py")
    assert error.__traceback__ is None


@pytest.mark.parametrize(("path", "words"), [("nowhere.py", "is not there"), (".", "is a directory")])
def test_a_script_that_is_not_there(path, words):
    with pytest.raises(PenstockError, match=words) as caught:
        run_script(path, None, [])
    assert repr(path) in caught.value.fact
    assert caught.value.remedy


def test_an_unknown_dialect(script):
    with pytest.raises(PenstockError, match="no dialect 'torch'") as caught:
        script("", "torch")
    assert "'tensorflow'" in caught.value.remedy


@pytest.mark.parametrize(("library", "dialect"), [("penstock", None), ("tensorflow", "tensorflow")])
def test_nothing_keeps_the_variables_of_a_program_that_is_over(script, library, dialect):
    text = f"""
import {library} as tf
w = tf.Variable([1.0, 2.0], name="gone")
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = w[0] * 2.0
    w.assign_add(tape.gradient(loss, w))
    float(loss)
"""
    assert script(text, dialect) is None
    gc.collect()
    assert "gone" not in [variable.path for variable in everywhere()]
