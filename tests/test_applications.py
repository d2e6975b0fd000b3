"""The published image models: their layers, and the origin of their weights."""

import hashlib
import inspect
import json

import numpy as np
import pytest

from penstock import tensorflow as tf
from penstock.layers import initializers
from recorded import ORACLES

keras = tf.keras
models = keras.applications
RECORD = json.loads((ORACLES / "keras_applications.json").read_text(encoding="utf-8"))
NAMES = sorted(key.split()[0] for key in RECORD if " " in key)
"""One of each kind of block; the same functions make the others from longer rows."""


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr(
        initializers._Random, "_draw", lambda self, primitive, shape: np.zeros(shape, np.float32)
    )


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def digest(model):
    lines = [f"{layer.name} {type(layer).__name__}" for layer in model.layers]
    lines += [f"{weight.path} {tuple(weight.shape)} {weight.trainable}" for weight in model.weights]
    return hashlib.sha256("\n".join([*lines, str(model.output_shape)]).encode()).hexdigest()


def made_of(name):
    keras.backend.clear_session()
    model = getattr(models, name)(weights=None, include_top=False, pooling="avg", input_shape=(96, 96, 3))
    return [model.name, model.count_params(), len(model.layers), digest(model)]


@pytest.mark.parametrize("name", NAMES)
def test_layers_and_variables_are_those_of_keras(name, undrawn):
    assert made_of(name) == RECORD[f"{name} without its classifier"]


def test_a_classifier_is_that_of_keras(undrawn):
    for name in ("MobileNetV2", "MobileNetV3Small", "EfficientNetB0"):
        keras.backend.clear_session()
        model = getattr(models, name)(weights=None)
        assert [model.name, model.count_params(), len(model.layers), digest(model)] == RECORD[name]


def test_every_model_takes_the_usual_arguments():
    usual = {"include_top", "weights", "input_tensor", "input_shape", "pooling", "classes", "name",
             "classifier_activation"}  # fmt: skip
    names = [name for name in models.__all__ if name[0].isupper()]
    assert len(names) >= 38
    for name in names:
        assert usual <= set(inspect.signature(getattr(models, name)).parameters), name


def test_published_weights_are_read_from_a_file_or_asked_for(home, undrawn):
    options = {"input_shape": (128, 128, 3), "include_top": False, "alpha": 0.25}
    with pytest.raises(FileNotFoundError, match=r"mobilenet_2_5_128(.|\n)*downloads nothing") as caught:
        models.MobileNet(**options)
    assert str(home) in str(caught.value) and "weights=None" in str(caught.value)
    pytest.importorskip("h5py")
    model = models.MobileNet(weights=None, **options)
    numbers = [np.full(weight.shape, 0.5 + place, "f") for place, weight in enumerate(model.weights)]
    model.set_weights(numbers)
    model.save(home / "mobilenet_2_5_128_tf_no_top.h5")
    model.save(home / "own.keras")
    for weights in ("imagenet", home / "own.keras"):
        other = models.MobileNet(weights=weights, **options)
        assert all((a == b).all() for a, b in zip(other.get_weights(), numbers, strict=True))


def test_classes_are_named_by_the_file(home):
    scores = np.zeros((1, 1000), "f")
    scores[0, 7], scores[0, 3] = 0.75, 0.25
    with pytest.raises(FileNotFoundError, match=r"imagenet_class_index\.json"):
        models.vgg16.decode_predictions(scores)
    words = {str(number): [f"n{number:08}", f"word{number}"] for number in range(1000)}
    (home / "imagenet_class_index.json").write_text(json.dumps(words))
    found = models.vgg16.decode_predictions(scores, top=2)
    assert found == [[("n00000007", "word7", 0.75), ("n00000003", "word3", 0.25)]]
