"""Functions of matrices beyond the standard's, against SciPy and by their definitions."""

import itertools

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ShapeError
from penstock.testing import check_grads, check_tiers, use_engine

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
        # The size of the incoming gradient affects only the size of the slopes.
        small = ps.asarray(A / 4)

        def second(scale):
            return ps.grad(lambda x: ps.sum(ps.grad(lambda x: ps.sum(ps.linalg.expm(x) * scale))(x) ** 2))(
                small
            )

        assert np.allclose(second(1e9).numpy(), second(1.0).numpy() * 1e18, rtol=1e-12)

        def third(x):
            return ps.sum(ps.hessian(lambda x: ps.sum(ps.linalg.expm(x) ** 2))(x) ** 2)

        check_grads(third, A[:2, :2] / 4, order=1)


def test_only_square_matrices_have_an_exponential():
    for x, words in ((A[:2], r"expm: the shape is \(2, 4\)"), (A[0], "expm needs two axes")):
        with pytest.raises(ShapeError, match=words) as caught:
            ps.linalg.expm(x)
        assert caught.value.site.file == __file__


# -- triangles by elimination -------------------------------------------------------------------------------

SHAPES = ((4, 4), (5, 3), (3, 5), (1, 4), (2, 3, 3), (0, 2), (2, 0))


def drawn(shape, dtype=np.float64):
    rng = np.random.default_rng(sum(shape))
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def test_lu_gives_what_scipys_gives(tier):
    cases = [drawn(shape) for shape in SHAPES] + [drawn((5, 3), np.complex128), drawn((3, 5), np.float32)]
    cases += [np.diag([1.0, 0.0, 2.0]), np.zeros((2, 3)), np.ones((3, 3)), drawn((6, 6))[::-1]]
    for x, found in zip(cases, [ps.linalg.lu(x) for x in cases], strict=True):
        assert [one.dtype for one in found] == [x.dtype] * 3
        k = min(x.shape[-2:])
        shapes = [(x.shape[-2],) * 2, (x.shape[-2], k), (k, x.shape[-1])]
        assert [one.shape for one in found] == [(*x.shape[:-2], *shape) for shape in shapes]
        precision = 1e-5 if x.dtype == np.float32 else 1e-12
        for i in np.ndindex(x.shape[:-2]):
            want = scipy_linalg.lu(x[i]) if x.size else found
            for mine, his in zip(found, want, strict=True):
                np.testing.assert_allclose(mine.numpy()[i], his, rtol=precision, atol=precision)


def test_slopes_of_lu():
    """Of every shape: by finite differences to the second order, also where rows change places."""
    assert not all(np.allclose(ps.linalg.lu(drawn(shape)).P, np.eye(shape[0])) for shape in SHAPES[:3])
    with use_engine("numpy"):
        for shape in SHAPES[:5]:
            for dtype in (np.float64, np.complex128):
                check_grads(lambda x: list(ps.linalg.lu(x)[1:]), drawn(shape, dtype), order=2)


def test_no_gradient_passes_through_the_order_of_rows():
    x = ps.Variable(A)
    with ps.GradientTape() as tape:
        total = ps.sum(ps.linalg.lu(x).P * B[:, :1])
    assert tape.gradient(total, x) is None
    assert ps.explain(total, x).reason == "discrete"


def test_lu_without_an_inverse_has_values_and_no_slope(tier):
    x = np.asarray([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 1.0]])
    P, L, U = ps.linalg.lu(x)
    assert np.allclose(P @ L @ U, x) and U.numpy()[1, 1] == 0.0
    assert np.isnan(ps.grad(lambda x: ps.sum(ps.linalg.lu(x).L))(x)).any()
    assert np.isnan(ps.linalg.lu(np.where(x == 6.0, np.inf, x)).U).any()


# -- eigenvalues of any matrix ------------------------------------------------------------------------------

TURN = np.asarray([[0.0, -2.0, 0.3], [2.0, 0.0, 0.1], [0.2, -0.4, 1.5]])
SYMMETRIC = np.asarray([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, -1.0]])


def test_eig_solves_its_equation_in_one_order(tier):
    cases = [np.stack([TURN, SYMMETRIC]), COMPLEX]
    if tier == "numpy":
        cases += [
            A,
            drawn((7, 7)),
            TURN.astype(np.float32),
            np.zeros((2, 0, 0)),
            np.eye(3),
            np.zeros((2, 2)),
            COMPLEX.astype(np.complex64),
        ]
    # Real parts that differ only by rounding.
    rotation = scipy_linalg.expm(np.kron(np.diag([1.0, 2.0, 3.0]), [[0.0, -0.7], [0.7, 0.0]]))
    basis = np.linalg.qr(drawn((6, 6)))[0]
    cases.append(basis @ scipy_linalg.logm(rotation).real @ basis.T)
    for x, (values, vectors) in zip(cases, [ps.linalg.eig(x) for x in cases], strict=True):
        w, v = values.numpy(), vectors.numpy()
        assert w.dtype == v.dtype == np.result_type(x.dtype, np.complex64)
        precision = 2e-5 if w.dtype == np.complex64 else 1e-11
        np.testing.assert_allclose(x @ v, v * w[..., None, :], atol=precision, rtol=precision)
        np.testing.assert_allclose(np.linalg.norm(v, axis=-2), np.ones(w.shape), rtol=precision)
        if x.size:
            largest = np.take_along_axis(v, np.abs(v).round(4).argmax(-2)[..., None, :], -2)
            assert (largest.real > 0).all() and np.allclose(largest.imag, 0, atol=precision)
        steps = (w.real / precision).round()
        later = (np.diff(steps, axis=-1) > 0) | (
            (np.diff(steps, axis=-1) == 0) & (np.diff(w.imag) >= -precision)
        )
        assert later.all(), w
        if tier == "numpy":
            assert np.array_equal(ps.linalg.eigvals(x).numpy(), w)


def test_eig_of_a_symmetric_matrix_is_eigh(tier):
    values, vectors = ps.linalg.eig(SYMMETRIC)
    wanted = ps.linalg.eigh(SYMMETRIC)
    np.testing.assert_allclose(values.numpy(), wanted.eigenvalues.numpy(), rtol=1e-12)
    np.testing.assert_allclose(vectors.numpy(), wanted.eigenvectors.numpy(), rtol=1e-10, atol=1e-12)


def test_slopes_of_eig():
    """Slopes of values and vectors, length and phase included, real and complex, to the second order."""
    weight = drawn((3, 3), np.complex128)
    for x in (TURN, SYMMETRIC + np.triu(TURN), drawn((3, 3), np.complex128), np.stack([TURN, TURN.T + 1])):
        with use_engine("numpy"):
            check_grads(lambda x: list(ps.linalg.eig(x)), x, order=2)
            check_grads(lambda x: ps.real(ps.sum(ps.linalg.eig(x).eigenvectors ** 2 * weight)), x)
            check_grads(ps.linalg.eigvals, x, order=2)


def test_eig_and_lu_are_compiled_with_their_slopes():
    def both(x):
        (values, vectors), (_, left, right) = ps.linalg.eig(x), ps.linalg.lu(x)
        return [values, vectors, left, right]

    check_tiers(both, lambda rng: (rng.standard_normal((3, 3)),))


def test_eigenvectors_of_equal_values_have_no_derivative():
    unit = np.eye(2)
    assert np.allclose(ps.grad(lambda x: ps.sum(ps.real(ps.linalg.eigvals(x))))(unit), unit)
    assert np.isnan(ps.grad(lambda x: ps.real(ps.linalg.eig(x).eigenvectors[0, 1]))(unit)).any()
    # One vector for a value that is there twice: the value moves with the root of a step.
    slope = ps.grad(lambda x: ps.real(ps.linalg.eigvals(x)[0]))(np.asarray([[1.0, 1.0], [0.0, 1.0]])).numpy()
    assert not (np.abs(slope) < 1e12).all()


def test_eig_and_lu_of_each_of_a_batch():
    stack = np.stack([TURN, SYMMETRIC, TURN.T])
    with use_engine("numpy"):
        for function in (ps.linalg.eig, ps.linalg.lu):
            for found, want in zip(
                ps.vmap(lambda x, f=function: list(f(x)))(stack), function(stack), strict=True
            ):
                np.testing.assert_allclose(found.numpy(), want.numpy(), rtol=1e-12)


def test_errors_of_eig_and_lu():
    with pytest.raises(ShapeError, match=r"eig: the shape is \(2, 3\)"):
        ps.linalg.eig(np.ones((2, 3)))
    with pytest.raises(ShapeError, match=r"eigvals needs two axes"):
        ps.linalg.eigvals(np.ones(3))
    with pytest.raises(ShapeError, match=r"lu needs two axes"):
        ps.linalg.lu(np.ones(3))
    assert np.isnan(ps.linalg.eigvals(np.asarray([[np.nan, 1.0], [0.0, 1.0]]))).all()
