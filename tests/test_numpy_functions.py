"""Functions with NumPy's names that the standard does not have: values, gradients, refusals."""

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, DTypeError, ShapeError

rng = np.random.default_rng(0)
X = rng.normal(size=(3, 4, 5)).astype(np.float32)
TABLE = np.sort(rng.normal(size=6)).astype(np.float32), rng.normal(size=6).astype(np.float32)
TALL, SIDES = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
AXES = [None, 0, -1, (0, 2), (2, 1)]


def same(found, want, tolerance=2e-6):
    found = np.asarray(found)
    assert found.shape == np.shape(want)
    np.testing.assert_allclose(found, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_medians_and_quantiles(axis, keepdims):
    same(ps.median(X, axis=axis, keepdims=keepdims), np.median(X, axis=axis, keepdims=keepdims))
    options = {"axis": axis, "keepdims": keepdims}
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        for q in (0, 0.3, [0.1, 0.5, 1.0], [[0.1, 0.2], [0.7, 1.0]]):
            same(ps.quantile(X, q, method=method, **options), np.quantile(X, q, method=method, **options))
    same(ps.percentile(X, [5, 95], **options), np.percentile(X, [5, 95], **options))


def test_a_median_with_nan_and_of_integers(tier):
    holed = X.copy()
    holed[0, 1, 2] = np.nan
    same(ps.median(holed, axis=2), np.median(holed, axis=2))
    found = ps.median(np.asarray([4, 1, 3, 2]))
    assert float(found) == 2.5 and found.dtype == np.float32


@pytest.mark.parametrize("bins", [10, 3, [-1.0, 0.0, 0.5, 2.0]])
@pytest.mark.parametrize("limits", [None, (-1.0, 1.0)])
@pytest.mark.parametrize("weights", [None, X])
@pytest.mark.parametrize("density", [False, True])
def test_histograms(bins, limits, weights, density):
    found, edges = ps.histogram(X, bins, limits, weights=weights, density=density)
    want, borders = np.histogram(X, bins, limits, weights=weights, density=density)
    same(found, want, 1e-5)
    same(edges, borders)
    assert found.dtype == (np.int64 if weights is None and not density else np.float32)


@pytest.mark.parametrize("values", [[2.0, 2.0], [], [1.0, 2.0, 3.0, 3.0]])
def test_a_histogram_of_few_values(tier, values):
    values = np.asarray(values, np.float32)
    for found, want in zip(ps.histogram(values), np.histogram(values)):
        same(found, want)


def test_interpolation(tier):
    same(ps.interp(X, *TABLE), np.interp(X, *TABLE))
    same(ps.interp(X, *TABLE, left=7.0, right=-7.0), np.interp(X, *TABLE, left=7.0, right=-7.0))
    same(ps.interp(TABLE[0], *TABLE), TABLE[1])
    same(ps.interp(X[0, 0], TABLE[0][:1], TABLE[1][:1]), np.interp(X[0, 0], TABLE[0][:1], TABLE[1][:1]))
    assert np.isnan(float(ps.interp(np.float32(np.nan), *TABLE)))


def test_numbers_in_place_of_what_is_not_finite(tier):
    for dtype in (np.float32, np.float64):
        values = np.asarray([1, np.nan, np.inf, -np.inf], dtype)
        np.testing.assert_array_equal(ps.nan_to_num(values), np.nan_to_num(values))
    options = {"nan": 3.0, "posinf": 1.0, "neginf": 2.0}
    same(ps.nan_to_num(values, **options), np.nan_to_num(values, **options))
    assert ps.nan_to_num(np.asarray([1, 2])).tolist() == [1, 2]
    x = ps.Variable(values)
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.nan_to_num(x) * 2.0)
    assert tape.gradient(loss, x).tolist() == [2.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("ord", [None, 1, 2, -1, -2, np.inf, -np.inf, 0, 3, "fro", "nuc"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms(ord, keepdims):
    shapes = [(3, 4)] if isinstance(ord, str) else [(4,)] if ord in (0, 3) else [(4,), (3, 4)]
    for shape in shapes:
        values = rng.normal(size=shape)
        found = ps.linalg.norm(values, ord, keepdims=keepdims)
        same(found, np.linalg.norm(values, ord, keepdims=keepdims), 1e-10)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), (2, 0), (1, -1)])
@pytest.mark.parametrize("ord", [None, 1, 2, np.inf])
def test_norms_along_axes(axis, ord):
    for keepdims in (False, True):
        options = {"axis": axis, "keepdims": keepdims}
        same(ps.linalg.norm(X, ord, **options), np.linalg.norm(X, ord, **options), 1e-5)


@pytest.mark.parametrize(
    "shapes",
    [((4,), (4,)), ((3, 4), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((), (3,)), ((4,), (2, 4, 3))],
)
def test_dot(tier, shapes):
    a, b = (rng.normal(size=shape) for shape in shapes)
    same(ps.dot(a, b), np.dot(a, b), 1e-10)


def test_least_squares(tier):
    found, want = ps.linalg.lstsq(TALL, SIDES), np.linalg.lstsq(TALL, SIDES)
    same(found.solution, want[0], 1e-10)
    same(found.residuals, want[1], 1e-10)
    same(found.singular_values, want[3], 1e-10)
    assert int(found.rank) == want[2] == 3
    wide = TALL.T
    same(ps.linalg.lstsq(wide, SIDES[:3, 0]).solution, np.linalg.lstsq(wide, SIDES[:3, 0])[0], 1e-10)
    flat = TALL @ np.diag([1.0, 1.0, 0.0])
    same(ps.linalg.lstsq(flat, SIDES).solution, np.linalg.lstsq(flat, SIDES)[0], 1e-10)


SLOPES = {
    "median of an even number": (lambda x: ps.median(x, axis=1), (X[0],)),
    "median of all": (lambda x: ps.median(x), (X[0][:3],)),
    "quantile": (lambda x: ps.quantile(x, [0.2, 0.75]), (X[0],)),
    "interp": (lambda x, xp, fp: ps.interp(x, xp, fp), (X[0], *TABLE)),
    "weights of a histogram": (lambda w: ps.histogram(X[0], 4, weights=w)[0], (X[1],)),
    "lstsq": (lambda a, b: ps.linalg.lstsq(a, b).solution, (TALL, SIDES)),
    "residuals": (lambda a, b: ps.linalg.lstsq(a, b).residuals, (TALL, SIDES)),
    "norm": (lambda x: ps.linalg.norm(x, 3, axis=0), (X[0],)),
    "norm of matrices": (lambda x: ps.linalg.norm(x, "nuc", axis=(0, 2)), (X,)),
    "dot": (lambda a, b: ps.dot(a, b), (X, X[0].T)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_gradients_are_those_of_differences(tier, name):
    function, points = SLOPES[name]
    points = [np.asarray(one, np.float64) for one in points]

    def loss(*given):
        result = function(*given)
        return ps.sum(result * np.cos(np.arange(result.size, dtype=np.float64)).reshape(result.shape))

    slopes = ps.grad(loss, argnums=tuple(range(len(points))))(*map(ps.asarray, points))
    for place, slope in enumerate(slopes):
        way = np.random.default_rng(1).normal(size=points[place].shape)
        ends = []
        for step in (1e-6, -1e-6):
            moved = [one + step * way if i == place else one for i, one in enumerate(points)]
            ends.append(float(loss(*map(ps.asarray, moved))))
        np.testing.assert_allclose(
            float(ps.sum(slope * way)), (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7
        )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("ps.quantile(X, 1.5)", ArgumentError, "quantile: q is 1.5"),
        ("ps.percentile(X, [50, 101])", ArgumentError, "Give numbers from 0 to 100"),
        ("ps.quantile(X, ps.asarray(0.5))", ArgumentError, r"quantile\(x, q.tolist\(\)\)"),
        ("ps.quantile(X, 0.5, method='hazen')", ArgumentError, "Use 'linear', 'lower'"),
        ("ps.median(np.zeros((0, 3)))", ShapeError, r"no elements: shape \(0, 3\)"),
        ("ps.histogram(X, 0)", ArgumentError, "Ask for at least one"),
        ("ps.histogram(X, [1.0])", ArgumentError, r"bins has shape \(1,\)"),
        ("ps.histogram(X, range=(1, 1))", ArgumentError, r"range is \(1, 1\)"),
        ("ps.interp(X, TABLE[0], TABLE[1][:3])", ShapeError, r"xp has shape \(6,\) and fp \(3,\)"),
        ("ps.linalg.norm(X, 1)", ShapeError, "axis=-1, axis="),
        ("ps.linalg.norm(X, axis=(0, 1, 2))", ShapeError, "Vectors have one axis, matrices two"),
        ("ps.linalg.lstsq(TALL, SIDES[:2])", ShapeError, r"x1 has shape \(6, 3\) and x2 \(2, 2\)"),
        ("ps.nan_to_num(X * 1j)", DTypeError, r"Treat ps.real\(x\) and ps.imag\(x\) apart"),
        ("ps.dot(X, X)", ShapeError, "do not fit together"),
    ],
)
def test_what_means_nothing_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        eval(call)
