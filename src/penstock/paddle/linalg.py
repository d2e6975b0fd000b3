"""Linear algebra under Paddle's names."""

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


def __getattr__(name: str) -> Any:
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
