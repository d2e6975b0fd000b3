"""Mixed precision: layers that compute in halves, scaled losses, and skipped steps."""

import threading
import warnings

import numpy as np
import pytest

import penstock as ps
from accelerators import on_accelerator
from penstock import layers, optimizers, policies
from penstock import tensorflow as tf
from penstock.errors import ArgumentError, CheckpointError, PenstockError

X = np.linspace(-1, 1, 12).astype(np.float32).reshape(4, 3)


@pytest.fixture(autouse=True)
def no_policy_stays():
    yield
    policies.set_policy("float32")


def test_a_policy_sets_the_dtypes_of_computation_and_variables():
    policy = policies.Policy("mixed_bfloat16")
    assert (policy.compute_dtype, policy.variable_dtype) == ("bfloat16", "float32")
    assert policies.Policy("float64") == policies.Policy(np.float64)
    assert policies.Policy(policy) == policy and hash(policies.Policy(policy)) == hash(policy)


def test_layers_take_the_policy_they_were_made_under():
    with policies.using("mixed_float16"):
        inside = layers.Dense(2)
        with policies.using("float64"):
            deeper = layers.Dense(2)
    made = (inside, deeper, layers.Dense(2))
    assert [one.compute_dtype for one in made] == ["float16", "float64", "float32"]


def test_a_policy_of_a_block_ends_with_it_and_stays_in_its_thread():
    seen = []
    with pytest.raises(ZeroDivisionError), policies.using("mixed_float16"):
        thread = threading.Thread(target=lambda: seen.append(policies.get_policy().name))
        thread.start()
        thread.join()
        raise ZeroDivisionError
    assert seen == ["float32"] and policies.get_policy().name == "float32"


@pytest.mark.parametrize("name", ["mixed_float8", "half a float", object()])
def test_an_invalid_policy_is_refused(name):
    with pytest.raises(ArgumentError, match="'mixed_float16'") as caught:
        policies.set_policy(name)
    assert caught.value.site.file == __file__


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_a_mixed_layer_computes_as_a_narrow_one_and_keeps_wide_variables(tier, half):
    mixed, narrow = layers.Dense(2, dtype=f"mixed_{half}"), layers.Dense(2, dtype=half)
    mixed(X), narrow(X)
    mixed.set_weights([np.asarray(one, np.float32) for one in narrow.get_weights()])
    assert mixed(X).numpy().tobytes() == narrow(X).numpy().tobytes()
    assert [one.dtype.name for one in mixed.variables] == ["float32"] * 2


def test_a_mixed_layer_finds_casts_in_its_call_and_variables_outside():
    class Own(layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(3,), initializer="ones", name="w")
            self.all = {"v": [self.add_weight(shape=(), initializer="ones", name="v")]}
            self.whole = self.add_weight(shape=(), initializer="zeros", dtype="int32", name="whole")
            self.wide = self.add_weight(shape=(), initializer="ones", name="wide", autocast=False)

        def call(self, x):
            found.append([one.dtype.name for one in (self.w, self.all["v"][0], self.whole, self.wide)])
            self.w.assign_add(ps.ones((3,), dtype="float16"))
            return x * self.w * self.all["v"][0]

    found = []
    own = Own(dtype="mixed_float16")
    assert own(X).dtype.name == "float16"
    assert found == [["float16", "float16", "int32", "float32"]]
    assert isinstance(own.w, ps.Variable) and own.w.numpy().tolist() == [2.0, 2.0, 2.0]
    assert [one.path for one in own.variables] == ["own/w", "own/v", "own/whole", "own/wide"]
    del own.w
    with pytest.raises(AttributeError, match="'w'"):
        _ = own.w


def test_an_embedding_of_mixed_precision_still_has_rows_for_a_gradient(tier):
    table = layers.Embedding(10, 4, dtype="mixed_float16")
    with ps.GradientTape() as tape:
        rows = table(np.asarray([[1, 2]]))
        loss = ps.sum(rows.astype("float32"))
    gradient = tape.gradient(loss, table.embeddings)
    assert rows.dtype.name == "float16"
    assert isinstance(gradient, ps.Rows) and gradient.values.dtype.name == "float32"


def test_normalising_halves_does_not_overflow(tier):
    big = (X * 3000).astype(np.float16)
    for kind in (layers.LayerNormalization, layers.RMSNormalization, layers.BatchNormalization):
        layer = kind(dtype="mixed_float16")
        result = layer(big, training=True) if kind is layers.BatchNormalization else layer(big)
        assert result.dtype.name == "float16" and np.isfinite(result.numpy()).all()


# -- steps that are left out ---------------------------------------------------------------------------------

ALL = [name for name in optimizers.__all__ if name not in ("Group", "Optimizer", "schedules")]


@pytest.mark.parametrize("name", ALL)
def test_nothing_of_a_step_that_is_left_out_stays(tier, name):
    shape = (3, 2)
    x, y = (ps.Variable(np.full(shape, n, np.float32), name=f"{name}{n}") for n in (1.0, 2.0))
    options = {"weight_decay": 0.01, "use_ema": True}
    optimizer = getattr(optimizers, name)(0.1, loss_scale_factor="dynamic", finite="skip", **options)

    def bits(*cells):
        shared = ("loss_scale", "finite_steps")
        return [one.numpy().tobytes() for one in cells if one.path.rpartition("/")[2] not in shared]

    for slope in (1.0, 2.0, np.inf, 1.0, np.nan):
        with ps.GradientTape() as tape:
            loss = optimizer.scale_loss(ps.sum(x * slope) + ps.sum(y * y))
        scale = next(one for one in optimizer.variables if one.path.endswith("loss_scale"))
        good = next(one for one in optimizer.variables if one.path.endswith("finite_steps"))
        kept, before = bits(x, y, *optimizer.variables), float(scale)
        optimizer.apply_gradients(zip(tape.gradient(loss, [x, y]), [x, y]))
        now = bits(x, y, *optimizer.variables)
        if not np.isfinite(slope):
            assert now[: len(kept)] == kept and float(scale) == before / 2 and int(good) == 0
        else:
            assert now[:2] != kept[:2]


def test_gradients_divided_by_hand_are_not_divided_again(tier):
    found = []
    for by_hand in (False, True):
        x = ps.Variable([3.0, -4.0], name="x")
        optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
        for number in range(20):
            with ps.GradientTape() as tape:
                loss = optimizer.scale_loss(ps.sum(x * x) * (np.inf if number == 10 else 1.0))
            gradients = tape.gradient(loss, [x])
            if by_hand:
                gradients = optimizer.unscale(gradients)
                assert number == 10 or abs(gradients[0].numpy()[0]) < 10
            optimizer.apply_gradients(zip(gradients, [x]))
        found.append((x.numpy().tobytes(), float(optimizer.variables[0])))
    assert found[0] == found[1] and found[0][1] == 2.0**14


def test_scale_and_good_steps_are_in_a_checkpoint(tmp_path):
    def make():
        x = ps.Variable(1.0, name="x")
        optimizer = optimizers.Adam(0.1, loss_scale_factor="dynamic", loss_scale_growth_steps=3)
        optimizer.build([x])
        return x, optimizer

    def go(x, optimizer, count):
        for number in range(count):
            with ps.GradientTape() as tape:
                loss = optimizer.scale_loss(x * x * (np.inf if number == 1 else 1.0))
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])

    x, optimizer = make()
    go(x, optimizer, 4)
    ps.save(tmp_path / "all", x, optimizer)
    go(x, optimizer, 4)
    wanted = [one.numpy().tobytes() for one in (x, *optimizer.variables)]
    y, again = make()
    ps.load(tmp_path / "all", y, again)
    assert float(again._shared["loss_scale"]) == 2.0**14 and int(again._shared["finite_steps"]) == 2
    go(y, again, 4)
    assert [one.numpy().tobytes() for one in (y, *again.variables)] == wanted


def test_the_ledger_names_the_first_non_finite_value(tier):
    x, y = ps.Variable([1.0, 2.0], name="x"), ps.Variable(1.0, name="y")
    optimizer = optimizers.Adam(0.1, loss_scale_factor="dynamic")
    with ps.ledger() as ledger:
        for number in range(20):
            with ps.GradientTape() as tape:
                wide = x * (1e30 if number == 18 else 1.0)
                square = wide * wide
                loss = optimizer.scale_loss(ps.sum(square) + y)
            optimizer.apply_gradients(zip(tape.gradient(loss, [y, x]), [y, x]))
    (skip,) = ledger.skipped
    assert (skip.step, skip.by, skip.variables, abs(skip.value)) == (19, "Adam", ("x",), np.inf)
    assert skip.cause.startswith("square = wide * wide") and skip.scale == (32768.0, 16384.0)
    with open(__file__) as source:
        lines = source.read().splitlines()
    assert "square = wide * wide" in lines[skip.origin.line - 1]
    assert "optimizer.apply_gradients" in lines[skip.site.line - 1]
    assert str(skip) in str(ledger)


def test_a_step_that_moves_nothing_is_not_told_as_left_out():
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, finite="skip")
    with ps.ledger() as ledger:
        for slope in (0.0, np.nan, 1.0, np.inf):
            optimizer.apply_gradients([(ps.asarray(slope), x)])
    assert [skip.step for skip in ledger.skipped] == [2, 4]
    assert ledger.skipped[0].scale is None and np.isnan(ledger.skipped[0].value)


def test_the_choice_is_part_of_the_compiled_step():
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
    before = None
    for number in range(60):
        with ps.GradientTape() as tape:
            loss = optimizer.scale_loss(x * x * ps.asarray(np.float32(np.inf if number % 7 == 6 else 1.0)))
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        if number == 40:
            ps.wait(x)
            before = ps.compilations()
    ps.wait(x)
    assert ps.compilations() == before and np.isfinite(x.numpy())


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, "big"])
def test_a_first_scale_that_is_none_is_refused(value):
    with pytest.raises(PenstockError, match="loss_scale_initial") as caught:
        optimizers.SGD(0.1, loss_scale_factor="dynamic", loss_scale_initial=value)
    assert caught.value.site.file == __file__


@pytest.mark.parametrize("value", [np.nan, 1e39, 1e-50])
@pytest.mark.parametrize("option", ["loss_scale_factor", "loss_scale_initial"])
def test_a_scale_that_single_precision_cannot_hold_is_refused(option, value):
    with pytest.raises(PenstockError, match=option):
        optimizers.SGD(0.1, **{"loss_scale_factor": "dynamic", option: value})
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
    with pytest.raises(PenstockError, match=option):
        setattr(optimizer, option, value)


def test_a_scale_that_was_halved_for_long_comes_back(tier):
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
    for _ in range(40):
        optimizer.apply_gradients([(optimizer.scale_loss(ps.asarray(np.float32("inf"))), x)])
    assert float(optimizer._shared["loss_scale"]) == 1.0
    with ps.GradientTape() as tape:
        loss = optimizer.scale_loss(x * x)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert float(x) == pytest.approx(0.8)


def test_a_scale_below_one_stays_where_it_was_set(tier):
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic", loss_scale_initial=0.25)
    for slope, wanted in ((np.inf, 0.25), (1.0, 0.25), (np.nan, 0.25)):
        optimizer.apply_gradients([(optimizer.scale_loss(ps.asarray(np.float32(slope))), x)])
        assert float(optimizer._shared["loss_scale"]) == wanted


def test_a_scale_that_grew_for_long_is_finite(tier):
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic", loss_scale_growth_steps=1)
    for _ in range(130):
        optimizer.apply_gradients([(optimizer.scale_loss(ps.asarray(0.01)), x)])
    assert float(optimizer._shared["loss_scale"]) == 2.0**127
    assert float(x) == pytest.approx(1.0 - 130 * 0.001, abs=1e-5)


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan, -2.0])
def test_an_invalid_scale_starts_at_one_again(tier, value):
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
    optimizer.build([x])
    optimizer._shared["loss_scale"].assign(value)
    for _ in range(2):
        with ps.GradientTape() as tape:
            loss = optimizer.scale_loss(x * x)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert float(optimizer._shared["loss_scale"]) == 1.0 and np.isfinite(float(x))
    assert float(x) != 1.0


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan, -2.0])
def test_a_file_with_an_invalid_scale_is_refused(tmp_path, value):
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.1, loss_scale_factor="dynamic")
    optimizer.build([x])
    optimizer._shared["loss_scale"].assign(value)
    ps.save(tmp_path / "all", x, optimizer)
    y, again = ps.Variable(2.0, name="x"), optimizers.SGD(0.2, loss_scale_factor="dynamic")
    with pytest.raises(CheckpointError, match=r"(?s)'sgd/loss_scale'.*earlier checkpoint") as caught:
        ps.load(tmp_path / "all", y, again)
    assert repr(np.float32(value).item()) in str(caught.value)
    assert float(y) == 2.0 and again.learning_rate == 0.2 and not again.variables


def stalling(way, steps, **options):
    """Steps with overflowing gradients, except the last; returns the warnings, and the variable."""
    x, power = ps.Variable(1.0, name="x"), ps.Variable(1e30, name="power")
    optimizer = optimizers.Adam(0.1, **options)

    def step():
        with ps.GradientTape() as tape:
            wide = x * power
            loss = optimizer.scale_loss(wide * wide)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])

    captured = ps.step(step)
    take = {"loop": step, "step": captured, "repeat": ps.repeat(captured, 10)}[way]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(steps // (10 if way == "repeat" else 1)):
            take()
        power.assign(1.0)
        take()
        ps.wait(x)
    return caught, x


@pytest.mark.parametrize("way", ["loop", "step", "repeat"])
@pytest.mark.parametrize(
    "options",
    [
        {"loss_scale_factor": "dynamic"},
        {"finite": "skip"},
        {"finite": "skip", "gradient_accumulation_steps": 2},
    ],
    ids=["scaled", "skipping", "accumulating"],
)
def test_a_long_run_of_steps_left_out_is_said_once(tier, way, options):
    (warning,), x = stalling(way, 240, **options)
    text, last = str(warning.message), 100 if "gradient_accumulation_steps" in options else 50
    assert f"Adam skipped every step from 1 to {last}" in text
    assert "the gradient of 'x' was not finite (inf)" in text and "wide * wide" in text
    assert "lower the learning rate" in text
    assert warning.filename == __file__
    assert (float(x) != 1.0) == ("gradient_accumulation_steps" not in options or way == "repeat")


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan, 1e39])
def test_the_optimizer_of_keras_refuses_an_invalid_scale(value):
    inner = tf.keras.optimizers.SGD(0.1)
    with pytest.raises(ValueError, match="for `initial_scale`") as caught:
        tf.keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=value)
    assert repr(value) in str(caught.value)


def test_the_optimizer_of_keras_says_that_it_leaves_out_every_step(tier):
    x = tf.Variable(1.0)
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
    with pytest.warns(UserWarning, match="SGD skipped every step from 1 to 50.*'x'") as caught:
        for _ in range(120):
            with tf.GradientTape() as tape:
                loss = optimizer.scale_loss(x * float("inf"))
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    assert len(caught) == 1
    assert optimizer.dynamic_scale.numpy() == 1.0


def test_some_steps_left_out_are_not_worth_a_warning():
    x = ps.Variable(1.0, name="x")
    optimizer = optimizers.SGD(0.0, finite="skip")
    for number in range(300):
        optimizer.apply_gradients([(ps.asarray(1.0 if number % 40 == 0 else np.inf), x)])
    assert int(optimizer.iterations) == 8


def test_a_classifier_learns_in_half_precision(tier):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 4)).astype(np.float32)
    labels = (x[:, 0] > x[:, 1]).astype(np.int32)
    with policies.using("mixed_float16"):
        model = layers.Sequential([layers.Dense(8, "tanh"), layers.Dense(2)])
    optimizer = optimizers.Adam(0.05, loss_scale_factor="dynamic")
    losses = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(40):
            with ps.GradientTape() as tape:
                logits = model(x).astype("float32")
                loss = ps.mean(ps.losses.softmax_cross_entropy(logits, labels))
                scaled = optimizer.scale_loss(loss)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables))
            losses.append(float(loss))
    assert losses[-1] < 0.25 * losses[0]


# -- sums of halves ------------------------------------------------------------------------------------------

HALF = {"float16": (0.1, 30.0), "bfloat16": (0.1, 3e38)}


@pytest.mark.parametrize("half", sorted(HALF))
@pytest.mark.parametrize("which", [0, 1])
def test_halves_are_added_up_in_single_precision(tier, half, which):
    # Of 4096 equal numbers, whose sum in halves would stop growing, or overflow on the way to a mean.
    value = ps.asarray(HALF[half][which], dtype=half)
    x = ps.zeros((4096,), dtype=half) + value
    exact = float(value)
    found = {
        "mean": ps.mean(x) if which == 0 or half == "float16" else ps.mean(x / 4096) * 4096,
        "matmul": ps.matmul(ps.reshape(x, (1, 4096)), ps.zeros((4096, 1), dtype=half) + 2.0**-12)[0, 0],
        "conv": ps.nn.conv(ps.reshape(x, (1, -1, 1)), ps.zeros((4096, 1, 1), dtype=half) + 2.0**-12)[0, 0, 0],
        "sum": ps.sum(x / 4096.0) if half == "bfloat16" else ps.sum(x * 2.0**-10) / 4,
    }
    # A GPU's convolution rounds parts of the sum to halves.
    tolerance = 2.0**-6 if on_accelerator() else 2.0**-7
    for name, one in found.items():
        assert float(one) == pytest.approx(exact, rel=tolerance), name


def test_the_spread_of_halves_does_not_overflow(tier):
    x = ps.arange(4096, dtype="float32").astype("float16") * 0.1
    assert float(ps.std(x)) == pytest.approx(118.2, rel=2e-3)
