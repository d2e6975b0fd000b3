"""Random numbers: one sequence for a seed, the same in both tiers, distributed as promised."""

import threading

import numpy as np
import pytest
from scipy import stats

import penstock as ps
from accelerators import same_numbers
from penstock.errors import DTypeError, PenstockError
from penstock.functions import keys, random
from penstock.functions.composite import composite
from penstock.ops import random as primitives
from penstock.ops.random import BLOCK, _threefry, _words
from penstock.ops.table import complete
from penstock.testing import assert_close, use_engine
from penstock.tiers import xla

MANY = 100_000


def drawn(draw, tier="numpy", seed=11):
    with use_engine(tier):
        random.seed(seed)
        return draw().numpy()


@pytest.mark.xla
@pytest.mark.parametrize(
    ("key", "words"),
    [
        ((0, 0, 0), (0x6B200159, 0x99BA4EFE)),  # of the authors' own test vectors
        ((0xFFFFFFFF, 0xFFFFFFFF, 0), None),
        ((0x13198A2E, 0x03707344, 0x85A308D3), None),
    ],
)
def test_words_are_those_of_threefry(key, words):
    import jax.extend

    key = np.asarray(key, np.uint32)
    with np.errstate(over="ignore"):
        a, b = _threefry(np, key, 7)
    counter = np.concatenate([np.arange(7, dtype=np.uint32), np.full(7, key[2])])
    wanted = np.asarray(jax.extend.random.threefry_2x32(key[:2], counter))
    assert np.array_equal(np.concatenate([a, b]), wanted)
    if words:
        assert (a[0], b[0]) == words


DRAWS = {
    "normal": lambda dtype: random.normal((MANY,), dtype=dtype),
    "truncated": lambda dtype: random.truncated_normal((MANY,), dtype=dtype),
    "uniform": lambda dtype: random.uniform((MANY,), dtype=dtype),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", DRAWS)
def test_tiers_draw_the_same_numbers(name, dtype):
    want = drawn(lambda: DRAWS[name](dtype), "numpy")
    got = drawn(lambda: DRAWS[name](dtype), "xla")
    assert got.dtype == want.dtype == np.dtype(dtype)
    assert same_numbers(got, want)


@pytest.mark.parametrize("keys", [[1, 2, 3], [[1, 2, 3], [4, 5, 6]]])
def test_words_in_blocks_are_those_in_one_piece(keys):
    keys, size = np.asarray(keys, np.uint32), 2 * BLOCK + 3
    long, short = _threefry(np, keys, size), _threefry(np, keys, 5)
    for number, one in enumerate(long):
        assert one.dtype == np.uint32 and np.array_equal(one[..., :5], short[number])
        assert np.array_equal(one, _words(np, keys, 0, size)[number])


IN_BLOCKS = ["bits", "uniform", "normal", "truncated_normal", "exponential", "gumbel", "laplace", "logistic"]


@pytest.mark.parametrize("keys", [[1, 2, 3], [[1, 2, 3], [4, 5, 6]]])
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_numbers_in_blocks_are_those_in_one_piece(name, keys, monkeypatch):
    draw, keys = complete()[f"random_{name}"].numpy, np.asarray(keys, np.uint32)
    dtypes = [np.dtype(one) for one in (["uint64"] if name == "bits" else ["float64", "float32", "float16"])]
    shapes = [(BLOCK - 1,), (BLOCK,), (BLOCK + 1,), (2, BLOCK), (3, BLOCK - 5)]
    cases = [(shape, dtype) for shape in shapes for dtype in dtypes]
    found = [draw(keys, shape=shape, dtype=dtype) for shape, dtype in cases]
    monkeypatch.setattr(primitives, "BLOCK", 4 * BLOCK)
    for (shape, dtype), one in zip(cases, found, strict=True):
        whole = draw(keys, shape=shape, dtype=dtype)
        assert one.dtype == whole.dtype == dtype and one.shape == whole.shape == (*keys.shape[:-1], *shape)
        assert np.array_equal(one, whole)


def test_tiers_draw_the_same_numbers_on_both_sides_of_a_block():
    sizes = (BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1)

    def draws():
        return ps.concat([one((size,)) for size in sizes for one in (random.normal, random.uniform)])

    want, got = drawn(draws, "numpy"), drawn(draws, "xla")
    assert want.shape == (2 * sum(sizes),) and same_numbers(got, want)


@pytest.mark.parametrize("name", DRAWS)
def test_tiers_draw_the_same_wide_numbers_to_a_rounding(name):
    want = drawn(lambda: DRAWS[name](np.float64), "numpy")
    got = drawn(lambda: DRAWS[name](np.float64), "xla")
    # Logarithm and cosine differ in their last place; that of uniform numbers is exact.
    assert np.array_equal(got, want) if name == "uniform" else np.allclose(got, want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "distribution"),
    [("normal", stats.norm()), ("truncated", stats.truncnorm(-2, 2)), ("uniform", stats.uniform())],
)
def test_distribution(name, distribution, dtype):
    values = drawn(lambda: DRAWS[name](dtype)).astype(np.float64)
    assert values.shape == (MANY,)
    assert abs(values.mean() - distribution.mean()) < 4 * distribution.std() / MANY**0.5
    assert abs(values.var() / distribution.var() - 1) < 0.02
    assert stats.kstest(values, distribution.cdf).pvalue > 0.01
    assert distribution.support()[0] <= values.min()
    assert values.max() <= distribution.support()[1]
    # Neighbours, and the same place in the next draw, know nothing of each other.
    other = drawn(lambda: [DRAWS[name](dtype), DRAWS[name](dtype)][1]).astype(np.float64)
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 4 / MANY**0.5
    assert abs(np.corrcoef(values, other)[0, 1]) < 4 / MANY**0.5


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_uniform_numbers_never_reach_one(dtype):
    largest = np.full(3, 0xFFFFFFFF, np.uint32)
    from penstock.ops.random import _uniform

    top = _uniform(np, largest, largest, np.dtype(dtype)).astype(dtype)
    assert (top < 1).all()
    assert (top > 0.999).all()


def test_float32_is_the_default():
    random.seed(0)
    assert (
        random.normal((2,)).dtype == random.uniform().dtype == random.truncated_normal(3).dtype == np.float32
    )
    assert random.uniform().shape == ()
    assert random.truncated_normal(3).shape == (3,)
    assert random.normal((0, 2)).numpy().shape == (0, 2)


def test_a_seed_decides_all_draws(tier):
    def run():
        random.seed(5)
        return [
            random.normal((3,)),
            random.uniform((3,)),
            random.integers((3,), 0, 1000),
            random.normal((3,)),
        ]

    first, second = ([one.numpy() for one in run()] for _ in range(2))
    assert all(map(np.array_equal, first, second))
    assert not np.array_equal(first[0], first[3])
    random.seed(6)
    assert not np.array_equal(random.normal((3,)).numpy(), first[0])


@pytest.mark.parametrize("number", [-1, 1 << 64, 1.5, True, None])
def test_a_seed_is_a_whole_number(number):
    with pytest.raises(PenstockError, match=r"seed was given"):
        random.seed(number)


def test_the_numbers_go_on_under_the_next_seed():
    random.seed(5)
    keys.generator.number = (1 << 32) - 1
    assert random.key().numpy().tolist() == [0, 5, 0xFFFFFFFF]
    assert random.key().numpy().tolist() == [0, 6, 0]


def test_threads_never_draw_with_one_key():
    random.seed(0)
    found = []

    def draw():
        found.extend(tuple(random.key().numpy()) for _ in range(200))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(found) == [(0, 0, number) for number in range(800)]


def test_nothing_is_compiled_from_draw_to_draw():
    random.seed(0)
    seen = set()
    with use_engine("xla"):
        for step in range(6):
            noise = random.normal((2,), mean=1.0, stddev=0.5 + step)
            seen.add(noise.numpy().tobytes())
            if step == 2:
                before = len(xla.compilations)
    assert len(xla.compilations) == before
    assert len(seen) == 6


def test_gradients_reach_mean_and_deviation(tier):
    random.seed(3)
    noise = random.normal((4,), dtype=np.float64).numpy()
    mean, deviation = ps.Variable(np.float64(0.5)), ps.Variable(np.float64(2.0))
    random.seed(3)
    with ps.GradientTape() as tape:
        total = ps.sum(random.normal((4,), mean, deviation, dtype=np.float64))
    by_mean, by_deviation = tape.gradient(total, [mean, deviation])
    assert float(by_mean) == 4.0
    assert_close(by_deviation, noise.sum(), "by the deviation")


def test_ranges_may_be_tensors():
    random.seed(0)
    low = ps.asarray([0.0, 10.0])
    values = random.uniform((1000, 2), low, low + 1.0).numpy()
    assert (values.min(0) >= [0, 10]).all()
    assert (values.max(0) <= [1, 11]).all()
    assert (values.std(0) > 0.25).all()


def test_integers_are_equally_likely(tier):
    random.seed(1)
    dice = random.integers((60_000,), 1, 7).numpy()
    assert dice.dtype == np.int64
    assert stats.chisquare(np.bincount(dice)[1:]).pvalue > 0.01


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (-5, -2, "int8"),
        (0, 1, "int64"),
        (-(2**63), 2**63, "int64"),
        (0, 2**64, "uint64"),
        (-(2**31), 2**31, "int32"),
        (250, 256, "uint8"),
    ],
)
def test_integers_keep_to_their_range(low, high, dtype, tier):
    random.seed(2)
    values = random.integers((4000,), low, high, dtype=dtype).numpy()
    assert values.dtype == np.dtype(dtype)
    wide = [int(one) for one in values]
    assert low <= min(wide) <= max(wide) < high
    assert min(wide) < low + (high - low) / 100 + 1
    assert max(wide) > high - (high - low) / 100 - 2


def test_wrong_requests_are_refused():
    with pytest.raises(DTypeError, match="normal was asked for int32"):
        random.normal((2,), dtype=np.int32)
    with pytest.raises(DTypeError, match="integers was asked for float32"):
        random.integers((2,), 0, 5, dtype=np.float32)
    with pytest.raises(PenstockError, match="the range 5 to 5"):
        random.integers((2,), 5, 5)
    with pytest.raises(PenstockError, match="the range 0 to 300, for uint8"):
        random.integers((2,), 0, 300, dtype=np.uint8)


def test_a_key_gives_the_next_one():
    random.seed(4)
    first = random.key()
    assert isinstance(first, random.DrawKey)
    assert first.next().numpy().tolist() == [0, 4, 1]


def test_an_expansion_must_be_given_its_key():
    @composite(1)
    def noisy(x):
        return x + random.normal(x.shape)

    with pytest.raises(AssertionError, match="must be given its key"):
        noisy(ps.zeros((2,)))
