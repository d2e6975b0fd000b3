"""Philox: its words, equal numbers in both tiers and in parts, keys of sources, loops and batches."""

import numpy as np
import pytest
from scipy import stats

import penstock as ps
from accelerators import same_numbers
from penstock import tensorflow as tf
from penstock.functions import keys
from penstock.functions.philox_keys import Counting, PhiloxKey, Seeded, common
from penstock.ops import philox
from penstock.ops.philox_gamma import philox_gamma
from penstock.ops.philox_poisson import philox_poisson
from penstock.testing import use_engine

KEYS = np.asarray([[1, 2, 3, 4, 5, 6], [0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 9, 0, 0]], np.uint32)
DRAWS = {
    "bits": (philox.philox_bits, (np.uint32, np.uint64)),
    "uniform": (philox.philox_uniform, (np.float64, np.float32, np.float16)),
    "normal": (philox.philox_normal, (np.float64, np.float32, np.float16)),
    "truncated": (philox.philox_truncated_normal, (np.float64, np.float32, np.float16)),
}
EACH = [(name, dtype) for name, (_, dtypes) in DRAWS.items() for dtype in dtypes]


def compiled(primitive, operand, **params):
    with use_engine("xla"):
        return primitive(ps.asarray(operand), **params).numpy()


def numbers(name, key, shape, dtype):
    return DRAWS[name][0].numpy(key, shape=shape, dtype=np.dtype(dtype))


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [  # of the authors' own test vectors
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_words_are_those_of_philox(counter, key, words):
    found = numbers("bits", np.asarray([*counter, *key], np.uint32), (4,), np.uint32)
    assert tuple(found.tolist()) == words
    whole = sum(word << 32 * place for place, word in enumerate(counter))
    assert philox.block_of(whole, key[0] | key[1] << 32) == words


def test_blocks_are_those_of_the_counters_one_after_another():
    found = numbers("bits", KEYS, (4 * 7,), np.uint32)
    for row, key in zip(found, KEYS.tolist(), strict=True):
        start = sum(word << 32 * place for place, word in enumerate(key[:4]))
        # The counter has 128 bits, and begins again behind its last number.
        blocks = [philox.block_of((start + n) % (1 << 128), key[4] | key[5] << 32) for n in range(7)]
        assert row.tolist() == [word for block in blocks for word in block]


@pytest.mark.parametrize(("name", "dtype"), EACH)
def test_numbers_in_parts_are_those_in_one_piece(name, dtype, monkeypatch):
    want = numbers(name, KEYS, (83,), dtype)
    assert np.array_equal(numbers(name, KEYS, (5,), dtype), want[:, :5])
    assert np.array_equal(numbers(name, KEYS[1], (83,), dtype), want[1])
    monkeypatch.setattr(philox, "BLOCK", 7)
    assert np.array_equal(numbers(name, KEYS, (83,), dtype), want)


@pytest.mark.parametrize(("name", "dtype"), EACH)
def test_tiers_draw_the_same_numbers(name, dtype):
    want = numbers(name, KEYS, (50, 41), dtype)
    got = compiled(DRAWS[name][0], KEYS, shape=(50, 41), dtype=np.dtype(dtype))
    assert got.dtype == want.dtype == np.dtype(dtype)
    if dtype is np.float64 and name != "uniform":
        # Logarithm and cosine differ in their last place.
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    else:
        assert same_numbers(got, want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "distribution"),
    [("normal", stats.norm()), ("truncated", stats.truncnorm(-2, 2)), ("uniform", stats.uniform())],
)
def test_distribution(name, distribution, dtype):
    values = numbers(name, KEYS[0], (50_000,), dtype).astype(np.float64)
    assert stats.kstest(values, distribution.cdf).pvalue > 0.01
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 4 / 50_000**0.5
    assert distribution.support()[0] <= values.min()
    assert values.max() <= distribution.support()[1]


def test_groups_of_truncated_draws_that_need_more_blocks_have_them():
    """Few groups reject so many draws that two blocks do not do: those take the next draws of their own."""
    key, count = KEYS[0], 40_000
    found = numbers("truncated", key, (4 * count,), np.float32).reshape(count, 4)
    words = philox.words_of(np, key, np.arange(count, dtype=np.uint64) * np.uint64(256))
    drawn = np.stack(philox._normal_four(np, words, np.dtype(np.float32)), -1)
    rejected = (np.abs(drawn) >= 2).any(1)
    assert 0.1 < rejected.mean() < 0.3
    assert np.array_equal(found[~rejected], drawn[~rejected])
    assert not (found[rejected] == drawn[rejected]).all(1).any()


@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_permutations_are_the_same_in_both_tiers(length):
    want = philox.philox_permutation.numpy(KEYS, length=length)
    got = compiled(philox.philox_permutation, KEYS, length=length)
    assert np.array_equal(got, want)
    assert all(sorted(row) == list(range(length)) for row in want.tolist())
    orders = {
        tuple(philox.philox_permutation.numpy(Counting(n, 0).key(1)._value, length=3)) for n in range(60)
    }
    assert length or len(orders) == 6


@pytest.mark.parametrize(
    ("primitive", "parameters", "distribution"),
    [
        (philox_gamma, [0.3, 1.0, 6.0], stats.gamma),
        (philox_poisson, [0.7, 9.9, 10.0, 55.0], stats.poisson),
    ],
)
def test_draws_by_rejection_are_distributed_as_they_should_and_the_same_in_both_tiers(
    primitive, parameters, distribution
):
    want = primitive.numpy(KEYS[0], np.asarray(parameters), count=3000)
    for column, parameter in zip(want.T, parameters, strict=True):
        assert abs(column.mean() / parameter - 1) < 5 * (parameter / 3000) ** 0.5 / parameter
        ranks = distribution.cdf(column, parameter)
        assert abs(ranks.var() - 1 / 12) < 0.02 or distribution is stats.poisson
    with use_engine("xla"):
        got = primitive(ps.asarray(KEYS[0]), ps.asarray(np.asarray(parameters)), count=40).numpy()
    np.testing.assert_allclose(got, primitive.numpy(KEYS[0], np.asarray(parameters), count=40), rtol=1e-9)
    wrong = primitive.numpy(KEYS[0], np.asarray([-1.0, np.nan, 2.0]), count=2)
    assert np.isfinite(wrong[:, 2]).all() and not (wrong[:, :2] >= 0).any()


def test_gradients_reach_the_concentration_of_gamma_draws():
    concentration = tf.Variable([0.7, 3.0], dtype="float64")
    with tf.GradientTape() as tape:
        drawn = tf.random.stateless_gamma([4, 2], (1, 2), concentration, dtype="float64")
    found = tape.jacobian(drawn, concentration).numpy()
    # A draw stays where it is in its distribution.
    places, moved = stats.gamma.cdf(drawn.numpy(), [0.7, 3.0]), 1e-6
    ahead, behind = (stats.gamma.ppf(places, np.asarray([0.7, 3.0]) + by) for by in (moved, -moved))
    slopes = (ahead - behind) / (2 * moved)
    np.testing.assert_allclose(np.einsum("nij->ni", found), slopes, rtol=1e-5)


def test_seeds_are_mixed_alike_on_the_host_and_in_both_tiers():
    pairs = np.asarray([[0, 0], [1, 2], [-5, 2**40], [2**62, -1]], np.int64)
    want = [list(philox.mixed(*pair)) for pair in pairs.tolist()]
    assert philox.philox_key.numpy(pairs).tolist() == want
    assert compiled(philox.philox_key, pairs).tolist() == want


# -- sources ------------------------------------------------------------------------------------------------


def test_draws_of_one_source_lie_one_after_another():
    source = Counting(7, 3)
    first, second = source.key(2), source.key(1)
    together = numbers("bits", first._value, (12,), np.uint32)
    assert numbers("bits", second._value, (4,), np.uint32).tolist() == together[8:].tolist()
    assert first.next()._value[0] == 3
    source.drawn = (1 << 64) - 1
    assert source.key(2)._value.tolist() == [0xFFFFFFFF, 0xFFFFFFFF, 3, 0, 7, 0]
    # Behind 2 ** 64 blocks, the upper half of the counter counts on.
    assert source.key(2)._value.tolist() == [1, 0, 4, 0, 7, 0]


def test_a_seeded_source_gives_other_keys_and_the_common_one_follows_the_sequence_of_the_process():
    source = Seeded(5)
    assert {tuple(source.key()._value) for _ in range(20)} == {philox.mixed(5, n) for n in range(20)}
    found = []
    for _ in range(2):
        ps.random.seed(3)
        found.append(
            [common.key()._value.tolist(), common.key().next()._value.tolist(), keys.key()._value.tolist()]
        )
    assert found[0] == found[1] and found[0][0] != found[0][1]


def stepped(draw, tier):
    """Two steps whose recorded program is one, twice each: what they draw."""
    with use_engine(tier):
        step = ps.step(draw)
        return [np.asarray(step(np.float32(1.0)).numpy()).ravel().tolist() for _ in range(4)]


@pytest.mark.parametrize("tier", ["numpy", "xla"])
def test_a_replayed_step_draws_what_a_written_one_draws(tier):
    source = Counting(1, 2)

    def drawn(x):
        return x * philox.philox_uniform(source.key(9), shape=(3,), dtype=np.dtype(np.float32))

    def written():
        return [np.asarray(drawn(np.float32(1.0)).numpy()).tolist() for _ in range(4)]

    found = stepped(drawn, tier)
    source.drawn = 0
    assert found == written()
    assert len({tuple(one) for one in found}) == 4


def test_turns_of_a_loop_draw_other_numbers():
    key = Counting(1, 2).key(0)

    def turn(carry, _):
        return carry, philox.philox_uniform(key, shape=(2,), dtype=np.dtype(np.float32))

    _, found = ps.scan(turn, ps.asarray(0.0), ps.zeros((5, 1)))
    rows = {tuple(row) for row in found.numpy().tolist()}
    assert len(rows) == 5
    assert isinstance(key, PhiloxKey)


def test_examples_of_a_batch_draw_other_numbers_of_one_key():
    key = Counting(1, 2).key(0)
    found = ps.vmap(lambda x: x + philox.philox_uniform(key, shape=(2,), dtype=np.dtype(np.float32)))(
        ps.zeros((4, 2))
    )
    # TensorFlow's vectorized_map draws those of the whole batch in one piece.
    assert found.numpy().ravel().tolist() == numbers("uniform", key._value, (8,), np.float32).tolist()
    orders = ps.vmap(lambda x: x + philox.philox_permutation(key, length=5))(ps.zeros((4, 5))).numpy()
    assert (np.sort(orders, axis=1) == np.arange(5)).all() and len(
        {tuple(row) for row in orders.tolist()}
    ) > 1


# -- in the dialect -----------------------------------------------------------------------------------------


def test_a_generator_goes_on_after_a_checkpoint(tmp_path):
    generator = tf.random.Generator.from_seed(5)
    generator.normal([3])
    path = tf.train.Checkpoint(generator=generator).save(str(tmp_path / "kept"))
    want = generator.normal([3]).numpy()
    other = tf.random.Generator.from_non_deterministic_state()
    tf.train.Checkpoint(generator=other).restore(path)
    assert other.state.numpy().tolist() == [5 + 3 * 256, 0, 0]
    assert np.array_equal(other.normal([3]).numpy(), want)


@pytest.mark.parametrize("alg", ["threefry", 2])
def test_an_algorithm_that_a_cpu_does_not_have_is_refused(alg):
    for draw in (
        lambda: tf.random.stateless_uniform([2], (1, 2), alg=alg),
        lambda: tf.random.Generator.from_seed(1, alg),
    ):
        with pytest.raises(ValueError, match='give alg="philox"'):
            draw()
    with pytest.raises(ValueError, match="unsupported value spam"):
        tf.random.stateless_normal([2], (1, 2), alg="spam")


def test_seeds_that_are_no_whole_numbers_are_refused():
    with pytest.raises(ValueError, match="two whole numbers"):
        tf.random.stateless_uniform([2], (1.0, 2.0))
    with pytest.raises(ValueError, match="Give a whole number"):
        tf.random.uniform([2], seed=1.5)
    with pytest.raises(ValueError, match="must be an integer"):
        tf.keras.random.SeedGenerator(1.5)
    with pytest.raises(ValueError, match="either an integer or an instance"):
        tf.keras.random.uniform((2,), seed="a")


@pytest.mark.parametrize("tier", ["numpy", "xla"])
def test_a_seed_may_be_computed(tier):
    with use_engine(tier):
        want = tf.random.stateless_normal([3], (3, 4)).numpy()
        pair = tf.Variable([1, 2]) + 2
        assert np.array_equal(tf.random.stateless_normal([3], pair).numpy(), want)
        seeds = tf.stack([[3, 4], [5, 6]])
        rows = tf.vectorized_map(lambda seed: tf.random.stateless_normal([3], seed), seeds).numpy()
        assert np.array_equal(rows[0], want) and not np.array_equal(rows[1], want)


def test_without_a_seed_numbers_differ_although_a_graph_or_function_numbers_its_draws(monkeypatch):
    from penstock.tensorflow import _seeds

    monkeypatch.setattr(_seeds.eager, "seed", None)
    drawn = tf.function(lambda: tf.random.uniform([4]))
    assert (
        len({tuple(draw().numpy().tolist()) for draw in (drawn, drawn, lambda: tf.random.uniform([4]))}) == 3
    )


def test_layers_of_one_name_keep_a_seed_each(tmp_path):
    layers = [tf.keras.layers.Dropout(0.5, seed=seed, name="same") for seed in (3, 4)]
    parts = [
        tf.keras.Sequential([tf.keras.Input((50,)), layer], name=f"part_{n}")
        for n, layer in enumerate(layers)
    ]
    model = tf.keras.Sequential([tf.keras.Input((50,)), *parts])
    model(np.ones((2, 50)), training=True)
    ps.save(str(tmp_path / "kept"), model)
    for layer in layers:
        layer.seed_generator.state.assign([9, 9])
    ps.load(str(tmp_path / "kept"), model)
    assert [layer.seed_generator.state.numpy().tolist() for layer in layers] == [[3, 1], [4, 1]]


def test_seeds_of_layers_survive_a_save(tmp_path):
    layer = tf.keras.layers.Dropout(0.5, seed=3)
    model = tf.keras.Sequential([tf.keras.Input((50,)), layer])
    model(np.ones((2, 50)), training=True)
    ps.save(str(tmp_path / "kept"), model)
    want = model(np.ones((2, 50)), training=True).numpy()
    layer.seed_generator.state.assign([9, 9])
    ps.load(str(tmp_path / "kept"), model)
    assert layer.seed_generator.state.numpy().tolist() == [3, 1]
    assert np.array_equal(model(np.ones((2, 50)), training=True).numpy(), want)
    with pytest.raises(AttributeError, match="seed_generator"):
        _ = tf.keras.layers.Dense(1).seed_generator
