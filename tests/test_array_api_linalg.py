"""Linear algebra compared with NumPy: values in both tiers, singular cases, derivatives through results."""

import functools
import inspect
import math
import subprocess
import sys

import numpy as np
import pytest

import penstock as ps
import specification
from one_program import value_of, values_of
from penstock.errors import ArgumentError, DTypeError, PenstockError, ShapeError
from penstock.testing import assert_close, check_grads, check_tiers

RNG = np.random.default_rng(7)
SQUARE = np.round(RNG.standard_normal((2, 3, 3)) + 2 * np.eye(3), 2)
TALL, FLAT = np.round(RNG.standard_normal((2, 4, 3)), 2), np.round(RNG.standard_normal((2, 3, 4)), 2)
POSITIVE = SQUARE @ np.swapaxes(SQUARE, -1, -2)
COMPLEX = SQUARE + 1j * np.round(RNG.standard_normal((2, 3, 3)), 2)
HERMITIAN = COMPLEX @ np.swapaxes(COMPLEX.conj(), -1, -2)
MATRICES = {
    "square": SQUARE,
    "tall": TALL,
    "flat": FLAT,
    "complex": COMPLEX,
    "single": SQUARE[0].astype(np.float32),
}
linalg = ps.linalg


@pytest.mark.parametrize("name", specification.signatures(specification.EXTENSIONS["linalg"]))
def test_signature_is_the_standards(name):
    from test_array_api import agrees

    wanted = specification.signatures(specification.EXTENSIONS["linalg"])[name]
    assert agrees(inspect.signature(getattr(linalg, name)), wanted)
    assert name in linalg.__all__


CALLS = [
    ("det", (SQUARE,), {}),
    ("det", (COMPLEX,), {}),
    ("inv", (SQUARE,), {}),
    ("inv", (COMPLEX,), {}),
    ("solve", (SQUARE, TALL[:, :3]), {}),
    ("solve", (SQUARE[0], SQUARE[1, 0]), {}),
    ("solve", (SQUARE, SQUARE[1, 0]), {}),
    ("solve", (COMPLEX, SQUARE), {}),
    ("cholesky", (POSITIVE,), {}),
    ("cholesky", (POSITIVE,), {"upper": True}),
    ("cholesky", (HERMITIAN,), {"upper": True}),
    ("eigvalsh", (POSITIVE,), {}),
    ("eigvalsh", (HERMITIAN,), {}),
    ("svdvals", (TALL,), {}),
    ("svdvals", (COMPLEX,), {}),
    ("pinv", (TALL,), {}),
    ("pinv", (FLAT,), {"rtol": 0.3}),
    ("pinv", (COMPLEX,), {"rtol": np.asarray([0.2, 0.5])}),
    ("matrix_power", (SQUARE, 5), {}),
    ("matrix_power", (SQUARE, -2), {}),
    ("matrix_power", (SQUARE, 0), {}),
    ("matrix_rank", (np.ones((2, 3, 3)),), {}),
    ("matrix_rank", (SQUARE,), {"rtol": 0.5}),
    ("trace", (FLAT,), {"offset": 1}),
    ("trace", (np.ones((2, 2), np.int8),), {}),
    ("diagonal", (FLAT,), {"offset": -1}),
    ("diagonal", (FLAT,), {"offset": 9}),
    ("outer", (SQUARE[0, 0], COMPLEX[0, 0]), {}),
    ("cross", (SQUARE, SQUARE[:, :1]), {}),
    ("cross", (TALL[..., :3], FLAT[:, :1, :3]), {"axis": -1}),
    ("cross", (SQUARE, SQUARE[::-1]), {"axis": -2}),
    ("matmul", (SQUARE, TALL[0, 0]), {}),
    ("matrix_transpose", (FLAT,), {}),
    *(("matrix_norm", (one,), {"ord": order, "keepdims": True})
      for one in (FLAT, COMPLEX) for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)),
    *(("vector_norm", (one,), {"ord": order, "axis": -1})
      for one in (FLAT, COMPLEX) for order in (0, 1, 2, 3, 0.5, -1, -2.5, math.inf, -math.inf)),
    ("vector_norm", (FLAT,), {}),
    ("vector_norm", (FLAT,), {"axis": (0, 2), "keepdims": True}),
]  # fmt: skip


@functools.cache
def values_in(tier):
    """What all calls come to in a tier."""
    return values_of(
        tier,
        {
            number: functools.partial(getattr(linalg, name), *arguments, **options)
            for number, (name, arguments, options) in enumerate(CALLS)
        },
    )


@pytest.mark.parametrize(
    "number", range(len(CALLS)), ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(CALLS)]
)
def test_value_is_numpys(number, tier):
    name, arguments, options = CALLS[number]
    got = value_of(values_in(tier)[number])
    want = np.asarray(getattr(np.linalg, name)(*arguments, **options))
    if name == "matrix_rank":
        assert got.dtype == ps.int64
    assert_close(got, want, f"{name}{options}")


def taken_apart(x):
    """Calls of matrix decompositions, by their names and options."""
    calls = {("svd", full): functools.partial(linalg.svd, x, full_matrices=full) for full in (True, False)}
    calls |= {("qr", mode): functools.partial(linalg.qr, x, mode=mode) for mode in ("reduced", "complete")}
    if x.shape[-1] == x.shape[-2]:
        calls["eigh"] = functools.partial(linalg.eigh, x + np.conj(np.swapaxes(x, -1, -2)))
        calls["slogdet"] = functools.partial(linalg.slogdet, x)
    return calls


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices_are_taken_apart_and_put_together(kind, tier):
    x = MATRICES[kind]
    adjoint = np.conj(np.swapaxes(x, -1, -2))
    close = 1e-4 if x.dtype == np.float32 else 1e-11
    found = values_of(tier, taken_apart(x))
    for full in (True, False):
        u, s, vh = found["svd", full]
        theirs = np.linalg.svd(x, full_matrices=full)
        assert (u.shape, s.shape, vh.shape) == (theirs.U.shape, theirs.S.shape, theirs.Vh.shape)
        assert (u.dtype, s.dtype) == (x.dtype, theirs.S.dtype)
        k = s.shape[-1]
        assert np.allclose(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x, atol=close)
        assert np.allclose(np.conj(np.swapaxes(u, -1, -2)) @ u, np.eye(u.shape[-1]), atol=close)
        assert np.allclose(vh @ np.conj(np.swapaxes(vh, -1, -2)), np.eye(vh.shape[-2]), atol=close)
        largest = np.take_along_axis(u, np.abs(u).argmax(-2)[..., None, :], -2)
        assert np.all(largest.real > 0)
        assert np.allclose(largest.imag, 0, atol=close)
    for mode in ("reduced", "complete"):
        q, r = found["qr", mode]
        theirs = np.linalg.qr(x, mode=mode)
        assert (q.shape, r.shape, q.dtype) == (theirs.Q.shape, theirs.R.shape, x.dtype)
        assert np.allclose(q @ r, x, atol=close)
        assert np.allclose(np.conj(np.swapaxes(q, -1, -2)) @ q, np.eye(q.shape[-1]), atol=close)
        assert np.array_equal(np.triu(r), r)
        assert np.all(np.diagonal(r, axis1=-2, axis2=-1).real >= 0)
    if x.shape[-1] == x.shape[-2]:
        values, vectors = found["eigh"]
        assert np.all(np.diff(values) >= 0)
        assert np.allclose((x + adjoint) @ vectors, vectors * values[..., None, :], atol=10 * close)
        sign, log = found["slogdet"]
        assert np.allclose(sign * np.exp(log), np.linalg.det(x), rtol=close)
        assert log.dtype == s.dtype


def test_undefined_results_are_nan(tier):
    singular = np.asarray([[1.0, 2.0], [2.0, 4.0]])
    batch = np.stack([np.eye(2), singular])
    assert np.isnan(linalg.inv(singular)).all()
    found = linalg.inv(batch).numpy()
    assert found[0].tolist() == np.eye(2).tolist()
    assert np.isnan(found[1]).all()
    assert np.isnan(linalg.solve(batch, np.ones(2)).numpy()).tolist() == [[False, False], [True, True]]
    lower = linalg.cholesky(np.stack([np.eye(2), -np.eye(2)])).numpy()
    assert lower[0].tolist() == np.eye(2).tolist()
    assert np.isnan(lower[1]).all()
    broken = np.asarray([[[1.0, np.nan], [0.0, 1.0]], [[np.inf, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]])
    for function in (linalg.det, linalg.svdvals, linalg.eigvalsh, linalg.pinv, lambda x: linalg.qr(x).R):
        lost = np.isnan(function(broken).numpy()).reshape(3, -1)
        assert lost[:2].any(-1).tolist() == [True, True]
        assert not lost[2].any()
    assert linalg.det(singular) == 0
    assert linalg.slogdet(singular).logabsdet == -np.inf


def test_empty_matrices(tier):
    none = np.zeros((2, 0, 0))
    assert linalg.det(none).numpy().tolist() == [1.0, 1.0]
    assert linalg.inv(none).shape == linalg.cholesky(none).shape == (2, 0, 0)
    assert linalg.svd(np.zeros((3, 0))).U.numpy().tolist() == np.eye(3).tolist()
    assert linalg.qr(np.zeros((3, 0)), mode="complete").Q.shape == (3, 3)
    assert linalg.eigh(none).eigenvalues.shape == (2, 0)
    assert linalg.pinv(np.zeros((0, 3))).shape == (3, 0)
    assert linalg.matrix_rank(none).numpy().tolist() == [0, 0]
    assert linalg.slogdet(none).sign.numpy().tolist() == [1.0, 1.0]
    assert linalg.vector_norm(np.zeros((0,))) == 0


# -- derivatives --------------------------------------------------------------------------------------------

W = np.round(RNG.standard_normal((3, 3)), 2)
SMOOTH = {
    "inv": lambda x: linalg.inv(x) * W,
    "solve": lambda x: linalg.solve(x, x[0]),
    "det": linalg.det,
    "slogdet": lambda x: linalg.slogdet(x).logabsdet,
    "cholesky": lambda x: linalg.cholesky(x @ x.mT + 1.0 * np.eye(3), upper=True) * W,
    "eigvalsh": lambda x: linalg.eigvalsh(x) ** 2,
    "eigh": lambda x: linalg.eigh(x).eigenvectors * W,
    "svd": lambda x: [one * W for one in linalg.svd(x)],
    "svd, reduced": lambda x: [
        linalg.svd(x[:2], full_matrices=False).U,
        linalg.svd(x[:, :2], full_matrices=False).Vh,
    ],
    "qr": lambda x: [one * W for one in linalg.qr(x)],
    "qr of a flat matrix": lambda x: linalg.qr(x[:2]).R,
    "pinv": lambda x: linalg.pinv(x[:, :2]),
    "matrix_power": lambda x: linalg.matrix_power(x, 3) + linalg.matrix_power(x, -1),
    "norms": lambda x: (
        linalg.matrix_norm(x) + linalg.matrix_norm(x, ord="nuc") + linalg.matrix_norm(x, ord=2)
    ),
    "vector norms": lambda x: linalg.vector_norm(x, ord=3, axis=0) + linalg.vector_norm(x, axis=1),
    "products": lambda x: linalg.cross(x, x * x) + linalg.outer(x[0], x[1]) * linalg.trace(x),
    "diagonal": lambda x: linalg.diagonal(x, offset=-1),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives(name):
    check_grads(SMOOTH[name], SQUARE[0], order=2)


def test_derivatives_where_others_break_off(tier):
    """Determinants of singular matrices, and norms at 0."""
    singular = np.asarray([[1.0, 2.0], [2.0, 4.0]])
    assert np.allclose(ps.grad(linalg.det)(singular), [[4.0, -2.0], [-2.0, 1.0]])
    for norm in (linalg.vector_norm, linalg.matrix_norm, lambda x: linalg.vector_norm(x, ord=3)):
        assert ps.grad(norm)(np.zeros((2, 2))).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_vectors_of_equal_values_have_no_derivative():
    unit = np.eye(2)
    assert np.allclose(ps.grad(lambda x: ps.sum(linalg.eigvalsh(x)))(unit), unit)
    assert np.allclose(ps.grad(lambda x: ps.sum(linalg.svdvals(x)))(unit), unit)
    assert np.isnan(ps.grad(lambda x: linalg.eigh(x).eigenvectors[0, 1] * 1.0)(unit)).any()


def test_results_are_compiled_once():
    check_tiers(
        lambda x: [
            linalg.inv(x),
            *linalg.svd(x),
            linalg.matrix_norm(x, ord="nuc"),
            linalg.matrix_power(x, 3),
        ],
        lambda rng: (rng.standard_normal((3, 3)),),
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: linalg.inv(FLAT), ShapeError, "takes square matrices"),
        (lambda: linalg.det(FLAT), ShapeError, "det: the shape is (2, 3, 4)"),
        (lambda: linalg.det(1.0), ShapeError, "det needs two axes"),
        (lambda: linalg.solve(SQUARE, TALL), ShapeError, "do not fit together"),
        (lambda: linalg.cross(FLAT, FLAT), ShapeError, "not 3 long"),
        (lambda: linalg.outer(FLAT, FLAT), ShapeError, "takes vectors"),
        (lambda: linalg.qr(FLAT, mode="thin"), ArgumentError, "mode is 'thin'"),
        (lambda: linalg.matrix_norm(FLAT, ord=3), ArgumentError, "ord is 3"),
        (lambda: linalg.vector_norm(FLAT, ord="fro"), ArgumentError, "ord is 'fro'"),
        (lambda: linalg.vector_norm([1, 2]), DTypeError, "floating-point"),
        (
            lambda: linalg.det(ps.ones((2, 2), dtype=ps.float16)),
            DTypeError,
            "takes wide floating-point operands",
        ),
        (lambda: linalg.inv([[1, 2], [3, 4]]), DTypeError, "operand 1 is int64"),
        (
            lambda: ps.grad(lambda x: ps.sum(linalg.svd(x).U))(TALL[0]),
            PenstockError,
            "Use full_matrices=False",
        ),
        (
            lambda: ps.grad(lambda x: ps.sum(linalg.qr(x, mode="complete").Q))(TALL[0]),
            PenstockError,
            "Use mode='reduced'",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_extensions_are_imported_when_they_are_asked_for():
    script = (
        "import sys, penstock as ps\n"
        "late = ('penstock.functions.linalg', 'penstock.functions.fft', 'ml_dtypes', 'jax')\n"
        "print([name for name in late if name in sys.modules])\n"
        "ps.linalg.det; ps.fft.fft; ps.bfloat16\n"
        "print([name for name in late if name in sys.modules])\n"
        "print(hasattr(ps, 'nothing'), 'linalg' in dir(ps))\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == [
        "[]",
        "['penstock.functions.linalg', 'penstock.functions.fft', 'ml_dtypes']",
        "False True",
    ]


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_second_derivatives_of_a_determinant_whatever_the_rank(tier, rank):
    """A determinant is a polynomial: it has all derivatives even if the matrix has no inverse."""
    rng = np.random.default_rng(rank)
    x = rng.standard_normal((3, rank)) @ rng.standard_normal((rank, 3))
    found = ps.hessian(ps.linalg.det)(ps.asarray(x)).numpy()
    # d2 det / dx[i, j] dx[k, l] is the entry that is left, with the sign of the two permutations.
    sign = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        sign[i, j, k], sign[i, k, j] = 1, -1
    want = np.einsum("ikm,jln,mn->ijkl", sign, sign, x)
    np.testing.assert_allclose(found, want, atol=1e-12)
