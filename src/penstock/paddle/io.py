"""Data sets and batches under Paddle's names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.functions import random as draws
from penstock.paddle._convert import HANDLES, to_tensor
from penstock.trace.convert import refuse_masked
from penstock.trace.kinds import kind_of


class Dataset:
    """Base of data sets: subclasses give an item by its number, and say how many there are."""

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(f"'__getitem__' not implement in class {type(self).__name__}")

    def __len__(self) -> int:
        raise NotImplementedError(f"'__len__' not implement in class {type(self).__name__}")


class IterableDataset(Dataset):
    """Base of data sets that are iterated over."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"'__iter__' not implement in class {type(self).__name__}")


class TensorDataset(Dataset):
    """Tensors of equal first length, item by item."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = tensors
        self._arrays = [np.asarray(one) for one in tensors]

    def __getitem__(self, index: int) -> Any:
        return tuple(one[index] for one in self._arrays)

    def __len__(self) -> int:
        return len(self._arrays[0])


class Subset(Dataset):
    """Some items of a data set."""

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: int) -> Any:
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def _order(count: int) -> list[int]:
    keys = np.asarray(draws.uniform((count,), dtype=np.float64))
    return [int(i) for i in np.argsort(keys, kind="stable")]


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset]:
    """Returns a data set divided at random into parts of these lengths."""
    order = _order(len(dataset))
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
    """The items in random order."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: Any = None, generator: Any = None
    ) -> None:
        super().__init__(data_source)

    def __iter__(self) -> Iterator[Any]:
        return iter(_order(len(self.data_source)))


class BatchSampler(Sampler):
    """Lists of items, so many at a time."""

    def __init__(
        self, dataset: Any = None, sampler: Any = None, shuffle: bool = False, batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dataset)
        self.sampler = sampler or (RandomSampler(dataset) if shuffle else SequenceSampler(dataset))
        self.batch_size, self.drop_last = batch_size, drop_last

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


class DataLoader:
    """Batches of a data set, as tensors. Everything happens in this process: `num_workers` is ignored."""

    def __init__(
        self, dataset: Any, feed_list: Any = None, places: Any = None, return_list: bool = True,
        batch_sampler: Any = None, batch_size: int | None = 1, shuffle: bool = False, drop_last: bool = False,
        collate_fn: Any = None, num_workers: int = 0, **options: Any,
    ) -> None:  # fmt: skip
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.collate_fn = collate_fn or default_collate_fn
        self.batch_sampler = batch_sampler
        if batch_sampler is None and batch_size is not None and not isinstance(dataset, IterableDataset):
            self.batch_sampler = BatchSampler(dataset, None, shuffle, batch_size, drop_last)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            batch: list[Any] = []
            for one in self.dataset:
                batch.append(one)
                if len(batch) == self.batch_size:
                    yield self._listed(batch)
                    batch = []
            if batch and not self.drop_last:
                yield self._listed(batch)
            return
        if self.batch_sampler is None:
            for i in range(len(self.dataset)):
                yield self.dataset[i]
            return
        for places in self.batch_sampler:
            yield self._listed([self.dataset[i] for i in places])

    def _listed(self, batch: list[Any]) -> Any:
        return self.collate_fn(batch)

    def __len__(self) -> int:
        return len(self.dataset) if self.batch_sampler is None else len(self.batch_sampler)

    def __call__(self) -> Iterator[Any]:
        """Returns an iterator over the batches."""
        return iter(self)


__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler",
    "SequenceSampler", "Subset", "TensorDataset", "default_collate_fn", "random_split",
]  # fmt: skip
