"""tf.io: files, records, examples, pictures and tensors as bytes."""

from __future__ import annotations

import glob as _glob
import os as _os
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.errors import ArgumentError as _ArgumentError
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import DataLossError as _DataLossError
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._errors import NotFoundError as _NotFoundError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import strings as _strings
from penstock.trace.source_site import here as _here


def _text(value: Any) -> str:
    return str(_strings(value).numpy().decode())


@_named("tf.compat.v1.read_file")
def read_file(filename: Any, name: Any = None) -> Any:
    """Returns the content of a file as a string."""
    path = _text(filename)
    try:
        with open(path, "rb") as file:
            return _StringTensor(file.read())
    except FileNotFoundError:
        raise _NotFoundError(
            f"{path}; No such file or directory", origin=f"in {_os.getcwd()}", site=_here()
        ) from None


@_named("tf.compat.v1.write_file")
def write_file(filename: Any, contents: Any, name: Any = None) -> None:
    """Writes a string into a file, whose folder is made if it is not there."""
    path = _text(filename)
    folder = _os.path.dirname(path)
    if folder:
        _os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(_strings(contents).numpy())


@_named("tf.compat.v1.matching_files")
def matching_files(pattern: Any, name: Any = None) -> Any:
    """Returns the names of the files that fit a pattern, in order."""
    several = [one.numpy().decode() for one in _strings(_np.atleast_1d(_np.asarray(_strings(pattern))))]
    return _StringTensor(_np.array(sorted(path for one in several for path in _glob.glob(one)), object))


def decode_raw(input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
               name: Any = None) -> Any:  # fmt: skip
    """Returns the bytes of strings as numbers, along a new last axis."""
    texts = _np.asarray(_strings(input_bytes))
    dtype = _np.dtype(_as_dtype(out_type).as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    flat = [one if fixed_length is None else one[:fixed_length].ljust(fixed_length, b"\0")
            for one in texts.ravel().tolist()]  # fmt: skip
    lengths = {len(one) for one in flat}
    if len(lengths) > 1 or any(length % dtype.itemsize for length in lengths):
        raise _InvalidArgumentError(
            f"decode_raw: strings of {sorted(lengths)} bytes are not rows of {dtype.name}.", site=_here()
        )
    rows = [_np.frombuffer(one, dtype).astype(dtype.newbyteorder("=")) for one in flat]
    made = _np.stack(rows).reshape(*texts.shape, -1) if rows else _np.zeros((*texts.shape, 0), dtype)
    return _constant(made)


def decode_csv(
    records: Any, record_defaults: Any, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", select_cols: Any = None, name: Any = None,
) -> list[Any]:  # fmt: skip
    """Returns a tensor for each column of lines of comma-separated values.

    The defaults say what kind each column has, and stand for fields that are empty or `na_value`; an empty
    default means that there has to be a value.
    """
    from penstock.tensorflow._tables import columns_of

    return columns_of(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols)


@_named("tf.compat.v1.decode_base64")
def decode_base64(input: Any, name: Any = None) -> Any:
    """Returns the bytes of strings in the alphabet of web-safe base64."""
    from base64 import urlsafe_b64decode

    return _each(input, lambda one: urlsafe_b64decode(one + b"=" * (-len(one) % 4)))


@_named("tf.compat.v1.encode_base64")
def encode_base64(input: Any, pad: bool = False, name: Any = None) -> Any:
    """Returns strings in the alphabet of web-safe base64."""
    from base64 import urlsafe_b64encode

    return _each(input, lambda one: urlsafe_b64encode(one) if pad else urlsafe_b64encode(one).rstrip(b"="))


@_named("tf.compat.v1.decode_compressed")
def decode_compressed(bytes: Any, compression_type: str = "", name: Any = None) -> Any:
    """Returns the content of compressed strings. `compression_type` is "ZLIB", "GZIP" or "" for none.

    Of a string that ends too early, what could be read is returned. ZSTD is refused.
    """
    if compression_type == "ZSTD":
        raise _ArgumentError(
            "decode_compressed does not read ZSTD.", remedy='Compress with "ZLIB" or "GZIP".', site=_here()
        )
    if compression_type not in ("ZLIB", "GZIP", "", None):
        raise _InvalidArgumentError(
            "Only ZLIB, ZSTD, GZIP or NONE are supported compressions",
            origin=f"compression_type is {compression_type!r}",
            remedy='Pass "ZLIB", "GZIP", or "" for none.',
            site=_here(),
        )
    if not compression_type:
        return _each(bytes, lambda one: one)
    return _each(bytes, lambda one: _inflated(one, compression_type == "GZIP"))


def _inflated(content: bytes, several: bool) -> bytes:
    """Returns what a stream of zlib contains, or the streams of gzip that follow one another."""
    import zlib

    made = []
    while content:
        stream = zlib.decompressobj(31 if several else 15)
        try:
            made.append(stream.decompress(content))
        except zlib.error as problem:
            code, _, reason = str(problem).partition(" while decompressing data: ")
            raise _DataLossError(f"inflate() failed with {code.lower()}: {reason}", site=_here()) from None
        content = stream.unused_data if several else b""
    return b"".join(made)


def _each(value: Any, function: _Callable[[bytes], bytes]) -> Any:
    array = _np.asarray(_strings(value))
    made = _np.empty(array.size, object)
    made[:] = [function(one) for one in array.ravel().tolist()]
    return _StringTensor(made.reshape(array.shape))


__getattr__, __dir__, __all__ = _namespace(
    "tf.io",
    globals(),
    "_parsing _pictures_as_bytes _records",
    listed={__name__: "gfile", "penstock.tensorflow._graphs.importing": "write_graph"},
)
