"""tf.data: data sets as rows that are shuffled, mapped and put into batches, in NumPy."""

from __future__ import annotations

import importlib as _importlib
import itertools as _itertools
from collections.abc import Callable as _Callable
from collections.abc import Iterator as _Iterator
from collections.abc import Mapping as _Mapping
from typing import Any

import numpy as _np

from penstock.functions.keys import key as _key
from penstock.tensorflow import _data_options
from penstock.tensorflow._convert import as_array as _as_array
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._data_options import Options, ThreadingOptions
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._function import TensorSpec as _TensorSpec
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import is_text as _is_text
from penstock.tensorflow._strings import strings as _strings
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape as _TensorShape
from penstock.tensorflow._tensor_shape import as_shape as _as_shape
from penstock.tensorflow._transformations import Transformations as _Transformations
from penstock.tensorflow._transformations import _counter
from penstock.trace import structure as _structure
from penstock.trace.source_site import here as _here
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor
from penstock.trace.tensor import concrete as _concrete

AUTOTUNE = -1
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


class _Row:
    """One row of arrays that lie together: batches of these rows are taken in one piece."""

    __slots__ = ("number", "source")

    def __init__(self, source: Any, number: int) -> None:
        self.source, self.number = source, number


def _is_array(structure: Any) -> bool:
    """Returns whether something is one part of an element: a list is, which becomes a tensor."""
    return not isinstance(structure, tuple | _Mapping)


def _mapped(function: _Callable[[Any], Any], structure: Any) -> Any:
    return _structure.mapped(structure, function, _is_array)


def _refilled(structure: Any, leaves: _Iterator[Any]) -> Any:
    """Returns a structure with each leaf replaced by the next one given."""
    return _structure.packed(structure, leaves, _is_array)


def _flat(structure: Any) -> list[Any]:
    return _structure.flat(structure, _is_array)


def _array(value: Any) -> Any:
    """Returns what a user gave as a NumPy array, in the dtype that TensorFlow would give it."""
    if isinstance(value, _Tensor | _Cell):
        return _np.asarray(value.numpy())
    if isinstance(value, Dataset) or _is_special(value):
        return value
    if _is_text(value):
        return _np.asarray(_strings(value))
    return _as_array(value)


def _is_special(value: Any) -> bool:
    """Returns whether a value is no array, but ragged or sparse, and stays as it is."""
    return type(value).__name__ in ("RaggedTensor", "SparseTensor")


def _element(one: Any) -> Any:
    return _mapped(lambda array: _row(array, one.number), one.source) if isinstance(one, _Row) else one


def _row(array: Any, number: int) -> Any:
    """Returns a row of an array. A string stays in an array: NumPy's own would lose zeros at its end."""
    found = array[number]
    if isinstance(found, bytes):
        held = _np.empty((), object)
        held[()] = found
        return held
    return _array(found) if _is_special(array) else found


def _tensor(array: Any) -> Any:
    if isinstance(array, Dataset) or _is_special(array):
        return array
    array = _np.asarray(array)
    return _StringTensor(array) if array.dtype.kind in "USO" else _concrete(array, _EagerTensor)


def _stacked(elements: list[Any]) -> Any:
    first = elements[0]
    if all(isinstance(one, _Row) and one.source is first.source for one in elements):
        rows = _np.asarray([one.number for one in elements])
        return _mapped(lambda array: array[rows], first.source)
    elements = [_element(one) for one in elements]
    columns = [_flat(one) for one in elements]
    parts = []
    for column in zip(*columns, strict=True):
        if _is_special(column[0]):
            parts.append(_special("batched")(column))
            continue
        arrays = [_np.asarray(one) for one in column]
        if any(one.shape != arrays[0].shape for one in arrays):
            other = next(one.shape for one in arrays if one.shape != arrays[0].shape)
            raise _InvalidArgumentError(
                "Cannot batch tensors with different shapes in component 0. First element had shape "
                f"{list(arrays[0].shape)} and another had shape {list(other)}.",
                remedy="Give them one shape in a map(), or use padded_batch.",
                site=_here(),
            )
        parts.append(_np.stack(arrays))
    return _refilled(elements[0], iter(parts))


def _generator(seed: Any) -> _np.random.Generator:
    """Returns a source of random numbers: of a seed, or of the sequence that tf.random.set_seed starts."""
    words = [int(seed)] if seed is not None else [int(one) for one in _key()._value]
    return _np.random.default_rng(words)


class Dataset(_Transformations):
    """Elements, one after another: tensors, or tuples and dictionaries. Iterating starts over.

    Everything runs in NumPy, in this process, when an element is asked for; `prefetch` and the options about
    parallel work change nothing.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0], [0, 1, 1]))
    >>> for x, y in rows.map(lambda x, y: (x * 10, y)).batch(2):
    ...     print(x.numpy(), y.numpy())
    [10. 20.] [0 1]
    [30.] [1]
    """

    def __init__(
        self, elements: _Callable[[], _Iterator[Any]], count: int = UNKNOWN_CARDINALITY, spec: Any = None
    ) -> None:
        self._elements, self._count, self._spec = elements, count, spec

    # -- where elements come from --------------------------------------------------------------------------

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Any = None) -> Dataset:
        """Returns the rows of arrays: the slices along their first axis."""
        if isinstance(tensors, list):
            tensors = _array(tensors)
        source = _mapped(_array, tensors)
        arrays = _flat(source)
        if not arrays or any(not _lengths(one) for one in arrays):
            raise _ArgumentError("Unbatching a tensor is only supported for rank >= 1", site=_here())
        lengths = {_lengths(one)[0] for one in arrays}
        if len(lengths) > 1:
            first = _lengths(arrays[0])[0]
            raise _ArgumentError(
                f"Dimensions {first} and {(lengths - {first}).pop()} are not compatible",
                why="Each row takes one slice of every array, so all arrays must have the same length.",
                site=_here(),
            )
        count = lengths.pop()
        spec = _mapped(_spec_of_rows, source)
        return Dataset(lambda: (_Row(source, number) for number in range(count)), count, spec)

    @staticmethod
    def from_tensors(tensors: Any, name: Any = None) -> Dataset:
        """Returns one element: the arrays as they are."""
        if isinstance(tensors, list):
            tensors = _array(tensors)
        source = _mapped(_array, tensors)
        return Dataset(lambda: iter([source]), 1, _mapped(_spec_of, source))

    @staticmethod
    def from_generator(
        generator: _Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: Any = None,
    ) -> Dataset:
        """Returns what a generator function yields, in the dtypes stated."""
        types = output_types
        if output_signature is not None:
            types = _mapped(lambda one: one.dtype, output_signature)

        def cast(value: Any, dtype: Any) -> Any:
            wanted = _as_dtype(dtype).as_numpy_dtype
            if _is_special(value):
                return value
            given = value.numpy() if isinstance(value, _Tensor | _Cell) else value
            if dtype == "string":
                return _np.asarray(_strings(given))
            return _np.asarray(given).astype(wanted)

        def elements() -> _Iterator[Any]:
            for one in generator(*(args or ())):
                one = tuple(one) if isinstance(one, list) and isinstance(types, tuple) else one
                if types is None:
                    yield _mapped(_array, one)
                else:
                    yield _refilled(one, map(cast, _flat(one), _flat(types)))

        spec = output_signature
        if spec is None and types is not None and output_shapes is not None:
            shapes = _shapes_in(output_shapes) if isinstance(types, tuple | _Mapping) else [output_shapes]
            spec = _refilled(types, map(_TensorSpec, shapes, _flat(types)))
        return Dataset(elements, UNKNOWN_CARDINALITY, spec)

    @staticmethod
    def range(*arguments: Any, output_type: Any = None, name: Any = None) -> Dataset:
        """Returns whole numbers, as Python's range."""
        numbers = range(*(int(one) for one in arguments))
        dtype = _np.int64 if output_type is None else _as_dtype(output_type).as_numpy_dtype
        return Dataset(
            lambda: (_np.asarray(n, dtype) for n in numbers), len(numbers), _spec((), _np.dtype(dtype))
        )

    @staticmethod
    def zip(*datasets: Any, name: Any = None) -> Dataset:
        """Returns elements of several data sets side by side, until the shortest ends."""
        several = datasets[0] if len(datasets) == 1 and not isinstance(datasets[0], Dataset) else datasets
        counts = [one._count for one in _flat(several)]
        finite = [count for count in counts if count >= 0]
        unknown = any(count == UNKNOWN_CARDINALITY for count in counts)
        count = UNKNOWN_CARDINALITY if unknown else min(finite, default=INFINITE_CARDINALITY)

        def elements() -> _Iterator[Any]:
            iterators = [one._elements() for one in _flat(several)]
            for row in zip(*iterators, strict=False):
                yield _refilled(several, map(_element, row))

        return Dataset(elements, count)

    # -- what is done with them ----------------------------------------------------------------------------

    def map(self, map_func: _Callable[..., Any], num_parallel_calls: Any = None, **options: Any) -> Dataset:
        """Applies a function to each element; the parts of a tuple are its arguments."""

        def elements() -> _Iterator[Any]:
            for one in self._elements():
                yield _plain(_applied(map_func, _element(one)))

        return Dataset(elements, self._count)

    def filter(self, predicate: _Callable[..., Any], name: Any = None) -> Dataset:
        """Keeps the elements for which a function says so."""

        def elements() -> _Iterator[Any]:
            return (one for one in self._elements() if bool(_applied(predicate, _element(one))))

        return Dataset(elements, UNKNOWN_CARDINALITY, self._spec)

    def batch(self, batch_size: int, drop_remainder: bool = False, **options: Any) -> Dataset:
        """Puts so many elements into one, along a new first axis; the last batch may be smaller."""
        size = int(batch_size)
        if size < 1:
            raise _InvalidArgumentError("Batch size must be greater than zero.", site=_here())

        def elements() -> _Iterator[Any]:
            iterator = self._elements()
            while part := list(_itertools.islice(iterator, size)):
                if len(part) == size or not drop_remainder:
                    yield _stacked(part)

        count = self._count
        if count >= 0:
            count = count // size if drop_remainder else -(-count // size)
        spec = None
        if self._spec is not None:
            first = size if drop_remainder else None
            spec = _mapped(lambda one: _batched_spec(one, first), self._spec)
        return Dataset(elements, count, spec)

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: Any = None,
    ) -> Dataset:
        """Puts elements into batches, each lengthened with zeros, or `padding_values`.

        Each axis becomes as long as `padded_shapes` says, and where it has None or -1, as the longest one.
        """
        wanted = None if padded_shapes is None else _shapes_in(padded_shapes)

        def elements() -> _Iterator[Any]:
            iterator = self._elements()
            while part := list(_itertools.islice(iterator, int(batch_size))):
                if drop_remainder and len(part) < batch_size:
                    return
                rows = [_element(one) for one in part]
                columns = list(zip(*(_flat(row) for row in rows), strict=True))
                fills = _flat(padding_values) if padding_values is not None else [0] * len(columns)
                shapes = [None] * len(columns) if wanted is None else wanted
                if len(shapes) != len(columns):
                    raise _ArgumentError(
                        f"padded_batch: {len(shapes)} padded shapes are given for {len(columns)} parts of "
                        "an element.",
                        site=_here(),
                    )
                yield _refilled(rows[0], map(_padded, columns, fills * len(columns), shapes))

        return Dataset(elements, -(-self._count // batch_size) if self._count >= 0 else self._count)

    def ragged_batch(
        self, batch_size: int, drop_remainder: bool = False, row_splits_dtype: Any = "int64", name: Any = None
    ) -> Dataset:
        """Puts so many elements, of several lengths, into a ragged tensor with a row for each.

        >>> from penstock import tensorflow as tf
        >>> rows = tf.data.Dataset.range(1, 4).map(tf.range)
        >>> list(rows.ragged_batch(3))
        [<tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>]
        """
        size = int(batch_size)

        def elements() -> _Iterator[Any]:
            iterator = self._elements()
            while part := list(_itertools.islice(iterator, size)):
                if len(part) == size or not drop_remainder:
                    rows = [_element(one) for one in part]
                    columns = zip(*(_flat(row) for row in rows), strict=True)
                    batched = _special("ragged")
                    yield _refilled(rows[0], iter([batched(one, row_splits_dtype) for one in columns]))

        return Dataset(elements, -(-self._count // size) if self._count >= 0 else self._count)

    def unbatch(self, name: Any = None) -> Dataset:
        """Takes batches apart."""

        def elements() -> _Iterator[Any]:
            for one in self._elements():
                source = _element(one)
                for number in range(_lengths(_flat(source)[0])[0]):
                    yield _Row(source, number)

        return Dataset(elements)

    def shuffle(
        self,
        buffer_size: int,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: Any = None,
    ) -> Dataset:
        """Gives elements in random order: each is drawn from a buffer of the next `buffer_size`.

        Draws come from the sequence of `tf.random.set_seed`, or from `seed`; they are not TensorFlow's.
        """
        size = int(buffer_size)
        if size < 1:
            raise _InvalidArgumentError(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, but got {size}", site=_here()
            )
        own = None if seed is None else _generator(seed)
        fixed = None if reshuffle_each_iteration in (True, None) else (seed, [int(n) for n in _key()._value])

        def elements() -> _Iterator[Any]:
            if fixed is not None:
                random = _np.random.default_rng(fixed[1] if fixed[0] is None else [int(fixed[0])])
            else:
                random = _generator(None) if own is None else own
            iterator = self._elements()
            buffer = list(_itertools.islice(iterator, size))
            for one in iterator:
                place = int(random.integers(len(buffer)))
                yield buffer[place]
                buffer[place] = one
            for place in random.permutation(len(buffer)):
                yield buffer[place]

        return Dataset(elements, self._count, self._spec)

    def repeat(self, count: int | None = None, name: Any = None) -> Dataset:
        """Gives the elements so many times over; without a number, for ever."""
        times = None if count is None or count < 0 else int(count)

        def elements() -> _Iterator[Any]:
            for _ in _itertools.count() if times is None else range(times):
                empty = True
                for one in self._elements():
                    empty = False
                    yield one
                if empty:
                    return

        known = self._count
        total = INFINITE_CARDINALITY if times is None else known * times if known >= 0 else known
        return Dataset(elements, total, self._spec)

    def take(self, count: int, name: Any = None) -> Dataset:
        """Keeps the first so many elements."""
        number = int(count)
        if number < 0:
            return self
        known = min(self._count, number) if self._count >= 0 else number if self._count == -1 else self._count
        return Dataset(lambda: _itertools.islice(self._elements(), number), known, self._spec)

    def skip(self, count: int, name: Any = None) -> Dataset:
        """Leaves the first so many elements out."""
        number = int(count)
        known = max(0, self._count - number) if self._count >= 0 else self._count
        return Dataset(lambda: _itertools.islice(self._elements(), number, None), known, self._spec)

    def concatenate(self, dataset: Dataset, name: Any = None) -> Dataset:
        """Gives the elements of another data set after these."""
        known = self._count + dataset._count if min(self._count, dataset._count) >= 0 else UNKNOWN_CARDINALITY
        return Dataset(lambda: _itertools.chain(self._elements(), dataset._elements()), known, self._spec)

    def enumerate(self, start: int = 0, name: Any = None) -> Dataset:
        """Gives each element with its number."""
        return Dataset(
            lambda: (
                (_np.asarray(number, _np.int64), _element(one))
                for number, one in enumerate(self._elements(), int(start))
            ),
            self._count,
        )

    def flat_map(self, map_func: _Callable[..., Any], name: Any = None) -> Dataset:
        """Gives the elements of the data sets that a function makes of each element."""

        def elements() -> _Iterator[Any]:
            for one in self._elements():
                yield from _applied(map_func, _element(one))._elements()

        return Dataset(elements)

    def reduce(self, initial_state: Any, reduce_func: _Callable[..., Any], name: Any = None) -> Any:
        """Returns what a function makes of a state and each element in turn."""
        state = _operand(initial_state) if not isinstance(initial_state, tuple | dict) else initial_state
        for one in self:
            state = reduce_func(state, one)
        return state

    def cache(self, filename: str = "", name: Any = None) -> Dataset:
        """Keeps the elements after the first time. `filename` does nothing: elements are kept in memory."""
        kept: list[Any] = []
        done = [False]

        def elements() -> _Iterator[Any]:
            if done[0]:
                yield from kept
                return
            fresh = []
            for one in self._elements():
                fresh.append(one)
                yield one
            kept[:], done[0] = fresh, True

        return Dataset(elements, self._count, self._spec)

    def prefetch(self, buffer_size: Any = None, name: Any = None) -> Dataset:
        """Changes nothing: elements are made when they are asked for.

        `buffer_size` does nothing: how work is spread over threads and devices changes no result.
        """
        return self

    _options: Any = None

    def with_options(self, options: Any, name: Any = None) -> Dataset:
        """Keeps the options, which change nothing."""
        kept = Dataset(self._elements, self._count, self._spec)
        kept._options = options
        return kept

    def options(self) -> Any:
        """Returns the options that were kept, or new ones."""
        return Options() if self._options is None else self._options

    def apply(self, transformation_func: _Callable[[Dataset], Any]) -> Any:
        """Returns what a function makes of this data set."""
        return transformation_func(self)

    def shard(self, num_shards: int, index: int, name: Any = None) -> Dataset:
        """Keeps every `num_shards`-th element, from `index` on."""
        return Dataset(lambda: _itertools.islice(self._elements(), int(index), None, int(num_shards)))

    # -- looking at them -----------------------------------------------------------------------------------

    def __iter__(self) -> _DataIterator:
        return _DataIterator(self)

    def save(
        self, path: str, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None
    ) -> None:
        """Writes the elements to a folder, from which `tf.data.Dataset.load` reads them.

        The files are not TensorFlow's; `compression` and `shard_func` do nothing: there is one file.
        """
        from penstock.tensorflow._kept_data import save

        save(self, path, checkpoint_args=checkpoint_args)

    @staticmethod
    def load(
        path: str, element_spec: Any = None, compression: Any = None, reader_func: Any = None
    ) -> Dataset:
        """Returns the data set that `save` has written.

        `element_spec`, `compression` and `reader_func` do nothing: the file says what it holds.
        """
        from penstock.tensorflow._kept_data import load

        return load(path)  # type: ignore[no-any-return]

    def make_one_shot_iterator(self) -> Any:
        """Returns what `tf.compat.v1.data.make_one_shot_iterator` does."""
        from penstock.tensorflow._graphs.iterators import make_one_shot_iterator

        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Returns what `tf.compat.v1.data.make_initializable_iterator` does."""
        from penstock.tensorflow._graphs.iterators import make_initializable_iterator

        return make_initializable_iterator(self, shared_name)

    def as_numpy_iterator(self) -> _Iterator[Any]:
        """Yields elements as NumPy arrays and scalars."""
        for one in self._elements():
            yield _mapped(
                lambda array: array if _is_special(array) else _np.asarray(array)[()], _element(one)
            )

    def get_single_element(self, name: Any = None) -> Any:
        """Returns the one element there is."""
        (only,) = self
        return only

    def cardinality(self, name: Any = None) -> Any:
        """Returns how many elements there are, as a tensor; -1 stands for no end, -2 for not known."""
        return _operand(_np.asarray(self._count, _np.int64))

    def __len__(self) -> int:
        if self._count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if self._count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return self._count

    def __bool__(self) -> bool:
        return True

    @property
    def element_spec(self) -> Any:
        """The shape and dtype of each part of an element."""
        if self._spec is None:
            # Not known beforehand, after a map: seen at the first element.
            self._spec = _mapped(_spec_of, _element(next(self._elements())))
        return self._spec

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"


class _DataIterator:
    """Goes over the elements of a data set, once."""

    __slots__ = ("_dataset", "_rows", "_taken")

    def __init__(self, dataset: Dataset) -> None:
        self._dataset, self._rows, self._taken = dataset, dataset._elements(), 0

    def __iter__(self) -> _DataIterator:
        return self

    def __next__(self) -> Any:
        one = next(self._rows)
        self._taken += 1
        return _mapped(_tensor, _element(one))

    def _kept(self) -> Any:
        """Returns how many elements have been taken, as what a checkpoint keeps."""
        from penstock.tensorflow._kept_data import Position

        return Position(self)

    def _go_to(self, place: int) -> None:
        """Starts over, and passes over as many elements."""
        self._rows, self._taken = self._dataset._elements(), place
        for _ in _itertools.islice(self._rows, place):
            pass

    def get_next(self) -> Any:
        """Returns the next element; raises OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            from penstock.tensorflow.errors import OutOfRangeError

            raise OutOfRangeError("End of sequence", site=_here()) from None

    def get_next_as_optional(self) -> Any:
        """Returns the next element, or at the end an Optional without a value."""
        from penstock.tensorflow._optional import Optional

        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The shape and dtype of each part of an element."""
        return self._dataset.element_spec


def _spec(shape: Any, dtype: Any) -> Any:
    return _TensorSpec(shape, _as_dtype(dtype) if _np.dtype(dtype).kind not in "USO" else "string")


def _lengths(array: Any) -> tuple[int, ...]:
    """Returns the length of each axis of what lies in a data set."""
    return tuple(array.shape)


def _special(name: str) -> Any:
    """Returns a function about ragged and sparse tensors in data sets, which few programs have."""
    return getattr(_importlib.import_module("penstock.tensorflow._ragged.in_data_sets"), name)


def _spec_of_rows(array: Any) -> Any:
    if _is_special(array):
        return _special("spec_of_rows")(array)
    return _spec(array.shape[1:], array.dtype)


def _batched_spec(one: Any, first: Any) -> Any:
    if isinstance(one, _TensorSpec):
        return _TensorSpec((first, *(one.shape or ())), one.dtype)
    return _special("batched_spec")(one, first)


def _spec_of(array: Any) -> Any:
    if isinstance(array, Dataset):
        return None
    if _is_special(array):
        return _importlib.import_module("penstock.tensorflow._specs").type_spec_from_value(array)
    array = _np.asarray(array)
    return _spec(array.shape, array.dtype)


def _applied(function: _Callable[..., Any], element: Any) -> Any:
    given = _mapped(_tensor, element)
    return function(*given) if isinstance(given, tuple) else function(given)


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        result = tuple(result)
    return _mapped(_array, result)


def _shapes_in(given: Any) -> list[Any]:
    """Returns the shapes in a structure; one axis may be named by its length alone."""
    if isinstance(given, _TensorShape | int | _np.integer):
        return [given]
    if isinstance(given, dict):
        return [one for key in sorted(given) for one in _shapes_in(given[key])]
    if isinstance(given, list | tuple) and not all(isinstance(n, int | _np.integer | None) for n in given):
        return [one for part in given for one in _shapes_in(part)]
    return [given]


def _padded(column: Any, fill: Any, wanted: Any) -> Any:
    arrays = [_np.asarray(one) for one in column]
    shape = tuple(max(lengths) for lengths in zip(*(one.shape for one in arrays), strict=True))
    if wanted is not None:
        asked = [None if n in (None, -1) else int(n) for n in _as_shape(wanted)]
        if len(asked) != len(shape):
            raise _ArgumentError(
                f"The padded shape {asked} is not compatible with the corresponding component of shape "
                f"{list(shape)}.",
                site=_here(),
            )
        for axis, (longest, length) in enumerate(zip(shape, asked, strict=True)):
            if length is not None and longest > length:
                raise _InvalidArgumentError(
                    f"Attempted to pad to a smaller size than the input element: axis {axis} has length "
                    f"{longest}, and padded_shapes says {length}.",
                    site=_here(),
                )
        shape = tuple(longest if n is None else n for longest, n in zip(shape, asked, strict=True))
    made = _np.full((len(arrays), *shape), fill, arrays[0].dtype)
    for number, one in enumerate(arrays):
        place: Any = (number, *map(slice, one.shape))
        made[place] = one
    return made


_ELSEWHERE = {
    "DatasetInitializer": "_mutable_tables", "Optional": "_optional", "from_list": "_kept_data",
    "load": "_kept_data", "save": "_kept_data",
}  # fmt: skip
"""Names of tf.data.experimental by the file that has them."""


class _Experimental(type):
    """Names of tf.data.experimental that are defined elsewhere."""

    def __getattr__(cls, name: str) -> Any:
        if name in _ELSEWHERE:
            return getattr(_importlib.import_module(f"penstock.tensorflow.{_ELSEWHERE[name]}"), name)
        if name in ("CsvDataset", "make_csv_dataset"):
            return getattr(_importlib.import_module("penstock.tensorflow._file_data"), name)
        if name in ("sample_from_datasets", "choose_from_datasets"):
            return getattr(Dataset, name)
        if name in _data_options.__all__:
            return getattr(_data_options, name)
        raise _absent(
            "tensorflow.data.experimental", name, ["AUTOTUNE", "CsvDataset", "Counter", "cardinality"]
        )


class experimental(metaclass=_Experimental):
    """Names that older programs use; each function of a data set is given to `Dataset.apply`."""

    AUTOTUNE = AUTOTUNE
    INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = INFINITE_CARDINALITY, UNKNOWN_CARDINALITY

    @staticmethod
    def cardinality(dataset: Dataset) -> Any:
        """Returns how many elements there are."""
        return dataset.cardinality()

    @staticmethod
    def assert_cardinality(expected_cardinality: int) -> Any:
        """Returns a function that tells a data set how many elements it has."""
        return lambda dataset: Dataset(dataset._elements, int(expected_cardinality), dataset._spec)

    @staticmethod
    def get_structure(dataset: Any) -> Any:
        """Returns the shape and dtype of each part of an element, of a data set or an iterator."""
        return dataset.element_spec

    @staticmethod
    def Counter(start: Any = 0, step: Any = 1, dtype: Any = "int64") -> Any:
        """Returns whole numbers from `start` on, for ever, of a dtype."""
        return _counter(start, step, dtype)

    @staticmethod
    def shuffle_and_repeat(buffer_size: int, count: Any = None, seed: Any = None) -> Any:
        """Returns a function that shuffles and repeats a data set."""
        return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)

    @staticmethod
    def map_and_batch(map_func: Any, batch_size: int, drop_remainder: bool = False, **options: Any) -> Any:
        """Returns a function that maps the elements of a data set and puts them into batches."""
        return lambda dataset: dataset.map(map_func, **options).batch(batch_size, drop_remainder)

    @staticmethod
    def dense_to_ragged_batch(
        batch_size: int, drop_remainder: bool = False, row_splits_dtype: Any = "int64"
    ) -> Any:
        """Returns a function that puts elements of several lengths into ragged batches."""
        return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)

    @staticmethod
    def unbatch() -> Any:
        """Returns a function that takes batches apart."""
        return lambda dataset: dataset.unbatch()

    @staticmethod
    def bucket_by_sequence_length(*arguments: Any, **options: Any) -> Any:
        """Returns a function that puts elements of similar lengths into batches."""
        return lambda dataset: dataset.bucket_by_sequence_length(*arguments, **options)

    @staticmethod
    def group_by_window(*arguments: Any, **options: Any) -> Any:
        """Returns a function that gathers elements of one key."""
        return lambda dataset: dataset.group_by_window(*arguments, **options)

    @staticmethod
    def scan(initial_state: Any, scan_func: Any) -> Any:
        """Returns a function that goes over a data set with a state."""
        return lambda dataset: dataset.scan(initial_state, scan_func)

    @staticmethod
    def take_while(predicate: Any) -> Any:
        """Returns a function that gives elements until `predicate` says no."""
        return lambda dataset: dataset.take_while(predicate)

    @staticmethod
    def unique() -> Any:
        """Returns a function that gives each element once."""
        return lambda dataset: dataset.unique()

    @staticmethod
    def ignore_errors(log_warning: bool = False) -> Any:
        """Returns a function that leaves out elements that could not be made."""
        return lambda dataset: dataset.ignore_errors(log_warning)

    @staticmethod
    def rejection_resample(*arguments: Any, **options: Any) -> Any:
        """Returns a function that leaves elements out at random."""
        return lambda dataset: dataset.rejection_resample(*arguments, **options)

    @staticmethod
    def prefetch_to_device(_device: Any, buffer_size: Any = None) -> Any:
        """Returns a function that changes nothing.

        `buffer_size` does nothing: how work is spread over threads and devices changes no result.
        """
        return lambda dataset: dataset


_OF_FILES = ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset")


def __getattr__(name: str) -> Any:
    if name in _OF_FILES:
        return getattr(_importlib.import_module("penstock.tensorflow._file_data"), name)
    raise _absent("tensorflow.data", name, __all__)


__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "Options", "ThreadingOptions",
    "experimental",
    *_OF_FILES,
]  # fmt: skip
