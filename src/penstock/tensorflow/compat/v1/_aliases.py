"""Names that TensorFlow 1 has at the top, and TensorFlow 2 in a module, some by another name there."""

from __future__ import annotations

from collections.abc import Iterator

_SAME = {
    "math": (
        "accumulate_n angle betainc bincount ceil conj cumprod digamma erf erfc expm1 floordiv floormod "
        "igamma igammac imag invert_permutation is_finite is_inf is_nan is_non_decreasing "
        "is_strictly_increasing lbeta lgamma log log1p log_sigmoid logical_xor mod polygamma real "
        "reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum "
        "squared_difference unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
        "unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum zeta"
    ),
    "linalg": "cholesky cholesky_solve cross global_norm matrix_transpose qr svd trace",
    "random": "truncated_normal",
}
_OTHERS = {
    "div_no_nan": "math.divide_no_nan",
    "arg_max": "math.argmax",
    "arg_min": "math.argmin",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "floor_div": "math.floordiv",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det",
    "matrix_diag": "linalg.diag",
    "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv",
    "matrix_set_diag": "linalg.set_diag",
    "matrix_solve": "linalg.solve",
    "matrix_solve_ls": "linalg.lstsq",
    "matrix_triangular_solve": "linalg.triangular_solve",
    "random_crop": "image.random_crop",
    "random_gamma": "random.gamma",
    "random_shuffle": "random.shuffle",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
}


def aliases() -> Iterator[tuple[str, str, str]]:
    """Returns names of `tf.compat.v1`, each with the module that has it too, and its name there."""
    for module, names in _SAME.items():
        yield from ((name, module, name) for name in names.split())
    for name, place in _OTHERS.items():
        module, _, own = place.partition(".")
        yield name, module, own
