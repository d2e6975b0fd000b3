"""The data that a model is trained on, as batches: of arrays, data sets and generators."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from functools import partial
from types import GeneratorType
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._dataset import Dataset
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._seeds import eager
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._words import Orders
from penstock.tensorflow.keras._settings import limited
from penstock.tensorflow.sparse import SparseTensor, to_dense
from penstock.trace import structure as structures
from penstock.trace.source_site import here, warn
from penstock.trace.tensor import Cell, Tensor, concrete

# -- the parts of a batch ----------------------------------------------------------------------------------


@named("tf.keras.utils.unpack_x_y_sample_weight")
def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """Returns inputs, targets and weights of a batch, with None for missing parts.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.unpack_x_y_sample_weight((1.0, 2.0))
    (1.0, 2.0, None)
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if 1 <= len(data) <= 3:
        return (*data, *(None,) * (3 - len(data)))
    raise ArgumentError(
        f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {data}",
        remedy="A batch of several inputs holds them in one tuple: ((a, b), y).",
        site=here(),
    )


@named("tf.keras.utils.pack_x_y_sample_weight")
def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Returns inputs, targets and weights as one batch, without those that are None.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.pack_x_y_sample_weight(1.0, 2.0)
    (1.0, 2.0)
    """
    if y is None:
        return (x,) if isinstance(x, tuple | list) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def is_array(value: Any) -> bool:
    """Returns whether a value has rows that batches can be made of."""
    return isinstance(value, Tensor | Cell | np.ndarray | SparseTensor) or (
        hasattr(value, "__array__") and hasattr(value, "shape")
    )


def as_rows(value: Any) -> np.ndarray[Any, Any]:
    """Returns an array-like as NumPy's, fractions in float32."""
    if isinstance(value, SparseTensor):
        # A batch is a range of rows, which only a dense tensor has side by side.
        value = to_dense(value)
    if is_text(value):
        return np.asarray(strings(value))
    array = np.asarray(value.numpy() if isinstance(value, Tensor | Cell) else value)
    if array.dtype.kind == "O":
        array = array.astype(np.float32)
    if array.dtype.kind == "f" and array.dtype != np.float32:
        array = array.astype(np.float32)
    if not array.shape:
        raise ArgumentError(
            f"A batch is taken along the first axis, and {value!r} has none.",
            remedy="Give an array with one row for each example.",
            site=here(),
        )
    return array


def tensors(batch: Any) -> Any:
    """Returns a batch with its arrays as tensors, of the dtypes they have."""
    return structures.mapped(batch, _tensor)


def _tensor(value: Any) -> Any:
    if isinstance(value, Tensor | Cell):
        return value
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return array
    if type(value) in (int, float):
        array = array.astype(np.int32 if type(value) is int else np.float32)
    elif isinstance(value, list) and array.dtype == np.float64:
        array = array.astype(np.float32)
    return concrete(array, EagerTensor)


def _as_tuples(structure: Any) -> Any:
    """Returns a structure with tuples for its lists, as a data set has them."""
    if isinstance(structure, list | tuple) and not hasattr(structure, "_fields"):
        return tuple(_as_tuples(one) for one in structure)
    if isinstance(structure, dict):
        return {key: _as_tuples(one) for key, one in structure.items()}
    return structure


def rows_in(batch: Any) -> int:
    """Returns how many examples a batch has."""
    x = unpack_x_y_sample_weight(batch)[0]
    first = next(iter(structures.flat(x)), None)
    lengths = tuple(getattr(first, "shape", ()))
    return int(lengths[0]) if lengths else 1


def class_weights(y: Any, weights: dict[int, float]) -> np.ndarray[Any, Any]:
    """Returns the weight of each example's class: that of its number, or of the largest in its row."""
    labels = np.asarray(y.numpy() if isinstance(y, Tensor | Cell) else y)
    if labels.ndim > 1:
        labels = np.argmax(labels, -1) if labels.shape[-1] != 1 else np.squeeze(labels, -1)
    numbers = np.round(labels).astype("int32")
    return np.asarray([float(weights.get(int(one), 1.0)) for one in numbers], np.float32)


# -- sources -----------------------------------------------------------------------------------------------


class Source:
    """Where batches come from; `count` is how many there are in an epoch, None if that is not known."""

    count: int | None = None
    one_size = False
    """Whether all batches are known to have the same number of rows."""

    def batches(self) -> Iterator[Any]:
        """Yields batches, from the first."""
        raise NotImplementedError

    def begin(self) -> None:
        """Is told that an epoch begins."""

    def end(self) -> None:
        """Is told that an epoch is over."""

    def begin_unread(self) -> None:
        """Is told that Keras begins a pass here that it never reads."""


class Arrays(Source):
    """Batches of rows of arrays."""

    def __init__(self, data: Any, size: int, shuffle: Any) -> None:
        self.data, self.size, self.shuffle = data, size, shuffle
        self.rows = len(structures.flat(data)[0])
        self.count = math.ceil(self.rows / size)
        self.one_size = self.rows % size == 0
        self._seed = eager.seed

    def batches(self) -> Iterator[Any]:
        """Yields batches; the last may be smaller."""
        # Keras shuffles in the function of a data set, which begins afresh with each epoch: a seed decides on
        # one order for all of them.
        orders, order = Orders.in_function(self._seed), None
        if self.shuffle and self.shuffle != "batch":
            order = orders.next(self.rows)
        for start in range(0, self.rows, self.size):
            stop = min(start + self.size, self.rows)
            if order is not None:
                chosen: Any = order[start:stop]
            elif self.shuffle == "batch":
                chosen = start + orders.next(stop - start)
            else:
                chosen = slice(start, stop)
            yield structures.mapped(self.data, partial(_chosen, chosen))


def _chosen(rows: Any, array: Any) -> Any:
    # A copy: the step may be computed after the program has written into the array.
    found = np.array(array[rows])
    return StringTensor(found) if found.dtype.kind in "USO" else concrete(found, EagerTensor)


class Elements(Source):
    """The elements of a data set, which are batches."""

    def __init__(self, dataset: Any, weights: Any) -> None:
        self.dataset, self.weights = dataset, weights
        self.count = dataset._count if dataset._count >= 0 else None

    @property
    def one_size(self) -> bool:  # type: ignore[override]
        """Whether the data set says how many rows an element has, as where it drops a smaller rest."""
        # Where the elements are not described yet, reading one for that would draw random numbers.
        lengths = [tuple(one.shape)[:1] for one in structures.flat(self.dataset._spec)]
        return bool(lengths) and all(one and one[0] is not None for one in lengths)

    def batches(self) -> Iterator[Any]:
        """Yields the elements."""
        for one in self.dataset:
            yield _weighed(one, self.weights) if self.weights is not None else one

    def begin_unread(self) -> None:
        """Uses up the seeds of a pass."""
        self.dataset._begin()


class Indexed(Source):
    """The batches of a `PyDataset`, by their numbers."""

    def __init__(self, dataset: Any, weights: Any, shuffle: Any) -> None:
        self.dataset, self.weights, self.shuffle = dataset, weights, shuffle
        self.count = dataset.num_batches
        if self.count == 0:
            raise ArgumentError("The PyDataset has length 0", site=here())

    def batches(self) -> Iterator[Any]:
        """Yields batches; in another order each time if they are shuffled."""
        numbers: Any = itertools.count() if self.count is None else list(range(self.count))
        if self.shuffle and self.count is not None:
            random.shuffle(numbers)
        for number in numbers:
            batch = self.dataset[number]
            if isinstance(batch, np.ndarray):
                batch = (batch,)
            batch = _as_tuples(batch)
            if not isinstance(batch, dict) and (not isinstance(batch, tuple) or len(batch) not in (1, 2, 3)):
                raise ArgumentError(
                    "PyDataset.__getitem__() must return a tuple or a dict. If a tuple, it must be ordered "
                    "either (input,) or (inputs, targets) or (inputs, targets, sample_weights). Received: "
                    f"{str(batch)[:100]}... of type {type(batch)}",
                    site=here(),
                )
            yield _weighed(tensors(batch), self.weights) if self.weights is not None else tensors(batch)

    def begin(self) -> None:
        """Tells the data set."""
        self.dataset.on_epoch_begin()

    def end(self) -> None:
        """Tells the data set."""
        self.dataset.on_epoch_end()


class Yielded(Source):
    """The batches of a generator; one that has ended gives its first two batches again, as in Keras."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator
        self.first = list(itertools.islice(generator, 2))
        if not self.first:
            raise ArgumentError(
                "When passing a Python generator to a Keras model, the generator must yield at least one "
                "batch. Received an empty generator.",
                why="A generator gives its batches once: a loop over it, or an earlier fit, may have used "
                "them up.",
                remedy="Make a new generator, or a tf.data.Dataset.from_generator(function), which starts "
                "over.",
                site=here(),
            )
        if not isinstance(self.first[0], tuple):
            raise ArgumentError(
                "When passing a Python generator to a Keras model, the generator must return a tuple, either "
                "(input,) or (inputs, targets) or (inputs, targets, sample_weights). "
                f"Received: {self.first[0]}",
                site=here(),
            )

    def batches(self) -> Iterator[Any]:
        """Yields batches."""
        for one in itertools.chain(self.first, self.generator):
            yield tensors(structures.mapped(_as_tuples(one), _narrow))


def _narrow(value: Any) -> Any:
    array = np.asarray(value) if not isinstance(value, Tensor | Cell) else value
    is_wide = isinstance(array, np.ndarray) and array.dtype == np.float64
    return array.astype(np.float32) if is_wide and not isinstance(value, np.ndarray) else array


def _weighed(batch: Any, weights: dict[int, float]) -> Any:
    x, y, given = unpack_x_y_sample_weight(batch)
    if given is not None:
        raise ArgumentError("You cannot `class_weight` and `sample_weight` at the same time.", site=here())
    return batch if y is None else (x, y, tensors(class_weights(y, weights)))


def source_of(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    steps: int | None = None,
    shuffle: Any = False,
    class_weight: Any = None,
) -> Source:
    """Returns where the batches of what was given to `fit`, `evaluate` or `predict` come from."""
    if isinstance(x, Dataset):
        _refuse_apart(x, y, sample_weight, "tf.data.Dataset")
        return Elements(x, class_weight)
    if isinstance(x, GeneratorType):
        _refuse_apart(x, y, sample_weight, "generator")
        if class_weight is not None:
            raise ArgumentError(
                "Argument `class_weight` is not supported for Python generator inputs. Received: "
                f"class_weight={class_weight}",
                remedy="Yield (inputs, targets, sample_weights).",
                site=here(),
            )
        return Yielded(x)
    if hasattr(x, "num_batches") and hasattr(x, "__getitem__"):
        _refuse_apart(x, y, sample_weight, "PyDataset")
        return Indexed(x, class_weight, shuffle)
    return _rows(x, y, sample_weight, batch_size, steps, shuffle, class_weight)


def _rows(
    x: Any, y: Any, sample_weight: Any, batch_size: int | None, steps: int | None, shuffle: Any,
    class_weight: Any,
) -> Arrays:  # fmt: skip
    given = (x, y, sample_weight)
    found = structures.flat(given)
    if not found:
        raise ArgumentError("There are no data: x is None.", remedy="Give the inputs: x.", site=here())
    if not all(map(is_array, found)):
        raise _refused(given)
    if sample_weight is not None and class_weight is not None:
        raise ArgumentError("You cannot `class_weight` and `sample_weight` at the same time.", site=here())
    x, y, sample_weight = (structures.mapped(_as_tuples(one), as_rows) for one in given)
    _check_lengths(x, y, sample_weight)
    if len(structures.flat((x, y))[0]) == 0:
        raise ArgumentError(
            "The data have no examples: the first axis has length 0.",
            remedy="Check where the arrays were filtered or cut: print(x.shape).",
            site=here(),
        )
    several = isinstance(y, tuple | dict)
    if class_weight is not None and y is not None:
        if several:
            raise ArgumentError(
                "`class_weight` is only supported for Models with a single output.",
                remedy="Give sample_weight, an array for each output.",
                site=here(),
            )
        sample_weight = class_weights(y, class_weight)
    elif several and sample_weight is not None and not isinstance(sample_weight, tuple | dict):
        sample_weight = structures.mapped(y, lambda _: sample_weight)
    data = pack_x_y_sample_weight(x, y, sample_weight)
    rows = len(structures.flat(data)[0])
    if batch_size is not None and (not isinstance(batch_size, int | np.integer) or batch_size < 1):
        raise ArgumentError(
            f"batch_size is {batch_size!r}.", remedy="Give a whole number of at least 1.", site=here()
        )
    size = batch_size or (math.ceil(rows / steps) if steps else 32)
    return Arrays(data, int(size), shuffle)


def _refused(given: tuple[Any, Any, Any]) -> ArgumentError:
    for word, one in zip(("x", "y", "sample_weight"), given, strict=True):
        leaves = structures.flat(one)
        if not all(map(is_array, leaves)):
            numbers = isinstance(one, list) and all(isinstance(each, int | float | list) for each in one)
            remedy = (
                f"Make an array of it: np.array({word})." if numbers else
                "Give an array, a tf.data.Dataset, a keras.utils.PyDataset or a generator of batches."
            )  # fmt: skip
            return ArgumentError(
                f"Unrecognized data type: {word}={_short(one)} (of type {type(one)})",
                why="A list stands for several inputs, an array each." if numbers else "",
                remedy=remedy,
                site=here(),
            )
    raise AssertionError(given)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:76]} ..."


def _refuse_apart(x: Any, y: Any, sample_weight: Any, kind: str) -> None:
    for word, what, one in (
        ("y", "the targets", y), ("sample_weights", "the sample weights", sample_weight),
    ):  # fmt: skip
        if one is not None:
            raise ArgumentError(
                f"When providing `x` as a {kind}, `{word}` should not be passed. Instead, {what} should be "
                f"included as part of the {kind}.",
                site=here(),
            )


def _check_lengths(x: Any, y: Any, sample_weight: Any) -> None:
    lengths = {len(one) for one in structures.flat((x, y, sample_weight))}
    if len(lengths) > 1:
        words = "".join(
            f"'{word}' sizes: {', '.join(str(len(one)) for one in structures.flat(data))}\n"
            for word, data in (("x", x), ("y", y), ("sample_weight", sample_weight))
            if data is not None
        )
        raise ArgumentError(
            f"Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.{words}",
            site=here(),
        )


def split(given: tuple[Any, Any, Any], share: float) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Returns the rows to train on, and the last ones, a share of all, to validate on."""
    found = structures.flat(given)
    if not found or not all(map(is_array, found)):
        raise ArgumentError(
            "Argument `validation_split` is only supported for tensors or NumPy arrays."
            f"Found incompatible type in the input: {[type(one) for one in found if not is_array(one)]}",
            remedy="Give validation_data=... beside a data set or a generator.",
            site=here(),
        )
    arrays = tuple(structures.mapped(one, as_rows) for one in given)
    rows = len(structures.flat(arrays)[0])
    place = math.floor(rows * (1.0 - share))
    if place in (0, rows):
        raise ArgumentError(
            f"Training data contains {rows} samples, which is not sufficient to split it into a validation "
            f"and training set as specified by `validation_split={share}`. Either provide more data, or a "
            "different value for the `validation_split` argument.",
            site=here(),
        )

    def part(chosen: slice) -> tuple[Any, ...]:
        return tuple(structures.mapped(one, lambda array: array[chosen]) for one in arrays)

    return part(slice(0, place)), part(slice(place, rows))


# -- epochs ------------------------------------------------------------------------------------------------


class Epochs:
    """The batches of each epoch in turn, some at a time, of a source or of so many `steps`."""

    def __init__(self, source: Source, steps: int | None, at_once: int) -> None:
        self.source, self.steps, self.at_once = source, limited("steps_per_epoch", steps), at_once
        self._count = source.count
        self._present: Iterator[Any] | None = None
        self._seen = 0

    @property
    def length(self) -> int | None:
        """How many batches an epoch has; None if that is not known yet."""
        return self.steps or self._count

    def __iter__(self) -> Iterator[tuple[int, list[Any]]]:
        """Yields the batches of an epoch: each time the number of the first, and the batches."""
        self.source.begin()
        wanted, known = self.length, self._count is not None
        if self._present is None or self.steps is None:
            self._present, self._seen = iter(self.source.batches()), 0
        first = 0
        while wanted is None or first < wanted:
            if self._count is not None and self._seen >= self._count:
                if self.steps:
                    self._tell_ended()
                break
            several = list(itertools.islice(self._present, min(self.at_once, wanted or self.at_once)))
            if not several:
                self._ended()
                break
            self._seen += len(several)
            yield first, several
            first += self.at_once
        if self._count is not None and self._seen >= self._count:
            self._present = None
            if known and self.steps is None:
                self.source.begin_unread()
        self.source.end()

    def _ended(self) -> None:
        if self._count is not None or self.steps is not None:
            self._tell_ended()
        if self._count is None:
            self._count = self._seen
        self._present = None

    def _tell_ended(self) -> None:
        warn(
            "Your input ran out of data; interrupting training. Make sure that your dataset or generator can "
            "generate at least `steps_per_epoch * epochs` batches. You may need to use the `.repeat()` "
            "function when building your dataset."
        )


Later = Callable[[], dict[str, Any]]
"""Computes the results of the metrics on request."""
