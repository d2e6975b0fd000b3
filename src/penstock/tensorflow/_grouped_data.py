"""Data sets whose elements are gathered by key, filled up, looked up in, or written as records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.tensorflow._arrays import zeros_like
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dataset import Dataset
from penstock.tensorflow._elements import plain
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._variables_now import as_now
from penstock.trace.source_site import here
from penstock.trace.structure import mapped


class Reducer:
    """How the elements of a key become one: a start for a key, a step for an element, and an end."""

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func: Any, reducer: Reducer) -> Callable[[Dataset], Dataset]:
    """Returns a function that makes one element of all those of a key, in the order of the keys' first ones.

    >>> from penstock import tensorflow as tf
    >>> sums = tf.data.experimental.Reducer(lambda key: 0, lambda old, x: old + x, lambda total: total)
    >>> parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, sums)
    >>> list(tf.data.Dataset.range(5, output_type=tf.int32).apply(parity).as_numpy_iterator())
    [np.int32(6), np.int32(4)]
    """

    key_func = as_now(key_func)
    begin, step, end = map(as_now, (reducer.init_func, reducer.reduce_func, reducer.finalize_func))

    def applied(dataset: Dataset) -> Dataset:
        def reduced() -> list[Any]:
            states: dict[int, Any] = {}
            for one in dataset:
                parts = one if isinstance(one, tuple) else (one,)
                key = tensor_of(key_func(*parts))
                number = int(key)
                before = states[number] if number in states else begin(key)
                states[number] = step(before, one)
            return [end(*one) if isinstance(one, tuple) else end(one) for one in states.values()]

        def elements() -> Iterator[Any]:
            for one in reduced():
                yield plain(mapped(one, tensor_of))

        return Dataset(elements)

    return applied


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Callable[[Dataset], Dataset]:
    """Returns a function that fills a data set of dictionaries up with zeros; `mask_key` tells them apart."""

    def applied(dataset: Dataset) -> Dataset:
        if not isinstance(dataset.element_spec, dict):
            raise ArgumentError(
                "pad_to_cardinality requires its input dataset to be a dictionary.", site=here()
            )
        if mask_key in dataset.element_spec:
            raise ArgumentError(
                f"pad_to_cardinality: the dataset already has a key {mask_key!r}.", site=here()
            )

        def elements() -> Iterator[Any]:
            count, last = 0, None
            for last in dataset:
                yield plain({**last, mask_key: constant(True)})
                count += 1
            for _ in range(count, int(cardinality)):
                yield plain({**mapped(last, zeros_like), mask_key: constant(False)})

        return Dataset(elements, int(cardinality))

    return applied


def table_from_dataset(
    dataset: Any = None, num_oov_buckets: int = 0, vocab_size: Any = None, default_value: Any = None,
    hasher_spec: Any = None, key_dtype: Any = "string", name: Any = None,
) -> Any:  # fmt: skip
    """Returns a lookup table of a data set of pairs: keys, and whole numbers as values.

    `key_dtype` does nothing: keys say what they are. `vocab_size` and `hasher_spec` must not be given.
    """
    from penstock.tensorflow import lookup

    if vocab_size is not None or hasher_spec is not None:
        raise ArgumentError(
            "table_from_dataset: vocab_size and hasher_spec are not supported.",
            remedy="Leave them away, or take vocab_size elements of the data set first.",
            site=here(),
        )
    keys, values = zip(*((one[0].numpy(), one[1].numpy()) for one in dataset), strict=True)
    initializer = lookup.KeyValueTensorInitializer(list(keys), constant(np.array(values)))
    if num_oov_buckets:
        if default_value is not None:
            raise ArgumentError("Cannot specify both `default_value` and `num_oov_buckets`.", site=here())
        return lookup.StaticVocabularyTable(initializer, num_oov_buckets)
    return lookup.StaticHashTable(initializer, -1 if default_value is None else default_value)


def index_table_from_dataset(
    dataset: Any = None, num_oov_buckets: int = 0, vocab_size: Any = None, default_value: Any = -1,
    hasher_spec: Any = None, key_dtype: Any = "string", name: Any = None,
) -> Any:  # fmt: skip
    """Returns a lookup table of a data set of keys, whose values are their numbers in it.

    `key_dtype` does nothing: keys say what they are. `vocab_size` and `hasher_spec` must not be given.
    """
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    default = None if num_oov_buckets else default_value
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default, hasher_spec, key_dtype)


class TFRecordWriter:
    """Writes a data set of strings into a file of records."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = os.fspath(filename), compression_type

    def write(self, dataset: Dataset) -> None:
        """Writes every element as a record."""
        from penstock.tensorflow.io import TFRecordWriter as Writer

        with Writer(self._filename, self._compression) as writer:
            for one in dataset:
                writer.write(one.numpy())
