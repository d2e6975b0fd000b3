"""tf.linalg.LinearOperator...: matrices given by their parts. Operations compute with the matrices."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise, _matrices, _products, _reductions
from penstock.tensorflow._convert import constant, lengths_of, operand, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.trace.source_site import here


@named("tf.linalg.LinearOperator")
class LinearOperator:
    """A matrix, or a batch of them, given by its parts.

    Functions of it compute with the whole matrix, and gradients reach the arguments it was made from.
    """

    def __init__(self, dense: Any = None, name: Any = None) -> None:
        self._dense_matrix, self.name = dense, name or type(self).__name__

    is_non_singular: Any = None
    is_self_adjoint: Any = None
    is_positive_definite: Any = None

    def _told(self, is_non_singular: Any, is_self_adjoint: Any, is_positive_definite: Any) -> None:
        """Keeps what is said of the matrix: one that is positive definite has an inverse."""
        self.is_positive_definite, self.is_self_adjoint = is_positive_definite, is_self_adjoint
        self.is_non_singular = True if is_positive_definite else is_non_singular

    def to_dense(self, name: Any = None) -> Any:
        """Returns the matrix."""
        return self._dense_matrix

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix, with the axes of the batch in front."""
        return TensorShape(tuple(int(n) for n in self.to_dense().shape))

    @property
    def batch_shape(self) -> TensorShape:
        """The axes of the batch."""
        return self.shape[:-2]  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.to_dense().dtype

    @property
    def domain_dimension(self) -> int:
        """The number of columns."""
        return int(self.shape[-1])

    @property
    def range_dimension(self) -> int:
        """The number of rows."""
        return int(self.shape[-2])

    @property
    def tensor_rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_square(self) -> bool:
        """Whether there are as many rows as columns."""
        return self.domain_dimension == self.range_dimension

    def shape_tensor(self, name: Any = None) -> Any:
        """Returns the shape as a tensor."""
        return constant(np.asarray(tuple(self.shape), np.int32))

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: Any = None) -> Any:
        """Returns the product with a matrix, or with another operator."""
        if isinstance(x, LinearOperator):
            return LinearOperatorFullMatrix(self.matmul(x.to_dense(), adjoint, adjoint_arg))
        left = _matrices.adjoint(self.to_dense()) if adjoint else self.to_dense()
        right = tensor_of(x)
        return _products.matmul(left, _matrices.adjoint(right) if adjoint_arg else right)

    __matmul__ = matmul

    def matvec(self, x: Any, adjoint: bool = False, name: Any = None) -> Any:
        """Returns the product with a vector; of a list of its parts, the parts of the product."""
        if isinstance(x, list | tuple) and self._parts() and np.ndim(x[0]):
            vectors = [tensor_of(one) for one in x]
            batch = np.broadcast_shapes(*(tuple(one.shape)[:-1] for one in vectors))
            joined = [_arrays.broadcast_to(one, (*batch, int(one.shape[-1]))) for one in vectors]
            return _arrays.split(self.matvec(_arrays.concat(joined, -1), adjoint), self._parts(), axis=-1)
        return self.matmul(_arrays.expand_dims(x, -1), adjoint)[..., 0]

    def _parts(self) -> list[int]:
        """Returns the number of rows of each block, if it consists of blocks."""
        return []

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: Any = None) -> Any:
        """Returns x with matrix @ x = rhs."""
        right = tensor_of(rhs)
        right = _matrices.adjoint(right) if adjoint_arg else right
        matrix = self.to_dense()
        batch = np.broadcast_shapes(tuple(matrix.shape)[:-2], tuple(right.shape)[:-2])
        matrix, right = (
            _arrays.broadcast_to(one, (*batch, *tuple(one.shape)[-2:])) for one in (matrix, right)
        )
        return _matrices.solve(matrix, right, adjoint=adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: Any = None) -> Any:
        """Returns the vector x with matrix @ x = rhs."""
        return self.solve(_arrays.expand_dims(rhs, -1), adjoint)[..., 0]

    def determinant(self, name: Any = None) -> Any:
        """Returns the determinant."""
        return _matrices.det(self.to_dense())

    def log_abs_determinant(self, name: Any = None) -> Any:
        """Returns the logarithm of the size of the determinant."""
        return _matrices.slogdet(self.to_dense())[1]

    def trace(self, name: Any = None) -> Any:
        """Returns the sum of the diagonal."""
        return _reductions.reduce_sum(self.diag_part(), -1)

    def diag_part(self, name: Any = None) -> Any:
        """Returns the diagonal."""
        return _matrices.diag_part(self.to_dense())

    def add_to_tensor(self, x: Any, name: Any = None) -> Any:
        """Returns the sum with a matrix."""
        return _elementwise.add(self.to_dense(), x)

    def adjoint(self, name: Any = None) -> LinearOperator:
        """Returns the transpose, of complex numbers the conjugate transpose."""
        return LinearOperatorFullMatrix(_matrices.adjoint(self.to_dense()))

    H = property(adjoint)

    def inverse(self, name: Any = None) -> LinearOperator:
        """Returns the inverse."""
        return LinearOperatorFullMatrix(_matrices.inv(self.to_dense()))

    def cholesky(self, name: Any = None) -> LinearOperator:
        """Returns the lower factor of a positive definite matrix."""
        return LinearOperatorLowerTriangular(_matrices.cholesky(self.to_dense()))

    def eigvals(self, name: Any = None) -> Any:
        """Returns the eigenvalues of a symmetric matrix."""
        return _matrices.eigvalsh(self.to_dense())

    def cond(self, name: Any = None) -> Any:
        """Returns the largest singular value divided by the smallest."""
        values = _matrices.svd(self.to_dense(), compute_uv=False)
        return _elementwise.divide(_reductions.reduce_max(values, -1), _reductions.reduce_min(values, -1))

    def assert_non_singular(self, name: Any = None) -> None:
        """Raises ArgumentError if the matrix has no inverse."""
        if (np.asarray(self.determinant().numpy()) == 0).any():
            raise ArgumentError("Singular matrix encountered: its determinant is 0.", site=here())


@named("tf.linalg.LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(LinearOperator):
    """A matrix by its elements.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    def __init__(
        self, matrix: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(tensor_of(matrix), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(LinearOperator):
    """A matrix by the elements on and below its diagonal; others are not read.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    """

    def __init__(
        self, tril: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_matrices.band_part(tensor_of(tril), -1, 0), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorDiag")
class LinearOperatorDiag(LinearOperator):
    """A matrix by its diagonal.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    """

    def __init__(
        self, diag: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        self.diag = tensor_of(diag)
        super().__init__(_matrices.diag(self.diag), name)
        real = self.diag._spec.dtype.kind != "c"
        self._told(is_non_singular, True if real else is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(LinearOperator):
    """A matrix with ones on its diagonal.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    `assert_proper_shapes` does nothing: shapes are always checked.
    """

    def __init__(
        self, num_rows: Any, batch_shape: Any = None, dtype: Any = None, is_non_singular: Any = True,
        is_self_adjoint: Any = True, is_positive_definite: Any = True, is_square: Any = True,
        assert_proper_shapes: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        wanted = np.float32 if dtype is None else numpy_dtype(dtype)
        super().__init__(_arrays.eye(int(num_rows), batch_shape=batch_shape, dtype=wanted), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(LinearOperator):
    """A matrix with one number on its diagonal.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    `assert_proper_shapes` does nothing: shapes are always checked.
    """

    def __init__(
        self, num_rows: Any, multiplier: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = True, assert_proper_shapes: bool = False,
        name: Any = None,
    ) -> None:  # fmt: skip
        self.multiplier = tensor_of(multiplier)
        one = _arrays.eye(int(num_rows), dtype=self.multiplier.dtype)
        super().__init__(_elementwise.multiply(self.multiplier[..., None, None], one), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(LinearOperator):
    """A matrix by its diagonal and the two next to it: above, on and below.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.

    With the format "compact" they are rows of one tensor, with "sequence" a list, and each as long as the
    diagonal: the last number above and the first below are not read; "matrix" gives the whole.
    """

    def __init__(
        self, diagonals: Any, diagonals_format: str = "compact", is_non_singular: Any = None,
        is_self_adjoint: Any = None, is_positive_definite: Any = None, is_square: Any = None,
        name: Any = None,
    ) -> None:  # fmt: skip
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ArgumentError(
                f"Diagonals Format must be one of compact, matrix, sequence, got : {diagonals_format}",
                site=here(),
            )
        if diagonals_format == "matrix":
            super().__init__(_matrices.band_part(tensor_of(diagonals), 1, 1), name)
            self._told(is_non_singular, is_self_adjoint, is_positive_definite)
            return
        if diagonals_format == "sequence":
            beside: list[Any] = [tensor_of(one) for one in diagonals]
        else:
            rows = tensor_of(diagonals)
            beside = [rows[..., number, :] for number in range(3)]
        upper, middle, lower = beside
        size = int(middle.shape[-1])
        moves = [np.eye(size, k=k, dtype=middle.dtype.as_numpy_dtype) for k in (1, 0, -1)]
        parts = [
            _elementwise.multiply(_arrays.expand_dims(one, -1), constant(move))
            for one, move in zip((upper, middle, lower), moves, strict=True)
        ]
        super().__init__(functools.reduce(_elementwise.add, parts), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


class _Made(LinearOperator):
    """An operator that consists of others."""

    def __init__(self, operators: Sequence[LinearOperator], dense: Any, name: Any) -> None:
        self.operators = list(operators)
        super().__init__(dense, name)


@named("tf.linalg.LinearOperatorComposition")
class LinearOperatorComposition(_Made):
    """The product of operators.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        every = [one.to_dense() for one in operators]
        super().__init__(operators, functools.reduce(_products.matmul, every), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


@named("tf.linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(_Made):
    """The Kronecker product of operators: every element of the first times the next.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        every = [one.to_dense() for one in operators]
        super().__init__(operators, functools.reduce(_kronecker, every), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)


def _kronecker(a: Any, b: Any) -> Any:
    product = _elementwise.multiply(a[..., :, None, :, None], b[..., None, :, None, :])
    batch = tuple(int(n) for n in product.shape)[:-4]
    rows, columns = (int(a.shape[i]) * int(b.shape[i]) for i in (-2, -1))
    return _arrays.reshape(product, (*batch, rows, columns))


def _blocks(rows: Sequence[Sequence[Any]]) -> Any:
    """Returns a matrix of rows of blocks, None standing for zeros."""
    heights = [next(int(one.shape[-2]) for one in row if one is not None) for row in rows]
    widths = [next(int(row[i].shape[-1]) for row in rows if row[i] is not None) for i in range(len(rows[0]))]
    there = [one for row in rows for one in row if one is not None]
    batch = np.broadcast_shapes(*(tuple(one.shape)[:-2] for one in there))
    own = there[0].dtype

    def block(one: Any, height: int, width: int) -> Any:
        if one is None:
            return _arrays.zeros((*batch, height, width), own)
        return _arrays.broadcast_to(one, (*batch, height, width))

    lines = [
        _arrays.concat([block(one, height, width) for one, width in zip(row, widths, strict=True)], -1)
        for row, height in zip(rows, heights, strict=True)
    ]
    return _arrays.concat(lines, -2)


@named("tf.linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(_Made):
    """A matrix with operators along its diagonal.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Any = None, is_self_adjoint: Any = None,
        is_positive_definite: Any = None, is_square: Any = True, name: Any = None,
    ) -> None:  # fmt: skip
        every = [one.to_dense() for one in operators]
        rows = [[one if i == j else None for j, one in enumerate(every)] for i in range(len(every))]
        super().__init__(operators, _blocks(rows), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)

    def _parts(self) -> list[int]:
        return [one.range_dimension for one in self.operators]


@named("tf.linalg.LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(_Made):
    """A matrix of rows of operators, each row longer by one than the last.

    `is_square` does nothing: the shape says it. The other statements are kept, and not checked.

    >>> from penstock import tensorflow as tf
    >>> one = tf.linalg.LinearOperatorFullMatrix([[2.0]])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [one, one]]).to_dense().numpy().tolist()
    [[2.0, 0.0], [2.0, 2.0]]
    """

    def __init__(
        self, operators: Sequence[Sequence[LinearOperator]], is_non_singular: Any = None,
        is_self_adjoint: Any = None, is_positive_definite: Any = None, is_square: Any = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:  # fmt: skip
        for number, row in enumerate(operators):
            if len(row) != number + 1:
                raise ArgumentError(
                    f"Argument `operators[{number}]` must contain {number + 1} blocks; it contains "
                    f"{len(row)}.",
                    site=here(),
                )
        count = len(operators)
        rows = [[*(one.to_dense() for one in row), *[None] * (count - len(row))] for row in operators]
        self._sizes = [row[-1].range_dimension for row in operators]
        super().__init__([one for row in operators for one in row], _blocks(rows), name)
        self._told(is_non_singular, is_self_adjoint, is_positive_definite)

    def _parts(self) -> list[int]:
        return self._sizes


@named("tf.linalg.banded_triangular_solve")
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: Any = None
) -> Any:
    """Returns x with matrix @ x = rhs, of a triangular matrix by its diagonals.

    The first band is the diagonal of a lower matrix, and each below it follows, shifted to the right; those
    of an upper one come in the opposite order, and end with the diagonal.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.banded_triangular_solve([[2.0, 4.0], [0.0, 1.0]], [[2.0], [5.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    rows = tensor_of(bands)
    count, size = (int(n) for n in tuple(rows.shape)[-2:])
    total: Any = None
    for number in range(count):
        move = number if lower else count - 1 - number
        eye = np.eye(size, k=-move if lower else move, dtype=rows.dtype.as_numpy_dtype)
        # Below the diagonal an element lies in the column of its row's number, less the shift.
        part = _elementwise.multiply(_arrays.expand_dims(rows[..., number, :], -1), constant(eye))
        total = part if total is None else _elementwise.add(total, part)
    right = operand(rhs)
    batch = np.broadcast_shapes(tuple(total.shape)[:-2], tuple(right.shape)[:-2])
    total, right = (
        _arrays.broadcast_to(one, (*batch, *lengths_of(tuple(one.shape)[-2:]))) for one in (total, right)
    )
    return _matrices.triangular_solve(total, right, lower=lower, adjoint=adjoint)


__all__ = ["LinearOperator", "LinearOperatorFullMatrix", "banded_triangular_solve"]
