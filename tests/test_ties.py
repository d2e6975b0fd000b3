"""Second and third derivatives where operands tie, vanish or are singular, against differences of values."""

import itertools

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow as tf
from penstock.testing import use_engine


def hessian_of_values(f, x):
    """The second derivatives by differences of values, extrapolated from two step lengths."""

    def value(*steps):
        moved = x.copy()
        for place, step in steps:
            moved[place] += step
        return float(f(ps.asarray(moved)))

    def at(h):
        found = np.zeros((x.size, x.size))
        for i, j in itertools.product(range(x.size), repeat=2):
            signs = itertools.product((h, -h), repeat=2)
            found[i, j] = sum(a * b * value((i, a), (j, b)) for a, b in signs) / (4 * h**4)
        return found

    return (4 * at(1e-3) - at(2e-3)) / 3


SLOPES = np.asarray([0.7, -1.3, 0.4])
FUNCTIONS = {
    "logaddexp": (lambda x: ps.logaddexp(x[0], x[1]), [(0.0, 0.0), (2.0, 2.0), (-30.0, -30.0), (1.0, -1.0)]),
    "power": (lambda x: ps.pow(x[0], x[1]), [(2.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0)]),
    "hypot": (lambda x: ps.hypot(x[0], x[1]), [(0.0, 1.0), (2.0, 0.0)]),
    "atan2": (lambda x: ps.atan2(x[0], x[1]), [(0.0, 1.0), (1.0, 0.0)]),
    "divide": (lambda x: x[0] / x[1], [(0.0, 2.0)]),
    "xlogy": (lambda x: ps.special.xlogy(x[0], x[1]), [(0.0, 1.0), (0.0, 2.0)]),
    "xlog1py": (lambda x: ps.special.xlog1py(x[0], x[1]), [(0.0, 0.0)]),
    "logsumexp": (ps.nn.logsumexp, [(1.0, 1.0, 1.0), (0.0, 0.0, -1.0)]),
    "softmax": (lambda x: ps.sum(ps.nn.softmax(x) * SLOPES), [(1.0, 1.0, 1.0)]),
    "log_softmax": (lambda x: ps.sum(ps.nn.log_softmax(x) * SLOPES), [(1.0, 1.0, 0.0)]),
    "prod": (ps.prod, [(0.0, 2.0, 3.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0)]),
    "cumulative_prod": (lambda x: ps.sum(ps.cumulative_prod(x)), [(0.0, 2.0, 3.0), (0.0, 0.0, 3.0)]),
    "cumulative_logsumexp": (lambda x: ps.sum(ps.cumulative_logsumexp(x)), [(0.0, 0.0, 0.0)]),
    "var": (ps.var, [(1.0, 1.0, 1.0)]),
    "vector_norm": (ps.linalg.vector_norm, [(1.0, 0.0, -2.0)]),
    "vector_norm of order 3": (lambda x: ps.linalg.vector_norm(x, ord=3), [(1.0, 1.0, -1.0)]),
    "vector_norm of order 4": (lambda x: ps.linalg.vector_norm(x, ord=4), [(1.0, 0.0, -1.0)]),
    "vector_norm of order -2": (lambda x: ps.linalg.vector_norm(x, ord=-2), [(1.0, 1.0, -1.0)]),
    "sigmoid_cross_entropy": (lambda x: ps.losses.sigmoid_cross_entropy(x[0], 0.3), [(0.0,)]),
    "sigmoid_focal": (lambda x: ps.losses.sigmoid_focal(x[0], 1.0), [(0.0,)]),
    "log_cosh": (lambda x: ps.losses.log_cosh(x[0], x[1]), [(1.0, 1.0)]),
    "layer_normalization": (
        lambda x: ps.sum(ps.nn.layer_normalization(x, 1.0, 0.0, epsilon=0.1) * SLOPES),
        [(1.0, 1.0, 1.0), (0.0, 0.0, 1.0)],
    ),
    **{
        name: (lambda x, function=function: function(x[0]), [(0.0,)])
        for name, function in {
            "silu": ps.nn.silu, "mish": ps.nn.mish, "softplus": ps.nn.softplus, "sinc": ps.special.sinc,
            "gelu": lambda x: ps.nn.gelu(x, approximate=False), "i0": ps.special.i0, "erf": ps.erf,
            "squareplus": ps.nn.squareplus, "log_sigmoid": ps.nn.log_sigmoid, "log_ndtr": ps.special.log_ndtr,
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_at_ties_are_those_of_the_values(name):
    function, points = FUNCTIONS[name]
    with use_engine("numpy"):
        for point in points:
            x = np.asarray(point)
            found, want = ps.hessian(function)(ps.asarray(x)).numpy(), hessian_of_values(function, x)
            assert np.allclose(found, want, rtol=1e-5, atol=1e-5), f"{name} at {point}: {found}, {want}"


SINGULAR = {
    "of rank 2": np.arange(9.0).reshape(3, 3),
    "of rank 1": np.outer([1.0, -2.0, 0.5, 1.0], [2.0, 1.0, -1.0, 3.0]),
    "of zeros": np.zeros((4, 4)),
    "regular": np.asarray([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.0, 1.5]]),
}


@pytest.mark.parametrize(("engine", "name"), [*(("numpy", name) for name in SINGULAR), ("xla", "of rank 1")])
def test_a_determinant_has_three_derivatives_where_there_is_no_inverse(engine, name):
    """Along one direction it is a polynomial, whose coefficients follow from its values."""
    x = SINGULAR[name]
    along = np.random.default_rng(3).standard_normal(x.shape)
    times = np.arange(-3.0, 4.0)
    coefficients = np.polynomial.polynomial.polyfit(times, [np.linalg.det(x + t * along) for t in times], 6)

    def slope(f):
        def derivative(t):
            with ps.GradientTape() as tape:
                tape.watch(t)
                value = f(t)
            return tape.gradient(value, t)

        return derivative

    one = slope(lambda t: ps.linalg.det(ps.asarray(x) + t * ps.asarray(along)))
    with use_engine(engine):
        start = ps.asarray(0.0, dtype="float64")
        found = [float(one(start)), float(slope(one)(start)), float(slope(slope(one))(start))]
    assert np.allclose(found, coefficients[1:4] * [1, 2, 6], rtol=1e-7, atol=1e-9)


def test_a_fourth_derivative_of_a_determinant_needs_the_inverse():
    eye = np.eye(4)
    steps = [ps.asarray(np.diag(row)) for row in eye]

    def along(f, step):
        return lambda x: ps.sum(ps.grad(f)(x) * step)

    fourth = ps.linalg.det
    for step in steps:
        fourth = along(fourth, step)
    assert np.isclose(float(fourth(ps.asarray(eye * 2.0))), 1.0)
    assert np.isnan(float(fourth(ps.asarray(np.zeros((4, 4))))))


def test_the_gamma_function_has_its_slopes_at_the_end_of_its_domain():
    zero = ps.asarray(0.0, dtype="float64")
    for a, want in ((1.0, [0.0, 1.0, -1.0, 1.0]), (2.0, [0.0, 0.0, 1.0, -2.0]), (3.0, [0.0, 0.0, 0.0, 1.0])):
        found, f = [], lambda x: ps.special.gammainc(a, x)  # noqa: B023
        for _ in want:
            found.append(float(f(zero)))
            f = ps.grad(f)
        assert found == want


@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 2e-6), ("float64", 1e-12)])
def test_the_slope_of_log_ndtr_keeps_its_digits_far_out(dtype, rtol):
    x = np.asarray([-9.9, -10.1, -19.9, -20.1, -40.0, -300.0, -3e4, -1e15])
    found = ps.grad(lambda x: ps.sum(ps.special.log_ndtr(x)))(ps.asarray(x, dtype=dtype)).numpy()
    # The ratio of density and probability by its continued fraction: x + 1 / (x + 2 / (x + 3 / ...)).
    want = -x
    for k in range(200, 0, -1):
        want = -x + k / want
    assert np.allclose(found, want, rtol=rtol)


@pytest.mark.parametrize("order", [-1, -0.5, -2, -3.5])
@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
def test_a_norm_of_negative_order_at_zero_has_slope_zero(tier, order, x):
    x = ps.asarray(x)
    assert float(ps.linalg.vector_norm(x, ord=order)) == 0.0
    for found in (ps.grad(lambda x: ps.linalg.vector_norm(x, ord=order))(x),
                  ps.hessian(lambda x: ps.linalg.vector_norm(x, ord=order))(x)):  # fmt: skip
        assert not found.numpy().any()


def test_norms_of_great_order_do_not_overflow():
    x = np.asarray([3e20, -4e20, 1e20], np.float32)
    for order in (3, 10, -3):
        want = np.linalg.norm(x.astype(np.float64), order)
        assert np.isclose(float(ps.linalg.vector_norm(ps.asarray(x), ord=order)), want, rtol=1e-6)
    assert float(ps.linalg.vector_norm(ps.zeros((0,)), ord=-1)) == np.inf


# -- sign ---------------------------------------------------------------------------------------------------


def test_sign_is_flat_as_round_is(tier):
    x = ps.Variable([-2.0, 0.0, 0.5])
    with ps.GradientTape(persistent=True) as tape:
        results = [function(x) for function in (ps.sign, ps.round, ps.floor)]
    assert [tape.gradient(one, x) for one in results] == [None, None, None]
    assert {ps.explain(one, x).reason for one in results} == {"flat"}
    assert results[0].numpy().tolist() == [-1.0, 0.0, 1.0]


def test_a_modulus_has_a_second_derivative_of_zeros(tier):
    x = ps.Variable([-2.0, 0.0, 0.5])
    with ps.GradientTape() as outer:
        with ps.GradientTape() as inner:
            y = ps.sum(ps.abs(x))
        slope = inner.gradient(y, x)
    assert slope.numpy().tolist() == [-1.0, 0.0, 1.0]
    assert outer.gradient(slope, x).numpy().tolist() == [0.0, 0.0, 0.0]


def test_sign_has_the_gradient_of_tensorflow_in_its_dialect(tier):
    x = tf.Variable([-2.0, 0.5])
    with tf.GradientTape(persistent=True) as tape:
        sign, floor = tf.sign(x), tf.floor(x)
    assert tape.gradient(sign, x).numpy().tolist() == [0.0, 0.0] and tape.gradient(floor, x) is None


def test_the_sign_of_a_complex_number_turns_with_it():
    z = np.asarray([1.0 + 2.0j, -0.5 + 0.1j])

    def f(parts):
        turned = ps.sign(parts[0] + parts[1] * 1j)
        return ps.sum(ps.real(turned) * 0.7 + ps.imag(turned) * -0.4)

    parts = np.stack([z.real, z.imag])
    found = ps.grad(f)(ps.asarray(parts)).numpy()
    for place in np.ndindex(parts.shape):
        step = np.zeros_like(parts)
        step[place] = 1e-6
        want = (float(f(ps.asarray(parts + step))) - float(f(ps.asarray(parts - step)))) / 2e-6
        assert np.isclose(found[place], want, rtol=1e-5)
