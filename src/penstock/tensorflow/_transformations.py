"""Functions of tf.data on several elements: windows, states, data sets in turn, lengths in groups."""

from __future__ import annotations

import collections
import glob
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.tensorflow._dataset import AUTOTUNE, INFINITE_CARDINALITY, Dataset, maker, method
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elements import (
    UNKNOWN_CARDINALITY,
    applied,
    as_part,
    element_of,
    flat,
    mapped,
    plain,
    refilled,
    shown,
    shown_as,
    skipping,
    spec_for,
    spec_of,
    stacked,
)
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._modes import traced_once
from penstock.tensorflow._strings import strings
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow._traced_elements import Traced
from penstock.tensorflow._variables_now import as_now
from penstock.tensorflow._words import Seeds, fraction_of
from penstock.trace.source_site import here, warn


@method
@shown_as("_WindowDataset")
def window(
    self: Any,
    size: int,
    shift: int | None = None,
    stride: int = 1,
    drop_remainder: bool = False,
    name: Any = None,
) -> Any:
    """Returns data sets of `size` neighbouring elements each; of a tuple, a data set for each part.

    >>> from penstock import tensorflow as tf
    >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
    >>> [[int(n) for n in one] for one in windows]
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    size, step, stride = int(size), int(size if shift is None else shift), int(stride)
    if min(size, step, stride) < 1:
        raise InvalidArgumentError("Window size, shift and stride must be greater than zero.", site=here())
    reach = (size - 1) * stride + 1

    def part(rows: list[Any], spec: Any, place: int) -> Any:
        kept = [flat(one)[place] for one in rows]
        return Dataset(lambda: iter(kept), len(kept), spec)

    def elements() -> Iterator[Any]:
        source = map(element_of, self._elements())
        waiting: collections.deque[Any] = collections.deque()
        ended = False
        while True:
            while not ended and len(waiting) < max(reach, step):
                try:
                    waiting.append(next(source))
                except StopIteration:
                    ended = True
            if not waiting or (drop_remainder and len(waiting) < reach):
                return
            rows = list(waiting)[:reach:stride]
            specs = map(spec_of, flat(rows[0]))
            parts = [part(rows, spec, place) for place, spec in enumerate(specs)]
            yield refilled(rows[0], iter(parts))
            for _ in range(min(step, len(waiting))):
                waiting.popleft()

    return Dataset(elements)


@method
@shown_as("_ScanDataset")
def scan(self: Any, initial_state: Any, scan_func: Callable[..., Any], name: Any = None) -> Any:
    """Gives what a function of a state and an element returns second; the state goes on."""
    start = mapped(as_part, initial_state)

    def given() -> Any:
        spec = self._known_spec()
        return None if spec is None else (mapped(spec_of, start), spec)

    def described() -> Any:
        pair = traced.spec if traced.describe is None else traced.describe()
        return pair[1] if isinstance(pair, tuple) and len(pair) == 2 else None

    traced = Traced(as_now(scan_func), given)
    scan_func = traced.function

    def elements() -> Iterator[Any]:
        state = mapped(shown, start)
        for one in self._elements():
            state, output = scan_func(state, mapped(shown, element_of(one)))
            yield plain(output)

    return Dataset(elements, self._count, None, described)


@method
@shown_as("_TakeWhileDataset")
def take_while(self: Any, predicate: Callable[..., Any], name: Any = None) -> Any:
    """Gives elements until a function says no."""
    predicate = Traced(as_now(predicate), self._known_spec).function

    def elements() -> Iterator[Any]:
        return itertools.takewhile(lambda one: bool(applied(predicate, element_of(one))), self._elements())

    return Dataset(elements, UNKNOWN_CARDINALITY, self._spec, self._known_spec)


@method
@shown_as("_UniqueDataset")
def unique(self: Any, name: Any = None) -> Any:
    """Gives each element once."""

    def elements() -> Iterator[Any]:
        seen = set()
        for one in self._elements():
            key = tuple((a.tobytes() if a.dtype.kind != "O" else repr(a.tolist()), a.shape)
                        for a in map(np.asarray, flat(element_of(one))))  # fmt: skip
            if key not in seen:
                seen.add(key)
                yield one

    return Dataset(elements, UNKNOWN_CARDINALITY, self._spec, self._known_spec)


@method
@shown_as("_RebatchDataset")
def rebatch(self: Any, batch_size: Any, drop_remainder: bool = False, name: Any = None) -> Any:
    """Regroups batches, with `batch_size` rows in each, or in turn with each of several numbers of rows."""
    if not np.ndim(batch_size):
        return self.unbatch().batch(batch_size, drop_remainder)
    sizes = [int(size) for size in batch_size]
    if not sizes or min(sizes) < 1:
        raise InvalidArgumentError("Batch size must be greater than zero.", site=here())
    rows = self.unbatch()

    def elements() -> Iterator[Any]:
        iterator = rows._elements()
        for size in itertools.cycle(sizes):
            part = list(itertools.islice(iterator, size))
            if not part or (drop_remainder and len(part) < size):
                return
            yield stacked(part)

    return Dataset(elements, UNKNOWN_CARDINALITY)


@method
@shown_as("_InterleaveDataset", "_ParallelInterleaveDataset")
def interleave(
    self: Any,
    map_func: Callable[..., Any],
    cycle_length: int | None = None,
    block_length: int | None = None,
    num_parallel_calls: Any = None,
    deterministic: Any = None,
    name: Any = None,
) -> Any:
    """Gives elements of the data sets that a function makes, in turn: `block_length` of each of
    `cycle_length`.

    Without a cycle length, two data sets take turns, in an order that is always the same.
    """
    map_func = traced_once(as_now(map_func), self._spec)
    cycle = 2 if cycle_length in (None, AUTOTUNE) else int(cycle_length)
    block = 1 if block_length is None else int(block_length)
    if cycle < 1 or block < 1:
        raise InvalidArgumentError("cycle_length and block_length must be greater than zero.", site=here())

    def elements() -> Iterator[Any]:
        source = self._elements()
        running: list[Any] = [None] * cycle
        ended = False
        while True:
            busy = False
            for place in range(cycle):
                if running[place] is None and not ended:
                    try:
                        made = applied(map_func, element_of(next(source)))
                        running[place] = iter(made._elements())
                    except StopIteration:
                        ended = True
                if running[place] is None:
                    continue
                busy = True
                given = list(itertools.islice(running[place], block))
                yield from given
                if len(given) < block:
                    running[place] = None
            if not busy and ended:
                return

    return Dataset(elements)


@method
def bucket_by_sequence_length(
    self: Any,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: Any = None,
) -> Any:
    """Puts elements of similar lengths into batches, each lengthened to its longest.

    Lengths below the first boundary are the first group, and so on; the last group has no end. With
    `pad_to_bucket_boundary`, elements are lengthened to the length before the boundary.
    """
    element_length_func = traced_once(as_now(element_length_func))
    bounds, sizes = [int(n) for n in bucket_boundaries], [int(n) for n in bucket_batch_sizes]
    if len(sizes) != len(bounds) + 1:
        raise ArgumentError(
            f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1`, but got {len(sizes)} "
            f"and "
            f"{len(bounds)}.",
            site=here(),
        )

    def batch(rows: list[Any], group: int) -> Any:
        source = Dataset(lambda: iter(rows), len(rows))
        if no_padding:
            return next(source.batch(len(rows))._elements())
        shapes = padded_shapes
        if pad_to_bucket_boundary:
            if group == len(bounds):
                raise InvalidArgumentError(
                    "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).",
                    site=here(),
                )
            length = bounds[group] - 1
            shapes = mapped(lambda one: TensorShape([length] * np.ndim(one)), element_of(rows[0]))
        return next(source.padded_batch(len(rows), shapes, padding_values)._elements())

    def elements() -> Iterator[Any]:
        groups: dict[int, list[Any]] = collections.defaultdict(list)
        for one in self._elements():
            length = int(np.asarray(applied(element_length_func, element_of(one))))
            group = int(np.searchsorted(bounds, length, side="right"))
            groups[group].append(one)
            if len(groups[group]) == sizes[group]:
                yield batch(groups.pop(group), group)
        if not drop_remainder:
            for group in sorted(groups):
                if groups[group]:
                    yield batch(groups[group], group)

    return Dataset(elements)


@method
def group_by_window(
    self: Any, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
    window_size_func: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Gathers elements of one key, and gives the elements of the data sets made of `window_size` of
    them."""
    key_func, reduce_func = traced_once(as_now(key_func)), traced_once(as_now(reduce_func))
    if window_size_func is not None:
        window_size_func = traced_once(as_now(window_size_func))

    def elements() -> Iterator[Any]:
        groups: dict[int, list[Any]] = collections.defaultdict(list)

        def made(key: int) -> Iterator[Any]:
            rows = groups.pop(key)
            inner = Dataset(lambda: iter(rows), len(rows), self._spec)
            yield from reduce_func(shown(np.int64(key)), inner)._elements()

        for one in self._elements():
            key = int(np.asarray(applied(key_func, element_of(one))))
            groups[key].append(one)
            size = window_size if window_size_func is None else window_size_func(shown(np.int64(key)))
            if len(groups[key]) >= int(np.asarray(size)):
                yield from made(key)
        for key in list(groups):
            yield from made(key)

    return Dataset(elements)


@method
def snapshot(self: Any, _path: Any, *_arguments: Any, name: Any = None, **_options: Any) -> Any:
    """Changes nothing: no files are written, and elements are made again each time."""
    return self


@method
def ignore_errors(self: Any, log_warning: bool = False, name: Any = None) -> Any:
    """Leaves out elements that a function of `map` or `filter` could not make.

    An error in reading the elements themselves ends the data set: nothing can be read after it.

    >>> from penstock import tensorflow as tf
    >>> inverse = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(
    ...     lambda x: tf.debugging.check_numerics(1.0 / x, "inverse"))
    >>> [float(x) for x in inverse.ignore_errors()]
    [1.0, 0.25]
    """

    def skip(error: PenstockError) -> None:
        if log_warning:
            warn(f"ignore_errors: an element was skipped: {error.fact}")

    def elements() -> Iterator[Any]:
        source = self._elements()
        while True:
            try:
                with skipping(skip):
                    one = next(source)
            except StopIteration:
                return
            except PenstockError as error:
                skip(error)
                return
            yield one

    return Dataset(elements, UNKNOWN_CARDINALITY, self._spec, self._known_spec)


@maker
def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: Any = None) -> Any:
    """Returns the names of the files that fit a pattern, in random order unless `shuffle` is False.

    Raises InvalidArgumentError if there are none.
    """
    several = np.atleast_1d(np.asarray(strings(file_pattern))).tolist()
    found = sorted({path for one in several for path in glob.glob(one.decode())})
    if not found:
        raise InvalidArgumentError(
            f"No files matched pattern: {', '.join(one.decode() for one in several)}", site=here()
        )
    made = Dataset.from_tensor_slices(found)
    return made if shuffle is False else made.shuffle(len(found), seed)


@maker
@shown_as("_RandomDataset")
def random(seed: Any = None, rerandomize_each_iteration: Any = None, name: Any = None) -> Any:
    """Returns random whole numbers below 2 ** 32, for ever: TensorFlow's.

    They are the same in each pass, unless `rerandomize_each_iteration`.
    """
    seeds = Seeds(seed, bool(rerandomize_each_iteration))

    def elements() -> Iterator[Any]:
        words = seeds.next()
        while True:
            yield np.int64(words.next())

    return Dataset(elements, INFINITE_CARDINALITY, spec_for((), np.dtype(np.int64)))


@maker
@shown_as("_DirectedInterleaveDataset")
def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns elements of data sets, each drawn from one by its weight, as TensorFlow draws them.

    An empty data set ends all with `stop_on_empty_dataset`; otherwise the others go on.
    """
    several = list(datasets)
    given = np.ones(len(several)) if weights is None else np.asarray([float(np.asarray(w)) for w in weights])
    if len(given) != len(several):
        raise ArgumentError(
            f"`weights` must have the same length as `datasets`, but got {len(given)} weights for "
            f"{len(several)} data sets.",
            site=here(),
        )
    several = [one for one, weight in zip(several, given, strict=True) if weight > 0]
    # Through float32, as TensorFlow has the logarithms of the weights.
    logits = np.log(given[given > 0].astype(np.float32)).astype(np.float64)
    sums = np.cumsum(np.exp(logits - logits.max(initial=-np.inf)))
    seeds = Seeds(seed, bool(rerandomize_each_iteration))

    def elements() -> Iterator[Any]:
        words = seeds.next()
        running: list[Any] = [iter(one._elements()) for one in several]
        while any(running):
            first = words.next()
            drawn = fraction_of(first, words.next()) * sums[-1]
            place = int(np.searchsorted(sums, drawn, side="right"))
            if running[place] is None:
                continue
            try:
                yield next(running[place])
            except StopIteration:
                if stop_on_empty_dataset:
                    return
                running[place] = None

    return Dataset(elements, UNKNOWN_CARDINALITY, several[0]._spec)


@maker
@shown_as("_DirectedInterleaveDataset")
def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True, name: Any = None
) -> Any:  # fmt: skip
    """Returns elements of data sets, chosen by the numbers in another data set."""
    several = list(datasets)

    def elements() -> Iterator[Any]:
        running = [iter(one._elements()) for one in several]
        for number in choice_dataset._elements():
            try:
                yield next(running[int(np.asarray(element_of(number)))])
            except StopIteration:
                if stop_on_empty_dataset:
                    return

    return Dataset(elements, UNKNOWN_CARDINALITY, several[0]._spec)


@maker
def counter(start: Any = 0, step: Any = 1, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns whole numbers from `start` on, for ever, of a dtype."""
    return counter_from(start, step, dtype)


@method
def rejection_resample(
    self: Any, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Gives (class, element), with elements left out at random so that classes come as `target_dist`
    says.

    Without `initial_dist`, how often classes occur is estimated as they come. Draws are not TensorFlow's.
    """
    class_func = traced_once(as_now(class_func))
    target = np.asarray(target_dist, np.float64)
    seeds = Seeds(seed, True)

    def elements() -> Iterator[Any]:
        words = seeds.next()
        seen = np.ones(len(target))
        for one in self._elements():
            number = int(np.asarray(applied(class_func, element_of(one))))
            seen[number] += 1
            known = seen / seen.sum() if initial_dist is None else np.asarray(initial_dist, np.float64)
            ratio = np.divide(target, known, out=np.zeros_like(target), where=known > 0)
            if words.next() * 2.0**-32 < ratio[number] / ratio.max():
                yield (np.int64(number), element_of(one))

    return Dataset(elements)


def counter_from(start: Any = 0, step: Any = 1, dtype: Any = "int64") -> Any:
    """Returns whole numbers, for ever."""
    own = numpy_dtype(dtype)
    spec = spec_for((), own)
    return Dataset(
        lambda: (np.asarray(n, own) for n in itertools.count(start, step)), INFINITE_CARDINALITY, spec
    )
