"""Linear algebra under Paddle's names."""

import importlib as _importlib
from typing import Any

from penstock.paddle._math import matmul, norm
from penstock.paddle._matrices import (
    cholesky,
    det,
    diagonal,
    eigh,
    eigvalsh,
    inv,
    matrix_exp,
    matrix_power,
    matrix_transpose,
    multi_dot,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    triangular_solve,
)
from penstock.paddle._names import absent as _absent

_LATER = {
    "_statistics": ("corrcoef", "cov"),
    "_matrices": ("cross",),
    "_numbers": ("vecdot",),
    "_factoring": (
        "eig", "eigvals", "householder_product", "lu", "lu_solve", "lu_unpack", "ormqr", "pca_lowrank",
        "svd_lowrank",
    ),
    "_solving": (
        "cholesky_inverse", "cholesky_solve", "cond", "lstsq", "matrix_norm", "matrix_rank", "svdvals",
        "vector_norm",
    ),
}  # fmt: skip
"""Functions whose module is imported when one is asked for."""


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(_importlib.import_module(f"penstock.paddle.{module}"), name)
    raise _absent("paddle.linalg", name, __all__)


__all__ = [
    "cholesky",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "triangular_solve",
]
__all__ += [name for names in _LATER.values() for name in names]
