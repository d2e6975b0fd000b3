"""Masks that go from layer to layer, and layers around others; their numbers are Keras' recorded programs."""

import gc

import numpy as np
import pytest

import penstock as ps
from penstock import layers
from penstock.errors import ArgumentError
from penstock.layers import masks

IDS = np.array([[1, 2, 0, 0], [3, 1, 2, 4]])


def text():
    return layers.Sequential(
        [
            layers.Embedding(5, 3, mask_zero=True),
            layers.Dropout(0.1),
            layers.LSTM(4, return_sequences=True),
            layers.TimeDistributed(layers.Dense(3, "tanh")),
            layers.Bidirectional(layers.GRU(2)),
        ],
        name="text",
    )


def test_padding_changes_nothing(tier):
    model = text()
    whole = model(IDS).numpy()
    assert np.allclose(model(IDS[:1, :2]).numpy(), whole[:1], rtol=1e-6)
    model.layers[0].mask_zero = False
    assert not np.allclose(model(IDS).numpy()[:1], whole[:1], rtol=1e-3)


def test_gradients_come_from_steps_that_count():
    model = text()
    model(IDS)
    with ps.GradientTape() as tape:
        loss = ps.sum(model(IDS[:1]) ** 2)
    rows = tape.gradient(loss, model.layers[0].embeddings)
    table = rows.numpy()
    assert table[1].any() and table[2].any() and not table[0].any() and not table[3:].any()


def test_a_captured_step_has_its_masks():
    model = text()
    step = ps.step(lambda ids: model(ids))
    assert np.allclose(step(ps.asarray(IDS)).numpy(), model(IDS).numpy(), rtol=1e-6)
    assert np.allclose(step(ps.asarray(IDS[::-1].copy())).numpy(), model(IDS[::-1].copy()).numpy(), rtol=1e-6)


def test_masks_cost_nothing_if_no_layer_makes_one(monkeypatch):
    monkeypatch.setattr(masks.Masks, "active", False)
    model = layers.Sequential([layers.Embedding(5, 3), layers.Bidirectional(layers.LSTM(2))])
    model(IDS)
    assert not masks.Masks.active
    layers.Masking()
    assert masks.Masks.active


def test_a_mask_is_kept_no_longer_than_its_tensor():
    x = layers.Embedding(5, 3, mask_zero=True)(IDS)
    before = len(masks._kept)
    assert masks.mask_of(x).numpy().tolist() == (IDS != 0).tolist()
    del x
    gc.collect()
    assert len(masks._kept) == before - 1


def test_a_mask_that_ends_is_reported_on_the_users_line():
    x = layers.Embedding(5, 3, mask_zero=True)(IDS)
    with pytest.warns(UserWarning, match="'last' .of type Flatten.(.|\n)*destroy the mask") as caught:
        layers.Flatten(name="last")(x)
    assert caught[0].filename == __file__


def test_statistics_are_of_steps_that_count(tier):
    x, mask = ps.asarray(np.arange(12.0).reshape(2, 3, 2) ** 2), np.array([[1, 0, 1], [0, 0, 1]], bool)
    norm = layers.BatchNormalization(momentum=0.0, epsilon=0.0, dtype="float64")
    y = norm(x, training=True, mask=mask).numpy()[mask]
    assert np.allclose(y.mean(0), 0) and np.allclose(y.std(0), 1)
    assert np.allclose(norm.moving_mean.numpy(), x.numpy()[mask].mean(0), rtol=1e-6)
    assert np.allclose(norm.moving_variance.numpy(), x.numpy()[mask].var(0), rtol=1e-6)
    with pytest.raises(
        ArgumentError, match=r"the mask has shape .2,., the input .2, 3, 2.(.|\n)*shape .2, 3."
    ):
        norm(x, training=True, mask=mask[:, 0])


def test_a_mask_that_a_model_is_given_reaches_its_layers():
    x, mask = ps.asarray(np.arange(12.0, dtype=np.float32).reshape(2, 3, 2)), IDS[:, :3] != 0
    model = layers.Sequential([layers.Dropout(0.5), layers.LSTM(2)])
    assert np.allclose(model(x, mask=mask).numpy(), model.layers[1](x, mask=mask).numpy(), rtol=1e-6)


def test_halves_are_masked_too():
    model = layers.Sequential([layers.Embedding(5, 3, mask_zero=True), layers.LSTM(2, dtype="float16")])
    assert np.array_equal(model(IDS[:1]).numpy(), model(IDS[:1, :2]).numpy())


def test_arguments_after_training_keep_their_places():
    x, mask = layers.Embedding(5, 3)(IDS), IDS != 0
    layer = layers.TimeDistributed(layers.BatchNormalization())
    assert np.array_equal(layer(x, False, mask).numpy(), layer(x, training=False, mask=mask).numpy())
    with pytest.raises(ArgumentError, match=r"mask has shape .2, 3., the input .2, 4, 3."):
        layer(x, False, mask[:, :3])


def test_masks_that_a_wrapper_makes_again():
    inner = layers.LSTM(2, return_sequences=True, name="memory")
    both = layers.Bidirectional(inner, name="both")
    both(ps.zeros((1, 3, 2)))
    assert both.forward_layer.name == "forward_memory" and both.backward_layer.go_backwards
    assert not inner.built and len(both.variables) == 6
    # The path contains the user's name for the layer, or else the attribute.
    assert both.variables[0].path == "both/forward_memory/cell/kernel"
    plain = layers.Bidirectional(layers.LSTM(2), name="plain")
    plain(ps.zeros((1, 3, 2)))
    assert plain.forward_layer.name.startswith("forward_lstm")
    assert [one.path for one in plain.variables][::3] == [
        "plain/forward_layer/cell/kernel", "plain/backward_layer/cell/kernel"
    ]  # fmt: skip
    with pytest.raises(ArgumentError, match="Invalid merge mode"):
        layers.Bidirectional(inner, merge_mode="both")
    with pytest.raises(ArgumentError, match="different `go_backwards`"):
        layers.Bidirectional(inner, backward_layer=layers.LSTM(2, return_sequences=True))
    with pytest.raises(ArgumentError, match="Dense 'd' is not a recurrent layer"):
        layers.Bidirectional(layers.Dense(2, name="d"))
    with pytest.raises(ArgumentError, match="at least 3 dimensions"):
        layers.TimeDistributed(layers.Dense(2))(ps.zeros((2, 3)))

    class Fixed(layers.LSTM):
        def __init__(self):
            super().__init__(2)

    with pytest.raises(ArgumentError, match=r"recreated with go_backwards=True(.|\n)*\*\*options") as caught:
        layers.Bidirectional(Fixed())
    assert caught.value.site.file == __file__


def test_a_layer_made_again_shares_nothing():
    class Block(layers.Layer):
        def __init__(self, units, *inner, scale=2.0):
            super().__init__()
            self.inner, self.head, self.scale = inner, layers.Dense(units), scale

        def call(self, x):
            return self.head(self.inner[0](x)) * self.scale

    rows = layers.Sequential([layers.Dense(3, dtype="float64")], name="rows")
    rows.add(layers.Dropout(0.25))
    block = Block(2, rows, scale=3.0)
    block.trainable = False
    again = block._recreated("other")
    assert (again.name, again.scale, again.trainable) == ("other", 3.0, False)
    assert again.get_config()["units"] == 2 and again.get_config()["scale"] == 3.0
    assert again.inner[0] is not rows and again.inner[0].name == "rows"
    assert [type(one).__name__ for one in again.inner[0].layers] == ["Dense", "Dropout"]
    assert again.inner[0].layers[0].dtype == "float64" and again.inner[0].layers[1].rate == 0.25


def test_a_function_as_a_layer_gets_the_mask_and_returns_the_next_one():
    seen = []

    def doubled(x, mask=None, training=None):
        seen.append((None if mask is None else mask.numpy().tolist(), training))
        return x * 2.0

    embedded = layers.Embedding(5, 2, mask_zero=True)(IDS)
    given = [[True, True, False, False], [True, True, True, True]]
    result = layers.Lambda(doubled, mask=lambda x, mask: mask)(embedded, training=True)
    assert seen == [(given, True)]
    assert masks.mask_of(result).numpy().tolist() == given
    whole = np.ones((2, 4), bool)
    assert masks.mask_of(layers.Lambda(lambda x: x + 1.0, mask=whole)(embedded)) is whole
