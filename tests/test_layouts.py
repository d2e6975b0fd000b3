"""Files of PyTorch and Keras: their weights come to the layers of the same paths, which compute the same."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow as tf
from penstock import layers
from penstock.errors import CheckpointError

pytest.importorskip("safetensors")
from safetensors.numpy import load_file, save_file

WEIGHTS = Path(__file__).parent / "oracles" / "weights"
RECORDS = {name: json.loads((WEIGHTS / f"{name}.json").read_text()) for name in ("torch", "keras")}


def recorded(framework, name):
    """The file, the inputs and the result of a model."""
    record = RECORDS[framework][name]
    inputs = [np.asarray(one, np.int64 if _whole(one) else np.float32) for one in record["inputs"]]
    return WEIGHTS / f"{framework}_{name}.safetensors", inputs, np.asarray(record["output"], np.float32)


def _whole(value):
    return _whole(value[0]) if isinstance(value, list) else isinstance(value, int)


def assert_computes(model, inputs, output):
    assert np.allclose(model(*inputs).numpy(), output, rtol=2e-5, atol=2e-6)


# -- the models, in Penstock's words -------------------------------------------------------------------------


def torch_rows(epsilon=1e-5, activation=False):
    """The layers of the file, or with the activation in the first of them."""
    first = [layers.Dense(5, "relu")] if activation else [layers.Dense(5), layers.ReLU()]
    rows = [*first, layers.Dense(4), layers.LayerNormalization(epsilon=epsilon), layers.Dense(3)]
    return layers.Sequential(rows, name="net")


class Image(layers.Model):
    def __init__(self):
        super().__init__(name="image")
        self.features = layers.Sequential(
            [
                layers.Conv2D(4, 3, use_bias=False),
                layers.BatchNormalization(epsilon=1e-5),
                layers.ReLU(),
                layers.DepthwiseConv2D(3, depth_multiplier=2),
                layers.PReLU(shared_axes=[1, 2]),
                layers.Conv2D(4, 1, groups=2),
                layers.GroupNormalization(2, epsilon=1e-5),
                layers.Conv2DTranspose(5, 2, strides=2),
            ]
        )
        self.classifier = layers.Dense(2)

    def call(self, x):
        return self.classifier(ps.mean(self.features(x), axis=(1, 2)))


class Line(layers.Model):
    def __init__(self):
        super().__init__(name="line")
        self.conv = layers.Conv1D(3, 3)
        self.up = layers.Conv1DTranspose(2, 3, strides=2)
        self.solid = layers.Conv3D(2, 2)

    def call(self, x):
        y = ps.permute_dims(self.up(self.conv(x)), (0, 2, 1))
        return self.solid(ps.reshape(y, (x.shape[0], 2, 3, 3, 1)))


class Text(layers.Model):
    def __init__(self):
        super().__init__(name="text")
        self.embedding = layers.Embedding(7, 6)
        self.lstm = [layers.LSTM(5, return_sequences=True) for _ in range(2)]
        self.gru = layers.GRU(4, return_sequences=True)
        self.rnn = layers.SimpleRNN(3, return_sequences=True)
        self.both = Both()

    def call(self, ids):
        x = self.embedding(ids)
        for one in self.lstm:
            x = one(x)
        return self.both(self.rnn(self.gru(x)))


class Both(layers.Layer):
    def __init__(self):
        super().__init__()
        self.forward_layer = layers.LSTM(2, return_sequences=True)
        self.backward_layer = layers.LSTM(2, return_sequences=True, go_backwards=True)

    def call(self, x):
        return ps.concat([self.forward_layer(x), ps.flip(self.backward_layer(x), axis=1)], axis=-1)


class Encoder(layers.Model):
    def __init__(self):
        super().__init__(name="encoder")
        self.embedding = layers.Embedding(11, 8)
        self.blocks = [Block() for _ in range(2)]
        self.head = layers.Dense(3)

    def call(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm = layers.LayerNormalization(epsilon=1e-5)
        self.attention = layers.MultiHeadAttention(2, 4)

    def build(self, input_shape):
        self.scale = self.add_weight(shape=(8,), name="scale")

    def call(self, x):
        y = self.norm(x)
        return x + self.attention(y, y) * self.scale


class Apart(layers.Model):
    def __init__(self):
        super().__init__(name="apart")
        self.attention = layers.MultiHeadAttention(4, 2, use_bias=False)

    def call(self, query, key, value):
        return self.attention(query, value, key)


TORCH = {"rows": torch_rows, "image": Image, "line": Line, "text": Text, "encoder": Encoder, "apart": Apart}


def loaded(framework, name, make, **options):
    path, inputs, output = recorded(framework, name)
    model = make()
    model(*inputs)
    before = [one.numpy() for one in model.variables]
    done = ps.load(path, model, layout=framework, **options)
    assert all(not np.array_equal(one, two.numpy()) for one, two in zip(before, model.variables))
    return model, inputs, output, done


# -- the same numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TORCH)
def test_a_model_of_pytorch_computes_the_same_here(tier, name):
    model, inputs, output, done = loaded("torch", name, TORCH[name])
    assert_computes(model, inputs, output)
    assert len(done.loaded) == len(model.variables) and not done.missing and not done.extra
    assert not done.told


class KerasImage(layers.Model):
    """The layers by the names that Keras gave them."""

    def __init__(self):
        super().__init__(name="model")
        self.rows = [
            layers.Conv2D(4, 3, use_bias=False, name="conv2d"),
            layers.BatchNormalization(name="batch_normalization"),
            layers.DepthwiseConv2D(3, depth_multiplier=2, name="depthwise_conv2d"),
            layers.SeparableConv2D(6, 3, name="separable_conv2d"),
            layers.GroupNormalization(2, name="group_normalization"),
            layers.Conv2DTranspose(5, 2, strides=2, name="conv2d_transpose"),
            layers.PReLU(shared_axes=[1, 2], name="p_re_lu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, name="dense_2"),
        ]

    def call(self, x):
        for layer in self.rows:
            x = layer(x)
        return x


class KerasAttention(layers.Model):
    def __init__(self):
        super().__init__()
        self.multi_head_attention = layers.MultiHeadAttention(2, 4)
        self.rms_normalization = layers.RMSNormalization()

    def call(self, x):
        return self.rms_normalization(self.multi_head_attention(x, x))


def native_rows():
    norm = layers.LayerNormalization(name="layer_normalization")
    rows = [layers.Dense(5, "relu", name="dense"), layers.Dropout(0.5), norm, layers.Dense(3, name="dense_1")]
    return layers.Sequential(rows, name="mine")


def native_text():
    rows = [
        layers.Embedding(7, 6, name="embedding"),
        layers.LSTM(5, return_sequences=True, name="lstm"),
        layers.GRU(4, return_sequences=True, name="gru"),
        layers.SimpleRNN(3, return_sequences=True, name="simple_rnn"),
        layers.Bidirectional(layers.LSTM(2, name="lstm_1"), name="bidirectional"),
    ]
    return layers.Sequential(rows, name="reader")


KERAS = {
    "rows": native_rows, "numbered": native_rows, "image": KerasImage, "text": native_text,
    "attention": KerasAttention,
}  # fmt: skip


@pytest.mark.parametrize("name", KERAS)
def test_a_model_of_keras_computes_the_same_here(tier, name):
    model, inputs, output, done = loaded("keras", name, KERAS[name])
    assert_computes(model, inputs, output)
    assert len(done.loaded) == len(model.variables) and not done.changed


def test_a_model_of_the_dialect_has_keras_names(tier):
    tf.keras.backend.clear_session()
    kinds = tf.keras.layers
    model = tf.keras.Sequential(
        [kinds.Dense(5, "relu"), kinds.Dropout(0.5), kinds.LayerNormalization(), kinds.Dense(3)]
    )
    path, inputs, output = recorded("keras", "rows")
    model(*inputs)
    done = ps.load(path, model, layout="keras")
    assert_computes(model, inputs, output)
    assert not done.extra, "the state of a seed generator is nobody's weight"


# -- messages ------------------------------------------------------------------------------------------------


def test_every_change_is_reported():
    *_, done = loaded("torch", "image", Image)
    arrays = load_file(recorded("torch", "image")[0])
    assert done.changed == {
        "image/features/0/kernel": "features.0.weight: (4, 3, 3, 3) transposed (2, 3, 1, 0)",
        "image/features/3/kernel": "features.3.weight: (8, 1, 3, 3) as (4, 2, 3, 3) transposed (2, 3, 0, 1)",
        "image/features/4/alpha": "features.4.weight: (8,) as (1, 1, 8)",
        "image/features/5/kernel": "features.5.weight: (4, 4, 1, 1) transposed (2, 3, 1, 0)",
        "image/features/7/kernel": "features.7.weight: (4, 5, 2, 2) transposed (2, 3, 1, 0)",
        "image/classifier/kernel": "classifier.weight: (2, 5) transposed (1, 0)",
    }
    assert "changed 6: image/features/0/kernel from features.0.weight: (4, 3, 3, 3) transposed" in repr(done)
    assert {"features.1.running_mean", "features.1.num_batches_tracked"} <= set(arrays)
    *_, done = loaded("torch", "text", Text)
    assert (
        done.changed["text/gru/cell/kernel"]
        == "gru.weight_ih_l0: (12, 5) transposed (1, 0); gates in the order z, r, n"
    )
    assert done.changed["text/lstm/1/cell/bias"] == "lstm.bias_ih_l1 and lstm.bias_hh_l1: added"


def test_an_epsilon_that_is_not_pytorchs_is_reported():
    path, inputs, _ = recorded("torch", "rows")
    model = torch_rows(epsilon=1e-3)
    model(*inputs)
    done = ps.load(path, model, layout="torch")
    assert done.told == ["net/3 has epsilon=0.001, where PyTorch's default is 1e-05"]


def test_modules_in_other_places_are_listed_with_a_map_to_try():
    path, inputs, output = recorded("torch", "rows")
    model = torch_rows(activation=True)
    model(*inputs)
    before = [one.numpy().tobytes() for one in model.variables]
    with pytest.raises(CheckpointError) as caught:
        ps.load(path, model, layout="torch")
    text = str(caught.value)
    assert "missing: net/1/kernel, net/1/bias" in text and "extra: 4.bias, 4.weight" in text
    assert [one.numpy().tobytes() for one in model.variables] == before
    ps.load(path, model, layout="torch", map={"2": "net/1", "3": "net/2", "4": "net/3"})
    assert_computes(model, inputs, output)
    other = torch_rows(activation=True)
    other(*inputs)
    ps.load(path, other, layout="torch", map={"4": "3", "3": "2", "2": "1"})
    assert_computes(other, inputs, output)


def test_the_map_to_try_is_right(tmp_path):
    arrays = {"a.fc1.weight": np.ones((3, 2), np.float32), "a.fc10.weight": np.ones((5, 4), np.float32),
              "a.fc2.weight": np.ones((4, 3), np.float32)}  # fmt: skip
    path = tmp_path / "a"
    save_file(arrays, path)
    model = layers.Sequential([layers.Dense(n, use_bias=False) for n in (3, 4, 5)], name="net")
    model(np.zeros((1, 2), np.float32))
    with pytest.raises(CheckpointError) as caught:
        ps.load(path, model, layout="torch")
    shown = str(caught.value).partition("same order: map=")[2].splitlines()[0]
    assert json.loads(shown.replace("'", '"')) == {"a.fc1": "net/0", "a.fc2": "net/1", "a.fc10": "net/2"}
    ps.load(path, model, layout="torch", map=json.loads(shown.replace("'", '"')))
    assert all(one.numpy().all() for one in model.variables)


def test_missing_parts_of_a_module_are_named(tmp_path):
    path = tmp_path / "a"
    save_file({"fc.weight": np.ones((3, 2), np.float32), "out.weight": np.ones((1, 3), np.float32)}, path)
    model = layers.Model(name="net")
    model.fc, model.out = layers.Dense(3), layers.Dense(1, use_bias=False)
    model.out(model.fc(np.zeros((1, 2), np.float32)))
    with pytest.raises(
        CheckpointError, match=r"1 missing, 0 extra(.|\n)*looked for in the file: net/fc/bias .fc.bias"
    ):
        ps.load(path, model, layout="torch")
    assert not ps.load(path, model, layout="torch", strict=False).extra


def test_shapes_that_differ_are_shown_as_they_are_here(tmp_path):
    path = tmp_path / "a"
    save_file({"fc.weight": np.ones((3, 2), np.float32)}, path)
    model = layers.Sequential([layers.Dense(4, use_bias=False)], name="net")
    model(np.zeros((1, 2), np.float32))
    with pytest.raises(
        CheckpointError, match=r"net/0/kernel \(float32\[2, 3\] in the file, float32\[2, 4\] here\)"
    ):
        ps.load(path, model, layout="torch")


def test_a_common_prefix_of_all_names_does_not_count(tmp_path):
    arrays = {f"module.net.{name}": one for name, one in load_file(recorded("torch", "rows")[0]).items()}
    path = tmp_path / "parallel"
    save_file(arrays, path)
    model, (_, inputs, output) = torch_rows(), recorded("torch", "rows")
    model(*inputs)
    ps.load(path, model=model, layout="torch")
    assert_computes(model, inputs, output)


def test_a_part_of_a_file(tmp_path):
    """A network's features for another head: an error names unused arrays, or strict=False skips them."""
    path, inputs, _ = recorded("torch", "image")
    model = Image()
    model.classifier = layers.Dense(7)
    model(*inputs)
    kept = model.classifier.kernel.numpy()
    with pytest.raises(CheckpointError, match="classifier/kernel"):
        ps.load(path, model, layout="torch")
    done = ps.load(path, model.features, layout="torch", map={"classifier": None})
    assert not done.extra and np.array_equal(model.classifier.kernel.numpy(), kept)
    arrays = load_file(path)
    assert np.array_equal(
        model.features.layers[0].kernel.numpy(), arrays["features.0.weight"].transpose(2, 3, 1, 0)
    )
    again = Image()
    again(*inputs)
    done = ps.load(path, again, layout="torch", only="image/features/*")
    assert done.loaded and all(name.startswith("image/features") for name in done.loaded)


def test_variables_without_layers(tmp_path):
    path = tmp_path / "a"
    rng = np.random.default_rng(0)
    arrays = {"body.weight": rng.standard_normal((3, 2)).astype(np.float32), "token": np.ones(4, np.float32)}
    save_file(arrays, path)
    kernel = ps.Variable(np.zeros((2, 3), np.float32), name="body/kernel")
    token = ps.Variable(np.zeros(4, np.float32), name="token")
    ps.load(path, [kernel, token], layout="torch")
    assert np.array_equal(kernel.numpy(), arrays["body.weight"].T) and token.numpy().all()


def test_tied_weights(tmp_path):
    """As safetensors writes a model whose head is its embedding: one array, and a note of the other name."""
    path = tmp_path / "a"
    save_file({"embedding.weight": np.ones((4, 2), np.float32)}, path, {"head.weight": "embedding.weight"})
    model = layers.Model(name="net")
    model.embedding = layers.Embedding(4, 2)
    model.embedding(np.zeros((1,), np.int64))
    done = ps.load(path, model, layout="torch")
    assert done.loaded == ["net/embedding/embeddings"] and not done.extra
    model.head = layers.Dense(4, use_bias=False)
    model.head(np.zeros((1, 2), np.float32))
    assert len(ps.load(path, model, layout="torch").loaded) == 2


def test_wrong_arguments(tmp_path):
    path, inputs, _ = recorded("torch", "rows")
    model = torch_rows()
    model(*inputs)
    for options, words in (
        ({"layout": "onnx"}, r"layout='onnx'(.|\n)*'torch', 'keras'"),
        ({"layout": "torch", "map": {"7": "net/1"}}, r"'7', which is not a module(.|\n)*modules: 0, 2, 3, 4"),
        (
            {"layout": "torch", "map": {"2": ("net/1", "transpose")}},
            r"the layout decides how the arrays are converted",
        ),
        ({"layout": "torch", "map": lambda name, array: (name, array)}, "map is a function"),
        ({"layout": "torch", "map": {"2": "a", "3": "a"}}, "two modules of the file the path 'a'"),
    ):
        with pytest.raises(CheckpointError, match=words):
            ps.load(path, model, **options)
    ps.save(tmp_path / "own", model)
    with pytest.raises(CheckpointError, match=r"written by ps.save(.|\n)*Leave layout out"):
        ps.load(tmp_path / "own", model, layout="torch")


def test_the_other_way_a_file_of_ours_is_read_by_safetensors(tmp_path):
    model, inputs, output, _ = loaded("torch", "rows", torch_rows)
    ps.save(tmp_path / "own", model, ps.optimizers.Adam(0.1), epoch=2)
    arrays = load_file(tmp_path / "own")
    hidden = np.maximum(inputs[0] @ arrays["net/0/kernel"] + arrays["net/0/bias"], 0)
    hidden = hidden @ arrays["net/2/kernel"] + arrays["net/2/bias"]
    centred = hidden - hidden.mean(-1, keepdims=True)
    hidden = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    hidden = hidden * arrays["net/3/gamma"] + arrays["net/3/beta"]
    assert np.allclose(hidden @ arrays["net/4/kernel"] + arrays["net/4/bias"], output, rtol=2e-5, atol=2e-6)


# -- files for PyTorch ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TORCH)
def test_weights_read_from_pytorch_are_written_for_it(tmp_path, name):
    """A file that PyTorch wrote is the oracle: read into a model and written again, it is the same file."""
    model, _, _, _ = loaded("torch", name, TORCH[name])
    stacked = {f"text/lstm/{layer}": f"lstm{layer}" for layer in range(2)} if name == "text" else None
    ps.save(tmp_path / "file", model, layout="torch", map=stacked)
    written, read = load_file(tmp_path / "file"), dict(load_file(recorded("torch", name)[0]))
    written = {
        key.replace("lstm1.", "lstm.").replace("_l0", "_l1")
        if key.startswith("lstm1.")
        else key.replace("lstm0.", "lstm."): value
        for key, value in written.items()
    }
    read = {key: value for key, value in read.items() if not key.endswith("num_batches_tracked")}
    assert written.keys() == read.keys()
    for key, value in read.items():
        if "bias_hh" in key and not key.startswith("gru"):
            # Only their sum counts, and only that is kept here.
            assert not written[key].any()
            continue
        other = read.get(key.replace("ih", "hh")) if "bias_ih" in key and not key.startswith("gru") else 0
        assert np.array_equal(written[key], value + other), key
    twin = TORCH[name]()
    twin(*recorded("torch", name)[1])
    if stacked is None:
        ps.load(tmp_path / "file", twin, layout="torch")
        assert [one.numpy().tolist() for one in twin.variables] == [
            one.numpy().tolist() for one in model.variables
        ]


def test_values_that_a_file_for_pytorch_cannot_hold(tmp_path):
    model = layers.Sequential([layers.Dense(2), layers.Dense(2)], name="net")
    model(np.ones((1, 2), np.float32))
    for options, words in (
        ({"layout": "torch", "epoch": 3}, "given with epoch"),
        ({"layout": "onnx"}, 'Use layout="torch"'),
        ({"map": {"net/0": "first"}}, "map is given without a layout"),
        ({"layout": "torch", "map": {"net/7": "first"}}, "no layer(.|\n)*'net/0', 'net/1'"),
        ({"layout": "torch", "map": {"net/0": "a", "net/1": "a"}}, "two arrays would have the name 'a"),
    ):
        with pytest.raises(CheckpointError, match=words):
            ps.save(tmp_path / "file", model, **options)
    assert not (tmp_path / "file").exists()
    ps.save(tmp_path / "file", model, layout="torch", map={"net/1": "classifier.head"})
    assert sorted(load_file(tmp_path / "file")) == [
        "0.bias", "0.weight", "classifier.head.bias", "classifier.head.weight",
    ]  # fmt: skip
