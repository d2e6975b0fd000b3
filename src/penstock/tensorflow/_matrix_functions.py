"""Functions of whole matrices: square roots, logarithms, eigenvalues of tridiagonal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import linalg
from penstock.functions.composite import composite
from penstock.tensorflow import _arrays, _elementwise, _matrices
from penstock.tensorflow._convert import constant, operand, same_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_PRECISE = {"f": np.float64, "c": np.complex128}
_ROOTS = 7
"""Square roots that bring a matrix near to one, before its logarithm is a short sum."""


def _square(x: Any, name: str) -> Any:
    x = operand(x)
    shape = x._spec.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise InvalidArgumentError(
            f"Input matrix must be square. Got {' x '.join(str(n) for n in shape[-2:])}.", site=here()
        )
    if x._spec.dtype.kind not in "fc":
        raise InvalidArgumentError(f"{name}: a matrix of {x._spec.dtype} has no {name}.", site=here())
    return x


def _root(x: Any) -> Any:
    """Returns square roots, by the iteration of Denman and Beavers with scaled steps."""
    root, inverse = x, native.broadcast_to(native.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for step in range(24):
        backward, forward = linalg.inv(root), linalg.inv(inverse)
        if step < 5:
            # The size of both is brought to one first: steps halve it otherwise.
            sizes = linalg.slogdet(root)[1] + linalg.slogdet(inverse)[1]
            scale = native.exp(-sizes / (2.0 * x.shape[-1]))[..., None, None]
            scale = native.stop_gradient(native.astype(scale, x.dtype))
        else:
            scale = native.asarray(1.0, dtype=x.dtype)
        root, inverse = (
            0.5 * (scale * root + forward / scale),
            0.5 * (scale * inverse + backward / scale),
        )
    return root


@composite(1, "sqrtm")
def _sqrtm(x: Any) -> Tensor:
    found = _root(native.astype(x, _PRECISE[x.dtype.kind]))
    return native.astype(found, x.dtype)


@named("tf.linalg.sqrtm", "tf.matrix_square_root", "tf.compat.v1.matrix_square_root")
def sqrtm(input: Any, name: Any = None) -> EagerTensor:
    """Returns the principal square root of matrices: root @ root is the matrix.

    A matrix needs an inverse, and no eigenvalues that are negative.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.sqrtm([[1.0, 3.0], [0.0, 4.0]]).numpy().round(4).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    return _sqrtm(_square(input, "square root"))  # type: ignore[return-value]


@composite(1, "logm")
def _logm(x: Any) -> Tensor:
    whole = native.astype(x, np.complex128)
    for _ in range(_ROOTS):
        whole = _root(whole)
    one = native.eye(x.shape[-1], dtype=np.complex128)
    rest = whole - one
    places, weights = np.polynomial.legendre.leggauss(8)
    # The logarithm is an integral of inverses, which Gauss' rule sums.
    parts = (
        float(weight / 2) * linalg.solve(one + float((place + 1) / 2) * rest, rest)
        for place, weight in zip(places, weights, strict=True)
    )
    total: Any = sum(parts)
    return native.astype(float(2**_ROOTS) * total, x.dtype)


@named("tf.linalg.logm")
def logm(input: Any, name: Any = None) -> EagerTensor:
    """Returns the principal logarithm of complex matrices: its exponential is the matrix.

    A matrix needs an inverse, and no eigenvalues that are negative.
    """
    x = _square(input, "logarithm")
    if x._spec.dtype.kind != "c":
        raise InvalidArgumentError(
            f"Value for attr 'T' of {_dtype_word(x)} is not in the list of allowed values: complex64, "
            "complex128",
            remedy="Cast the matrix: tf.cast(x, tf.complex64).",
            site=here(),
        )
    return _logm(x)  # type: ignore[return-value]


def _dtype_word(x: Any) -> str:
    name = str(x._spec.dtype.name)
    return {"float32": "float", "float64": "double", "float16": "half"}.get(name, name)


@named("tf.linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any, beta: Any, eigvals_only: bool = True, select: str = "a", select_range: Any = None,
    tol: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the eigenvalues of symmetric tridiagonal matrices, and their eigenvectors if these are wanted.

    `alpha` is the diagonal, `beta` the one above it. `select="i"` asks for those with numbers in
    `select_range`, `select="v"` for those that are in it. `tol` does nothing: eigenvalues are exact.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4).tolist()
    [1.0, 3.0]
    """
    middle, beside = same_dtype((alpha, beta), "EighTridiagonal")
    if select not in ("a", "i", "v"):
        raise ArgumentError(
            f"'select must have a value in {{'a', 'i', 'v'}}. Received: {select!r}.", site=here()
        )
    if select != "a" and (select_range is None or len(select_range) != 2):
        raise ArgumentError(f"select={select!r} needs a select_range of two numbers.", site=here())
    turned = native.conj(beside) if beside._spec.dtype.kind == "c" else beside
    whole = _elementwise.add(
        _elementwise.add(_matrices.diag(middle), _matrices.diag(beside, k=1)), _matrices.diag(turned, k=-1)
    )
    values, vectors = _matrices.eigh(whole)
    if select != "a":
        first, last = (float(np.asarray(operand(one).numpy())) for one in select_range)
        if select == "i":
            keep = np.arange(int(first), int(last) + 1)
        else:
            own = np.asarray(values.numpy())
            if own.ndim != 1:
                raise ArgumentError("select='v' is for one matrix: others may have more.", site=here())
            keep = np.flatnonzero((own > first) & (own <= last))
        values = _arrays.gather(values, constant(keep), axis=-1)
        vectors = _arrays.gather(vectors, constant(keep), axis=-1)
    return values if eigvals_only else (values, vectors)
