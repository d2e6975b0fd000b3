"""Adam's update in one pass over memory: NumPy's bits, in every vocabulary, and only where it is the same."""

import re

import numpy as np
import pytest

import penstock as ps
from counting import last_compiled
from in_a_process import printed
from penstock.ops import ffi, updates
from penstock.testing import use_engine
from penstock.tiers import xla
from penstock.tiers.one_pass import CHEAP, SMALL, OnePass

jax = pytest.importorskip("jax")
missing = updates.lack()
pytestmark = [
    pytest.mark.skipif(missing is not None, reason=f"updates in one pass: {missing}"),
    pytest.mark.usefixtures("processor"),
]

NUMBERS = np.asarray([0.1, 0.001, 0.0021, 1e-7, 0.0316, 0.004, 0.01], np.float32)


def by_numpy(value, mean, square, gradient, outside, decays):
    """The update as NumPy computes it, one operation after another in single precision."""
    new_mean, new_square, rate, floor, correction, share, decay_rate = NUMBERS
    mean = mean + (gradient - mean) * new_mean
    square = square + (gradient * gradient - square) * new_square
    root = np.sqrt(square)
    divisor = (root / correction if outside else root) + floor
    base = value - value * share * decay_rate if decays else value
    return base - mean * rate / divisor, mean, square


@pytest.mark.parametrize("decays", [False, True])
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("overwritten", [(), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(), (1,), (37, 3), (70_001,), (3, 64_000)])
def test_every_bit_is_that_of_numpy(shape, overwritten, outside, decays):
    """In place and beside it, in one thread and in several."""
    rng = np.random.default_rng(0)
    value, gradient = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    mean, square = (np.abs(rng.standard_normal(shape)).astype(np.float32) for _ in range(2))
    numbers = [*NUMBERS[:4], *NUMBERS[4:5][:outside], *NUMBERS[5:][: 2 * decays]]

    def run(value, mean, square, gradient, *numbers):
        return updates.moments(
            jax, (value, mean, square), gradient, numbers, outside, decays, overwritten
        )  # fmt: skip

    found = jax.jit(run, donate_argnums=overwritten)(value, mean, square, gradient, *numbers)
    for got, wanted in zip(found, by_numpy(value, mean, square, gradient, outside, decays), strict=True):
        assert np.array_equal(np.asarray(got), wanted)


def trained(make, variable, apply, shape=(40, 50), dtype="float32", **options):
    """A weight after five updates with changing gradients."""
    rng = np.random.default_rng(1)
    start = rng.standard_normal(shape).astype(dtype)
    x = variable(start)
    optimizer = make(x, **options)
    for _ in range(5):
        apply(optimizer, x, rng.standard_normal(shape).astype(dtype))
    found = np.asarray(x.numpy())
    assert (found != start).any()
    return found


def natively(optimizer, x, slope):
    optimizer.apply_gradients([(ps.asarray(slope), x)])


def as_paddle(optimizer, x, slope):
    import penstock.paddle as paddle

    (x * paddle.to_tensor(slope)).sum().backward()
    optimizer.step()
    optimizer.clear_grad()


def of_paddle(name):
    def make(x, **options):
        import penstock.paddle as paddle

        return getattr(paddle.optimizer, name)(0.01, parameters=[x], **options)

    return make


def a_parameter(value):
    import penstock.paddle as paddle

    found = paddle.create_parameter(value.shape, str(value.dtype))
    found.set_value(value)
    return found


def of_keras(name):
    def make(x, **options):
        from penstock import tensorflow as tf

        return getattr(tf.keras.optimizers, name)(0.01, **options)

    return make


CASES = {
    "Adam": (lambda x, **o: ps.optimizers.Adam(0.01, **o), ps.Variable, natively),
    "AdamW": (lambda x, **o: ps.optimizers.AdamW(0.01, **o), ps.Variable, natively),
    "Keras' Adam": (of_keras("Adam"), ps.Variable, natively),
    "Keras' AdamW": (of_keras("AdamW"), ps.Variable, natively),
    "Paddle's Adam": (of_paddle("Adam"), a_parameter, as_paddle),
    "Paddle's AdamW": (of_paddle("AdamW"), a_parameter, as_paddle),
}


@pytest.mark.parametrize("case", CASES)
def test_each_vocabulary_updates_in_one_pass(case):
    """Of arrays as large as the weight, seven are read or written: four before, three after."""
    with use_engine("numpy"):
        wanted = trained(*CASES[case])
    with use_engine("xla"):
        found = trained(*CASES[case])
    np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=2e-7)
    program, text = last_compiled()
    (update,) = OnePass(program).updates.values()
    assert update.decays == case.endswith("W") and update.outside != case.startswith("Keras")
    assert text.count(f'custom_call_target="{updates.TARGET}"') == 1
    entry = text[text.index("\nENTRY") :]
    arrays = [line for line in entry.splitlines() if re.search(r"= \(?f32\[40,50\]", line)]
    computed = [line for line in arrays if not re.search(r" (parameter|get-tuple-element|tuple)\(", line)]
    assert len(computed) == 1, computed


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({}, "float64"),
        ({}, "float16"),
        ({"amsgrad": True}, "float32"),
        ({"finite": "skip"}, "float32"),
        ({"use_ema": True}, "float32"),
        ({"gradient_accumulation_steps": 2}, "float32"),
    ],
)
def test_other_updates_are_left_to_xla(options, dtype):
    """Nothing is called that computes something else, and the numbers are those of NumPy."""
    make = CASES["Adam"][0]
    with use_engine("numpy"):
        wanted = trained(make, ps.Variable, natively, dtype=dtype, **options)
    with use_engine("xla"):
        found = trained(make, ps.Variable, natively, dtype=dtype, **options)
    tolerance = 2e-2 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(found.astype("float64"), wanted.astype("float64"), rtol=tolerance, atol=1e-6)
    if "use_ema" not in options:
        assert updates.TARGET not in last_compiled()[1]


@pytest.mark.parametrize(("size", "called"), [(SMALL - 1, 0), (SMALL, 1)])
def test_small_updates_of_cheap_programs_are_left_to_xla(size, called):
    with use_engine("xla"):
        trained(CASES["Adam"][0], ps.Variable, natively, (size,))
    program, text = last_compiled()
    assert program.cost < CHEAP
    assert text.count(f'custom_call_target="{updates.TARGET}"') == called


def test_clipped_gradients_and_several_weights():
    """Norms over all gradients come before; each weight has its own update."""

    def run():
        rng = np.random.default_rng(2)
        weights = [ps.Variable(rng.standard_normal((50, 30)).astype(np.float32)) for _ in range(3)]
        optimizer = ps.optimizers.AdamW(0.01, global_clipnorm=0.5)
        x = ps.asarray(rng.standard_normal((8, 50)).astype(np.float32))
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.square(sum(x @ w for w in weights)))
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return [w.numpy() for w in weights]

    with use_engine("numpy"):
        wanted = run()
    with use_engine("xla"):
        found = run()
    assert last_compiled()[1].count(f'custom_call_target="{updates.TARGET}"') == 3
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_steps_in_a_loop_of_the_program(tier):
    """`ps.repeat` runs the update in a loop of XLA; what it overwrites there is what it has read."""
    rng = np.random.default_rng(3)
    w = ps.Variable(rng.standard_normal((40, 40)).astype(np.float32), name="w")
    optimizer = ps.optimizers.Adam(0.05)

    @ps.step
    def step():
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.square(w))
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    before = w.numpy()
    ps.repeat(step, 30)()
    value, mean, square = before, np.zeros_like(before), np.zeros_like(before)
    for turn in range(1, 31):
        slope = 2 * value
        mean, square = mean + (slope - mean) * 0.1, square + (slope * slope - square) * 0.001
        value = value - 0.05 * mean / (1 - 0.9**turn) / (np.sqrt(square / (1 - 0.999**turn)) + 1e-8)
    np.testing.assert_allclose(w.numpy(), value, rtol=1e-4, atol=1e-5)


def test_a_value_that_is_held_keeps_its_numbers():
    with use_engine("xla"):
        w = ps.Variable(np.ones((40, 40), np.float32))
        optimizer, slope = ps.optimizers.Adam(0.1), ps.asarray(np.ones((40, 40), np.float32))
        held = []
        for _ in range(6):
            held.append(w.value())
            optimizer.apply_gradients([(slope, w)])
        assert [round(float(one.numpy().mean()), 3) for one in held] == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]


def test_a_loss_that_is_kept_for_a_later_backward_keeps_all_values_of_the_step():
    """They are outputs of the program then, those between the means and the new value too."""
    import penstock.paddle as paddle

    found = []
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            start = np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)
            w = a_parameter(start)
            optimizer = paddle.optimizer.Adam(0.01, parameters=[w])
            kept, shown = [], []
            for _ in range(4):
                kept.append((w * 2).square().sum())
                (w**3).sum().backward()
                optimizer.step()
                optimizer.clear_grad()
                shown.append(kept[-1].item())
            found.append((shown, w.numpy()))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-6)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=2e-6, atol=2e-7)


def test_only_programs_for_this_processor_call_it(tmp_path):
    """A file that is exported runs where the function is not."""
    program = last_compiled()[0]
    arguments = [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in program.specs]
    with jax.enable_x64(True):
        for yes in (True, False):
            with ffi.allowed(yes):
                text = jax.jit(lambda *a: xla.evaluate(program, [], *a)).lower(*arguments).as_text()
            assert (updates.TARGET in text) == (yes and bool(OnePass(program).updates))


SCRIPT = """
import numpy as np
import penstock as ps
w, optimizer = ps.Variable(np.ones((64, 64), np.float32)), ps.optimizers.Adam(0.1)
for _ in range(5):
    optimizer.apply_gradients([(ps.asarray(np.full((64, 64), 0.5, np.float32)), w)])
print(w.numpy().tobytes().hex()[:400])
"""


def test_executables_on_disk_call_it_in_the_next_process(tmp_path):
    first = printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla")
    kept = set(tmp_path.iterdir())
    assert any(updates.TARGET.encode() in path.read_bytes() for path in kept)
    assert printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla") == first and set(tmp_path.iterdir()) == kept
    # Without the part in C, the files are not looked for.
    printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla", PENSTOCK_PURE="1")
    assert set(tmp_path.iterdir()) > kept
