"""Data sets: rows that are shuffled, mapped and put into batches, in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.tensorflow._convert import operand
from penstock.tensorflow._data_options import Options
from penstock.tensorflow._data_specs import DatasetSpec, IteratorSpec
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._elements import (
    UNKNOWN_CARDINALITY,
    Elements,
    Row,
    applied,
    as_part,
    batched_spec,
    element_of,
    flat,
    groups,
    is_special,
    mapped,
    padded,
    plain,
    refilled,
    shapes_in,
    shown,
    shown_as,
    skipped,
    spec_for,
    spec_of,
    spec_of_rows,
    special,
    stacked,
)
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, NotFoundError
from penstock.tensorflow._modes import traced_once
from penstock.tensorflow._seeds import Mapped, Turns, in_call, of_call
from penstock.tensorflow._strings import strings
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow._traced_elements import Traced
from penstock.tensorflow._type_spec import TensorSpec
from penstock.tensorflow._variables_now import as_now
from penstock.tensorflow._words import Seeds, shuffled
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.tensor import Cell, Tensor

AUTOTUNE = named("tf.data.AUTOTUNE")(-1)
INFINITE_CARDINALITY = named("tf.data.INFINITE_CARDINALITY")(-1)
named("tf.data.UNKNOWN_CARDINALITY")(UNKNOWN_CARDINALITY)
T = TypeVar("T", bound=Callable[..., Any])


def _lengthened(shape: Any) -> Any:
    """Returns a shape to lengthen elements to, with None for each length that the longest element decides."""
    return [None if n in (None, -1) else int(n) for n in as_shape(shape)]


@named("tf.data.Dataset")
class Dataset(Elements):
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

    # -- where elements come from --------------------------------------------------------------------------

    @staticmethod
    @shown_as("_TensorSliceDataset")
    def from_tensor_slices(tensors: Any, name: Any = None) -> Dataset:
        """Returns the rows of arrays: the slices along their first axis."""
        if isinstance(tensors, list):
            tensors = as_part(tensors)
        source = mapped(as_part, tensors)
        arrays = flat(source)
        if not arrays or any(not tuple(one.shape) for one in arrays):
            raise ArgumentError("Unbatching a tensor is only supported for rank >= 1", site=here())
        lengths = {int(one.shape[0]) for one in arrays}
        if len(lengths) > 1:
            first = int(arrays[0].shape[0])
            raise ArgumentError(
                f"Dimensions {first} and {(lengths - {first}).pop()} are not compatible",
                why="Each row takes one slice of every array, so all arrays must have the same length.",
                site=here(),
            )
        count = lengths.pop()
        spec = mapped(spec_of_rows, source)
        return Dataset(lambda: (Row(source, number) for number in range(count)), count, spec)

    @staticmethod
    @shown_as("_TensorDataset")
    def from_tensors(tensors: Any, name: Any = None) -> Dataset:
        """Returns one element: the arrays as they are."""
        if isinstance(tensors, list):
            tensors = as_part(tensors)
        source = mapped(as_part, tensors)
        return Dataset(lambda: iter([source]), 1, mapped(spec_of, source))

    @staticmethod
    @shown_as("_FlatMapDataset")
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: Any = None,
    ) -> Dataset:
        """Returns the elements of a generator function, in the stated dtypes."""
        types = output_types
        if output_signature is not None:
            types = mapped(lambda one: one.dtype, output_signature)

        def cast(value: Any, dtype: Any) -> Any:
            wanted = as_dtype(dtype).as_numpy_dtype
            if is_special(value):
                return value
            given = value.numpy() if isinstance(value, Tensor | Cell) else value
            if dtype == "string":
                return np.asarray(strings(given))
            return np.asarray(given).astype(wanted)

        def elements() -> Iterator[Any]:
            for one in generator(*(args or ())):
                one = tuple(one) if isinstance(one, list) and isinstance(types, tuple) else one
                if types is None:
                    yield mapped(as_part, one)
                else:
                    yield refilled(one, map(cast, flat(one), flat(types)))

        own = output_signature
        if own is None and types is not None:
            several = isinstance(types, tuple | Mapping) and output_shapes is not None
            shapes = shapes_in(output_shapes) if several else [output_shapes] * len(flat(types))
            own = refilled(types, iter(map(TensorSpec, shapes, flat(types))))
        return Dataset(elements, UNKNOWN_CARDINALITY, own)

    @staticmethod
    @shown_as("_RangeDataset")
    def range(*arguments: Any, output_type: Any = None, name: Any = None) -> Dataset:
        """Returns whole numbers, as Python's range."""
        numbers = range(*(int(one) for one in arguments))
        dtype = np.int64 if output_type is None else as_dtype(output_type).as_numpy_dtype
        return Dataset(
            lambda: (np.asarray(n, dtype) for n in numbers), len(numbers), spec_for((), np.dtype(dtype))
        )

    @staticmethod
    @shown_as("_ZipDataset")
    def zip(*datasets: Any, name: Any = None) -> Dataset:
        """Returns elements of several data sets side by side, until the shortest ends."""
        several = datasets[0] if len(datasets) == 1 and not isinstance(datasets[0], Dataset) else datasets
        counts = [one._count for one in flat(several)]
        finite = [count for count in counts if count >= 0]
        unknown = any(count == UNKNOWN_CARDINALITY for count in counts)
        count = UNKNOWN_CARDINALITY if unknown else min(finite, default=INFINITE_CARDINALITY)

        def elements() -> Iterator[Any]:
            iterators = [one._elements() for one in flat(several)]
            for row in zip(*iterators, strict=False):
                yield refilled(several, map(element_of, row))

        def described() -> Any:
            specs = [one._known_spec() for one in flat(several)]
            return None if None in specs else refilled(several, iter(specs))

        return Dataset(elements, count, None, described)

    # -- what is done with them ----------------------------------------------------------------------------

    @shown_as("_MapDataset", "_ParallelMapDataset")
    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None, **options: Any) -> Dataset:
        """Applies a function to each element; the parts of a tuple are its arguments.

        Its Python code runs once, here, on tensors without values, if that shows: see decision 0071.
        """
        traced = Traced(as_now(map_func), self._known_spec)
        map_func, draws = traced.function, Mapped()

        def elements() -> Iterator[Any]:
            calls = draws.calls()
            for one in self._elements():
                try:
                    with of_call(calls, (), {}, apart=True):
                        made = plain(applied(map_func, element_of(one)))
                except PenstockError as error:
                    if not skipped(error):
                        raise
                else:
                    yield made

        return Dataset(elements, self._count, traced.spec, traced.describe)

    @shown_as("_FilterDataset")
    def filter(self, predicate: Callable[..., Any], name: Any = None) -> Dataset:
        """Keeps the elements for which a function says so."""
        predicate = Traced(as_now(predicate), self._known_spec).function

        def elements() -> Iterator[Any]:
            for one in self._elements():
                try:
                    kept = bool(applied(predicate, element_of(one)))
                except PenstockError as error:
                    if not skipped(error):
                        raise
                    continue
                if kept:
                    yield one

        return Dataset(elements, UNKNOWN_CARDINALITY, self._spec, self._known_spec)

    @shown_as("_BatchDataset", "_ParallelBatchDataset")
    def batch(self, batch_size: int, drop_remainder: bool = False, **options: Any) -> Dataset:
        """Combines `batch_size` elements into one, along a new first axis; the last batch may be smaller."""
        size = int(batch_size)
        if size < 1:
            raise InvalidArgumentError("Batch size must be greater than zero.", site=here())

        def elements() -> Iterator[Any]:
            for part in groups(self._elements(), size):
                if len(part) == size or not drop_remainder:
                    yield stacked(part)

        count = self._count
        if count >= 0:
            count = count // size if drop_remainder else -(-count // size)
        first = size if drop_remainder else None

        def batches(spec: Any) -> Any:
            return None if spec is None else mapped(lambda one: batched_spec(one, first), spec)

        return Dataset(elements, count, batches(self._spec), lambda: batches(self._known_spec()))

    @shown_as("_PaddedBatchDataset")
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
        wanted = None if padded_shapes is None else shapes_in(padded_shapes)

        def elements() -> Iterator[Any]:
            for part in groups(self._elements(), int(batch_size)):
                if drop_remainder and len(part) < batch_size:
                    return
                rows = [element_of(one) for one in part]
                columns = list(zip(*(flat(row) for row in rows), strict=True))
                fills = flat(padding_values) if padding_values is not None else [0] * len(columns)
                shapes = [None] * len(columns) if wanted is None else wanted
                if len(shapes) != len(columns):
                    raise ArgumentError(
                        f"padded_batch: {len(shapes)} padded shapes are given for {len(columns)} parts of "
                        "an element.",
                        site=here(),
                    )
                yield refilled(rows[0], map(padded, columns, fills * len(columns), shapes))

        def described() -> Any:
            spec = self._known_spec()
            if spec is None or (wanted is not None and len(wanted) != len(flat(spec))):
                return None
            first = int(batch_size) if drop_remainder else None
            shapes = iter([one.shape for one in flat(spec)] if wanted is None else wanted)
            return mapped(
                lambda one: batched_spec(TensorSpec(_lengthened(next(shapes)), one.dtype), first), spec
            )

        count = -(-self._count // batch_size) if self._count >= 0 else self._count
        return Dataset(elements, count, None, described)

    @shown_as("_BatchDataset")
    def ragged_batch(
        self, batch_size: int, drop_remainder: bool = False, row_splits_dtype: Any = "int64", name: Any = None
    ) -> Dataset:
        """Combines `batch_size` elements of different lengths into a ragged tensor with a row for each.

        >>> from penstock import tensorflow as tf
        >>> rows = tf.data.Dataset.range(1, 4).map(tf.range)
        >>> list(rows.ragged_batch(3))
        [<tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>]
        """
        size = int(batch_size)

        def elements() -> Iterator[Any]:
            for part in groups(self._elements(), size):
                if len(part) == size or not drop_remainder:
                    rows = [element_of(one) for one in part]
                    columns = zip(*(flat(row) for row in rows), strict=True)
                    batched = special("ragged")
                    yield refilled(rows[0], iter([batched(one, row_splits_dtype) for one in columns]))

        return Dataset(elements, -(-self._count // size) if self._count >= 0 else self._count)

    @shown_as("_UnbatchDataset")
    def unbatch(self, name: Any = None) -> Dataset:
        """Takes batches apart."""

        def refuse(shapes: Any) -> None:
            if any(not len(one) for one in shapes):
                raise ArgumentError("Cannot unbatch an input with scalar components.", site=here())

        if self._spec is not None:
            shapes = [one.shape for one in flat(self._spec) if type(one) is TensorSpec]
            refuse([one for one in shapes if one.rank is not None])

        def elements() -> Iterator[Any]:
            for one in self._elements():
                source = element_of(one)
                refuse([part.shape for part in flat(source)])
                for number in range(int(flat(source)[0].shape[0])):
                    yield Row(source, number)

        def described() -> Any:
            spec = self._known_spec()
            if spec is None or not all(type(one) is TensorSpec and one.shape.rank for one in flat(spec)):
                return None
            return mapped(lambda one: TensorSpec(one.shape[1:], one.dtype), spec)

        return Dataset(elements, UNKNOWN_CARDINALITY, None, described)

    @shown_as("_ShuffleDataset")
    def shuffle(
        self,
        buffer_size: int,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: Any = None,
    ) -> Dataset:
        """Gives elements in random order: each is drawn from a buffer of the next `buffer_size`.

        The order is TensorFlow's: of `seed`, and of `tf.random.set_seed`. Each pass over the elements gives
        them in another order, unless `reshuffle_each_iteration` is False.
        """
        size = int(buffer_size)
        if size < 1:
            raise InvalidArgumentError(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, but got {size}", site=here()
            )
        seeds = Seeds(seed, reshuffle_each_iteration in (True, None))

        def elements() -> Iterator[Any]:
            return shuffled(self._elements(), size, seeds.next())

        made = Dataset(elements, self._count, self._spec, self._known_spec)
        made._seeds = seeds
        return made

    _seeds: Seeds | None = None
    """What the passes of a data set that shuffles begin with."""

    def _begin(self) -> None:
        """Begins a pass that is never read, as TensorFlow does in some places: it uses up its seeds."""
        if self._seeds is not None:
            self._seeds.next()
        for cell in getattr(self._elements, "__closure__", None) or ():
            # What the function that gives the elements reads is what the data set is made of.
            read = cell.cell_contents
            for one in read if isinstance(read, tuple | list) else (read,):
                if isinstance(one, Dataset):
                    one._begin()

    @shown_as("_RepeatDataset")
    def repeat(self, count: int | None = None, name: Any = None) -> Dataset:
        """Repeats the elements `count` times; without a number, forever."""
        times = None if count is None or count < 0 else int(count)

        def elements() -> Iterator[Any]:
            for _ in itertools.count() if times is None else range(times):
                empty = True
                for one in self._elements():
                    empty = False
                    yield one
                if empty:
                    return
            if times is not None and times > 1 and self._seeds is None:
                # TensorFlow begins one pass more than it repeats.
                self._begin()

        known = self._count
        total = INFINITE_CARDINALITY if times is None else known * times if known >= 0 else known
        return Dataset(elements, total, self._spec, self._known_spec)

    @shown_as("_TakeDataset")
    def take(self, count: int, name: Any = None) -> Dataset:
        """Keeps the first `count` elements."""
        number = int(count)
        if number < 0:
            return self
        known = min(self._count, number) if self._count >= 0 else number if self._count == -1 else self._count
        return Dataset(
            lambda: itertools.islice(self._elements(), number), known, self._spec, self._known_spec
        )

    @shown_as("_SkipDataset")
    def skip(self, count: int, name: Any = None) -> Dataset:
        """Skips the first `count` elements."""
        number = int(count)
        known = max(0, self._count - number) if self._count >= 0 else self._count
        return Dataset(
            lambda: itertools.islice(self._elements(), number, None), known, self._spec, self._known_spec
        )

    @shown_as("_ConcatenateDataset")
    def concatenate(self, dataset: Dataset, name: Any = None) -> Dataset:
        """Gives the elements of another data set after these."""
        known = self._count + dataset._count if min(self._count, dataset._count) >= 0 else UNKNOWN_CARDINALITY
        return Dataset(lambda: itertools.chain(self._elements(), dataset._elements()), known, self._spec)

    @shown_as("_ZipDataset")
    def enumerate(self, start: int = 0, name: Any = None) -> Dataset:
        """Gives each element with its number."""

        def described() -> Any:
            spec = self._known_spec()
            return None if spec is None else (spec_for((), np.dtype(np.int64)), spec)

        return Dataset(
            lambda: (
                (np.asarray(number, np.int64), element_of(one))
                for number, one in enumerate(self._elements(), int(start))
            ),
            self._count,
            None,
            described,
        )

    @shown_as("_FlatMapDataset")
    def flat_map(self, map_func: Callable[..., Any], name: Any = None) -> Dataset:
        """Gives the elements of the data sets that a function makes of each element."""
        map_func = traced_once(as_now(map_func), self._spec)

        def elements() -> Iterator[Any]:
            for one in self._elements():
                yield from applied(map_func, element_of(one))._elements()

        return Dataset(elements)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: Any = None) -> Any:
        """Returns the fold of a function over a state and each element in turn."""
        reduce_func = traced_once(reduce_func)
        state = operand(initial_state) if not isinstance(initial_state, tuple | dict) else initial_state
        for one in self:
            state = reduce_func(state, one)
        return state

    @shown_as("CacheDataset")
    def cache(self, filename: str = "", name: Any = None) -> Dataset:
        """Keeps the elements after the first time. `filename` does nothing: elements are kept in memory."""
        kept: list[Any] = []
        done = [False]

        def elements() -> Iterator[Any]:
            if done[0]:
                yield from kept
                return
            fresh = []
            for one in self._elements():
                fresh.append(one)
                yield one
            kept[:], done[0] = fresh, True

        return Dataset(elements, self._count, self._spec, self._known_spec)

    @shown_as("_PrefetchDataset")
    def prefetch(self, buffer_size: Any = None, name: Any = None) -> Dataset:
        """Changes nothing: elements are made when they are asked for.

        `buffer_size` does nothing: how work is spread over threads and devices changes no result.
        """
        return self

    _options: Any = None

    @shown_as("_OptionsDataset")
    def with_options(self, options: Any, name: Any = None) -> Dataset:
        """Keeps the options, which change nothing."""
        kept = Dataset(self._elements, self._count, self._spec, self._known_spec)
        kept._options = options
        return kept

    def options(self) -> Any:
        """Returns the options that were kept, or new ones."""
        return Options() if self._options is None else self._options

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """Returns the result of a function for this data set."""
        return transformation_func(self)

    @shown_as("_ShardDataset")
    def shard(self, num_shards: int, index: int, name: Any = None) -> Dataset:
        """Keeps every `num_shards`-th element, from `index` on."""
        return Dataset(lambda: itertools.islice(self._elements(), int(index), None, int(num_shards)))

    # -- looking at them -----------------------------------------------------------------------------------

    def __iter__(self) -> DataIterator:
        made = DataIterator(self)
        if in_call():
            made._turns = Turns(afresh=True)
        return made

    def make_one_shot_iterator(self) -> Any:
        """Returns what `tf.compat.v1.data.make_one_shot_iterator` does."""
        from penstock.tensorflow._graphs.iterators import make_one_shot_iterator

        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Returns what `tf.compat.v1.data.make_initializable_iterator` does."""
        from penstock.tensorflow._graphs.iterators import make_initializable_iterator

        return make_initializable_iterator(self, shared_name)

    def as_numpy_iterator(self) -> Iterator[Any]:
        """Yields elements as NumPy arrays and scalars."""
        for one in self._elements():
            yield mapped(lambda array: array if is_special(array) else np.asarray(array)[()], element_of(one))

    def get_single_element(self, name: Any = None) -> Any:
        """Returns the one element there is."""
        (only,) = self
        return only

    def cardinality(self, name: Any = None) -> Any:
        """Returns the number of elements, as a tensor; -1 means infinite, -2 unknown."""
        return operand(np.asarray(self._count, np.int64))

    def __len__(self) -> int:
        if self._count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if self._count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return self._count

    def __bool__(self) -> bool:
        return True

    def _own_spec(self) -> DatasetSpec:
        return DatasetSpec.from_value(self)

    @property
    def element_spec(self) -> Any:
        """The shape and dtype of each part of an element."""
        if self._known_spec() is None:
            # Not known beforehand: seen at the first element.
            first = next(self._elements(), None)
            if first is None:
                raise ArgumentError(
                    f"The element_spec of this {type(self).__name__} is not known: it has no element.",
                    why="What this function returns is seen at the first element.",
                    site=here(),
                )
            self._spec = mapped(spec_of, element_of(first))
        return self._spec

    def __repr__(self) -> str:
        try:
            described = repr(self.element_spec)
        except (ArgumentError, NotFoundError):
            # No file, or one without a record: there is no first element to see.
            described = "<unknown>"
        return f"<{self._kind} element_spec={described}>"


class Position:
    """How far an iterator has come: what a checkpoint keeps of it, in the way it keeps variables."""

    shape = ()

    def __init__(self, iterator: DataIterator) -> None:
        self._iterator = iterator
        self._spec = spec((), np.dtype(np.int64))

    def numpy(self) -> Any:
        """Returns how many elements have been taken."""
        return np.int64(self._iterator._taken)

    def assign(self, value: Any) -> None:
        """Goes to the place after so many elements, from the start."""
        self._iterator._go_to(int(value))


_OVER = object()


class DataIterator:
    """Goes over the elements of a data set, once."""

    __slots__ = ("_dataset", "_rows", "_taken", "_turns")

    def __init__(self, dataset: Dataset) -> None:
        self._dataset, self._rows, self._taken = dataset, dataset._elements(), 0
        self._turns: Turns | None = None

    def __del__(self) -> None:
        if getattr(self, "_turns", None) is not None:
            self._turns.end()  # type: ignore[union-attr]

    def __iter__(self) -> DataIterator:
        return self

    def _own_spec(self) -> IteratorSpec:
        return IteratorSpec.from_value(self)

    def __next__(self) -> Any:
        one = next(self._rows, _OVER) if self._turns is not None else next(self._rows)
        if one is _OVER:
            self._turns.end()  # type: ignore[union-attr]
            raise StopIteration
        self._taken += 1
        if self._turns is not None:
            self._turns.begin()
        return mapped(shown, element_of(one))

    def _kept(self) -> Position:
        """Returns how many elements have been taken, as what a checkpoint keeps."""
        return Position(self)

    def _go_to(self, place: int) -> None:
        """Starts over, and passes over as many elements."""
        self._rows, self._taken = self._dataset._elements(), place
        for _ in itertools.islice(self._rows, place):
            pass

    def get_next(self) -> Any:
        """Returns the next element; raises OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            from penstock.tensorflow.errors import OutOfRangeError

            raise OutOfRangeError("End of sequence", site=here()) from None

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


DatasetSpec.value_type, IteratorSpec.value_type = Dataset, DataIterator


def method(one: T) -> T:
    """Declares a method of data sets that is written in a separate file."""
    setattr(Dataset, one.__name__, one)
    return named(f"tf.data.Dataset.{one.__name__}")(one)


def maker(one: T) -> T:
    """Declares a function of `tf.data.Dataset` that makes a data set, in a separate file."""
    setattr(Dataset, one.__name__, staticmethod(one))
    return named(f"tf.data.Dataset.{one.__name__}")(one)
