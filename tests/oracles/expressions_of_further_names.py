"""Expressions about names that were added late: functions of matrices, structured operators, transforms."""

_DEFINITE = "tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])"
_TURNED = "tf.constant([[1.0, 3.0], [0.0, 4.0]])"
_WAVE = "tf.sin(tf.range(24.0, dtype=tf.float64) * 0.7)"
_SPECTRUM = "tf.constant([6.0, 4.0, 1.0, 4.0])"
_OPERATOR = "tf.linalg.LinearOperator"
_TOLD = "is_self_adjoint=True, is_positive_definite=True"


def _about(made: str) -> list[str]:
    """What is asked of an operator with three or four columns."""
    return [
        f"listed({made}.to_dense())",
        f"listed({made}.matvec(tf.range(1.0, {made}.shape[-1] + 1.0)))",
        f"{made}.shape",
        f"listed({made}.trace())",
        f"{made}.is_self_adjoint",
    ]


MATRICES = [
    f"listed(tf.linalg.sqrtm(tf.cast({_DEFINITE}, tf.float64)))",
    f"listed(tf.linalg.sqrtm({_TURNED}))",
    f"listed(tf.linalg.sqrtm(tf.cast({_TURNED}, tf.float64)))",
    f"listed(tf.linalg.sqrtm(tf.stack([{_TURNED}, 2.0 * {_TURNED}])))",
    "listed(tf.math.real(tf.linalg.sqrtm(tf.complex([[0.0, -1.0], [1.0, 0.0]], 0.0))))",
    f"slope(tf.linalg.sqrtm, {_DEFINITE})",
    f"slope(tf.linalg.sqrtm, {_TURNED})",
    "tf.linalg.sqrtm(matrix)",
    f"listed(tf.math.real(tf.linalg.logm(tf.cast({_DEFINITE}, tf.complex128))))",
    f"listed(tf.math.real(tf.linalg.logm(tf.cast({_TURNED}, tf.complex128))))",
    "listed(tf.math.imag(tf.linalg.logm(tf.complex([[0.0, -1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]))))",
    "tf.linalg.logm([[1.0, 0.0], [0.0, 1.0]])",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0, 0.5], [1.0, 0.5, 2.0]))",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], select='i', select_range=(1, 2)))",
    "listed(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], select='v', select_range=(1.0, 3.5)))",
    "tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], eigvals_only=False)[1].shape",
    "listed(tf.abs(tf.linalg.eigh_tridiagonal([2.0, 1.0, 3.0], [1.0, 0.5], eigvals_only=False)[1]))",
    "tf.linalg.eigh_tridiagonal([2.0, 1.0], [1.0], select='x')",
    f"[listed(one) for one in tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0]), max_iter=2)[:3]]",
    f"listed(tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0])).x)",
    f"listed(tf.linalg.experimental.conjugate_gradient("
    f"{_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}), tf.constant([1.0, 2.0, 3.0]), "
    f"{_OPERATOR}Diag(tf.constant([0.25, 0.5, 0.5]), {_TOLD}), tf.ones([3]), max_iter=1).x)",
    f"tf.linalg.experimental.conjugate_gradient({_OPERATOR}FullMatrix({_DEFINITE}), tf.ones([3]))",
]
OPERATORS = [
    *_about(f"{_OPERATOR}Circulant({_SPECTRUM}, tf.float32)"),
    f"listed(tf.math.real({_OPERATOR}Circulant([6.0, 1.0, 2.0]).to_dense()))",
    f"listed(tf.math.imag({_OPERATOR}Circulant([6.0, 1.0, 2.0]).to_dense()))",
    f"{_OPERATOR}Circulant([6.0, 1.0, 2.0]).dtype",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).solvevec([1.0, 2.0, 3.0, 4.0]))",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).determinant())",
    f"listed({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).convolution_kernel())",
    f"listed(tf.math.real({_OPERATOR}Circulant({_SPECTRUM}, tf.float32).eigvals()))",
    f"slope(lambda x: {_OPERATOR}Circulant(x, tf.float32).matvec([1.0, 2.0, 3.0, 4.0]), {_SPECTRUM})",
    f"listed({_OPERATOR}Circulant2D([[4.0, 1.0], [2.0, 3.0]], tf.float32).to_dense())",
    f"{_OPERATOR}Circulant2D([[4.0, 1.0], [2.0, 3.0]], tf.float32).block_shape",
    f"listed({_OPERATOR}Circulant2D([[4.0, 1.0, 2.0], [2.0, 3.0, 1.0]], tf.complex64).to_dense()[0])",
    f"listed({_OPERATOR}Circulant3D([[[4.0, 1.0], [2.0, 3.0]]], tf.float32).to_dense())",
    f"{_OPERATOR}Circulant2D([1.0, 2.0])",
    *_about(f"{_OPERATOR}Toeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 7.0])"),
    f"slope(lambda a, b: {_OPERATOR}Toeplitz(a, b).matvec([1.0, 2.0]), pair, pair * 2.0)",
    *_about(f"{_OPERATOR}Householder([1.0, 2.0, 2.0])"),
    f"slope(lambda a: {_OPERATOR}Householder(a).matvec([2.0, 0.5]), pair)",
    *_about(f"{_OPERATOR}Permutation([2, 0, 1])"),
    f"{_OPERATOR}Permutation([2, 0, 1], tf.float64).dtype",
    f"{_OPERATOR}Permutation([2.0, 0.0, 1.0])",
    *_about(f"{_OPERATOR}Zeros(3)"),
    f"{_OPERATOR}Zeros(2, 3, [4], is_square=False, is_self_adjoint=False).shape",
    *_about(f"{_OPERATOR}Inversion({_OPERATOR}FullMatrix({_DEFINITE}, {_TOLD}))"),
    *_about(f"{_OPERATOR}Adjoint({_OPERATOR}FullMatrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 0.0]]))"),
    *_about(f"{_OPERATOR}LowRankUpdate({_OPERATOR}Diag([1.0, 2.0, 3.0]), [[1.0], [2.0], [3.0]], [0.5])"),
    f"listed({_OPERATOR}LowRankUpdate({_OPERATOR}Diag([1.0, 2.0]), [[1.0], [2.0]], v=[[3.0], [1.0]]).to_dense())",
    f"{_OPERATOR}Diag([1.0, 2.0], is_positive_definite=True).is_non_singular",
]
SIGNALS = [
    f"listed(tf.signal.mdct({_WAVE}, 8))",
    f"listed(tf.signal.mdct({_WAVE}, 8, window_fn=None, norm='ortho'))",
    f"listed(tf.signal.mdct({_WAVE}, 8, tf.signal.kaiser_bessel_derived_window, pad_end=True))",
    f"tf.signal.mdct({_WAVE}, 6)",
    f"listed(tf.signal.inverse_mdct(tf.signal.mdct({_WAVE}, 8)))",
    f"listed(tf.signal.inverse_mdct(tf.signal.mdct({_WAVE}, 8, None, norm='ortho'), None, norm='ortho'))",
    f"slope(lambda x: tf.signal.mdct(x, 8), {_WAVE})",
    "listed(tf.signal.kaiser_bessel_derived_window(8))",
    "listed(tf.signal.kaiser_bessel_derived_window(6, beta=4.0, dtype=tf.float64))",
]
FURTHER = [*MATRICES, *OPERATORS, *SIGNALS]
