"""Data sets and batches under Paddle's names."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from types import GenericAlias
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._convert import HANDLES, data, to_tensor
from penstock.paddle._creation import randperm
from penstock.paddle._errors import InvalidValueError, RefusedError
from penstock.paddle._mode import mode
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._shape import PLACE
from penstock.trace.convert import refuse_masked
from penstock.trace.kinds import kind_of
from penstock.trace.source_site import here


class Dataset:
    """Base of data sets: subclasses give an item by its number, and say how many there are."""

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(f"'__getitem__' not implement in class {type(self).__name__}")

    def __len__(self) -> int:
        raise NotImplementedError(f"'__len__' not implement in class {type(self).__name__}")

    def __class_getitem__(cls, item: Any) -> Any:
        return GenericAlias(cls, item)


class IterableDataset(Dataset):
    """Base of data sets that are iterated over."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"'__iter__' not implement in class {type(self).__name__}")


class TensorDataset(Dataset):
    """Tensors of equal first length, item by item; what is written to an item does not reach them."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = tensors

    def __getitem__(self, index: int) -> Any:
        return tuple(data(np.asarray(one)) for one in self._row(index))

    def _row(self, index: int) -> Any:
        """Returns an item as arrays, of which a batch is made faster."""
        return tuple(np.asarray(one)[index] for one in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset):
    """Some items of a data set."""

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: int) -> Any:
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset]:
    """Returns a data set divided at random into parts of these lengths, or shares of the whole.

    The order is that of `paddle.seed`; a `generator` does nothing.
    """
    count = len(dataset)
    if sum(lengths) <= 1 and lengths and all(0 <= one <= 1 for one in lengths):
        counts = [math.floor(count * one) for one in lengths]
        for i in range(count - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(count).tolist()
    found, start = [], 0
    for n in lengths:
        found.append(Subset(dataset, order[start : start + n]))
        start += n
    return found


class Sampler:
    """Base of samplers: an order of the items."""

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.data_source)


class SequenceSampler(Sampler):
    """The items in order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    """The items in random order, which is drawn, as in Paddle, from NumPy's stream (`numpy.random.seed`)."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: Any = None, generator: Any = None
    ) -> None:
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise TypeError(f"expect boolean value for replacement, but got replacement={replacement}")
        if num_samples is not None and (not isinstance(num_samples, int) or num_samples <= 0):
            raise ValueError(f"num_samples should be a positive integer, but got num_samples={num_samples}")
        self.replacement, self._num_samples, self.generator = replacement, num_samples, generator

    @property
    def num_samples(self) -> int:
        """How many items there are in a pass."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[Any]:
        """Yields the items that were drawn; with a generator, those that it gives."""
        count, wanted = len(self.data_source), self.num_samples
        if self.generator is not None:
            return (next(self.generator) for _ in range(wanted))
        return iter(np.random.choice(np.arange(count), wanted, replace=self.replacement).tolist())

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some items, in random order."""

    def __init__(self, indices: Any) -> None:
        super().__init__(indices)
        self.indices = list(indices)

    def __iter__(self) -> Iterator[Any]:
        return (self.indices[i] for i in randperm(len(self.indices)).tolist())


class WeightedRandomSampler(Sampler):
    """Items drawn, from NumPy's stream, with the chances that their weights say."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError("num_samples should be a positive integer")
        if not isinstance(replacement, bool):
            raise ValueError("replacement should be a boolean value")
        super().__init__(weights)
        self.weights, self.num_samples, self.replacement = weights, num_samples, replacement

    def _rows(self) -> np.ndarray[Any, Any]:
        weights = np.asarray(self.weights)
        return weights.reshape(-1, weights.shape[-1]).astype(np.float64)

    def __iter__(self) -> Iterator[Any]:
        rows = self._rows()
        if not (rows >= 0).all() or not (rows > 0).any(1).all():
            raise AssertionError("weights should be positive value")
        drawn: list[int] = []
        for row in rows:
            chances = row / row.sum()
            drawn += np.random.choice(row.size, self.num_samples, self.replacement, chances).tolist()
        return iter(drawn)

    def __len__(self) -> int:
        return self.num_samples * len(self._rows())


class ConcatDataset(Dataset):
    """Data sets one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = list(datasets)
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Any) -> list[int]:
        """Returns where each data set ends among the items of all."""
        return list(itertools.accumulate(len(one) for one in sequence))

    def __getitem__(self, idx: int) -> Any:
        place = idx + len(self) if idx < 0 else idx
        for one, end in zip(self.datasets, self.cumulative_sizes, strict=True):
            if place < end:
                return one[place - end + len(one)]
        raise IndexError(f"item {idx} of {len(self)}")

    def __len__(self) -> int:
        return self.cumulative_sizes[-1] if self.cumulative_sizes else 0


class ComposeDataset(Dataset):
    """Data sets side by side: an item is the fields of their items, one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = list(datasets)

    def __getitem__(self, idx: int) -> Any:
        found: list[Any] = []
        for one in self.datasets:
            item = one[idx]
            found.extend(item if isinstance(item, list | tuple) else [item])
        return tuple(found)

    def __len__(self) -> int:
        return min(map(len, self.datasets))


class ChainDataset(IterableDataset):
    """Data sets that are iterated over, one after another."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        for one in self.datasets:
            yield from one


class BatchSampler(Sampler):
    """Lists of items, `batch_size` at a time."""

    def __init__(
        self, dataset: Any = None, sampler: Any = None, shuffle: bool = False, batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dataset)
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.sampler = sampler
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for one in self.sampler:
            batch.append(one)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


@named("paddle.io.DistributedBatchSampler", "paddle.distributed.DistributedBatchSampler")
class DistributedBatchSampler(BatchSampler):
    """Lists of items of one process's share: of all, as there is one process here."""

    def __init__(
        self, dataset: Any, batch_size: int, num_replicas: int | None = None, rank: int | None = None,
        shuffle: bool = False, drop_last: bool = False,
    ) -> None:  # fmt: skip
        self.nranks = 1 if num_replicas is None else num_replicas
        self.local_rank = 0 if rank is None else rank
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self) -> Iterator[Any]:
        order = list(range(len(self.dataset)))
        order += order[: self.total_size - len(order)]
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        step = self.batch_size * self.nranks
        last = len(order) - len(order) % step
        own = [
            one
            for start in range(0, last, step)
            for one in order[start + self.local_rank * self.batch_size :][: self.batch_size]
        ]
        rest, share = order[last:], (len(order) - last) // self.nranks
        own += rest[self.local_rank * share : (self.local_rank + 1) * share]
        batches = [own[i : i + self.batch_size] for i in range(0, len(own), self.batch_size)]
        if self.drop_last and batches and len(batches[-1]) < self.batch_size:
            batches.pop()
        return iter(batches)

    def __len__(self) -> int:
        count = self.num_samples
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)

    def set_epoch(self, epoch: int) -> None:
        """Says which order the next pass has."""
        self.epoch = epoch


def get_worker_info() -> Any:
    """Returns what a data set can know of the worker that loads from it; None outside a worker."""
    workers = sys.modules.get("penstock.paddle._workers")
    return None if workers is None else workers.present.info


def default_collate_fn(batch: list[Any]) -> Any:
    """Returns items as one: arrays, numbers and tensors stacked, part by part."""
    first = batch[0]
    if isinstance(first, HANDLES):
        return to_tensor(np.stack([np.asarray(one) for one in batch]))
    if isinstance(first, np.ndarray | np.generic):
        refuse_masked(batch)
        return to_tensor(np.stack(batch))
    if isinstance(first, bool | int | float):
        return to_tensor(np.asarray(batch, np.float32 if isinstance(first, float) else None))
    kind = kind_of(first)
    if kind is None:
        return batch
    columns = zip(*(kind.apart(one)[1] for one in batch))
    made = [default_collate_fn(list(column)) for column in columns]
    return made if isinstance(first, list | tuple) else kind.together(type(first), kind.apart(first)[0], made)


def default_convert_fn(batch: Any) -> Any:
    """Returns an item with its arrays as tensors, part by part."""
    if isinstance(batch, np.ndarray):
        return to_tensor(batch)
    if isinstance(batch, dict):
        return {name: default_convert_fn(one) for name, one in batch.items()}
    return [default_convert_fn(one) for one in batch] if isinstance(batch, list | tuple) else batch


class DataLoader:
    """Batches of a data set, as tensors.

    Everything happens in this process, when a batch is asked for. With `num_workers` the items are those
    that Paddle's processes load: each worker has random numbers of its own, `worker_init_fn` is called with
    its number, and with `persistent_workers` it goes on in the next pass. `use_buffer_reader`,
    `reader_buffer_size`, `use_shared_memory`, `timeout` and `places` do nothing.

    In a static program a batch is a list of arrays, or without `return_list` a list of one dict, whose keys
    are the names of `feed_list`.
    """

    pin_memory = True

    @property
    def dataset_kind(self) -> int:
        """1 for a data set that is iterated over, 0 for one whose items have numbers."""
        return int(self.iterates)

    @property
    def auto_collate_batch(self) -> bool:
        """Whether batches are made here: not if the data set gives them itself."""
        return self.batch_size is not None or self.batch_sampler is not None

    def __init__(
        self, dataset: Any, feed_list: Any = None, places: Any = None, return_list: bool = True,
        batch_sampler: Any = None, batch_size: int | None = 1, shuffle: bool = False, drop_last: bool = False,
        collate_fn: Any = None, num_workers: int = 0, use_buffer_reader: bool = True,
        reader_buffer_size: int = 2, prefetch_factor: int = 2, use_shared_memory: bool = True,
        timeout: int = 0, worker_init_fn: Any = None, persistent_workers: bool = False,
    ) -> None:  # fmt: skip
        self.iterates = isinstance(dataset, IterableDataset)
        _claim(num_workers >= 0, "num_workers should be a non-negative value", num_workers)
        _claim(prefetch_factor > 0, "prefetch_factor should be a positive value", prefetch_factor)
        if self.iterates and shuffle:
            raise InvalidValueError(
                f"IterableDataset not support shuffle, but got shuffle={shuffle}", site=here()
            )
        if self.iterates and batch_sampler is not None:
            raise InvalidValueError("IterableDataset expect unspecified batch_sampler", site=here())
        if batch_sampler is not None:
            _claim(
                batch_size == 1 and not shuffle and not drop_last,
                "batch_size/shuffle/drop_last should not be set when batch_sampler is given",
                (batch_size, shuffle, drop_last),
            )
        elif batch_size is not None:
            wrong = "batch_size should be None or a positive value when batch_sampler is not given"
            _claim(batch_size > 0, wrong, batch_size)
        self.names = None
        if mode.builds() and not return_list:
            _claim(feed_list is not None, "feed_list should be set when return_list=False", feed_list)
            self.names = [one if isinstance(one, str) else one.name for one in feed_list]
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.prefetch_factor = num_workers, prefetch_factor
        self.worker_init_fn, self.persistent_workers = worker_init_fn, persistent_workers
        self.feed_list, self.return_list, self.timeout = feed_list, return_list, timeout
        self.places = _listed([PLACE] if places is None else places)
        self.use_buffer_reader, self.reader_buffer_size = use_buffer_reader, reader_buffer_size
        self.use_shared_memory = use_shared_memory and num_workers > 0
        self._kept_workers: Any = None
        self.collate_fn = collate_fn
        self.batch_sampler = batch_sampler
        if batch_sampler is not None:
            self.batch_size = None
        if batch_sampler is None and batch_size is not None and not self.iterates:
            self.batch_sampler = BatchSampler(dataset, None, shuffle, batch_size, drop_last)

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers:
            from penstock.paddle._workers import passing

            return passing(self)
        return self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.iterates:
            items = iter(self.dataset)
            while (batch := self._next_of(items)) is not None:
                yield batch[0]
            return
        for places in range(len(self.dataset)) if self.batch_sampler is None else self.batch_sampler:
            yield self._loaded(places)

    def _loaded(self, places: Any) -> Any:
        """Returns the items at these places as a batch, or the item at a place."""
        if self.batch_sampler is None:
            return self._made(self.dataset[places])
        if type(self.dataset) is TensorDataset and self.collate_fn is None:
            return self._made([self.dataset._row(i) for i in places])
        return self._made([self.dataset[i] for i in places])

    def _next_of(self, items: Iterator[Any]) -> Any:
        """Returns the next batch of a stream of items, in a tuple; None if it has none."""
        if self.batch_size is None:
            return next(((self._made(one),) for one in items), None)
        batch = list(itertools.islice(items, self.batch_size))
        if not batch or (self.drop_last and len(batch) < self.batch_size):
            return None
        return (self._made(batch),)

    def _made(self, batch: Any) -> Any:
        function = self.collate_fn or (default_collate_fn if self.auto_collate_batch else default_convert_fn)
        if not mode.builds():
            # The arrays that a function of the user leaves become tensors, too.
            return default_convert_fn(function(batch)) if self.collate_fn else function(batch)
        with mode.running():
            made = function(batch)
        parts = [np.asarray(one) for one in (made if isinstance(made, list | tuple) else [made])]
        return parts if self.names is None else [dict(zip(self.names, parts, strict=True))]

    def __len__(self) -> int:
        if self.iterates:
            raise InvalidValueError("length of IterableDataset not supported", site=here())
        return len(self.dataset) if self.batch_sampler is None else len(self.batch_sampler)

    def __call__(self) -> Iterator[Any]:
        """Returns an iterator over the batches."""
        return iter(self)


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _claim(fits: bool, message: str, value: Any) -> None:
    """Raises AssertionError, as Paddle does here, unless an argument fits."""
    if not fits:
        raise RefusedError(message, origin=f"given is {value!r}", site=here())


__getattr__, __dir__, __all__ = _namespace("paddle.io", globals())
