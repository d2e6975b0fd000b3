"""Functions of matrices beyond the standard's, against SciPy and by their definitions."""

import itertools

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ShapeError
from penstock.testing import check_grads, use_engine

scipy_linalg = pytest.importorskip("scipy.linalg")
RNG = np.random.default_rng(0)
A = np.round(RNG.standard_normal((4, 4)) + 3 * np.eye(4), 2)
B = np.round(RNG.standard_normal((4, 2)), 2)
TRIANGLES = list(itertools.product((False, True), ("N", "T", "C"), (False, True)))
COMPLEX = A + 1j * np.round(RNG.standard_normal((4, 4)), 2)


def triangular(a, b, lower, trans, unit):
    return ps.linalg.solve_triangular(
        a, b, lower=lower, transposed=trans == "T", adjoint=trans == "C", unit_diagonal=unit
    )


def test_solve_triangular_gives_what_scipys_gives(tier):
    cases = [(*pair, words) for pair in ((A, B), (COMPLEX, B + 0j), (A, B[:, 0])) for words in TRIANGLES]
    found = [triangular(a, b, *words) for a, b, words in cases]
    for (a, b, words), got in zip(cases, found, strict=True):
        lower, trans, unit = words
        want = scipy_linalg.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit)
        assert got.shape == want.shape and np.allclose(got.numpy(), want, rtol=1e-12, atol=1e-14), words


def test_solve_triangular_reads_one_triangle(tier):
    spoiled = np.where(np.tri(4, dtype=bool), A, np.nan)
    want = ps.linalg.solve_triangular(A, B, lower=True).numpy()
    assert np.array_equal(ps.linalg.solve_triangular(spoiled, B, lower=True).numpy(), want)
    np.fill_diagonal(spoiled, 0.0)
    ones = ps.linalg.solve_triangular(spoiled, B, lower=True, unit_diagonal=True).numpy()
    assert np.isfinite(ones).all()
    x = ps.Variable(A)
    with ps.GradientTape() as tape:
        total = ps.sum(ps.linalg.solve_triangular(x, B, lower=True, unit_diagonal=True))
    assert not np.triu(tape.gradient(total, x).numpy()).any()


def test_a_singular_triangle_gives_nan_for_its_own_systems(tier):
    stack = np.stack([A, A])
    stack[1, 2, 2] = 0.0
    found = ps.linalg.solve_triangular(stack, B).numpy()
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()
    right = B.copy()
    right[1, 1] = np.inf
    found = ps.linalg.solve_triangular(A, right).numpy()
    assert np.isfinite(found[:, 0]).all() and np.isnan(found[:, 1]).all()


def test_slopes_of_solve_triangular():
    with use_engine("numpy"):
        for words in TRIANGLES[::3]:
            check_grads(lambda a, b, words=words: triangular(a, b, *words), A, B, order=2)
        check_grads(ps.linalg.solve_triangular, np.stack([A, A.T]), B[:, 0], order=2)


def test_solve_triangular_for_each_of_a_batch():
    stack, sides = np.stack([A, A.T, A + 1]), np.stack([B, B + 1, B * 2])
    with use_engine("numpy"):
        want = [scipy_linalg.solve_triangular(a, b) for a, b in zip(stack, sides, strict=True)]
        assert np.allclose(ps.vmap(ps.linalg.solve_triangular)(stack, sides).numpy(), want)
        found = ps.vmap(lambda b: ps.linalg.solve_triangular(A, b, lower=True))(ps.asarray(sides))
        want = [scipy_linalg.solve_triangular(A, b, lower=True) for b in sides]
        assert np.allclose(found.numpy(), want)


def test_shapes_that_make_no_system_are_refused():
    for a, b, words in (
        (A[:2], B, r"the shape is \(2, 4\)"),
        (A, B[:3], r"\(4, 4\) and \(3, 2\) do not fit together"),
        (A[0], B, "needs two axes"),
    ):
        with pytest.raises(ShapeError, match=words):
            ps.linalg.solve_triangular(a, b)
    assert ps.linalg.solve_triangular(np.zeros((0, 0)), np.zeros((0, 3))).shape == (0, 3)


# -- the exponential ----------------------------------------------------------------------------------------

NORMS = 10.0 ** np.arange(-8, 4)


def of_norms(norms, dtype):
    """Random matrices with these 1-norms."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((len(norms), 8, 8))
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(x.shape)
    return (x / np.abs(x).sum(-2).max(-1)[:, None, None] * np.asarray(norms)[:, None, None]).astype(dtype)


def exponential(x):
    """The exponential in extended precision: Taylor's series of x / 2**20, squared without its unit part."""
    x = x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble) / 2**20
    rest, term = x, x
    for k in range(2, 20):
        term = term @ x / k
        rest = rest + term
    for _ in range(20):
        rest = 2 * rest + rest @ rest
    return rest + np.eye(x.shape[-1])


def distances(found, want):
    """The largest differences of matrices, relative to the largest numbers in them."""
    return np.abs(found - want).max((-2, -1)) / np.abs(want).max((-2, -1))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no precision beyond float64 here")
def test_expm_is_the_series(tier):
    cases = [(of_norms(NORMS, dtype), 1e-12) for dtype in (np.float64, np.complex128)]
    cases += [(of_norms(NORMS[:-2], dtype), 1e-5) for dtype in (np.float32, np.complex64)]
    found = [ps.linalg.expm(x) for x, _ in cases]
    for (x, tolerance), got in zip(cases, found, strict=True):
        assert got.dtype == x.dtype
        apart = distances(got.numpy(), exponential(x))
        assert (apart < tolerance).all(), (x.dtype, apart)


def test_expm_is_scipys():
    x = of_norms(NORMS, np.float64)
    with use_engine("numpy"):
        assert (distances(ps.linalg.expm(x).numpy(), scipy_linalg.expm(x)) < 1e-12).all()


def test_expm_of_matrices_of_any_norm_is_the_same_in_both_tiers():
    high, low = 1e308, 1e-310
    rows = [
        [[-1e5, 1e5], [0.0, -1e4]], [[0.0, high], [0.0, 0.0]], [[-high, 0.0], [0.0, -high]],
        [[low, 0.0], [0.0, low]], [[1e4, 0.0], [0.0, 1e4]], [[high, high], [high, high]],
        [[np.nan, 0.0], [0.0, 0.0]], [[0.0, 1.0], [-1.0, 0.0]],
    ]  # fmt: skip
    found = {}
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            found[engine] = ps.linalg.expm(np.asarray(rows)).numpy()
    np.testing.assert_allclose(found["xla"], found["numpy"], rtol=1e-14, atol=1e-15)
    got = found["numpy"]
    assert not got[0].any() and np.array_equal(got[1], [[1.0, high], [0.0, 1.0]]) and not got[2].any()
    assert np.array_equal(got[3], np.eye(2)) and np.isinf(got[5]).all() and np.isnan(got[6]).all()
    assert np.allclose(got[7], [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]], rtol=1e-15)


def test_slopes_of_expm_are_those_scipy_gives(tier):
    x = np.stack([A / 4, 3 * (A - A.T)])
    for scale in (1e-9, 1.0, 1e9):
        slope = ps.vjp(ps.linalg.expm, x)[1](ps.asarray(x * scale))[0].numpy()
        want = [scipy_linalg.expm_frechet(one.T, one * scale, compute_expm=False) for one in x]
        assert (distances(slope, np.asarray(want)) < 1e-12).all()


def test_further_slopes_of_expm():
    with use_engine("numpy"):
        check_grads(ps.linalg.expm, COMPLEX[:2, :2] / 4, order=2)
        # Of the size of what comes from above only the size of the slopes depends.
        small = ps.asarray(A / 4)

        def second(scale):
            return ps.grad(lambda x: ps.sum(ps.grad(lambda x: ps.sum(ps.linalg.expm(x) * scale))(x) ** 2))(
                small
            )

        assert np.allclose(second(1e9).numpy(), second(1.0).numpy() * 1e18, rtol=1e-12)

        def third(x):
            return ps.sum(ps.hessian(lambda x: ps.sum(ps.linalg.expm(x) ** 2))(x) ** 2)

        check_grads(third, A[:2, :2] / 4, order=1)


def test_what_is_no_square_matrix_has_no_exponential():
    for x, words in ((A[:2], r"expm: the shape is \(2, 4\)"), (A[0], "expm needs two axes")):
        with pytest.raises(ShapeError, match=words) as caught:
            ps.linalg.expm(x)
        assert caught.value.site.file == __file__
