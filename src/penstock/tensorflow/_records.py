"""Record files of TensorFlow (TFRecord): lengths and bytes, each with its check sum."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError, DataLossError, NotFoundError
from penstock.tensorflow._strings import StringTensor, as_bytes
from penstock.trace.source_site import here

_POLYNOMIAL = 0x82F63B78


def _table() -> np.ndarray[Any, Any]:
    row = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        row = np.where(row & 1, (row >> 1) ^ _POLYNOMIAL, row >> 1).astype(np.uint32)
    return row


_TABLE = _table()
_LIST: list[int] = _TABLE.tolist()
_shifts: dict[int, list[list[int]]] = {}


def _shifted(length: int) -> list[list[int]]:
    """Returns the effect of this many zero bytes on each byte of a check sum, by its position in it."""
    if length not in _shifts:
        columns = []
        for place in range(4):
            state = np.arange(256, dtype=np.uint32) << np.uint32(8 * place)
            for _ in range(length):
                state = (state >> np.uint32(8)) ^ _TABLE[state & np.uint32(255)]
            columns.append(state.tolist())
        _shifts[length] = columns
    return _shifts[length]


_PIECE = 256


def crc32c(data: bytes) -> int:
    """Returns the check sum CRC-32C, by Castagnoli's polynomial; long data is taken in pieces side by
    side."""
    crc = 0xFFFFFFFF
    whole = len(data) // _PIECE
    if whole >= 8:
        rows = np.frombuffer(data, np.uint8, whole * _PIECE).reshape(whole, _PIECE)
        state = np.zeros(whole, np.uint32)
        for column in range(_PIECE):
            state = (state >> np.uint32(8)) ^ _TABLE[(state ^ rows[:, column]) & np.uint32(255)]
        first, second, third, fourth = _shifted(_PIECE)
        for one in state.tolist():
            crc = first[crc & 255] ^ second[crc >> 8 & 255] ^ third[crc >> 16 & 255] ^ fourth[crc >> 24] ^ one
        data = data[whole * _PIECE :]
    for byte in data:
        crc = crc >> 8 ^ _LIST[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _compression(options: Any) -> str:
    kind = getattr(options, "compression_type", options) or ""
    if kind not in ("", "GZIP", "ZLIB"):
        raise ArgumentError(
            f'compression_type must be one of "", "ZLIB" or "GZIP", not {kind!r}.', site=here()
        )
    return str(kind)


@named("tf.io.TFRecordOptions")
class TFRecordOptions:
    """How a record file is compressed: "", "ZLIB" or "GZIP"."""

    def __init__(self, compression_type: Any = "", **options: Any) -> None:
        self.compression_type = compression_type or ""
        self.__dict__.update(options)


@named("tf.io.TFRecordWriter")
class TFRecordWriter:
    """Writes records into a file, which is complete once it is closed.

    >>> import tempfile
    >>> from penstock import tensorflow as tf
    >>> path = tempfile.mkdtemp() + "/rows.tfrecord"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    >>> [row.numpy() for row in tf.data.TFRecordDataset(path)]
    [b'first']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        kind = _compression(options)
        self._raw = open(os.fspath(path), "wb")  # noqa: SIM115  (closed by close)
        self._file: Any = (
            gzip.GzipFile(fileobj=self._raw, mode="wb", mtime=0) if kind == "GZIP" else self._raw
        )
        self._packer = zlib.compressobj() if kind == "ZLIB" else None

    def write(self, record: Any) -> None:
        """Writes one record of bytes."""
        content = record.numpy() if isinstance(record, StringTensor) else as_bytes(record)
        head = struct.pack("<Q", len(content))
        parts = head + struct.pack("<I", _masked(head)) + content + struct.pack("<I", _masked(content))
        self._file.write(parts if self._packer is None else self._packer.compress(parts))

    def flush(self) -> None:
        """Flushes the written bytes to the system."""
        if self._packer is not None:
            self._file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        if self._raw.closed:
            return
        if self._packer is not None:
            self._file.write(self._packer.flush())
        self._file.close()
        self._raw.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def records(path: Any, compression: Any = "") -> Iterator[bytes]:
    """Yields the records of a file.

    Raises NotFoundError where it is not there, and DataLossError, which says at which byte, where it is
    damaged.
    """
    kind = _compression(compression)
    name = path.decode() if isinstance(path, bytes) else os.fspath(path)
    if not os.path.isfile(name):
        raise NotFoundError(f"{name}; No such file or directory", origin=f"in {os.getcwd()}", site=here())
    with gzip.open(name) if kind == "GZIP" else open(name, "rb") as file:
        if kind == "ZLIB":
            import io

            file = io.BytesIO(zlib.decompress(file.read()))  # type: ignore[assignment]
        place = 0
        while head := file.read(12):
            if len(head) < 12:
                raise _lost(name, place, "truncated record")
            length, crc = struct.unpack("<QI", head)
            if _masked(head[:8]) != crc:
                raise _lost(name, place, "corrupted record")
            content, tail = file.read(length), file.read(4)
            if len(content) < length or len(tail) < 4:
                raise _lost(name, place, "truncated record")
            if _masked(content) != struct.unpack("<I", tail)[0]:
                raise _lost(name, place, "corrupted record")
            yield content
            place += 16 + length


def _lost(path: str, place: int, words: str) -> DataLossError:
    return DataLossError(
        f"{words} at {place}",
        origin=f"the file {path!r}",
        why="The check sums of the file do not fit its content: it is damaged, no record file, or "
        "compressed.",
        remedy="Write it again, or name its compression_type.",
        site=here(),
    )
