"""Files of the dialect of TensorFlow: damaged ones, those that are not there, and those of Keras itself."""

import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from penstock import tensorflow as tf
from penstock.errors import CheckpointError
from penstock.running import run_script
from penstock.tensorflow import _jpeg
from penstock.tensorflow._records import crc32c
from recorded import ORACLES

keras = tf.keras


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    return tmp_path


SETS = (
    "mnist",
    "fashion_mnist",
    "cifar10",
    "cifar100",
    "imdb",
    "reuters",
    "boston_housing",
    "california_housing",
)


@pytest.mark.parametrize("name", SETS)
def test_a_data_set_that_is_not_here_says_which_file_to_put_where(name, home):
    with pytest.raises(FileNotFoundError, match=r"is not on this machine(.|\n)*downloads nothing") as caught:
        getattr(keras.datasets, name).load_data()
    assert str(home) in str(caught.value) and "https://" in str(caught.value)
    assert __file__.rpartition("/")[2] in str(caught.value)


@pytest.mark.parametrize(("name", "content"), [("mnist", b"PK broken"), ("boston_housing", b"")])
def test_a_damaged_data_set_is_refused_by_name(name, content, home):
    (home / "datasets" / f"{name}.npz").write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}.npz.*could not be read(.|\n)*damaged"):
        getattr(keras.datasets, name).load_data()


def test_a_pickle_that_would_run_code_is_refused(home):
    folder = home / "datasets" / "cifar-10-batches-py"
    folder.mkdir()
    (folder / "data_batch_1").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    with pytest.raises(ValueError, match=r"os.system is neither an array nor a plain value"):
        keras.datasets.cifar10.load_data()


def test_digits_come_in_batches_as_tutorials_have_them(home):
    from penstock.tensorflow.examples.tutorials.mnist import input_data

    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte.gz(.|\n)*MNIST_data"):
        input_data.read_data_sets("MNIST_data")
    images = np.arange(6 * 28 * 28, dtype=np.uint8).reshape(6, 28, 28)
    columns = {"x_train": images, "y_train": np.arange(6), "x_test": images[:2], "y_test": np.arange(2)}
    np.savez(home / "datasets" / "mnist.npz", **columns)
    data = input_data.read_data_sets("MNIST_data", one_hot=True, validation_size=2, seed=3)
    assert (data.train.num_examples, data.validation.num_examples, data.test.num_examples) == (4, 2, 2)
    assert data.train.images.shape == (4, 784) and data.train.images.max() <= 1.0
    seen = [np.argmax(data.train.next_batch(1)[1]) for _ in range(4)]
    assert sorted(seen) == [2, 3, 4, 5] and data.train.epochs_completed == 0
    x, y = data.train.next_batch(3)
    assert x.shape == (3, 784) and y.sum() == 3 and data.train.epochs_completed == 1


def test_a_file_is_found_copied_and_unpacked(home, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'rows.csv' is not on this machine(.|\n)*datasets/rows.csv"):
        keras.utils.get_file("rows.csv", "https://example.org/rows.csv")
    (home / "datasets" / "rows.csv").write_text("1")
    assert keras.utils.get_file("rows.csv", "https://example.org/rows.csv").endswith("datasets/rows.csv")
    with pytest.warns(UserWarning, match=r"md5 hash of .*rows.csv"):
        keras.utils.get_file("rows.csv", "https://example.org/rows.csv", md5_hash="0" * 32)
    archive = tmp_path / "flowers.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("flowers/a.txt", "rose")
    folder = keras.utils.get_file("flowers", archive.as_uri(), extract=True)
    assert Path(folder, "flowers", "a.txt").read_text() == "rose"
    archive.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="not an archive of the kinds"):
        keras.utils.get_file("others", archive.as_uri(), extract=True)
    assert not [name for name in os.listdir(home / "datasets") if "partial" in name]


def model_and_file(folder):
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(2, name="a"), keras.layers.Dense(1, name="b")]
    )
    path = os.path.join(folder, "net.weights.h5")
    model.save_weights(path)
    return model, path


def test_weights_that_do_not_fit_are_named_and_nothing_is_changed(tmp_path):
    pytest.importorskip("h5py")
    _, path = model_and_file(tmp_path)
    other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(4)])
    before = other.get_weights()
    with pytest.raises(
        CheckpointError, match=r"layers differ(.|\n)*dense_1.*\(2, 1\) in the file.*\(2, 4\) here"
    ):
        other.load_weights(path)
    fewer = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    with pytest.raises(CheckpointError, match=r"layers/dense_1: 2 variables in the file, no such layer here"):
        fewer.load_weights(path)
    for one, kept in zip(other.get_weights(), before, strict=True):
        np.testing.assert_array_equal(one, kept)
    with pytest.warns(UserWarning, match="skipped"):
        other.load_weights(path, skip_mismatch=True)


@pytest.mark.parametrize("cut", [0, 10, 500, -1])
def test_damaged_weights_and_models_are_refused(tmp_path, cut):
    pytest.importorskip("h5py")
    model, path = model_and_file(tmp_path)
    whole = tmp_path / "net.keras"
    model.save(whole)
    for file in (path, whole):
        Path(file).write_bytes(Path(file).read_bytes()[:cut])
    with pytest.raises(CheckpointError, match="not a complete"):
        model.load_weights(path)
    with pytest.raises(CheckpointError, match="not a complete"):
        keras.models.load_model(whole)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    model, path = model_and_file(tmp_path)
    before = Path(path).read_bytes()
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(CheckpointError, match="disk full"):
        model.save_weights(path)
    with pytest.raises(CheckpointError, match="disk full"):
        tf.train.Checkpoint(model=model).write(str(tmp_path / "ckpt"))
    assert Path(path).read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["net.weights.h5"]


def test_without_the_library_the_message_names_it(tmp_path, monkeypatch):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    for write in (
        lambda: model.save(tmp_path / "a.keras"),
        lambda: model.save_weights(tmp_path / "a.weights.h5"),
    ):
        with pytest.raises(ImportError, match="pip install h5py"):
            write()
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        keras.utils.load_img("a.png")


def test_files_that_keras_has_written_give_what_they_gave_there():
    pytest.importorskip("h5py")
    kept = np.load(ORACLES / "weights" / "keras_files.npz")
    for name in ("functional", "row"):
        model = keras.models.load_model(ORACLES / "weights" / f"{name}.keras")
        found = model.predict(kept[f"{name}/x"], verbose=0)
        np.testing.assert_allclose(found, kept[f"{name}/y"], rtol=1e-5, atol=1e-6)
        model.train_on_batch(kept[f"{name}/x"], kept[f"{name}/target"])
        np.testing.assert_allclose(
            model.predict(kept[f"{name}/x"], verbose=0), kept[f"{name}/trained"], rtol=1e-4, atol=1e-5
        )


CONFIGS = json.loads((ORACLES / "weights" / "keras_configs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted({one.partition("/")[0] for one in CONFIGS}))
def test_configurations_of_keras_are_read_and_written_again(name):
    for key, config in CONFIGS.items():
        if key.partition("/")[0] != name:
            continue
        made = keras.saving.deserialize_keras_object(config)
        again = keras.saving.serialize_keras_object(made)
        assert (again["module"], again["class_name"]) == (config["module"], config["class_name"]), key
        wanted, found = config["config"], again["config"]
        for argument, value in found.items():
            if argument not in wanted or isinstance(value, dict) or isinstance(wanted[argument], dict):
                continue
            same = value == wanted[argument] or value in (None, "linear") or wanted[argument] is None
            spread = (
                isinstance(wanted[argument], list) and [value] * len(wanted[argument]) == wanted[argument]
            )
            assert same or spread or value == pytest.approx(wanted[argument]), f"{key}: {argument}"


def test_code_in_a_file_is_refused_unless_the_program_allows_it(tmp_path):
    pytest.importorskip("h5py")
    factor, path = 2.0, tmp_path / "row.keras"
    row = keras.Sequential([keras.Input((3,)), keras.layers.Lambda(lambda x: x * factor)])
    row.save(path)
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.saving.load_model(path)
    assert keras.saving.load_model(path, safe_mode=False)(tf.ones((1, 3))).numpy().tolist() == [[2.0] * 3]
    for value in ("anything", ["YW55dGhpbmc=", None, None]):
        code = {"class_name": "__lambda__", "config": {"value": value}}
        with pytest.raises(ValueError, match="safe_mode=False"):
            keras.saving.deserialize_keras_object(code)
        with pytest.raises(ValueError, match="cannot be read"):
            keras.saving.deserialize_keras_object(code, safe_mode=False)
    unknown = {"module": None, "class_name": "Mine", "config": {}, "registered_name": "Custom>Mine"}
    with pytest.raises(ValueError, match=r"'Mine'(.|\n)*custom_objects"):
        keras.saving.deserialize_keras_object(unknown)
    strange = keras.saving.serialize_keras_object(keras.layers.Dense(2))
    strange["config"]["synchronized_by"] = 4
    with pytest.raises(ValueError, match="synchronized_by=4"):
        keras.saving.deserialize_keras_object(strange)


def test_damaged_checkpoints_are_refused(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).write(str(tmp_path / "ckpt"))
    content = (tmp_path / "ckpt.safetensors").read_bytes()
    (tmp_path / "ckpt.safetensors").write_bytes(content[:-5])
    with pytest.raises(CheckpointError, match="not a complete safetensors file"):
        tf.train.Checkpoint(a=tf.Variable([0.0, 0.0])).read(path)
    (tmp_path / "other.index").write_bytes(b"")
    with pytest.raises(CheckpointError, match="that TensorFlow wrote"):
        tf.train.Checkpoint(a=tf.Variable(0.0)).read(str(tmp_path / "other"))


def test_variables_made_later_are_restored_at_their_creation(tmp_path):
    def made():
        return keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)]), keras.optimizers.Adam(0.1)

    def train(model, optimizer):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(tf.ones((2, 3))) ** 2)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))

    model, optimizer = made()
    train(model, optimizer)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).write(str(tmp_path / "ckpt"))
    train(model, optimizer)
    other, later = made()
    status = tf.train.Checkpoint(model=other, optimizer=later).read(path)
    with pytest.raises(AssertionError, match="Unresolved object in checkpoint: "):
        status.assert_consumed()
    train(other, later)
    status.assert_consumed()
    for one, two in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_saved_model_comes_back_and_says_what_it_is_not(tmp_path):
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(2.0)

        def __call__(self, x):
            return self.w * x

    net, folder = Net(), str(tmp_path / "net")
    with pytest.warns(UserWarning, match="no graph"):
        tf.saved_model.save(net, folder)
    net.w.assign(0.0)
    assert float(tf.saved_model.load(folder)(3.0)) == 6.0
    os.makedirs(tmp_path / "other")
    (tmp_path / "other" / "saved_model.pb").write_bytes(b"")
    with pytest.raises(ValueError, match="a graph of TensorFlow, which is not run here"):
        tf.saved_model.load(tmp_path / "other")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    with pytest.warns(UserWarning, match="no graph"):
        tf.saved_model.save(model, str(tmp_path / "model"))
    again = tf.saved_model.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(again(tf.ones((1, 3))), model(tf.ones((1, 3))))


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.count = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def __call__(self, x):
        return x * self.count

    @tf.function
    def parts(self, x, power=2):
        return {"sum": tf.reduce_sum(x) + self.count, "power": x**power}


@pytest.mark.filterwarnings("ignore:tf.saved_model.save")
def test_a_loaded_module_has_its_own_variables_and_signatures_on_them(tmp_path):
    module, folder = Counter(), str(tmp_path / "module")
    parts = module.parts.get_concrete_function(tf.TensorSpec([None]), 3)
    tf.saved_model.save(module, folder, signatures={"serving_default": module.__call__, "parts": parts})
    module.count.assign(5.0)
    loaded, other = tf.saved_model.load(folder), tf.saved_model.load(folder)
    loaded.count.assign_add(1.0)
    x = tf.constant([1.0, 2.0])
    assert [one(x).numpy().tolist() for one in (module, loaded, other)] == [[5, 10], [2, 4], [1, 2]]
    assert list(loaded.signatures) == ["serving_default", "parts"]
    assert loaded.signatures["serving_default"](x)["output_0"].numpy().tolist() == [2.0, 4.0]
    found = loaded.signatures["parts"](x=x)
    assert float(found["sum"]) == 5.0 and found["power"].numpy().tolist() == [1.0, 8.0]
    outputs = loaded.signatures["parts"].structured_outputs
    assert {name: one.shape.as_list() for name, one in outputs.items()} == {"sum": [], "power": [None]}
    with pytest.raises(ValueError, match="generate a signature, but got"):
        tf.saved_model.save(module, folder, signatures=lambda x: x)
    with pytest.raises(OSError, match="SavedModel file does not exist at: "):
        tf.saved_model.load(str(tmp_path / "nothing"))


@pytest.mark.filterwarnings("ignore:tf.saved_model.save")
def test_an_exported_model_serves(tmp_path, capsys):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dropout(0.5), keras.layers.Dense(2)])
    model.export(str(tmp_path / "model"))
    assert "Endpoint 'serve'" in capsys.readouterr().out
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.serve(tf.ones((1, 3))), model(tf.ones((1, 3))))
    with pytest.raises(ValueError, match="writes no graphs"):
        model.export(str(tmp_path / "model"), format="onnx")


def test_check_sums_of_long_data_are_those_of_short_data():
    # The value that RFC 3720 gives for 32 zero bytes, and for "123456789".
    assert crc32c(bytes(32)) == 0x8A9136AA and crc32c(b"123456789") == 0xE3069283
    data = np.random.default_rng(0).integers(0, 256, 5000, np.uint8).tobytes()
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    assert crc32c(data) == state ^ 0xFFFFFFFF


def test_threads_stop_together():
    together = tf.train.Coordinator()

    def work():
        with together.stop_on_exception():
            while not together.should_stop():
                raise ValueError("enough")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for one in threads:
        one.start()
    with pytest.raises(ValueError, match="enough"):
        together.join(threads)
    assert together.should_stop()


PYTHON_IMPORTS = """
import tensorflow as tf
from tensorflow.python.client import device_lib, timeline
from tensorflow.python.eager import backprop, context
from tensorflow.python.framework import constant_op, dtypes, ops, tensor_shape
from tensorflow.python.keras import backend, layers
from tensorflow.python.keras.layers import Dense
from tensorflow.python.ops import array_ops, control_flow_ops, control_flow_util, math_ops, nn_ops
from tensorflow.python.ops.math_ops import matmul
from tensorflow.python.util import nest
from tensorflow.keras.preprocessing.text import Tokenizer
from tensorflow.keras.utils import plot_model, to_categorical

assert issubclass(Dense, tf.keras.layers.Dense) and nest.flatten([1, [2]]) == [1, 2]
assert math_ops.reduce_mean([1.0, 3.0]).numpy() == 2.0 and device_lib.list_local_devices()
assert array_ops.reshape([1, 2], [2, 1]).shape == (2, 1) and nn_ops.softmax([1.0]).numpy() == 1.0
assert backprop.GradientTape is tf.GradientTape and dtypes.float32 == tf.float32
control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
metadata = tf.compat.v1.RunMetadata()
assert "traceEvents" in timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
try:
    math_ops.no_such_function
except AttributeError as error:
    assert "tensorflow.python.ops.math_ops" in str(error)
else:
    raise AssertionError
"""


def test_imports_of_tensorflows_own_modules_find_the_public_names(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PYTHON_IMPORTS)
    assert run_script(str(program), "tensorflow", []) is None


def test_a_picture_that_is_drawn_nowhere_says_so():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)], name="net")
    with pytest.warns(UserWarning, match=r"'model.png' is not written(.|\n)*net.summary\(\)"):
        keras.utils.plot_model(model, "model.png", show_shapes=True)


def test_bytes_that_are_no_picture_are_refused():
    pytest.importorskip("PIL")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Unknown image file format(.|\n)*b'no pict"):
        tf.io.decode_image(b"no picture")
    picture = tf.constant(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    again = tf.io.decode_png(tf.io.encode_png(picture))
    assert again.numpy().tolist() == picture.numpy().tolist()
    content = io.BytesIO(tf.io.encode_jpeg(picture).numpy())
    assert tf.io.is_jpeg(content.getvalue()).numpy() and tf.io.decode_jpeg(content.getvalue()).shape == (
        2,
        4,
        3,
    )


def test_without_the_library_of_tensorflow_pillow_decodes_jpeg(monkeypatch):
    pytest.importorskip("PIL")
    picture = tf.constant(np.random.default_rng(0).integers(0, 256, (16, 24, 3)).astype(np.uint8))
    encoded = tf.io.encode_jpeg(picture)
    accurate = tf.io.decode_jpeg(encoded, dct_method="INTEGER_ACCURATE").numpy()
    monkeypatch.setattr(_jpeg, "turbo", lambda: None)
    assert np.array_equal(tf.io.decode_jpeg(encoded).numpy(), accurate)
    for options in ({"dct_method": "INTEGER_FAST"}, {"ratio": 2}, {"fancy_upscaling": False}):
        with pytest.raises(ValueError, match=r"Pillow decodes pictures(.|\n)*pip install simplejpeg"):
            tf.io.decode_jpeg(encoded, **options)


def test_options_of_jpeg_that_do_not_exist_are_refused():
    encoded = tf.io.encode_jpeg(tf.zeros((8, 8, 3), tf.uint8))
    for options in ({"dct_method": "SLOW"}, {"ratio": 3}, {"try_recover_truncated": True}):
        with pytest.raises(ValueError, match=f"decode_jpeg: .*{next(iter(options))}"):
            tf.io.decode_jpeg(encoded, **options)


def test_an_object_without_variables_is_saved_and_found_again(tmp_path):
    class Doubled(tf.Module):
        @tf.function
        def twice(self, x):
            return x * 2

    path = tf.train.Checkpoint(root=tf.Module()).write(str(tmp_path / "nothing"))
    tf.train.Checkpoint(root=tf.Module()).read(path)
    with pytest.warns(UserWarning, match="and no graph"):
        tf.saved_model.save(Doubled(), str(tmp_path / "model"))
    assert float(tf.saved_model.load(str(tmp_path / "model")).twice(tf.constant(4.0))) == 8.0


def test_a_data_set_is_written_and_read(tmp_path):
    rows = tf.data.Dataset.from_tensor_slices(({"x": [[1.0, 2.0], [3.0, 4.0]], "word": ["a\0", "ö"]}, [1, 2]))
    rows.save(tmp_path / "rows")
    found = list(tf.data.Dataset.load(tmp_path / "rows").as_numpy_iterator())
    assert [(one["x"].tolist(), one["word"], int(y)) for one, y in found] == [
        ([1.0, 2.0], b"a\0", 1),
        ([3.0, 4.0], "ö".encode(), 2),
    ]
    uneven = tf.data.experimental.from_list([(1, [1]), (2, [2, 3])])
    tf.data.experimental.save(uneven, tmp_path / "uneven")
    again = tf.data.experimental.load(tmp_path / "uneven")
    assert [(int(n), row.tolist()) for n, row in again.as_numpy_iterator()] == [(1, [1]), (2, [2, 3])]
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        tf.data.Dataset.load(tmp_path / "nowhere")


def test_a_checkpoint_keeps_the_place_of_an_iterator(tmp_path):
    iterator = iter(tf.data.Dataset.range(6).batch(2))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    assert next(iterator).numpy().tolist() == [0, 1]
    path = checkpoint.save(tmp_path / "place")
    assert iterator.get_next().numpy().tolist() == [2, 3]
    checkpoint.restore(path)
    assert next(iterator).numpy().tolist() == [2, 3]
    assert next(iterator).numpy().tolist() == [4, 5]
    assert not iterator.get_next_as_optional().has_value()
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_a_table_is_read_from_lines(tmp_path):
    (tmp_path / "words").write_text("emerson 10\nlake 20\n")
    read = tf.lookup.TextFileInitializer
    columns = read(str(tmp_path / "words"), tf.string, 0, tf.int64, 1, delimiter=" ")
    assert tf.lookup.StaticHashTable(columns, -1).lookup(
        tf.constant(["lake", "palmer"])
    ).numpy().tolist() == [20, -1]
    index = tf.lookup.TextFileIndex
    lines = read(str(tmp_path / "words"), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    assert int(tf.lookup.StaticHashTable(lines, -1).lookup(tf.constant("lake 20"))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid number of columns"):
        read(str(tmp_path / "words"), tf.string, 5, tf.int64, 1, delimiter=" ")


def test_a_table_changes():
    table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    table.insert(tf.constant(["a", "b", "c"]), [0, 1, 2])
    table.remove(tf.constant(["c"]))
    assert table.lookup(tf.constant([["a"], ["c"]])).numpy().tolist() == [[0], [-1]]
    keys, values = table.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist())) == {b"a": 0, b"b": 1}
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        table.lookup(tf.constant([""]))


def test_names_that_one_attribute_cannot_hold_are_written_as_several(tmp_path):
    h5py = pytest.importorskip("h5py")
    from penstock.tensorflow.keras import _older_files

    names = [f"{'long' * 40}_{number}" for number in range(1500)]
    with h5py.File(tmp_path / "names.h5", "w") as file:
        _older_files._put_names(file, "layer_names", names)
        assert len(file.attrs) > 2
        assert _older_files._names(file, "layer_names") == names


def test_functions_in_files_are_refused_where_they_cannot_be_read(tmp_path):
    pytest.importorskip("h5py")
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, tf.keras.layers.Dense(1)(x / 2.0))
    with pytest.warns(UserWarning, match=r"cannot be read back, by Keras either(.|\n)*'true_divide'"):
        model.save(tmp_path / "model.h5")
    config = json.loads(json.dumps(model.get_config()).replace("TrueDivide", "Wobble"))
    with pytest.raises(ValueError, match=r"keras\.src\.ops\.numpy\.Wobble, which penstock"):
        tf.keras.Model.from_config(config)
    lost = tf.keras.Model(x, tf.keras.activations.mish(x))
    with pytest.raises(ValueError, match=r"calls 'mish' on a symbolic tensor(.|\n)*keras\.ops"):
        lost.to_json()


def test_a_checkpoint_takes_a_generator_back(tmp_path):
    class Noise(tf.Module):
        def __init__(self):
            super().__init__()
            self.generator = tf.random.Generator.from_seed(2**62 + 5)

    drawn, noise = tf.random.Generator.from_seed(3), Noise()
    checkpoint = tf.train.Checkpoint(generator=drawn, noise=noise)
    drawn.normal([3])
    path = checkpoint.save(str(tmp_path / "ckpt"))
    assert "generator/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in [
        name for name, _ in tf.train.list_variables(path)
    ]
    wanted = [drawn.normal([3]).numpy().tolist(), noise.generator.uniform([3]).numpy().tolist()]
    fresh, other = tf.random.Generator.from_seed(9), Noise()
    tf.train.Checkpoint(generator=fresh, noise=other).restore(path).assert_consumed()
    assert [fresh.normal([3]).numpy().tolist(), other.generator.uniform([3]).numpy().tolist()] == wanted


class Chooser(tf.Module):
    def __init__(self):
        super().__init__()
        self.rate, self.apart = tf.Variable(2.0), tf.Variable(1.0)

    @tf.function
    def scaled(self, x, times=1):
        return x * self.rate * float(times)

    @tf.function
    def moved(self, x):
        self.rate.assign_add(x)
        return self.rate

    @tf.function
    def chosen(self, x):
        return x if x > 0 else -x


OTHER_PROGRAM = """
import sys
import penstock.tensorflow as tf

loaded = tf.saved_model.load(sys.argv[1])
print(float(loaded.scaled(tf.constant(3.0))), float(loaded.scaled(tf.constant(3.0), times=4)))
with tf.GradientTape() as tape:
    loss = loaded.scaled(tf.constant(3.0)) ** 2
print(float(tape.gradient(loss, loaded.rate)), float(loaded.moved(tf.constant(0.5))), float(loaded.apart))
for call in (loaded.scaled, lambda x: loaded.chosen(x)):
    try:
        call(tf.constant([1.0]))
    except (ValueError, AttributeError) as error:
        print(str(error).splitlines()[-1].strip())
"""


def test_functions_of_a_module_are_called_and_trained_by_another_program(tmp_path):
    module, folder = Chooser(), str(tmp_path / "module")
    assert float(module.scaled(tf.constant(1.0))) == 2.0 and float(module.scaled(tf.constant(1.0), 4)) == 8.0
    assert float(module.chosen(tf.constant(-1.0))) == 1.0 and float(module.moved(tf.constant(0.0))) == 2.0
    with pytest.warns(UserWarning, match="Without chosen, which another program cannot call: on tensors"):
        tf.saved_model.save(module, folder)
    assert float(module.rate) == 2.0 and module.scaled.experimental_get_tracing_count() == 2
    found = subprocess.run(
        [sys.executable, "-c", OTHER_PROGRAM, folder], capture_output=True, text=True, check=True
    )
    lines = found.stdout.splitlines()
    assert lines[:2] == ["6.0 24.0", "36.0 2.5 1.0"]
    assert lines[2] == "Keyword arguments: {}" and lines[3].startswith("It was saved without chosen: on ")


def test_a_function_that_no_file_holds_is_left_out_with_its_reason(tmp_path):
    outside = tf.Variable(2.0)

    class Lacking(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def called(self, x):
            return tf.numpy_function(lambda one: one * 2, [x], tf.float32)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def reading(self, x):
            return x * (outside * outside)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def kept(self, x):
            return x + 1.0

    with pytest.warns(UserWarning) as told:
        tf.saved_model.save(Lacking(), str(tmp_path / "module"), signatures={})
    (message,) = [str(one.message) for one in told]
    assert "Without called, which another program cannot call: no file holds a lambda" in message
    assert "Without reading, which another program cannot call: " in message and "Without kept" not in message
