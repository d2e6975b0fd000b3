"""Random numbers of more distributions: the same in both tiers, distributed as promised, with gradients."""

import functools

import numpy as np
import pytest
from scipy import special, stats

import penstock as ps
from one_program import value_of, values_of
from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.functions import keys, random
from penstock.testing import assert_close, use_engine
from test_random import drawn

MANY = 20_000

CONTINUOUS = {
    "exponential": (lambda n, dtype: random.exponential((n,), 2.0, dtype=dtype), stats.expon(scale=2.0)),
    "laplace": (lambda n, dtype: random.laplace((n,), 1.0, 0.5, dtype=dtype), stats.laplace(1.0, 0.5)),
    "logistic": (lambda n, dtype: random.logistic((n,), 1.0, 0.5, dtype=dtype), stats.logistic(1.0, 0.5)),
    "gumbel": (lambda n, dtype: random.gumbel((n,), 1.0, 0.5, dtype=dtype), stats.gumbel_r(1.0, 0.5)),
    "gamma": (lambda n, dtype: random.gamma((n,), 2.5, 2.0, dtype=dtype), stats.gamma(2.5, scale=2.0)),
    "gamma of little": (lambda n, dtype: random.gamma((n,), 0.2, dtype=dtype), stats.gamma(0.2)),
    "gamma of much": (lambda n, dtype: random.gamma((n,), 80.0, dtype=dtype), stats.gamma(80.0)),
    "beta": (lambda n, dtype: random.beta((n,), 0.7, 3.0, dtype=dtype), stats.beta(0.7, 3.0)),
}
DISCRETE = {
    "poisson": (lambda n: random.poisson((n,), 3.5), stats.poisson(3.5).pmf(np.arange(40))),
    "poisson of much": (lambda n: random.poisson((n,), 700.0), stats.poisson(700.0).pmf(np.arange(1400))),
    "bernoulli": (lambda n: random.bernoulli((n,), 0.3, dtype=np.int64), np.asarray([0.7, 0.3])),
    "categorical": (
        lambda n: random.categorical(np.log(np.float32([0.1, 0.6, 0.3])), (n,)),
        np.asarray([0.1, 0.6, 0.3]),
    ),
    "choice": (lambda n: random.choice(3, (n,), p=np.asarray([1.0, 6.0, 3.0])), np.asarray([0.1, 0.6, 0.3])),
    "choice of equals": (lambda n: random.choice(4, (n,)), np.full(4, 0.25)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_distribution(name):
    draw, distribution = CONTINUOUS[name]
    values = drawn(lambda: draw(MANY, np.float64))
    assert values.dtype == np.float64
    assert stats.kstest(values, distribution.cdf).pvalue > 0.001


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_distribution(name):
    draw, chances = DISCRETE[name]
    values = drawn(lambda: draw(MANY))
    assert values.dtype == np.int64
    likely = chances * MANY > 10
    counts = np.bincount(values, minlength=len(chances))
    found = [*counts[likely], MANY - counts[likely].sum()]
    wanted = [*(chances[likely] * MANY), MANY * (1 - chances[likely].sum())]
    if wanted[-1] < 1e-6:
        assert found.pop() == 0
        wanted.pop()
    assert stats.chisquare(found, np.asarray(wanted) * (sum(found) / sum(wanted))).pvalue > 0.001


def from_the_seed(draw):
    random.seed(11)
    return draw()


@functools.cache
def many_drawn(tier, dtype):
    """2,000 draws of each distribution in a tier, in a dtype; without a dtype, of the discrete ones."""
    if dtype is None:
        draws = {name: functools.partial(draw, 2000) for name, (draw, _) in DISCRETE.items()}
    else:
        draws = {name: functools.partial(draw, 2000, dtype) for name, (draw, _) in CONTINUOUS.items()}
    calls = {name: functools.partial(from_the_seed, draw) for name, draw in draws.items()}
    # Another test checks XLA with halves for each primitive: see test_vjp_table.py.
    return values_of(tier, calls, quickly=dtype == "float16")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_tiers_draw_the_same_numbers(name, dtype):
    want, got = (value_of(many_drawn(tier, dtype)[name]) for tier in ("numpy", "xla"))
    assert got.dtype == want.dtype == np.dtype(dtype)
    # Narrow ones are equal except where the last place of a float64 decides a rounding.
    assert (got != want).mean() < 1e-3
    assert_close(got, want, name)


@pytest.mark.parametrize("name", DISCRETE)
def test_tiers_draw_the_same_whole_numbers(name):
    want, got = (value_of(many_drawn(tier, None)[name]) for tier in ("numpy", "xla"))
    assert np.array_equal(got, want)


def test_dirichlet_sums_to_one_and_has_its_means(tier):
    concentration = np.asarray([0.5, 1.5, 4.0])
    values = drawn(lambda: random.dirichlet(concentration, (4000,), dtype=np.float64), tier)
    assert values.shape == (4000, 3)
    assert np.allclose(values.sum(-1), 1.0)
    assert np.allclose(values.mean(0), concentration / 6.0, atol=0.015)
    rare = drawn(lambda: random.dirichlet(np.full(3, 1e-3), (500,)), tier)
    assert np.isfinite(rare).all()


def test_normal_vectors_have_their_covariance(tier):
    factor = np.asarray([[1.0, 0.0], [0.8, 0.5]])
    values = drawn(lambda: random.multivariate_normal(np.asarray([1.0, -1.0]), factor, (20_000,)), tier)
    assert np.allclose(values.mean(0), [1.0, -1.0], atol=0.03)
    assert np.allclose(np.cov(values.T), factor @ factor.T, atol=0.04)


def test_normal_vectors_may_be_told_their_covariance(tier):
    covariance = np.asarray([[4.0, 1.0], [1.0, 2.0]])
    factor = np.linalg.cholesky(covariance)
    mean = np.asarray([1.0, -1.0])
    random.seed(3)
    given = random.multivariate_normal(mean, factor, (5,)).numpy()
    random.seed(3)
    assert np.allclose(random.multivariate_normal(mean, shape=(5,), covariance=covariance).numpy(), given)
    # The derivative through the factor, against differences of the factor itself.
    tangent = np.asarray([[0.3, -0.2], [-0.2, 0.7]])
    variable = ps.Variable(covariance)
    random.seed(3)
    with ps.GradientTape() as tape:
        y = ps.sum(ps.sin(random.multivariate_normal(mean, shape=(5,), covariance=variable)))
    slope = float(np.sum(tape.gradient(y, variable).numpy() * tangent))
    z = (given - mean) @ np.linalg.inv(factor).T

    def value(step):
        moved = np.linalg.cholesky(covariance + step * tangent)
        return np.sin(mean + z @ moved.T).sum()

    assert slope == pytest.approx((value(1e-6) - value(-1e-6)) / 2e-6, rel=1e-6)
    for given in ({}, {"scale_tril": factor, "covariance": covariance}):
        with pytest.raises(PenstockError, match="scale_tril") as caught:
            random.multivariate_normal(mean, **given)
        assert caught.value.site.file == __file__


def test_permutations_hold_everything_once_in_every_order(tier):
    random.seed(1)
    orders = {tuple(random.permutation(3).numpy().tolist()) for _ in range(60)}
    assert len(orders) == 6
    rows = np.arange(12.0).reshape(6, 2)
    mixed = random.permutation(rows).numpy()
    assert sorted(mixed.tolist()) == rows.tolist()


def test_choice_without_putting_back(tier):
    random.seed(1)
    chosen = random.choice(np.asarray([10, 20, 30, 40]), (3,), replace=False).numpy()
    assert len(set(chosen.tolist())) == 3
    weighed = [random.choice(4, (2,), replace=False, p=np.asarray([0.0, 1, 0, 1])).numpy() for _ in range(5)]
    assert all(sorted(one.tolist()) == [1, 3] for one in weighed)


# -- gradients ----------------------------------------------------------------------------------------------


def test_slope_of_a_gamma_draw_is_that_of_its_quantile(tier):
    a = ps.Variable(np.asarray([0.3, 1.7, 20.0]))
    random.seed(4)
    with ps.GradientTape() as tape:
        y = random.gamma((), a, dtype=np.float64)
    found = tape.gradient(y, a).numpy()
    u = stats.gamma.cdf(y.numpy(), a.numpy())
    step = 1e-5 * a.numpy()
    want = (special.gammaincinv(a.numpy() + step, u) - special.gammaincinv(a.numpy() - step, u)) / (2 * step)
    assert np.allclose(found, want, rtol=1e-5)


def test_gradients_estimate_those_of_expectations():
    with use_engine("numpy"):
        random.seed(2)
        a, b = ps.Variable(np.float64(2.0)), ps.Variable(np.float64(3.0))
        with ps.GradientTape() as tape:
            y = ps.mean(random.beta((20_000,), a, b, dtype=np.float64))
        found = [float(one) for one in tape.gradient(y, [a, b])]
        # The mean is a / (a + b).
        assert np.allclose(found, [3 / 25, -2 / 25], atol=0.005)
        scale = ps.Variable(np.float64(2.0))
        with ps.GradientTape() as tape:
            y = ps.mean(random.exponential((20_000,), scale, dtype=np.float64))
        assert abs(float(tape.gradient(y, scale)) - 1.0) < 0.03


def test_counts_have_no_gradient_and_say_why():
    rate = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = random.poisson((4,), rate, dtype=np.float32)
    assert tape.gradient(y, rate) is None
    assert ps.explain(y, rate).reason == "flat"


# -- keys ---------------------------------------------------------------------------------------------------


def test_split_keys_give_separate_sequences(tier):
    random.seed(5)
    key = random.key()
    one, other = random.split(key)
    again = random.split(key)[0]
    draws = [random.normal((4,), key=k).numpy() for k in (one, other, key, again)]
    assert np.array_equal(draws[0], draws[3])
    assert len({d.tobytes() for d in draws}) == 3


def test_a_key_leaves_the_sequence_alone():
    random.seed(5)
    key = random.key()
    before = keys.generator.number
    random.uniform((3,), key=key)
    random.gamma((3,), 2.0, key=key)
    random.beta((3,), 2.0, 1.0, key=key)
    random.choice(3, (2,), key=key)
    random.permutation(3, key=key)
    assert keys.generator.number == before


def test_every_element_of_a_parameter_has_its_own_number():
    random.seed(6)
    values = random.normal((), np.zeros(50), dtype=np.float64).numpy()
    assert len(set(values.tolist())) == 50


BAD = {
    "key": (PenstockError, "A key is", lambda: random.normal((2,), key=np.zeros(3))),
    "split": (PenstockError, "split was asked for -1 keys", lambda: random.split(random.key(), -1)),
    "dtype": (DTypeError, "gamma was asked for int32", lambda: random.gamma((2,), 1.0, dtype=np.int32)),
    "classes": (ShapeError, "categorical was given logits", lambda: random.categorical(np.zeros((2, 0)))),
    "one class": (ShapeError, "dirichlet was given one number", lambda: random.dirichlet(2.0)),
    "factor": (ShapeError, "scale_tril", lambda: random.multivariate_normal(np.zeros(2), np.ones((3, 3)))),
    "choice": (PenstockError, "4 of 3 elements", lambda: random.choice(3, (4,), replace=False)),
    "weights": (ShapeError, "p has shape", lambda: random.choice(3, (4,), p=np.ones(2))),
    "shuffled scalar": (ShapeError, "without axes", lambda: random.permutation(np.asarray(2.0))),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_on_its_line(name):
    kind, words, call = BAD[name]
    with pytest.raises(kind, match=words) as caught:
        call()
    assert caught.value.site.file == __file__
