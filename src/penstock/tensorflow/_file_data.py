"""Data sets of files: records, lines of text, columns of tables, and arrays of one length."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._dataset import Dataset
from penstock.tensorflow._elements import UNKNOWN_CARDINALITY, element_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, NotFoundError
from penstock.tensorflow._records import _compression, records
from penstock.tensorflow._strings import StringTensor, strings
from penstock.tensorflow._tables import Column, fields
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace.source_site import here


def _names(filenames: Any) -> Callable[[], Iterator[str]]:
    """Returns the names of files, which may come from a data set."""
    if isinstance(filenames, Dataset):
        return lambda: (one.decode() if isinstance(one, bytes) else str(one)
                        for row in filenames._elements()
                        for one in np.atleast_1d(np.asarray(strings(element_of(row)))).tolist())  # fmt: skip
    found = [one.decode() for one in np.atleast_1d(np.asarray(strings(filenames))).ravel().tolist()]
    return lambda: iter(found)


def _lines(path: str, compression: str) -> Iterator[bytes]:
    try:
        with gzip.open(path) if compression == "GZIP" else open(path, "rb") as file:
            source: Any = io.BytesIO(zlib.decompress(file.read())) if compression == "ZLIB" else file
            for line in source:
                yield line.rstrip(b"\r\n")
    except FileNotFoundError:
        raise NotFoundError(f"{path}; No such file or directory", site=here()) from None


class _OfFiles(Dataset):
    """A data set whose elements are strings from files."""

    def __init__(self, filenames: Any, read: Callable[[str], Iterator[bytes]]) -> None:
        names = _names(filenames)

        def elements() -> Iterator[Any]:
            for path in names():
                for one in read(path):
                    yield np.asarray(StringTensor(one))

        super().__init__(elements, UNKNOWN_CARDINALITY, TensorSpec((), "string"))


@named("tf.data.TFRecordDataset")
class TFRecordDataset(_OfFiles):
    """The records of files, one after another: see `tf.io.TFRecordWriter`.

    `buffer_size` does nothing: how work is spread over threads and devices changes no result.
    """

    _kind = "TFRecordDatasetV2"

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        kind = _compression(compression_type)
        super().__init__(filenames, lambda path: records(path, kind))


@named("tf.data.TextLineDataset")
class TextLineDataset(_OfFiles):
    """The lines of files, without their ends.

    `buffer_size` does nothing: how work is spread over threads and devices changes no result.
    """

    _kind = "TextLineDatasetV2"

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        kind = _compression(compression_type)
        super().__init__(filenames, lambda path: _lines(path, kind))


@named("tf.data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(_OfFiles):
    """Pieces of files that all have one length, between bytes that are left out.

    `buffer_size` does nothing: how work is spread over threads and devices changes no result.
    """

    _kind = "FixedLengthRecordDatasetV2"

    def __init__(
        self, filenames: Any, record_bytes: int, header_bytes: int = 0, footer_bytes: int = 0,
        buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None,
        name: Any = None,
    ) -> None:  # fmt: skip
        kind = _compression(compression_type)

        def read(path: str) -> Iterator[bytes]:
            with gzip.open(path) if kind == "GZIP" else open(path, "rb") as file:
                content = file.read()
            content = zlib.decompress(content) if kind == "ZLIB" else content
            kept = content[header_bytes : len(content) - footer_bytes]
            if len(kept) % record_bytes:
                raise InvalidArgumentError(
                    f"Excess bytes of {len(kept) % record_bytes}, after reading header, data of "
                    f"{record_bytes} bytes "
                    f"each and footer of the file {path!r}.",
                    site=here(),
                )
            for start in range(0, len(kept), record_bytes):
                yield kept[start : start + record_bytes]

        super().__init__(filenames, read)


@named("tf.data.experimental.CsvDataset")
class CsvDataset(Dataset):
    """The lines of tables as tuples, each column of the dtype that its default says.

    `buffer_size` does nothing: how work is spread over threads and devices changes no result.
    """

    def __init__(
        self, filenames: Any, record_defaults: Any, compression_type: Any = None, buffer_size: Any = None,
        header: bool = False, field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
        select_cols: Any = None, exclude_cols: Any = None,
    ) -> None:  # fmt: skip
        if select_cols is not None and exclude_cols is not None:
            raise ArgumentError("Should specify only one of select_cols and exclude_cols.", site=here())
        kind, columns = _compression(compression_type), [Column(one) for one in record_defaults]
        names = _names(filenames)

        def elements() -> Iterator[Any]:
            for path in names():
                for number, line in enumerate(_lines(path, kind)):
                    if header and number == 0:
                        continue
                    parts = fields(line.decode(), field_delim, use_quote_delim)
                    if select_cols is not None:
                        parts = [parts[n] for n in select_cols]
                    elif exclude_cols is not None:
                        parts = [one for n, one in enumerate(parts) if n not in set(exclude_cols)]
                    if len(parts) != len(columns):
                        raise InvalidArgumentError(
                            f"Expect {len(columns)} fields but have {len(parts)} in record",
                            origin=f"line {number + 1} of {path!r}",
                            site=here(),
                        )
                    read = [one.read(text, n, text in ("", na_value)) for n, (one, text) in
                            enumerate(zip(columns, parts, strict=True))]  # fmt: skip
                    texts = [one.dtype == "string" for one in columns]
                    yield tuple(
                        np.asarray(StringTensor(value)) if is_text else np.asarray(value)
                        for is_text, value in zip(texts, read, strict=True)
                    )

        spec = tuple(TensorSpec((), one.dtype) for one in columns)
        super().__init__(elements, UNKNOWN_CARDINALITY, spec)


@named("tf.data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any, batch_size: int, column_names: Any = None, column_defaults: Any = None,
    label_name: Any = None, select_columns: Any = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True, num_epochs: int | None = None,
    shuffle: bool = True, shuffle_buffer_size: int = 10000, shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None, num_parallel_reads: Any = None, sloppy: bool = False,
    num_rows_for_inference: int = 100, compression_type: Any = None, ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:  # fmt: skip
    """Returns the rows of tables in batches, as dictionaries by the names of columns, with the label besides
    them."""
    import glob

    patterns = file_pattern if isinstance(file_pattern, list | tuple) else [file_pattern]
    paths = sorted(path for one in patterns for path in glob.glob(one))
    if not paths:
        raise InvalidArgumentError(f"No files match `file_pattern` {file_pattern}.", site=here())
    kind = _compression(compression_type)
    first = [fields(line.decode(encoding), field_delim, use_quote_delim)
             for line, _ in zip(_lines(paths[0], kind), range(num_rows_for_inference + 1))]  # fmt: skip
    names = list(column_names) if column_names is not None else first[0]
    chosen = list(range(len(names))) if select_columns is None else [
        names.index(one) if isinstance(one, str) else int(one) for one in select_columns
    ]  # fmt: skip
    rows = first[1:] if header else first
    if column_defaults is None:
        defaults = [_default([row[n] for row in rows if row[n] not in ("", na_value)]) for n in chosen]
    else:
        given = list(column_defaults)
        defaults = given if len(given) == len(chosen) else [given[n] for n in chosen]
    reading: dict[str, Any] = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
    }
    made: Any = CsvDataset(paths, defaults, kind, header=header, select_cols=chosen, **reading)
    labels = [names[n] for n in chosen]
    if label_name is not None and label_name not in labels:
        raise ArgumentError("`label_name` provided must be one of the columns.", site=here())
    made = made.ignore_errors() if ignore_errors else made
    made = made.shuffle(shuffle_buffer_size, shuffle_seed) if shuffle else made
    made = made.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None)

    def by_name(*columns: Any) -> Any:
        row = dict(zip(labels, columns, strict=True))
        return row if label_name is None else (row, row.pop(label_name))

    return made.map(by_name)


def _default(texts: list[str]) -> Any:
    """Returns a default of the first kind that all values of a column fit: int32, int64, float32 or
    string."""
    for dtype in (np.int32, np.int64, np.float32):
        try:
            for text in texts:
                if dtype is not np.float32 and int(text) != dtype(int(text)):
                    raise OverflowError
                dtype(text)
        except (ValueError, OverflowError):
            continue
        return np.zeros(1, dtype)
    return ""
