"""Graphs of TensorFlow 1 in files: what is written is brought back, also by another process."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock.errors import CheckpointError
from penstock.tensorflow._graphs import descriptions, graph_files, names_in_files
from penstock.tensorflow._graphs.graph import Graph
from penstock.tensorflow.compat import v1 as tf
from penstock.testing import use_engine
from recorded import ORACLES, record_in
from test_tensorflow_programs import run_program

PROGRAMS = ORACLES / "graph_programs"
RECORD = record_in("tensorflow_graph_programs.json")
CUT = "# -- another process --\n"
IN_TWO = sorted(path.stem for path in PROGRAMS.glob("*.py") if CUT in path.read_text())


@pytest.mark.parametrize("name", IN_TWO)
def test_another_process_brings_a_graph_back(name, tmp_path):
    printed = []
    for number, text in enumerate((PROGRAMS / f"{name}.py").read_text().split(CUT)):
        path = tmp_path / f"{number}.py"
        path.write_text(text)
        command = [sys.executable, "-m", "penstock", "run", "--as", "tensorflow", str(path)]
        # A process of its own: the folder for temporary files is read when it starts.
        env = {**os.environ, "TMPDIR": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        printed += done.stdout.splitlines()
    numbers = re.compile(r"-?\d+\.\d+")
    wanted = RECORD[name]["stdout"]
    assert [numbers.sub("#", one) for one in printed] == [numbers.sub("#", one) for one in wanted]
    found, expected = (list(map(float, numbers.findall("\n".join(one)))) for one in (printed, wanted))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-4)


def test_there_are_programs_in_two_processes():
    assert len(IN_TWO) >= 3


@pytest.fixture
def graphs(monkeypatch):
    """The graphs that a program makes."""
    made, own = [], Graph.__init__

    def begin(self):
        own(self)
        made.append(self)

    monkeypatch.setattr(Graph, "__init__", begin)
    return made


@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_what_is_brought_back_is_what_was_written(name, graphs, monkeypatch):
    """Every operation of every recorded program, but those whose code is the program's, or whose data are."""
    monkeypatch.chdir(ORACLES.parents[1])
    tf.flags.FLAGS.__dict__["_flags"].clear()
    with use_engine("numpy"):
        run_program(PROGRAMS / f"{name}.py")
    for graph in [one for one in graphs if one.operations]:
        graph.described = None
        first = descriptions.described(graph)
        read = graph_files.unpacked(graph_files.packed(first), "bytes")
        other = Graph()
        reader = descriptions.restored(other, read)
        descriptions.collect(other, reader, read.content)
        second = descriptions.described(other)
        pairs = zip(first.content["operations"], second.content["operations"], strict=True)
        for one, again in pairs:
            if "lost" in one:
                assert one["type"] in LOST or "object of class" in one["lost"], one
            elif one["name"] == again["name"]:
                assert json.dumps(one) == json.dumps(again)


LOST = (
    "PyFunc", "EagerPyFunc", "IteratorGetNext", "MakeIterator", "ReaderReadV2", "QueueDequeueV2",
    "QueueEnqueueV2", "QueueDequeueManyV2", "QueueEnqueueManyV2", "QueueSizeV2", "QueueCloseV2",
    "QueueIsClosedV2", "QueueDequeueUpToV2", "LimitEpochs",
)  # fmt: skip
"""Operations that call code of the program, or go through data that it holds."""


# -- what is in a file --------------------------------------------------------------------------------------


def saved(folder, add=lambda x: x):
    """Writes a graph into a folder; returns the path of its values."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.identity(add(x * tf.get_variable("weight", initializer=2.0)), name="y")
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(folder / "model"))


def elsewhere(path):
    """Forgets what this process knows of a file beside what is in it."""
    from penstock.tensorflow._graphs.graph import mode

    mode.written.pop(os.path.abspath(f"{path}.meta"), None)
    return f"{path}.meta"


def test_a_function_of_the_programs_own_is_refused_when_it_runs(tmp_path):
    def hidden(value):
        return value

    path = saved(tmp_path, lambda x: tf.py_func(hidden, [x], tf.float32, name="called") + 1.0)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(f"{path}.meta").restore(session, path)
        assert session.run("y:0", {"x:0": [1.0]}).tolist() == [3.0]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(elsewhere(path)).restore(session, path)
        assert session.run("mul:0", {"x:0": [1.0]}).tolist() == [2.0]
        assert session.run("y:0", {"called:0": [5.0]}).tolist() == [6.0]
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run("y:0", {"x:0": [1.0]})
        for words in ("'called'", "hidden", "test_graph_files.py:", "model.meta"):
            assert words in str(raised.value)


def test_a_graph_is_trained_on_without_what_a_file_does_not_hold(tmp_path):
    """A gradient that does not pass it is there; what does is a part of the run, and is refused with it."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        weight = tf.get_variable("weight", initializer=2.0)
        rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
        taken = tf.data.make_one_shot_iterator(rows).get_next()
        loss = tf.square(weight * x + tf.stop_gradient(taken), name="loss")
        tf.train.AdagradOptimizer(0.1).minimize(loss, name="train")
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        element = taken.name
        session.run("train", {x: 1.0, element: 3.0})
        wanted = session.run(weight)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(elsewhere(path)).restore(session, path)
        session.run("train", {"x:0": 1.0, element: 3.0})
        assert session.run(tf.trainable_variables()[0]) == wanted
        with pytest.raises(tf.errors.InvalidArgumentError, match="IteratorGetNext"):
            session.run("train", {"x:0": 1.0})


@pytest.mark.parametrize("layer", ["Dense", "Sequential"])
def test_layers_of_keras_are_brought_back_by_their_configurations(layer, tmp_path):
    keras = tf.keras
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        made = keras.layers.Dense(3, activation="tanh", kernel_regularizer="l2")
        if layer == "Sequential":
            made = keras.Sequential([keras.layers.Input((2,)), made, keras.layers.BatchNormalization()])
        y = tf.identity(made(made(x)[:, :2]), name="y")
        loss = tf.reduce_mean(keras.losses.mean_squared_error(tf.zeros([1, 3]), y)) + tf.add_n(made.losses)
        tf.train.AdamOptimizer(0.1).minimize(loss, name="train")
        session.run(tf.global_variables_initializer())
        session.run("train", {x: [[1.0, 2.0]]})
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        session.run("train", {x: [[1.0, 2.0]]})
        wanted = session.run("y:0", {x: [[3.0, 1.0]]})
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(elsewhere(path)).restore(session, path)
        session.run("train", {"x:0": [[1.0, 2.0]]})
        assert session.run("y:0", {"x:0": [[3.0, 1.0]]}).tolist() == wanted.tolist()


def test_tables_strings_and_halves_are_in_a_file(tmp_path):
    def add(x):
        words = tf.placeholder(tf.string, [None], name="words")
        rows = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0])
        half = tf.cast(tf.constant([0.1], tf.bfloat16), tf.float32)
        return x + half + tf.lookup.StaticHashTable(rows, -1.0).lookup(words)

    path = saved(tmp_path, add)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(elsewhere(path)).restore(session, path)
        found = session.run("y:0", {"x:0": [1.0, 1.0], "words:0": ["b", "z"]})
        np.testing.assert_allclose(found, [1.0 * 2.0 + 0.1 + 2.0, 2.0 + 0.1 - 1.0], atol=1e-2)


def test_collections_that_no_file_holds_are_named(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.get_variable("weight", initializer=2.0).initializer)
        tf.add_to_collection("settings", object())
        with pytest.warns(UserWarning, match="'settings'"):
            path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default():
        tf.train.import_meta_graph(f"{path}.meta")
        assert tf.get_collection("settings") == [] and len(tf.global_variables()) == 1


def test_a_file_is_written_again_only_if_the_graph_has_changed(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        weight = tf.get_variable("weight", initializer=2.0)
        session.run(weight.initializer)
        saver = tf.train.Saver()
        path = f"{saver.save(session, str(tmp_path / 'model'))}.meta"
        before = os.stat(path)
        saver.save(session, str(tmp_path / "model"))
        assert os.stat(path).st_ino == before.st_ino
        weight.assign(3.0, name="more")
        saver.save(session, str(tmp_path / "model"))
        os.remove(elsewhere(str(tmp_path / "model")))
        saver.save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(path)
        assert session.run("more:0") == 3.0


# -- what is refused ----------------------------------------------------------------------------------------


def refused(path, content):
    Path(path).write_bytes(content)
    with tf.Graph().as_default() as graph:
        with pytest.raises(OSError) as raised:
            tf.train.import_meta_graph(str(path))
        assert isinstance(raised.value, CheckpointError)
        assert not graph.operations and not graph.collections
    return str(raised.value)


def test_files_of_others_are_refused_by_name(tmp_path):
    theirs = tmp_path / "theirs.meta"
    assert "TensorFlow wrote" in refused(theirs, b"\n\xbf\x03\x12\x0f\n\x03Add") and "theirs.meta" in refused(
        theirs, b'node {\n  name: "x"\n'
    )
    assert "penstock run" in refused(theirs, b"meta_info_def {\n")
    assert "no graph" in refused(theirs, b"") and "no graph" in refused(theirs, b"PK\x03\x04something else")
    values = saved(tmp_path)
    assert "without a graph" in refused(theirs, Path(f"{values}.safetensors").read_bytes())
    whole = Path(f"{values}.meta").read_bytes()
    assert "newer Penstock" in refused(theirs, whole.replace(b'"version":"1"', b'"version":"2"'))
    with pytest.raises(CheckpointError, match="TensorFlow wrote"):
        tf.GraphDef().ParseFromString(b"\n\x03Add")


def test_a_damaged_file_changes_nothing(tmp_path):
    whole = Path(f"{saved(tmp_path)}.meta").read_bytes()
    for cut in (10, len(whole) // 2, len(whole) - 1):
        words = refused(tmp_path / "cut.meta", whole[:cut])
        assert "damaged" in words or "no graph" in words
    for old, new in ((b"call_kernel", b"call_kernol"), (b"inputs", b"inputz"), (b"float32", b"float3x")):
        assert old in whole
        assert "damaged" in refused(tmp_path / "changed.meta", whole.replace(old, new))


@pytest.mark.parametrize(
    "name",
    [
        "os:system", "builtins:eval", "subprocess:Popen", "penstock.running:run_script",
        "penstock.tensorflow.saved_model:_os", "penstock.tensorflow._checkpoints:os.remove",
        "penstock.tensorflow.io.gfile:remove", "penstock.tensorflow._graphs.build:importlib",
        "penstock.tensorflow._graphs.build:import_module", "penstock.tensorflow.absent:name",
        "penstock.tensorflow._arrays:absent", "penstock.tensorflow._arrays:zeros***", "pickle:loads", "",
    ],
)  # fmt: skip
def test_nothing_outside_of_penstock_has_a_name(name):
    with pytest.raises(LookupError):
        names_in_files.found(name)


def test_names_lead_to_the_functions_that_compute():
    from penstock.tensorflow import _arrays, linalg, nn

    for one in (_arrays.reshape, linalg.matmul, nn.relu, tf.nn.relu._eager):
        assert names_in_files.found(names_in_files.name_of(one)) is getattr(one, "_dense_only", one)
    with tf.Graph().as_default():
        assert names_in_files.found("penstock.tensorflow._shape_functions:at_most_one")
    assert names_in_files.name_of(lambda: None) is None and names_in_files.name_of(io.BytesIO) is None


def test_names_of_graphs_are_not_built_into_them():
    """A file of graphs may be imported before the names of TensorFlow 1 are."""
    program = (
        "import penstock.tensorflow._graphs.importing, penstock.tensorflow._graphs.queues\n"
        "import penstock.tensorflow.compat.v1 as tf\n"
        "print([hasattr(getattr(tf, one), '_eager') for one in ('import_graph_def', 'placeholder', 'exp')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[False, False, True]\n"
