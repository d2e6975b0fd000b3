"""tf.linalg.LinearOperator... of structured matrices: circulant, Toeplitz, permutations, low-rank updates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import fft as transforms
from penstock.functions.composite import composite
from penstock.tensorflow import _arrays, _elementwise, _matrices, _products
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._linear_operators import LinearOperator
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@composite(1, "circulant")
def _circulant(spectrum: Any, depth: int, dtype: Any) -> Tensor:
    """Returns the matrix that multiplies the transforms of vectors by a spectrum."""
    axes = list(range(-depth, 0))
    lengths = spectrum.shape[-depth:]
    wide = np.complex128 if spectrum.dtype in (np.float64, np.complex128) else np.complex64
    kernel = transforms.ifftn(native.astype(spectrum, wide), axes=axes)
    flat = native.reshape(kernel, (*spectrum.shape[:-depth], math.prod(lengths)))
    places = np.indices(lengths).reshape(depth, -1)
    apart = (places[:, :, None] - places[:, None, :]) % np.array(lengths)[:, None, None]
    numbers = np.ravel_multi_index(tuple(apart), lengths)
    whole = native.take(flat, native.asarray(numbers.reshape(-1)), axis=-1)
    whole = native.reshape(whole, (*flat.shape[:-1], *numbers.shape))
    if np.dtype(dtype).kind != "c":
        whole = native.real(whole)
    return native.astype(whole, dtype)


class _Circulant(LinearOperator):
    """A matrix by the spectrum of its first column, in one, two or three axes."""

    block_depth = 1

    def __init__(
        self, spectrum: Any, input_output_dtype: Any = "complex64", is_non_singular: Any = None,
        is_self_adjoint: Any = None, is_positive_definite: Any = None, is_square: Any = True,
        name: Any = None,
    ) -> None:  # fmt: skip
        self.spectrum = tensor_of(spectrum)
        given = self.spectrum._spec
        if len(given.shape) < self.block_depth:
            raise ArgumentError(
                f"Argument `spectrum` must have at least {self.block_depth} dimensions. Received: "
                f"{self.spectrum.numpy()}.",
                site=here(),
            )
        real = given.dtype.kind != "c"
        if real and is_self_adjoint is False:
            raise ArgumentError(
                "A real spectrum always corresponds to a self-adjoint operator.",
                remedy="Leave is_self_adjoint away.",
                site=here(),
            )
        dense = _circulant(self.spectrum, self.block_depth, numpy_dtype(input_output_dtype))
        super().__init__(dense, name)
        self._told(is_non_singular, True if real else is_self_adjoint, is_positive_definite)

    @property
    def block_shape(self) -> Any:
        """The lengths of the axes of the spectrum."""
        return self.spectrum.shape[-self.block_depth :]

    def convolution_kernel(self, name: Any = None) -> Any:
        """Returns the first column, in the shape of the spectrum."""
        column = self.to_dense()[..., 0]
        return _arrays.reshape(column, self.spectrum.shape)

    def eigvals(self, name: Any = None) -> Any:
        """Returns the eigenvalues: the spectrum, complex."""
        wide = self.dtype if self.dtype.is_complex else "complex64"
        flat = _arrays.reshape(self.spectrum, (*tuple(self.batch_shape), -1))
        return _elementwise.cast(flat, wide)

    def assert_hermitian_spectrum(self, name: Any = None) -> None:
        """Raises InvalidArgumentError unless the first column is real, as far as float32 says."""
        spectrum = np.asarray(self.spectrum.numpy())
        kernel = np.fft.ifftn(spectrum, axes=list(range(-self.block_depth, 0)))
        if np.abs(kernel.imag).max(initial=0.0) > 1e-5 * max(1.0, np.abs(spectrum).max(initial=0.0)):
            raise InvalidArgumentError("Spectrum was not Hermitian", site=here())


@named("tf.linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(_Circulant):
    """A circulant matrix: each column is the one before it, moved down by one.

    `spectrum` is the transform of the first column. `is_square` does nothing: it is always square.

    >>> from penstock import tensorflow as tf
    >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 0.0, 3.0, 0.0], tf.float32)
    >>> operator.to_dense().numpy()[0].tolist()
    [2.25, 0.75, 2.25, 0.75]
    """


@named("tf.linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(_Circulant):
    """A matrix of circulant blocks, which are circulant themselves, by the spectrum of a convolution.

    `is_square` does nothing: it is always square.
    """

    block_depth = 2


@named("tf.linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(_Circulant):
    """A matrix of circulant blocks of circulant blocks, by the spectrum of a convolution in three axes.

    `is_square` does nothing: it is always square.
    """

    block_depth = 3


@composite(2, "toeplitz")
def _toeplitz(column: Any, row: Any) -> Tensor:
    rows, columns = column.shape[-1], row.shape[-1]
    every = native.concat((native.flip(row[..., 1:], axis=-1), column), axis=-1)
    places = np.arange(rows)[:, None] - np.arange(columns)[None, :] + columns - 1
    whole = native.take(every, native.asarray(places.reshape(-1)), axis=-1)
    return native.reshape(whole, (*whole.shape[:-1], rows, columns))


@named("tf.linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(LinearOperator):
    """A matrix with one number on each diagonal, by its first column and its first row.

    `is_square` does nothing: it is always square.
    """

    def __init__(
        self, col: Any, row: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.col, self.row = tensor_of(col), tensor_of(row)
        if self.col.shape[-1] != self.row.shape[-1]:
            raise ArgumentError(
                "Expected square matrix, got that of column and row to be "
                f"{self.col.shape[-1]} and {self.row.shape[-1]}.",
                site=here(),
            )
        super().__init__(_toeplitz(self.col, self.row), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane through 0 that an axis is normal to.

    `is_non_singular`, `is_positive_definite`, `is_self_adjoint` and `is_square` do nothing: they follow.
    """

    def __init__(
        self, reflection_axis: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.reflection_axis = tensor_of(reflection_axis)
        size = _products.norm(self.reflection_axis, axis=-1, keepdims=True)
        one = _elementwise.divide(self.reflection_axis, size)[..., None]
        outer = _products.matmul(one, _matrices.adjoint(one))
        whole = _arrays.eye(int(one.shape[-2]), dtype=one.dtype)
        super().__init__(_elementwise.subtract(whole, _elementwise.add(outer, outer)), name)
        self._told(True, True, False)


@named("tf.linalg.LinearOperatorPermutation")
class LinearOperatorPermutation(LinearOperator):
    """The matrix that puts the rows of another in the order `perm`.

    `is_square` and `is_non_singular` do nothing: it is always square, and has an inverse.
    """

    def __init__(
        self, perm: Any, dtype: Any = "float32", is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.perm = tensor_of(perm)
        given = np.asarray(self.perm.numpy())
        if given.dtype.kind not in "iu":
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {given}.")
        if (np.sort(given, -1) != np.arange(given.shape[-1])).any():
            raise InvalidArgumentError("Argument `perm` must be a permutation", site=here())
        rows = (given[..., :, None] == np.arange(given.shape[-1])).astype(numpy_dtype(dtype))
        super().__init__(constant(rows), name)
        self._told(True, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorZeros")
class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros.

    `is_non_singular`, `is_positive_definite` and `is_square` do nothing: they follow.
    `assert_proper_shapes` does nothing: shapes are always checked.
    """

    def __init__(
        self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None,
        is_non_singular: Any = False, is_self_adjoint: Any = True, is_positive_definite: Any = False,
        is_square: Any = True, assert_proper_shapes: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        columns = num_rows if num_columns is None else num_columns
        wanted = np.float32 if dtype is None else numpy_dtype(dtype)
        shape = (*(batch_shape or ()), int(num_rows), int(columns))
        super().__init__(constant(np.zeros(shape, wanted)), name)
        self._told(False, is_self_adjoint, False)


@named("tf.linalg.LinearOperatorInversion")
class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator.

    `is_square` does nothing: it is always square.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.operator = operator
        if is_non_singular is False:
            raise ArgumentError("Operator and inverse must be non-singular", site=here())
        super().__init__(_matrices.inv(operator.to_dense()), name)
        own = (operator.is_self_adjoint, operator.is_positive_definite)
        self._told(True, is_self_adjoint or own[0], is_positive_definite or own[1])

    def inverse(self, name: Any = None) -> LinearOperator:
        """Returns the operator itself."""
        return self.operator


@named("tf.linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(LinearOperator):
    """The transpose of an operator, of complex numbers the conjugate transpose.

    `is_square` does nothing: it follows.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.operator = operator
        super().__init__(_matrices.adjoint(operator.to_dense()), name)
        own = (operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite)
        given = (is_non_singular, is_self_adjoint, is_positive_definite)
        self._told(*(mine if mine is not None else theirs for mine, theirs in zip(given, own, strict=True)))

    def adjoint(self, name: Any = None) -> LinearOperator:
        """Returns the operator itself."""
        return self.operator

    H = property(adjoint)


@named("tf.linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator and the product of few columns: base + u @ diag(diag_update) @ v^H; v is u where left away.

    It is symmetric if the base is and v is u; it is positive definite if the base is and
    `is_diag_update_positive` says so of the numbers between. `is_square` does nothing: it follows.
    """

    def __init__(
        self, base_operator: LinearOperator, u: Any, diag_update: Any = None, v: Any = None,
        is_diag_update_positive: Any = None, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.base_operator, self.u = base_operator, tensor_of(u)
        self.v = self.u if v is None else tensor_of(v)
        self.diag_update = None if diag_update is None else tensor_of(diag_update)
        left = self.u
        if self.diag_update is not None:
            left = _elementwise.multiply(left, self.diag_update[..., None, :])
        update = _products.matmul(left, _matrices.adjoint(self.v))
        super().__init__(_elementwise.add(base_operator.to_dense(), update), name)
        if v is None and is_self_adjoint is None and base_operator.is_self_adjoint:
            is_self_adjoint = True
        positive = diag_update is None or is_diag_update_positive
        if v is None and is_positive_definite is None and base_operator.is_positive_definite and positive:
            is_positive_definite = True
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)
