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
