"""tf.data.experimental: functions that are given to `Dataset.apply`, and names that have moved."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.declared import named, names_of
from penstock.tensorflow import _data_options
from penstock.tensorflow._dataset import AUTOTUNE, INFINITE_CARDINALITY, Dataset
from penstock.tensorflow._elements import UNKNOWN_CARDINALITY
from penstock.tensorflow._names import absent
from penstock.tensorflow._transformations import counter_from

_moved = names_of("tf.data.experimental", [_data_options.__name__])


_ELSEWHERE = {
    "DatasetInitializer": "_mutable_tables", "Optional": "_optional", "from_list": "_kept_data",
    "load": "_kept_data", "save": "_kept_data",
    "Reducer": "_grouped_data", "TFRecordWriter": "_grouped_data", "group_by_reducer": "_grouped_data",
    "index_table_from_dataset": "_grouped_data", "pad_to_cardinality": "_grouped_data",
    "table_from_dataset": "_grouped_data",
}  # fmt: skip
"""Names by the file that has them."""


class _Experimental(type):
    """Names of tf.data.experimental that are defined elsewhere."""

    def __getattr__(cls, name: str) -> Any:
        if name in _ELSEWHERE:
            return getattr(importlib.import_module(f"penstock.tensorflow.{_ELSEWHERE[name]}"), name)
        if name in ("CsvDataset", "make_csv_dataset"):
            return getattr(importlib.import_module("penstock.tensorflow._file_data"), name)
        if name in ("sample_from_datasets", "choose_from_datasets"):
            return getattr(Dataset, name)
        if name in _moved:
            return _moved[name]
        raise absent(
            "tensorflow.data.experimental", name, ["AUTOTUNE", "CsvDataset", "Counter", "cardinality"]
        )


@named("tf.data.experimental")
class experimental(metaclass=_Experimental):
    """Names that older programs use; each function of a data set is given to `Dataset.apply`."""

    AUTOTUNE = AUTOTUNE
    SHARD_HINT = -1
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
        return counter_from(start, step, dtype)

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
    def dense_to_sparse_batch(batch_size: int, row_shape: Any) -> Any:
        """Returns a function that puts elements of several lengths into sparse batches."""
        return lambda dataset: dataset.sparse_batch(batch_size, row_shape)

    @staticmethod
    def enumerate_dataset(start: int = 0) -> Any:
        """Returns a function that puts a number before each element."""
        return lambda dataset: dataset.enumerate(start)

    @staticmethod
    def get_single_element(dataset: Any) -> Any:
        """Returns the one element that a data set has."""
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        return dataset.get_single_element()

    @staticmethod
    def get_next_as_optional(iterator: Any) -> Any:
        """Returns the next element of an iterator, or at its end an Optional without a value."""
        return iterator.get_next_as_optional()

    @staticmethod
    def parallel_interleave(
        map_func: Any, cycle_length: int, block_length: int = 1, sloppy: bool = False,
        buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
    ) -> Any:  # fmt: skip
        """Returns a function that goes over several data sets by turns.

        `sloppy`, `buffer_output_elements` and `prefetch_input_elements` do nothing: the order is always the
        same.
        """
        return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)

    @staticmethod
    def copy_to_device(target_device: Any, source_device: str = "/cpu:0") -> Any:
        """Returns a function that changes nothing: `target_device` and `source_device` do nothing."""
        return lambda dataset: dataset

    @staticmethod
    def enable_debug_mode() -> None:
        """Does nothing: functions of data sets always run as Python."""

    @staticmethod
    def snapshot(
        path: Any, compression: Any = "AUTO", reader_func: Any = None, shard_func: Any = None
    ) -> Any:
        """Returns a function that keeps the elements of a data set in a file."""
        return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)

    @staticmethod
    def unbatch() -> Any:
        """Returns a function that splits batches into elements."""
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
