"""Special functions against SciPy, in both tiers and every floating-point dtype."""

import functools
import json
import math
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from scipy import special as scipy

import penstock as ps
from one_program import value_of, values_of
from penstock.errors import DTypeError, PenstockError
from penstock.testing import check_grads, gradients, use_engine

GAMMA = json.loads((Path(__file__).parent / "oracles" / "incomplete_gamma.json").read_text(encoding="utf-8"))

REAL = np.linspace(-19.93, 40.017, 301)
POSITIVE = np.geomspace(1e-3, 300.0, 200)
OPEN = np.r_[-1 + 1e-12, np.linspace(-0.999, 0.999, 201), 1e-300, 1e-9]
CHANCES = np.r_[np.geomspace(1e-300, 0.4, 60), np.linspace(0.41, 1 - 1e-9, 60)]
WIDE = np.linspace(-200.0, 200.0, 401)
SHAPES = np.repeat(np.geomspace(0.02, 200.0, 25), 8)
SPREAD = SHAPES * np.tile(np.geomspace(0.1, 4.0, 8), 25)
UNIT = np.tile(np.linspace(0.01, 0.99, 8), 25)

# By name: arguments, SciPy's function, and how many roundings of float64 ours may be away (of the larger of
# the value and 1, as logarithms pass through zero): SciPy's own reference tests ask for no more.
CASES = {
    "erf": ((REAL,), scipy.erf, 4),
    "erfc": ((REAL,), scipy.erfc, 4),
    "erfinv": ((OPEN,), scipy.erfinv, 128),
    "ndtr": ((REAL,), scipy.ndtr, 4),
    "ndtri": ((CHANCES,), scipy.ndtri, 16),
    "log_ndtr": ((REAL,), scipy.log_ndtr, 64),
    "gamma": ((np.linspace(-9.93, 20.0, 301),), scipy.gamma, 256),
    "gammaln": ((REAL,), scipy.gammaln, 64),
    "lgamma": ((POSITIVE,), scipy.gammaln, 64),
    "digamma": ((REAL,), scipy.digamma, 512),
    "betaln": ((POSITIVE, POSITIVE[::-1]), scipy.betaln, 8192),
    "betainc": ((SHAPES, SHAPES[::-1], UNIT), scipy.betainc, 8192),
    "zeta": ((np.geomspace(1.01, 40.0, 200), POSITIVE[::-1]), scipy.zeta, 4096),
    "gammainc": ((SHAPES, SPREAD), scipy.gammainc, 2048),
    "gammaincc": ((SHAPES, SPREAD), scipy.gammaincc, 2048),
    "gammaincinv": ((SHAPES, UNIT), scipy.gammaincinv, 8192),
    "i0": ((WIDE,), scipy.i0, 64),
    "i0e": ((WIDE,), scipy.i0e, 16),
    "i1": ((WIDE,), scipy.i1, 64),
    "i1e": ((WIDE,), scipy.i1e, 16),
    "xlogy": ((REAL, POSITIVE[:1]), scipy.xlogy, 4),
    "xlog1py": ((REAL, POSITIVE[:1]), scipy.xlog1py, 4),
    "entr": ((POSITIVE,), scipy.entr, 4),
    "expit": ((REAL,), scipy.expit, 8),
    "logit": ((CHANCES,), scipy.logit, 64),
    "sinc": ((REAL,), np.sinc, 64),
}


def test_every_function_is_held_against_scipy():
    elsewhere = {"polygamma", "logsumexp", "softmax", "log_softmax"}
    assert set(ps.special.__all__) == set(CASES) | elsewhere


def arguments_in(dtype, name):
    arguments, _, _ = CASES[name]
    if dtype == np.float64:
        return arguments
    # XLA flushes subnormal numbers to zero.
    return [np.where(np.abs(one) < 1e-4, 1e-4, one).astype(dtype) for one in arguments]


def call(name, dtype):
    return getattr(ps.special, name)(*map(ps.asarray, arguments_in(dtype, name)))


@functools.cache
def values_in(tier, dtype):
    """What all functions come to in a tier, by arguments of a dtype."""
    calls = {name: functools.partial(call, name, dtype) for name in CASES}
    # Whatever the dtype, these are computed in float64, whose code is compiled as users' is; another test
    # checks XLA with each dtype for each primitive: see test_vjp_table.py.
    return values_of(tier, calls, quickly=dtype.itemsize < 8)


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_scipy(name, tier):
    arguments, reference, roundings = CASES[name]
    want = reference(*arguments)
    got = value_of(values_in(tier, np.dtype(np.float64))[name])
    assert got.dtype == np.float64
    error = np.abs(got - want) / np.maximum(np.abs(want), 1.0)
    error = np.where(got == want, 0.0, error)
    worst = int(np.argmax(error))
    assert error[worst] <= roundings * np.finfo(np.float64).eps, (
        f"{name}: {got[worst]}, SciPy {want[worst]}, at {[one.flat[worst % one.size] for one in arguments]}"
    )


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_polygamma_is_that_of_scipy(order, tier):
    got = ps.special.polygamma(order, ps.asarray(POSITIVE)).numpy()
    assert np.allclose(got, scipy.polygamma(order, POSITIVE), rtol=4e-15, atol=0)
    below = np.asarray([-0.3, -1.6, -7.25])
    assert np.allclose(
        ps.special.polygamma(1, ps.asarray(below)).numpy(), scipy.polygamma(1, below), rtol=1e-14, atol=0
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_narrow_values_are_the_wide_ones_rounded(name, dtype, tier):
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    with use_engine("numpy"):
        widened = (ps.asarray(one.astype(np.float64)) for one in arguments_in(dtype, name))
        wide = getattr(ps.special, name)(*widened).numpy()
    got = value_of(values_in(tier, dtype)[name])
    assert got.dtype == dtype
    with np.errstate(over="ignore"):
        want = wide.astype(np.float32).astype(dtype).astype(np.float64)
    spacing = float(ml_dtypes.finfo(dtype).eps)
    finite = np.isfinite(want) & np.isfinite(wide)
    assert np.array_equal(np.isnan(got), np.isnan(want))
    error = np.abs(got[finite].astype(np.float64) - want[finite]) / np.maximum(np.abs(want[finite]), 1.0)
    # betaln is a difference of large terms, each rounded.
    assert error.max() <= (512 if name == "betaln" else 64) * spacing


SPECIAL_POINTS = [
    ("erfinv", -1.0, -np.inf), ("erfinv", 1.0, np.inf), ("erfinv", 1.5, np.nan),
    ("ndtri", 0.0, -np.inf), ("ndtri", 1.0, np.inf), ("ndtri", -0.1, np.nan),
    ("log_ndtr", -np.inf, -np.inf), ("log_ndtr", np.inf, 0.0), ("log_ndtr", -1e10, -5e19),
    ("gammaln", 0.0, np.inf), ("gammaln", -3.0, np.inf), ("gammaln", np.inf, np.inf),
    ("digamma", 0.0, -np.inf), ("digamma", -0.0, np.inf), ("digamma", -3.0, np.nan),
    ("digamma", np.inf, np.inf), ("entr", 0.0, 0.0), ("entr", -1.0, -np.inf),
    ("gamma", -3.0, np.nan), ("gamma", 0.0, np.inf), ("gamma", 200.0, np.inf),
    ("i0", 1e4, np.inf), ("i0e", np.inf, 0.0), ("i1", -np.inf, -np.inf),
    ("logit", 0.0, -np.inf), ("logit", 1.0, np.inf), ("logit", 1.5, np.nan),
    ("sinc", 0.0, 1.0), ("sinc", np.inf, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "want"), SPECIAL_POINTS)
def test_special_points(name, x, want, tier):
    got = float(getattr(ps.special, name)(ps.asarray(np.float64(x))))
    assert got == pytest.approx(want, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "operands", "want"),
    [
        ("gammainc", (2.0, 0.0), 0.0), ("gammainc", (2.0, np.inf), 1.0), ("gammainc", (-1.0, 1.0), np.nan),
        ("gammaincc", (2.0, 0.0), 1.0), ("gammaincc", (0.5, 800.0), 0.0), ("gammainc", (3.0, 1e8), 1.0),
        ("gammaincinv", (2.0, 0.0), 0.0), ("gammaincinv", (2.0, 1.0), np.inf),
        ("gammaincinv", (2.0, 1.1), np.nan),
        ("xlogy", (0.0, 0.0), 0.0), ("xlogy", (0.0, np.nan), np.nan), ("xlogy", (0.0, np.inf), 0.0),
        ("xlog1py", (0.0, -1.0), 0.0), ("xlog1py", (2.0, -1.0), -np.inf),
    ],
)  # fmt: skip
def test_special_points_of_two(name, operands, want, tier):
    got = float(getattr(ps.special, name)(*(ps.asarray(np.float64(one)) for one in operands)))
    assert got == pytest.approx(want, nan_ok=True)


def test_derivatives_to_the_third_order():
    with use_engine("numpy"):
        check_grads(ps.special.sinc, [0.0, 0.4, 2.3], order=3)
        check_grads(ps.special.log_ndtr, [-25.0, -3.0, 4.0], order=2)
        check_grads(ps.special.i1, [0.0, 1.5], order=2)
        check_grads(ps.special.gammaincinv, [0.7, 3.0], [0.2, 0.9], order=2)


def test_gamma_probability_has_a_slope_by_its_shape(tier):
    a, x = np.float64(2.5), np.float64(3.1)
    v = ps.Variable(a)
    with ps.GradientTape() as tape:
        y = ps.special.gammainc(v, x)
    step = 1e-5
    want = (scipy.gammainc(a + step, x) - scipy.gammainc(a - step, x)) / (2 * step)
    assert float(tape.gradient(y, v)) == pytest.approx(want, rel=1e-8)


def test_incomplete_gamma_of_large_shapes_has_all_its_digits(tier):
    # Far above a, the derivative by a is only as exact, in absolute terms, as the largest slope.
    a, x, lower, upper, slope, density = np.asarray(GAMMA["rows"]).T
    assert np.allclose(ps.special.gammainc(a, x).numpy(), lower, rtol=1e-12, atol=0.0)
    assert np.allclose(ps.special.gammaincc(a, x).numpy(), upper, rtol=1e-12, atol=0.0)
    by_a, by_x = gradients(ps.special.gammainc, [ps.asarray(a), ps.asarray(x)], [0, 1], [np.ones(a.shape)])
    steepest = 1.0 / np.sqrt(2.0 * np.pi * a)
    assert np.allclose(by_a.numpy() / steepest, slope / steepest, rtol=1e-12, atol=1e-13)
    below = x < a
    assert np.allclose(by_a.numpy()[below], slope[below], rtol=1e-12, atol=0.0)
    assert np.allclose(by_x.numpy(), density, rtol=1e-12, atol=0.0)


def test_incomplete_gamma_is_scipys_where_scipy_is_right():
    # Further out, and at larger shapes, SciPy 1.17 loses its digits.
    a = np.repeat(np.geomspace(20.0, 2e5, 40), 9)
    x = a + np.tile(np.linspace(-4.0, 4.0, 9), 40) * np.sqrt(a)
    with use_engine("numpy"):
        for name in ("gammainc", "gammaincc"):
            want = getattr(scipy, name)(a, x)
            assert np.allclose(getattr(ps.special, name)(a, x).numpy(), want, rtol=1e-12, atol=0.0)
        # A rounding of a probability near 1 is 1e-12 of the value.
        back = ps.special.gammaincinv(a, scipy.gammainc(a, x)).numpy()
        assert np.allclose(back, scipy.gammaincinv(a, scipy.gammainc(a, x)), rtol=1e-11, atol=0.0)
        assert np.allclose(ps.special.gammaincinv(1e12, 0.5).numpy(), 1e12 - 1 / 3, rtol=1e-15, atol=0.0)


def test_slopes_of_the_incomplete_gamma_function_to_the_second_order():
    # In each of the three ways: the series below, around a large a, and above.
    with use_engine("numpy"):
        a, x = [2.5, 150.0, 150.0, 150.0, 40.0], [1.5, 90.0, 141.0, 210.0, 44.0]
        check_grads(ps.special.gammainc, a, x, order=2)
        check_grads(ps.special.gammaincinv, [150.0, 400.0], [0.2, 0.9], order=2)


def test_the_density_at_zero_is_that_of_its_limit():
    x = ps.asarray(np.zeros(3))
    with use_engine("numpy"):
        (slope,) = gradients(
            lambda x: ps.special.gammainc(np.asarray([0.5, 1.0, 2.0]), x), [x], [0], [np.ones(3)]
        )
    assert slope.numpy().tolist() == [np.inf, 1.0, 0.0]


def test_wrong_operands_are_refused_on_their_line():
    with pytest.raises(DTypeError, match="lgamma takes real floating-point operands") as caught:
        ps.special.gammaln(ps.asarray([1, 2]))
    assert caught.value.site.file == __file__
    with pytest.raises(PenstockError, match="polygamma was given n = -1") as caught:
        ps.special.polygamma(-1, 1.0)
    assert caught.value.site.file == __file__


def test_slopes_of_the_incomplete_beta_function_by_all_three():
    # Below, at and above the mean, where the computation switches from one series to the other.
    with use_engine("numpy"):
        a, b = [0.4, 2.5, 1.3, 30.0, 0.02], [0.7, 4.1, 2.0, 20.0, 3.0]
        check_grads(ps.special.betainc, a, b, [0.2, 0.37, 0.9, 0.6, 0.5], order=2)


def test_slopes_of_zeta_by_both():
    with use_engine("numpy"):
        check_grads(ps.special.zeta, [1.4, 2.5, 7.0, 12.5], [0.3, 4.1, 1.0, 25.0], order=2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_beta_and_zeta_at_their_edges(dtype, tier):
    nan, inf = np.nan, np.inf
    a = np.asarray([1.0, 2.0, 2.0, -1.0, nan, 2.0, inf], dtype)
    x = np.asarray([0.0, 1.0, 1.5, 0.5, 0.5, nan, 0.5], dtype)
    got = ps.special.betainc(a, np.asarray(2.0, dtype), x).numpy()
    assert np.array_equal(got, [0.0, 1.0, nan, nan, nan, nan, nan], equal_nan=True)
    s = np.asarray([1.0, 0.5, 2.0, 2.0, 2.5, 2.0, nan, 3.0], dtype)
    q = np.asarray([2.0, 1.0, 0.0, -1.0, -0.5, inf, 1.0, -7.25], dtype)
    want = scipy.zeta(s.astype(np.float64), q.astype(np.float64))
    assert np.allclose(ps.special.zeta(s, q).numpy(), want, equal_nan=True, rtol=1e-6)
    assert ps.special.betainc(np.zeros((0, 2)), 1.0, 0.5).shape == (0, 2)


def test_the_error_function_is_that_of_the_c_library():
    from penstock.ops.error_function import erf

    rng = np.random.default_rng(0)
    x = np.concatenate([
        np.linspace(-7.0, 7.0, 20_001), rng.normal(size=20_000), 10.0 ** np.linspace(-320.0, 1.0, 1000),
        [0.0, -0.0, np.inf, -np.inf, 0.84375, 1.25, 1 / 0.35, 6.0],
    ])  # fmt: skip
    want = np.asarray([math.erf(one) for one in x])
    assert np.all(np.abs(erf(x) - want) <= np.spacing(np.abs(want)))
    assert np.signbit(erf(np.asarray([-0.0]))).all() and np.isnan(erf(np.nan))
    assert erf(np.zeros((0, 3))).shape == (0, 3)
