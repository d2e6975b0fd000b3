"""The ragged tensor: values, and their partition into rows; its constructors and its attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _dispatch
from penstock.tensorflow._errors import (
    ArgumentError,
    CallableError,
    ConversionError,
    InvalidArgumentError,
)
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.partition import RowPartition, spans, uniform
from penstock.tensorflow._tensor import Reference
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.trace.kinds import register
from penstock.trace.source_site import here

_begun = [False]


@named("tf.RaggedTensor")
class RaggedTensor:
    """A tensor whose rows may differ in length. `tf.ragged.constant` and `from_...` make one.

    The values of all rows lie one after another in `flat_values`, a tensor: gradients go through it.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.RaggedTensor.from_row_lengths([3.0, 1.0, 4.0], [2, 0, 1])
    >>> rows * 2
    <tf.RaggedTensor [[6.0, 2.0], [], [8.0]]>
    >>> print(tf.reduce_sum(rows, axis=1).numpy())
    [4. 0. 4.]
    """

    __slots__ = ("_partition", "_values")
    __array_priority__ = 100
    __array_ufunc__ = None
    _comes_first = _is_tensor = True

    def __init__(self, values: Any, row_partition: RowPartition, internal: bool = False) -> None:
        if not internal:
            raise ArgumentError(
                "RaggedTensor constructor is private; please use one of the factory methods instead "
                "(e.g., RaggedTensor.from_row_lengths())",
                site=here(),
            )
        self._values: Any = values
        self._partition = row_partition
        if not _begun[0]:
            _begun[0] = _dispatch.begin(RaggedTensor, "_ragged.functions")

    # -- making ------------------------------------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows that end where the next begins: `row_splits` are 0 and the end of each row.

        Like all constructors, it checks its arguments: `validate` does nothing.

        >>> from penstock import tensorflow as tf
        >>> tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 2, 3])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        return _checked("from_row_splits", values, RowPartition.from_row_splits(row_splits))

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows of these lengths. `validate` does nothing: the lengths are checked."""
        return _checked("from_row_lengths", values, RowPartition.from_row_lengths(row_lengths))

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows by the number of the row to which each value belongs.

        `validate` does nothing: the numbers are checked.
        """
        made = RowPartition.from_value_rowids(value_rowids, nrows)
        return _checked("from_value_rowids", values, made)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows by where each begins. `validate` does nothing: the places are checked."""
        own = values_of(values)
        return _checked("from_row_starts", own, RowPartition.from_row_starts(row_starts, count_of(own)))

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows by where each ends. `validate` does nothing: the places are checked."""
        return _checked("from_row_limits", values, RowPartition.from_row_limits(row_limits))

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: Any = None
    ) -> RaggedTensor:
        """Returns rows of one length, of values that may be ragged themselves.

        `validate` does nothing: the length is checked.
        """
        own = values_of(values)
        made = RowPartition.from_uniform_row_length(uniform_row_length, count_of(own), nrows)
        return RaggedTensor(own, made, True)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Sequence[Any], name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows of rows, by the row splits of each axis, the outermost first.

        `validate` does nothing: the row splits are checked.
        """
        found = values_of(flat_values)
        for splits in reversed(_several(nested_row_splits, "nested_row_splits")):
            found = cls.from_row_splits(found, splits)
        return found  # type: ignore[no-any-return]

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Sequence[Any], name: Any = None, validate: bool = True
    ) -> RaggedTensor:
        """Returns rows of rows, by the lengths of the rows of each axis, the outermost first.

        `validate` does nothing: the lengths are checked.
        """
        found = values_of(flat_values)
        for lengths in reversed(_several(nested_row_lengths, "nested_row_lengths")):
            found = cls.from_row_lengths(found, lengths)
        return found  # type: ignore[no-any-return]

    @classmethod
    def from_nested_value_rowids(
        cls, flat_values: Any, nested_value_rowids: Sequence[Any], nested_nrows: Any = None, name: Any = None,
        validate: bool = True,
    ) -> RaggedTensor:  # fmt: skip
        """Returns rows of rows, by the row of each value of each axis, the outermost first.

        `validate` does nothing: the numbers are checked.
        """
        found = values_of(flat_values)
        ids = _several(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        for one, count in zip(reversed(ids), reversed(counts), strict=True):
            found = cls.from_value_rowids(found, one, count)
        return found  # type: ignore[no-any-return]

    # `methods.py` has `from_tensor` and `from_sparse`.
    from_tensor: ClassVar[Any]
    from_sparse: ClassVar[Any]

    # -- attributes --------------------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The values of all rows one after another: a tensor, or a ragged tensor with an axis less."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values, one after another: a tensor."""
        found = self._values
        while isinstance(found, RaggedTensor):
            found = found._values
        return found

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.flat_values.dtype

    @property
    def row_splits(self) -> Any:
        """0, and where each row ends in `values`."""
        return self._partition.row_splits()

    @property
    def uniform_row_length(self) -> Any:
        """The length of every row, if all were made of one length; otherwise None."""
        return self._partition.uniform_row_length()

    @property
    def ragged_rank(self) -> int:
        """How many axes are cut into rows."""
        return len(partitions(self))

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of each axis, the outermost first."""
        return tuple(one.row_splits() for one in partitions(self))

    @property
    def shape(self) -> TensorShape:
        """The length of each axis; None where rows have several."""
        cuts = partitions(self)
        inner = tuple(self.flat_values.shape)[1:]
        return TensorShape((cuts[0].count, *(one.uniform for one in cuts), *inner))

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def nested_row_lengths(self, name: Any = None) -> tuple[Any, ...]:
        """Returns the lengths of the rows of each axis, the outermost first."""
        return tuple(one.row_lengths() for one in partitions(self))

    def nested_value_rowids(self, name: Any = None) -> tuple[Any, ...]:
        """Returns the row of each value of each axis, the outermost first."""
        return tuple(one.value_rowids() for one in partitions(self))

    def value_rowids(self, name: Any = None) -> Any:
        """Returns the row of each of `values`."""
        return self._partition.value_rowids()

    def nrows(self, out_type: Any = None, name: Any = None) -> Any:
        """Returns how many rows there are."""
        return self._partition.shown(self._partition.count, out_type)

    def row_starts(self, name: Any = None) -> Any:
        """Returns where each row begins in `values`."""
        return self._partition.row_starts()

    def row_limits(self, name: Any = None) -> Any:
        """Returns where each row ends in `values`."""
        return self._partition.row_limits()

    def row_lengths(self, axis: int = 1, name: Any = None) -> Any:
        """Returns how long each row along an axis is."""
        place = _axis(self, axis)
        if place == 0:
            return self.nrows()
        if place == 1:
            return self._partition.row_lengths()
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(place - 1))
        length = int(self._values.shape[place - 1])
        return self.with_values(self._partition.shown(np.full(self._partition.values, length)))

    def bounding_shape(self, axis: Any = None, name: Any = None, out_type: Any = None) -> Any:
        """Returns the length of the longest row along each axis, or along the one named.

        >>> from penstock import tensorflow as tf
        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape().numpy()
        array([2, 3])
        """
        found = self._partition.shown(np.asarray(bounds(self)), out_type)
        return found if axis is None else found[axis]

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Returns other values in the same rows."""
        return _checked("with_values", new_values, self._partition)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Returns other innermost values in the same rows."""
        return cut_again(self, leaves.leaf(new_values))

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """Returns the same rows with row splits of a dtype, int32 or int64."""
        from penstock.tensorflow._dtype import numpy_dtype

        own = self._partition
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(dtype)
        return RaggedTensor(inner, RowPartition(own.splits, own.uniform, numpy_dtype(dtype)), True)

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor."""
        return Reference(self)

    def consumers(self) -> NoReturn:
        """Not available: there is no graph."""
        raise NotImplementedError("RaggedTensor.consumers belongs to graphs.")

    # `methods.py` has these, and `x[...]`.
    to_tensor: ClassVar[Any]
    to_sparse: ClassVar[Any]
    merge_dims: ClassVar[Any]

    # -- as Python values --------------------------------------------------------------------------------

    def to_list(self) -> list[Any]:
        """Returns nested lists of Python values; looks at them."""
        inner = self._values
        found = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        return [found[start:stop] for start, stop in zip(*_borders(self), strict=True)]

    def numpy(self) -> Any:
        """Returns an array, or an array of arrays where rows have several lengths; looks at the values."""
        found = np.asarray(self._values.numpy())
        rows = [found[start:stop] for start, stop in zip(*_borders(self), strict=True)]
        if not rows:
            return np.array([], found.dtype)
        if all(len(one) == len(rows[0]) for one in rows):
            return np.array(rows)
        made = np.empty(len(rows), object)
        made[:] = rows
        return made

    def __repr__(self) -> str:
        with np.printoptions(formatter={"all": _text}):
            return f"<tf.RaggedTensor {_text(self.numpy())}>"

    def __iter__(self) -> Iterator[Any]:
        return (row(self, number) for number in range(self._partition.count))

    def __bool__(self) -> NoReturn:
        raise CallableError("RaggedTensor may not be used as a boolean.", site=here())

    def __hash__(self) -> NoReturn:
        raise TypeError("RaggedTensor is unhashable.")

    def __copy__(self) -> RaggedTensor:
        return self

    def __deepcopy__(self, memo: Any) -> RaggedTensor:
        return self

    def _dense(self) -> NoReturn:
        raise ConversionError(
            f"Attempt to convert a ragged tensor of shape {self.shape} to a Tensor.",
            why="This function takes tensors whose rows have one length.",
            remedy="Fill the rows up: x.to_tensor(), or compute with x.flat_values: "
            "tf.ragged.map_flat_values(function, x).",
            site=here(),
        )

    def _gradient_part(self) -> Any:
        """The tensor that a gradient of, or by, this one is about."""
        return self.flat_values

    def _of_gradient(self, found: Any) -> Any:
        """A gradient of this shape, of that by its values."""
        if found is None:
            return None
        return cut_again(self, leaves.leaf(found._dense() if hasattr(found, "_dense") else found))


def _text(one: Any) -> str:
    if not isinstance(one, np.ndarray):
        return str(one)
    return np.array2string(one, separator=", ") if one.size else repr(one.tolist())


def _borders(x: RaggedTensor) -> tuple[list[int], list[int]]:
    splits = x._partition.splits.tolist()
    return splits[:-1], splits[1:]


def _several(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list | tuple):
        raise CallableError(f"Argument `{what}` must be a list of row splits, not {given!r}.", site=here())
    return list(given)


def _axis(x: RaggedTensor, axis: Any) -> int:
    rank = len(x.shape)
    place = int(axis)
    if not -rank <= place < rank:
        raise ArgumentError(f"axis={place} out of bounds: expected {-rank}<=axis<{rank}", site=here())
    return place % rank


def values_of(values: Any) -> Any:
    """Returns a user's values as a ragged tensor, or a leaf."""
    return values if isinstance(values, RaggedTensor) else leaves.leaf(values)


def count_of(values: Any) -> int:
    """Returns the length of the first axis of values; raises ArgumentError for a scalar."""
    shape = tuple(values.shape)
    if not shape:
        raise ArgumentError("Shape () must have rank at least 1", site=here())
    return int(shape[0])


def _checked(what: str, values: Any, partition: RowPartition) -> RaggedTensor:
    values = values_of(values)
    if count_of(values) != partition.values:
        raise InvalidArgumentError(
            f"Arguments to {what} do not form a valid RaggedTensor: the rows hold {partition.values} values, "
            f"and {count_of(values)} are given.",
            site=here(),
        )
    return RaggedTensor(values, partition, True)


def made(values: Any, partition: RowPartition) -> RaggedTensor:
    """Returns a ragged tensor of values that fit."""
    return RaggedTensor(values, partition, True)


def partitions(x: Any) -> list[RowPartition]:
    """Returns how each axis is cut into rows, the outermost first."""
    found = []
    while isinstance(x, RaggedTensor):
        found.append(x._partition)
        x = x._values
    return found


def nested(values: Any, cuts: Sequence[RowPartition]) -> Any:
    """Returns values cut into rows of rows."""
    for one in reversed(cuts):
        values = RaggedTensor(values, one, True)
    return values


def cut_again(like: RaggedTensor, values: Any) -> RaggedTensor:
    """Returns other innermost values in the rows of a ragged tensor."""
    cuts = partitions(like)
    if not tuple(values.shape) or int(values.shape[0]) != cuts[-1].values:
        raise ArgumentError(
            f"with_flat_values: the rows hold {cuts[-1].values} values, and shape {tuple(values.shape)} is "
            "given.",
            site=here(),
        )
    return nested(values, cuts)  # type: ignore[no-any-return]


def alike(a: Any, b: Any) -> bool:
    """Returns whether two ragged tensors have the same rows."""
    left, right = partitions(a), partitions(b)
    return len(left) == len(right) and all(x.same(y) for x, y in zip(left, right, strict=True))


def bounds(x: RaggedTensor) -> tuple[int, ...]:
    """Returns the length of the longest row along each axis."""
    cuts = partitions(x)
    longest = [int(one.lengths.max()) if one.count else 0 for one in cuts]
    inner = tuple(int(n) for n in tuple(x.flat_values.shape)[1:])
    return (cuts[0].count, *longest, *inner)


def row(x: RaggedTensor, number: int) -> Any:
    """Returns one row."""
    start, stop = x._partition.splits[number : number + 2]
    inner = x._values
    if isinstance(inner, RaggedTensor):
        return picked(inner, np.arange(start, stop))
    return leaves.cut(inner, start, stop)


def picked(values: Any, rows: Any) -> Any:
    """Returns the rows with these numbers: of a ragged tensor, or the slices of a leaf."""
    if not isinstance(values, RaggedTensor):
        return leaves.gathered(values, rows)
    rows = np.asarray(rows, np.int64)
    own = values._partition
    lengths = own.lengths[rows]
    inner = picked(values._values, spans(own.starts[rows], lengths))
    if own.uniform is not None:
        return RaggedTensor(inner, uniform(own.uniform, len(rows), own.dtype_), True)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    return RaggedTensor(inner, RowPartition(splits, None, own.dtype_), True)


def places_of(cuts: Sequence[RowPartition]) -> list[Any]:
    """Returns for each innermost value its place along each axis that is cut, and along the first."""
    own = cuts[-1]
    found = [np.arange(own.values) - np.repeat(own.starts, own.lengths)]
    rows = own.ids
    for one in reversed(cuts[:-1]):
        within = np.arange(one.values) - np.repeat(one.starts, one.lengths)
        found.insert(0, within[rows])
        rows = one.ids[rows]
    return [rows, *found]


register(
    RaggedTensor,
    lambda x: ((x.flat_values, *x.nested_row_splits), None),
    lambda rest, parts: RaggedTensor.from_nested_row_splits(parts[0], parts[1:]),
    composite=True,
)

__all__ = [
    "RaggedTensor", "alike", "bounds", "count_of", "cut_again", "made", "nested", "partitions", "picked",
    "places_of", "row", "values_of",
]  # fmt: skip
