"""Layers: variables and their paths, flags, statistics, losses, seeds, captured steps."""

import gc

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, PenstockError, ShapeError
from penstock.layers import Dense, Layer, Model, Sequential
from penstock.testing import check_grads, use_engine
from penstock.tiers.program import programs
from penstock.trace.spec import spec_of


def rng(seed=0):
    return np.random.default_rng(seed)


X = rng().standard_normal((8, 3)).astype(np.float32)
Y = rng(1).standard_normal((8, 1)).astype(np.float32)


class Block(Layer):
    def __init__(self, width, **options):
        super().__init__(**options)
        self.inner = Dense(width, "tanh")
        self.gain = ps.Variable(np.ones(width, np.float32))

    def call(self, x):
        return self.inner(x) * self.gain


class Net(Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.encoder = [Block(4), Block(4)]
        self.heads = {"mean": Dense(1), "spread": (Dense(1), Dense(2))}
        self.scale = ps.Variable(1.0, name="temperature")

    def call(self, x, training=None):
        for block in self.encoder:
            x = block(x)
        for head in (self.heads["mean"], *self.heads["spread"]):
            y = head(x)
        return y * self.scale


def paths(layer):
    return [variable.path for variable in layer.variables]


# -- variables -----------------------------------------------------------------------------------------------


def test_variables_are_found_wherever_they_are_held_and_called_by_their_paths():
    net = Net(name="net")
    assert paths(net) == ["net/temperature", "net/encoder/0/gain", "net/encoder/1/gain"]
    net(X)
    assert sorted(paths(net)) == sorted(
        [
            "net/temperature",
            *(f"net/encoder/{i}/{name}" for i in (0, 1) for name in ("gain", "inner/kernel", "inner/bias")),
            *(f"net/heads/mean/{name}" for name in ("kernel", "bias")),
            *(f"net/heads/spread/{i}/{name}" for i in (0, 1) for name in ("kernel", "bias")),
        ]
    )


def test_a_layer_added_to_a_list_is_found():
    net = Net(name="net")
    net(X)
    before = len(net.variables)
    net.encoder.append(Block(4))
    net(X)
    assert len(net.variables) == before + 3
    assert "net/encoder/2/inner/kernel" in paths(net)
    net.encoder[2] = Block(4)
    assert not net.encoder[2].built
    assert len(net.variables) == before + 1


def test_a_layer_that_is_held_twice_is_one_set_of_variables():
    shared = Dense(3)

    class Tied(Model):
        def __init__(self):
            super().__init__(name="tied")
            self.first, self.second = shared, [shared]

        def call(self, x):
            return self.second[0](self.first(x))

    model = Tied()
    model(X)
    assert paths(model) == ["tied/first/kernel", "tied/first/bias"]
    assert len(model.layers) == 1


class Lists(Layer):
    def __init__(self):
        super().__init__(name="lists")
        self.weights_of = [ps.Variable(1.0), ps.Variable(2.0)]
        self.biases = {"left": ps.Variable(3.0), "right": (ps.Variable(4.0, name="tilt"),)}


def test_variables_in_lists_keep_the_name_of_the_list():
    parts = ["weights_of/0", "weights_of/1", "biases/left", "tilt"]
    lists = Lists()
    assert paths(lists) == [f"lists/{part}" for part in parts]
    model = Sequential([lists], name="whole")
    assert paths(model) == [f"whole/0/{part}" for part in parts]
    del lists.weights_of[0]
    lists.more = ps.Variable(5.0)
    assert paths(model) == [f"whole/0/{part}" for part in ("weights_of/0", *parts[2:], "more")]


def test_a_part_is_called_after_the_whole_once_it_has_one():
    generator = Sequential([Dense(2)], name="generator")
    generator(X)
    assert paths(generator) == ["generator/0/kernel", "generator/0/bias"]

    class Gan(Model):
        def __init__(self):
            super().__init__(name="gan")
            self.generator = generator

    assert paths(Gan())[0] == "gan/generator/0/kernel"
    gc.collect()


def test_variables_are_drawn_from_the_one_seed():
    def made(seed):
        ps.random.seed(seed)
        model = Sequential([Dense(4), Dense(2)])
        model(X)
        return model.get_weights()

    first, again, other = made(3), made(3), made(4)
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert not np.array_equal(first[0], other[0])
    assert not np.array_equal(first[0][:2, :2], first[2][:2, :2])


@pytest.mark.parametrize(
    ("word", "variance", "limit"),
    [
        ("glorot_uniform", 2 / 700, np.sqrt(6 / 700)),
        ("glorot_normal", 2 / 700, None),
        ("he_uniform", 2 / 300, np.sqrt(6 / 300)),
        ("he_normal", 2 / 300, None),
        ("lecun_normal", 1 / 300, None),
        ("random_normal", 0.05**2, None),
        ("random_uniform", 0.1**2 / 12, 0.05),
    ],
)
def test_initial_values_have_the_distribution_that_their_name_says(word, variance, limit):
    ps.random.seed(5)
    drawn = ps.layers.initializers.get(word)((300, 400))
    assert drawn.dtype == np.float32
    assert abs(drawn.mean()) < 4 * np.sqrt(variance / drawn.size)
    assert drawn.var() == pytest.approx(variance, rel=0.02)
    if limit is not None:
        assert np.abs(drawn).max() <= limit
        assert np.abs(drawn).max() > 0.99 * limit


def test_weights_are_set_all_or_none():
    layer = Dense(2)
    layer(X)
    before = layer.get_weights()
    with pytest.raises(ArgumentError, match=r"weight shape \(2,\) is not compatible"):
        layer.set_weights([np.zeros((3, 2)), np.zeros(3)])
    with pytest.raises(ArgumentError, match="weight list of length 1"):
        layer.set_weights([np.zeros((3, 2))])
    assert all(np.array_equal(a, b) for a, b in zip(before, layer.get_weights()))
    layer.set_weights([np.ones((3, 2)), np.arange(2)])
    assert layer.bias.numpy().tolist() == [0.0, 1.0]


def test_count_params_and_built():
    model = Sequential([Dense(4), Dense(1)])
    assert not model.built
    with pytest.raises(ArgumentError, match="isn't built"):
        Dense(4).count_params()
    model(X)
    assert model.built
    assert model.count_params() == 3 * 4 + 4 + 4 + 1
    assert Sequential([Dense(4)]).count_params() == 0


def test_build_makes_the_variables_without_a_call():
    model = Sequential([Dense(4), ps.layers.BatchNormalization(), Dense(1)])
    model.build((None, 3))
    assert model.variables[0].shape == (3, 4)
    assert model.layers[1].moving_mean.version == 0
    assert all(layer.built for layer in model.layers)


# -- flags ---------------------------------------------------------------------------------------------------


def test_trainable_is_set_for_everything_inside():
    net = Net()
    net(X)
    assert len(net.trainable_variables) == len(net.variables)
    net.trainable = False
    assert net.trainable_variables == []
    assert len(net.non_trainable_variables) == len(net.variables)
    assert not net.encoder[0].inner.trainable
    assert not net.encoder[0].gain.trainable
    net.encoder[1].trainable = True
    assert net.trainable_variables == []
    assert len(net.encoder[1].trainable_variables) == 3


def test_statistics_are_never_trained():
    layer = ps.layers.BatchNormalization()
    layer(X)
    layer.trainable = False
    layer.trainable = True
    assert [v.path.rpartition("/")[2] for v in layer.trainable_variables] == ["gamma", "beta"]
    assert [v.path.rpartition("/")[2] for v in layer.non_trainable_variables] == [
        "moving_mean", "moving_variance",
    ]  # fmt: skip


def train_step(model, optimizer):
    def step(x, y):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.losses.squared_error(model(x, training=True), y))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def test_a_frozen_part_keeps_its_values(tier):
    base = Sequential([Dense(4, "tanh"), ps.layers.BatchNormalization()])
    model = Sequential([base, Dense(1)])
    model(X)
    base.trainable = False
    before = base.get_weights()
    step = train_step(model, ps.optimizers.SGD(0.1))
    losses = [float(step(X, Y)) for _ in range(3)]
    assert losses[2] < losses[0]
    assert all(np.array_equal(a, b) for a, b in zip(before, base.get_weights()))


# -- normalisation -------------------------------------------------------------------------------------------


def test_batch_statistics_move_as_documented(tier):
    layer = ps.layers.BatchNormalization(momentum=0.9)
    mean, variance = np.zeros(3), np.ones(3)
    for number in range(3):
        x = rng(number).standard_normal((6, 3)).astype(np.float32) * 2 + 1
        y = layer(x, training=True)
        assert np.allclose(y.numpy().mean(0), 0, atol=1e-5)
        mean, variance = 0.9 * mean + 0.1 * x.mean(0), 0.9 * variance + 0.1 * x.var(0)
    assert np.allclose(layer.moving_mean.numpy(), mean, rtol=1e-5)
    assert np.allclose(layer.moving_variance.numpy(), variance, rtol=1e-5)
    assert layer.moving_mean.version == 3
    wanted = (X - mean) / np.sqrt(variance + 1e-3)
    assert np.allclose(layer(X).numpy(), wanted, rtol=1e-4, atol=1e-5)
    assert layer.moving_mean.version == 3


def test_statistics_are_written_as_state():
    layer = ps.layers.BatchNormalization()
    with ps.ledger() as ledger:
        layer(X, training=True)
    assert [(entry.by, entry.terms) for entry in ledger] == [("state", ("state",))] * 2


def test_batch_normalisation_over_an_axis_in_the_middle():
    x = rng().standard_normal((2, 3, 4)).astype(np.float32)
    y = ps.layers.BatchNormalization(axis=1)(x, training=True).numpy()
    assert np.allclose(y.mean((0, 2)), 0, atol=1e-5)
    assert np.allclose(y.std((0, 2)), 1, atol=1e-2)


@pytest.mark.parametrize(
    "layer",
    [
        lambda: ps.layers.BatchNormalization(center=False, dtype="float64"),
        lambda: ps.layers.BatchNormalization(scale=False, dtype="float64"),
        lambda: ps.layers.LayerNormalization(dtype="float64"),
        lambda: ps.layers.LayerNormalization(axis=(1, 2), center=False, dtype="float64"),
        lambda: ps.layers.RMSNormalization(dtype="float64"),
        lambda: ps.layers.GroupNormalization(groups=2, dtype="float64"),
    ],
)
def test_gradients_of_normalisation(layer):
    made = layer()
    x = rng().standard_normal((3, 2, 4))

    def f(x):
        if isinstance(made, ps.layers.BatchNormalization):
            return made(x, training=True)
        return made(x)

    f(ps.asarray(x))
    check_grads(f, x)


def test_layers_normalise_each_example_alone():
    x = rng().standard_normal((5, 6)).astype(np.float32)
    whole = ps.layers.LayerNormalization()(x).numpy()
    assert np.allclose(whole[:1], ps.layers.LayerNormalization()(x[:1]).numpy(), atol=1e-6)
    assert np.allclose(whole.mean(1), 0, atol=1e-6)
    grouped = ps.layers.GroupNormalization(groups=2)(x).numpy()
    assert np.allclose(grouped[:, :3].mean(1), 0, atol=1e-6)


# -- dropout -------------------------------------------------------------------------------------------------


def test_dropout_draws_again_and_keeps_the_mean(tier):
    ps.random.seed(1)
    layer = ps.layers.Dropout(0.25)
    x = np.ones((1000, 8), np.float32)
    first, second = (layer(x, training=True).numpy() for _ in range(2))
    assert set(np.unique(first)) == {np.float32(0), np.float32(1 / 0.75)}
    assert first.mean() == pytest.approx(1, abs=0.02)
    assert not np.array_equal(first, second)
    assert np.array_equal(layer(x).numpy(), x)


def test_a_layers_own_seed_gives_the_same_draws():
    def drawn():
        layer = ps.layers.Dropout(0.5, seed=7)
        return [layer(X, training=True).numpy() for _ in range(2)]

    (first, second), again = drawn(), drawn()
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again[0])
    assert np.array_equal(second, again[1])


def test_dropout_of_whole_channels():
    ps.random.seed(2)
    y = ps.layers.SpatialDropout2D(0.5)(np.ones((4, 3, 3, 8), np.float32), training=True).numpy()
    assert np.array_equal(y, np.broadcast_to(y[:, :1, :1], y.shape))
    assert 0 in y


def test_training_is_handed_down():
    class Told(Layer):
        def call(self, x, training=None):
            told.append(training)
            return x

    told = []
    model = Sequential([Told(), Sequential([Told()])])
    model(X, training=True)
    model(X)
    model(X, training=False)
    assert told == [True, True, None, None, False, False]


# -- losses --------------------------------------------------------------------------------------------------


def test_penalties_of_variables_are_losses_with_gradients():
    layer = Dense(2, kernel_regularizer=ps.layers.regularizers.L2(0.5), bias_regularizer="l1")
    layer(X)
    kernel = layer.kernel.numpy()
    with ps.GradientTape() as tape:
        terms = layer.losses
        total = terms[0] + terms[1]
    assert float(terms[0]) == pytest.approx(0.5 * (kernel**2).sum(), rel=1e-5)
    assert np.allclose(tape.gradient(total, layer.kernel).numpy(), kernel)
    layer.trainable = False
    assert layer.losses == []


def test_added_losses_are_those_of_the_latest_call():
    class Penalised(Layer):
        def call(self, x):
            self.add_loss(ps.sum(x))
            return x

    model = Sequential([Penalised(), ps.layers.ActivityRegularization(l1=1.0)])
    for number in (1.0, 2.0):
        model(np.full((2, 3), number, np.float32))
        assert [float(loss) for loss in model.losses] == [6 * number, 3 * number]


# -- tapes and captured steps --------------------------------------------------------------------------------


def test_a_layer_is_built_inside_a_tape():
    layer = Dense(2)
    with ps.GradientTape() as tape:
        loss = ps.sum(layer(X))
    assert np.allclose(tape.gradient(loss, layer.kernel).numpy(), X.sum(0)[:, None].repeat(2, 1), atol=1e-5)


def network(rate=0.2):
    ps.random.seed(11)
    return Sequential(
        [Dense(8, "relu"), ps.layers.BatchNormalization(), ps.layers.Dropout(rate, seed=3), Dense(1)]
    )


@pytest.mark.parametrize("rate", [0.0, 0.2])
@pytest.mark.parametrize("engine", ["numpy", "xla", "auto"])
def test_a_captured_step_builds_and_trains_like_a_plain_one(engine, rate):
    with use_engine(engine):
        results = []
        for wrap in (lambda f: f, ps.step):
            model = network(rate)
            if rate:
                # A step that builds its layers is recorded twice, and draws twice.
                model(X)
            step = wrap(train_step(model, ps.optimizers.Adam(0.01)))
            losses = [float(step(X, Y)) for _ in range(20)]
            results.append((losses, model.get_weights()))
    (plain, weights), (captured, own) = results
    assert np.allclose(plain, captured, rtol=1e-4)
    assert all(np.allclose(a, b, rtol=1e-3, atol=1e-5) for a, b in zip(weights, own))
    assert plain[-1] < plain[0]


def test_a_captured_step_for_another_shape_makes_no_new_variables():
    model = network()
    step = ps.step(train_step(model, ps.optimizers.SGD(0.01)))
    step(X, Y)
    variables = model.variables
    step(X[:4], Y[:4])
    assert all(a is b for a, b in zip(variables, model.variables, strict=True))
    assert model.layers[1].moving_mean.version == 2


def test_flags_changed_after_the_capture_are_honoured():
    model = network()
    step = ps.step(train_step(model, ps.optimizers.SGD(0.1)))
    step(X, Y)
    model.layers[0].trainable = False
    before = model.get_weights()
    step(X, Y)
    after = model.get_weights()
    assert np.array_equal(before[0], after[0])
    assert not np.array_equal(before[-2], after[-2])
    model.layers[0].trainable = True
    step(X, Y)
    assert not np.array_equal(after[0], model.get_weights()[0])


def test_a_normalisation_without_variables_to_train_is_frozen_in_a_captured_step():
    layer = ps.layers.BatchNormalization(center=False, scale=False)

    @ps.step
    def step(x):
        return layer(x, training=True)

    moved = step(X).numpy()
    layer.trainable = False
    kept = layer.moving_mean.numpy()
    assert not np.array_equal(step(X).numpy(), moved)
    assert np.array_equal(layer.moving_mean.numpy(), kept)


def test_a_rate_changed_after_the_capture_is_honoured():
    layer = ps.layers.Dropout(0.5, seed=1)
    step = ps.step(lambda x: layer(x, training=True))
    assert (step(X) == 0).numpy().any()
    layer.rate = 0.0
    assert np.array_equal(step(X).numpy(), X)


def test_a_captured_step_draws_again():
    layer = ps.layers.Dropout(0.5)
    step = ps.step(lambda x: layer(x, training=True))
    assert not np.array_equal(step(X).numpy(), step(X).numpy())


# -- dtypes and inputs ---------------------------------------------------------------------------------------


def test_inputs_are_brought_to_the_layers_dtype():
    layer = Dense(2)
    assert layer(X.astype(np.float64)).dtype == np.float32
    assert layer(ps.asarray(X.astype(np.float64))).dtype == np.float32
    assert layer([[1, 2, 3]]).dtype == np.float32
    assert layer([[1.0, 2.0, 3.0]]).shape == (1, 2)
    assert Dense(2, dtype="float64")(X).dtype == np.float64
    assert ps.layers.Embedding(3, 2)(np.asarray([1, 2])).shape == (2, 2)


def test_embedding_gradients_are_rows():
    layer = ps.layers.Embedding(5, 2)
    with ps.GradientTape() as tape:
        loss = ps.sum(layer([1, 3, 1]))
    slope = tape.gradient(loss, layer.embeddings)
    assert isinstance(slope, ps.Rows)
    assert slope.dense().numpy()[:, 0].tolist() == [0, 2, 0, 1, 0]


def test_dense_over_more_axes_and_one():
    layer = Dense(2)
    x = rng().standard_normal((2, 4, 3)).astype(np.float32)
    wanted = x @ layer_kernel(layer, x)
    assert np.allclose(layer(x).numpy(), wanted, atol=1e-5)


def layer_kernel(layer, x):
    layer(x)
    return layer.kernel.numpy()


# -- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dense(0), "Dense: units is 0"),
        (lambda: Dense(2.5), "Dense: units is 2.5"),
        (lambda: Dense(2, activation="rellu"), "activation function identifier: rellu"),
        (lambda: Dense(2, kernel_initializer="glorot"), "initializer identifier: glorot"),
        (lambda: Dense(2, kernel_regularizer="l3"), "regularizer identifier: l3"),
        (lambda: Dense(2, weights=[X]), "layer.trainable = False"),
        (lambda: Dense(2, colour="red"), "{'colour': 'red'}"),
        (lambda: Dense(2, name="a/b"), "cannot contain character `/`"),
        (lambda: Dense(2, trainable="no"), "Expected `trainable` to be a boolean"),
        (lambda: Dense(2, dtype="mixed_float8"), "'mixed_float8' is neither a dtype"),
        (lambda: ps.layers.Dropout(1.5), "Received: rate=1.5"),
        (lambda: ps.layers.Conv2D(4, 3, padding="full"), "padding is 'full'"),
        (lambda: ps.layers.Conv2D(3, 3, groups=2), "groups=2, filters=3"),
        (lambda: ps.layers.Conv2D(4, 3)(np.zeros((2, 8, 8))), "expected min_ndim=4, found ndim=3"),
        (lambda: ps.layers.GroupNormalization(groups=3)(np.zeros((1, 4))), "must be a multiple"),
        (lambda: Sequential([Dense]), "Only instances of `Layer`"),
        (lambda: ps.layers.Subtract()([X]), "at least 2 inputs"),
        (lambda: Layer().add_weight("w"), "must be passed as a keyword argument"),
        (lambda: Net().get_layer("decoder"), "No such layer: decoder"),
    ],
)
def test_mistakes_are_refused_with_their_values(make, words):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert words in str(caught.value)
    assert caught.value.site.file == __file__


def test_an_input_of_another_width_is_refused():
    layer = Dense(2)
    layer(X)
    with pytest.raises(ShapeError, match="to have value 3"):
        layer(X[:, :2])


@pytest.mark.parametrize("name", ["fit", "compile", "evaluate", "predict"])
def test_fit_says_what_to_write(name):
    with pytest.raises(PenstockError) as caught:
        getattr(Net(), name)(X, Y)
    assert "with ps.GradientTape() as tape:" in str(caught.value)
    assert "apply_gradients" in str(caught.value)


def test_the_step_that_fit_names_runs():
    from penstock.layers.base import STEP

    model, optimizer = network(), ps.optimizers.SGD(0.1)
    exec(STEP, {"ps": ps, "model": model, "optimizer": optimizer, "x": X, "y": Y})
    assert optimizer.applied == 1


def test_a_forgotten_super_init_is_named():
    class Forgetful(Layer):
        def __init__(self):
            self.inner = Dense(2)

    with pytest.raises(PenstockError, match=r"super\(\).__init__\(\)"):
        Forgetful()(X)


def test_an_exception_inside_leaves_no_layer_being_called():
    class Broken(Layer):
        def call(self, x):
            raise ZeroDivisionError

    from penstock.layers.calls import calls

    with pytest.raises(ZeroDivisionError):
        Sequential([Broken()])(X)
    assert calls.layers == [] and calls.training == []


def test_summary_is_a_table(capsys):
    model = Sequential([Dense(4, name="first"), Dense(1, name="second")], name="net")
    model(X)
    model.layers[0].trainable = False
    model.summary()
    text = capsys.readouterr().out
    for words in ('Model: "net"', "first (Dense)", "(8, 4)", "Total params: 21", "Trainable params: 5"):
        assert words in text
    lines = []
    model.summary(print_fn=lines.append)
    assert "second (Dense)" in lines[0]


def test_summary_shows_a_range_of_layers():
    model = ps.layers.Sequential([ps.layers.Dense(1, name=name) for name in "abcd"])

    def shown(*ends):
        kept = []
        model.summary(print_fn=kept.append, layer_range=ends)
        return "".join(name for name in "abcd" if f" {name} (" in kept[0])

    assert [shown("b", "c"), shown("c", "b"), shown("[bc]", "d")] == ["bc", "bc", "bcd"]
    with pytest.raises(ValueError, match="does not match the model layers"):
        shown("x", "b")


def test_merging_layers():
    a, b = X[:, :2], X[:, 1:]
    assert np.allclose(ps.layers.Add()([a, b]).numpy(), a + b)
    assert np.allclose(ps.layers.Multiply()([a, b]).numpy(), a * b)
    assert np.allclose(ps.layers.Average()([a, b]).numpy(), (a + b) / 2)
    assert np.allclose(ps.layers.Maximum()([a, b]).numpy(), np.maximum(a, b))
    assert ps.layers.Concatenate()([a, b]).shape == (8, 4)
    dot = ps.layers.Dot(axes=(1, 2))([np.ones((2, 3), np.float32), np.ones((2, 4, 3), np.float32)])
    assert dot.numpy().tolist() == [[3.0] * 4] * 2


def test_a_locked_normalisation_works_as_in_inference():
    layer = ps.layers.BatchNormalization(momentum=0.5)
    layer(X, training=True)
    captured = ps.step(lambda x: layer(x, training=True))
    captured(X)
    mean, inference = layer.moving_mean.numpy(), layer(X).numpy()
    with ps.freeze(layer):
        assert np.allclose(layer(X, training=True).numpy(), inference, atol=1e-6)
        assert np.allclose(captured(X).numpy(), inference, atol=1e-6)
        assert layer.trainable_variables == []
    assert np.array_equal(layer.moving_mean.numpy(), mean)
    captured(X)
    assert not np.array_equal(layer.moving_mean.numpy(), mean)
    assert len(layer.trainable_variables) == 2


def test_patterns_mean_variables_of_layers():
    model = Sequential([Dense(2), Dense(1)], name="picky")
    model(X)
    with ps.freeze("picky/0/*"):
        assert [v.path for v in model.trainable_variables] == ["picky/1/kernel", "picky/1/bias"]


def test_a_model_is_saved_and_loaded(tmp_path):
    model = Sequential([Dense(2), ps.layers.BatchNormalization()], name="kept")
    model(X, training=True)
    weights = model.get_weights()
    ps.save(tmp_path / "model", model=model)
    model.set_weights([w * 0 for w in weights])
    ps.load(tmp_path / "model", model=model)
    assert all(np.array_equal(a, b) for a, b in zip(weights, model.get_weights()))


# -- sequences --------------------------------------------------------------------------------------------

SEQUENCE = rng(7).standard_normal((2, 4, 3))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ps.layers.SimpleRNN(2, dtype="float64"),
        lambda: ps.layers.GRU(2, return_sequences=True, dtype="float64"),
        lambda: ps.layers.GRU(2, reset_after=False, go_backwards=True, dtype="float64"),
        lambda: ps.layers.LSTM(2, dtype="float64"),
        lambda: ps.layers.MultiHeadAttention(2, 3, dtype="float64"),
    ],
)
def test_gradients_of_sequence_layers(make):
    layer = make()

    def f(x):
        return layer(x, x) if isinstance(layer, ps.layers.MultiHeadAttention) else layer(x)

    f(ps.asarray(SEQUENCE))
    check_grads(f, SEQUENCE)


def test_masked_steps_leave_the_state_alone():
    layer = ps.layers.LSTM(2)
    mask = np.asarray([[True, True, False, False], [True, False, False, False]])
    masked = layer(SEQUENCE, mask=mask).numpy()
    assert np.allclose(masked[0], layer(SEQUENCE[:1, :2]).numpy()[0], atol=1e-6)
    assert np.allclose(masked[1], layer(SEQUENCE[1:, :1]).numpy()[0], atol=1e-6)


def test_a_state_carried_over_is_one_long_sequence(tier):
    layer = ps.layers.LSTM(2, return_state=True)
    whole = layer(SEQUENCE)[0].numpy()
    _, *state = layer(SEQUENCE[:, :2])
    assert np.allclose(layer(SEQUENCE[:, 2:], initial_state=state)[0].numpy(), whole, atol=1e-6)


def test_attention_reads_its_scores_as_rarely_as_possible():
    layer = ps.layers.MultiHeadAttention(2, 3, dtype="float64")
    x, y, mask = rng(5).random((4, 10, 5)), rng(6).random((4, 9, 5)), rng(7).random((4, 10, 9)) > 0.3
    mask[0, 0] = False
    layer(x, y, attention_mask=mask)
    for variable in layer.variables:
        variable.assign(rng(8).standard_normal(variable.shape))

    def value(x, y):
        return ps.sum(ps.sin(layer(x, y, attention_mask=mask)))

    def plainly(x, y):
        q, k, v = (
            ps.einsum("bnw,whd->bnhd", one, part.kernel) + part.bias
            for one, part in ((x, layer.query), (y, layer.key), (y, layer.value))
        )
        scores = ps.einsum("bnhd,bmhd->bhnm", q, k) / np.sqrt(3.0)
        weights = ps.nn.softmax(ps.where(mask[:, None], scores, -1e300))
        mean, last = ps.einsum("bhnm,bmhd->bnhd", weights, v), layer.attention_output
        return ps.sum(ps.sin(ps.einsum("bnhd,hdw->bnw", mean, last.kernel) + last.bias))

    known = set(programs)
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            found = [np.asarray(one) for one in ps.grad(value, argnums=(0, 1))(ps.asarray(x), ps.asarray(y))]
        if engine == "numpy":
            made = [one for key, one in programs.items() if key not in known]
            wanted = [
                np.asarray(one) for one in ps.grad(plainly, argnums=(0, 1))(ps.asarray(x), ps.asarray(y))
            ]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    whole, smaller, alike = (4, 2, 10, 9), [], []
    for program in made:
        shapes = [one.shape for one in (*program.specs, *map(spec_of, program.constants))]
        for step in program.steps:
            shapes.append(step.spec.shape)
            if step.spec.shape == whole:
                alike.append(step.primitive.name)
            elif whole in [shapes[one] for one in step.inputs]:
                smaller.append(step.primitive.name)
    # The scores are not divided, and nothing is summed over them in the gradient.
    assert sorted(one for one in smaller if one not in ("matmul", "transpose")) == ["max", "sum"]
    assert "divide" not in alike and alike.count("matmul") == 2


def test_attention_does_not_look_ahead():
    layer = ps.layers.MultiHeadAttention(2, 3)
    x = SEQUENCE.astype(np.float32)
    later = x.copy()
    later[:, 3] += 1
    first, second = (layer(one, one, use_causal_mask=True).numpy() for one in (x, later))
    assert np.allclose(first[:, :3], second[:, :3], atol=1e-6)
    assert not np.allclose(first[:, 3], second[:, 3])
    _, weights = layer(x, x, return_attention_scores=True)
    assert np.allclose(weights.numpy().sum(-1), 1, atol=1e-6)


def test_a_layer_goes_by_the_name_it_was_given():
    class Net(ps.layers.Model):
        def __init__(self):
            super().__init__(name="net")
            self.body = [Dense(2, name="features"), Dense(2), Dense(2, name="features")]
            self.out = Dense(1, name="head")

        def call(self, x):
            for layer in self.body:
                x = layer(x)
            return self.out(x)

    net = Net()
    net(X)
    names = ["net/body/features", "net/body/1", "net/body/2", "net/head"]
    assert [v.path for v in net.variables][::2] == [f"{one}/kernel" for one in names]
    # A copy made from a configuration, which includes automatic names, has the same name.
    model = Sequential([Dense(2, name="first"), Dense(2)], name="pair")
    again = Sequential([Dense(2, name=one.get_config()["name"]) for one in model.layers], name="pair")
    model(X)
    again(X)
    assert [v.path for v in again.variables] == [v.path for v in model.variables]
    assert model.variables[0].path == "pair/first/kernel"


def test_cells_are_called_after_their_layer():
    model = Sequential([ps.layers.LSTM(2, return_sequences=True), ps.layers.GRU(2)], name="reader")
    model(SEQUENCE)
    assert [v.path for v in model.variables][::3] == ["reader/0/cell/kernel", "reader/1/cell/kernel"]
    heads = ps.layers.MultiHeadAttention(2, 3, name="heads")
    heads(SEQUENCE, SEQUENCE)
    assert [v.path for v in heads.variables][:2] == ["heads/query/kernel", "heads/query/bias"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ps.layers.GRU(2, recurrent_dropout=1.5), "Expected a float value between 0 and 1"),
        (lambda: ps.layers.LSTM(2)(X), "expected ndim=3, found ndim=2"),
        (lambda: ps.layers.LSTM(2)(SEQUENCE, initial_state=[X]), "1 initial states were given"),
        (lambda: ps.layers.SimpleRNN(2)(SEQUENCE[:, :0]), r"float32\[.*, 0, .*\], which has no steps"),
        (lambda: ps.layers.LSTM(2, return_sequences=True)(SEQUENCE[:, :0]), "which has no steps"),
        (lambda: ps.layers.GRU(2, name="ear")(SEQUENCE[:, :0]), "(?s)GRU 'ear' was given.*pad them"),
        (
            lambda: ps.layers.GRU(2)(SEQUENCE[:, :0], mask=np.ones((len(SEQUENCE), 0), bool)),
            "which has no steps",
        ),
        (lambda: ps.layers.Bidirectional(ps.layers.LSTM(2))(SEQUENCE[:, :0]), "which has no steps"),
        (lambda: ps.layers.Attention()(SEQUENCE), "must be called on a list of inputs"),
        (lambda: ps.layers.Attention(score_mode="sum"), "Expected one of {'dot', 'concat'}"),
        (lambda: ps.layers.Cropping1D(9)(SEQUENCE), r"smaller than the input length.*cropping=\(9, 9\)"),
        (lambda: ps.layers.ZeroPadding2D((1, -1)), r"padding is \(1, -1\)"),
        (lambda: ps.layers.UpSampling2D()(SEQUENCE), "expected ndim=4, found ndim=3"),
    ],
)
def test_arguments_that_sequence_layers_do_not_take_are_refused(make, words):
    with pytest.raises(ArgumentError, match=words):
        make()


def test_noise_that_is_multiplied_keeps_mean_and_variance():
    x = np.random.default_rng(0).standard_normal(40_000).astype(np.float32)
    for layer in (ps.layers.AlphaDropout(0.3, seed=1), ps.layers.AlphaDropout(0.6, seed=2)):
        y = layer(x, training=True).numpy()
        assert abs(y.mean()) < 0.03 and abs(y.var() - 1) < 0.05
        assert abs(np.unique(y, return_counts=True)[1].max() / y.size - layer.rate) < 0.02
    y = ps.layers.GaussianDropout(0.2, seed=1)(np.ones_like(x), training=True).numpy()
    assert abs(y.mean() - 1) < 0.02 and abs(y.var() - 0.25) < 0.02
    with pytest.raises(ArgumentError, match="rate is 1"):
        ps.layers.GaussianDropout(1.0)


def test_einsum_dense_counts_inputs_and_outputs_by_the_equation():
    # Of [out, in, out] axes: 50 numbers meet in each of 4 * 6 outputs.
    layer = ps.layers.EinsumDense("bi,oip->bop", (4, 6))
    layer(np.zeros((1, 50), np.float32))
    limit = (6 / (50 + 24)) ** 0.5
    largest = np.abs(layer.kernel.numpy()).max()
    assert 0.95 * limit < largest <= limit
    assert layer(np.ones((3, 50), np.float32)).shape == (3, 4, 6)


def test_einsum_dense_refuses_inputs_of_another_rank():
    with pytest.raises(ArgumentError, match=r"the input has shape \(2, 3\), and 'abc,cd->abd' names 3 axes"):
        ps.layers.EinsumDense("abc,cd->abd", (None, 2))(np.zeros((2, 3), np.float32))
    with pytest.raises(ArgumentError, match=r"output_shape is \(2,\), and 'abc,cd->abd' gives 3 axes"):
        ps.layers.EinsumDense("abc,cd->abd", 2)(np.zeros((2, 3, 4), np.float32))
