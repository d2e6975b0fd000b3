"""tf.strings: functions of tensors of strings, computed at once with Python's own."""

from __future__ import annotations

import re as _re
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import strings as _strings
from penstock.trace.source_site import here as _here


def _each(value: Any, function: _Callable[[bytes], Any], dtype: Any = None) -> Any:
    array = _np.asarray(_strings(value))
    parts = [function(one) for one in array.ravel().tolist()]
    if dtype is not None:
        return _constant(_np.array(parts, dtype).reshape(array.shape))
    made = _np.empty(array.size, object)
    made[:] = parts
    return _StringTensor(made.reshape(array.shape))


def lower(input: Any, encoding: str = "", name: Any = None) -> Any:
    """Returns strings in small letters; with the encoding "utf-8", all letters, otherwise those of ASCII."""
    return _each(input, lambda one: one.decode(encoding).lower().encode() if encoding else one.lower())


def upper(input: Any, encoding: str = "", name: Any = None) -> Any:
    """Returns strings in capitals; with the encoding "utf-8", all letters, otherwise those of ASCII."""
    return _each(input, lambda one: one.decode(encoding).upper().encode() if encoding else one.upper())


def strip(input: Any, name: Any = None) -> Any:
    """Returns strings without white space at their ends.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.strip(" a ").numpy()
    b'a'
    """
    return _each(input, bytes.strip)


def length(input: Any, unit: str = "BYTE", name: Any = None) -> Any:
    """Returns the number of bytes of strings, or of characters with the unit "UTF8_CHAR"."""
    return _each(input, lambda one: len(one) if unit == "BYTE" else len(one.decode()), _np.int32)


def substr(input: Any, pos: int, len: int, unit: str = "BYTE", name: Any = None) -> Any:
    """Returns the parts of strings that begin at `pos` and are `len` long."""
    first, count = int(pos), int(len)

    def part(one: bytes) -> bytes:
        text: Any = one if unit == "BYTE" else one.decode()
        size = text.__len__()
        if not -size <= first <= size:
            raise _InvalidArgumentError(
                f"pos {first} out of range for string b'{one.decode()}'", site=_here()
            )
        start = first + size if first < 0 else first
        kept = text[start : start + count]
        return kept if isinstance(kept, bytes) else kept.encode()

    return _each(input, part)


def join(inputs: Any, separator: str = "", name: Any = None) -> Any:
    """Returns the strings of several tensors put together, place by place."""
    arrays = _np.broadcast_arrays(*(_np.asarray(_strings(one)) for one in inputs))
    rows = [
        separator.encode().join(parts)
        for parts in zip(*(one.ravel().tolist() for one in arrays), strict=True)
    ]
    made = _np.empty(arrays[0].size, object)
    made[:] = rows
    return _StringTensor(made.reshape(arrays[0].shape))


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: Any = None
) -> Any:
    """Returns the strings along an axis put together; along all without one."""
    array = _np.asarray(_strings(inputs))
    if axis is None:
        made = _np.array(separator.encode().join(array.ravel().tolist()), object)
        return _StringTensor(made.reshape((1,) * array.ndim) if keepdims else made)
    moved = _np.moveaxis(array, int(axis), -1)
    rows = [separator.encode().join(row) for row in moved.reshape(-1, moved.shape[-1]).tolist()]
    flat = _np.empty(len(rows), object)
    flat[:] = rows
    made = flat.reshape(moved.shape[:-1])
    return _StringTensor(_np.expand_dims(made, int(axis)) if keepdims else made)


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: Any = None) -> Any:
    """Returns the parts of one string, at white space without a separator.

    Of several strings there would be rows of several lengths, which are refused: split them one by one.
    """
    array = _np.asarray(_strings(input))
    if array.ndim:
        parts = [one.split(None if not sep else _bytes(sep), maxsplit) for one in array.ravel().tolist()]
        if len({len(one) for one in parts}) > 1:
            raise _ArgumentError(
                f"tf.strings.split of {array.size} strings gives rows of "
                f"{sorted({len(one) for one in parts})} parts.",
                why="Rows of several lengths (ragged tensors) are not in penstock.tensorflow.",
                remedy="Split them one by one.",
                site=_here(),
            )
        return _StringTensor(_np.array(parts, object).reshape(*array.shape, -1))
    return _StringTensor(_np.array(array.item().split(None if not sep else _bytes(sep), maxsplit), object))


def _bytes(value: Any) -> bytes:
    return bytes(_strings(value).numpy())


def bytes_split(input: Any, name: Any = None) -> Any:
    """Returns the bytes of one string."""
    return _StringTensor(_np.array([bytes([one]) for one in _bytes(input)], object))


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: Any = None
) -> Any:
    """Returns the characters of strings; several strings must have as many, or are refused.

    What is no character in the encoding becomes `replacement_char`, is left out with `errors` "ignore", and
    is an error with "strict".

    >>> from penstock import tensorflow as tf
    >>> [one.decode() for one in tf.strings.unicode_split("n\u00f6", "UTF-8").numpy()]
    ['n', 'ö']
    """
    if input_encoding not in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        raise _InvalidArgumentError(
            f"Could not create converter for input encoding: {input_encoding}", site=_here()
        )
    if errors not in ("replace", "ignore", "strict"):
        raise _ArgumentError(f"errors is {errors!r}; use replace, ignore or strict.", site=_here())
    array = _np.asarray(_strings(input))
    rows = []
    for one in array.ravel().tolist():
        try:
            text = one.decode(input_encoding, errors)
        except UnicodeDecodeError:
            raise _InvalidArgumentError("Invalid formatting on input string", site=_here()) from None
        text = text.replace("\ufffd", chr(replacement_char)) if errors == "replace" else text
        rows.append([letter.encode(input_encoding) for letter in text])
    if len({len(row) for row in rows}) > 1:
        raise _ArgumentError(
            f"tf.strings.unicode_split of {len(rows)} strings gives rows of "
            f"{sorted({len(row) for row in rows})} characters.",
            why="Rows of several lengths (ragged tensors) are not in penstock.tensorflow.",
            remedy="Split them one by one.",
            site=_here(),
        )
    count = len(rows[0]) if rows else 0
    made = _np.empty(len(rows) * count, object)
    made[:] = [letter for row in rows for letter in row]
    return _StringTensor(made.reshape(*array.shape, count))


def regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True, name: Any = None
) -> Any:
    """Returns strings with what fits a pattern replaced; \\1 stands for a group. The pattern is one of
    Python's re."""
    found, count = _re.compile(_bytes(pattern)), 0 if replace_global else 1
    return _each(input, lambda one: found.sub(_bytes(rewrite), one, count=count))


def regex_full_match(input: Any, pattern: str, name: Any = None) -> Any:
    """Returns whether strings fit a pattern from end to end."""
    found = _re.compile(_bytes(pattern))
    return _each(input, lambda one: found.fullmatch(one) is not None, bool)


def to_number(input: Any, out_type: Any = "float32", name: Any = None) -> Any:
    """Returns the numbers that strings spell."""
    dtype = _np.dtype(_as_dtype(out_type).as_numpy_dtype)

    def number(one: bytes) -> Any:
        try:
            return dtype.type(one.decode())
        except ValueError:
            raise _InvalidArgumentError(
                f"StringToNumberOp could not correctly convert string: {one.decode()}", site=_here()
            ) from None

    return _each(input, number, dtype)


def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1,
    fill: str = "", name: Any = None,
) -> Any:  # fmt: skip
    """Returns numbers as strings: with six digits after the point, or `precision`; the fewest with
    `shortest`."""
    array = _np.asarray(_operand(input).numpy())
    letter = "e" if scientific else "g" if shortest else "f"
    digits = "" if precision < 0 else f".{precision}"
    pattern = f"%{fill}{width if width > -1 else ''}"

    def shown(one: Any) -> bytes:
        if array.dtype.kind == "b":
            return b"true" if one else b"false"
        if array.dtype.kind in "iu":
            return f"{pattern}d".encode() % int(one)
        return f"{pattern}{digits}{letter}".encode() % float(one)

    flat = _np.empty(array.size, object)
    flat[:] = [shown(one) for one in array.ravel()]
    return _StringTensor(flat.reshape(array.shape))


def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: Any = None) -> Any:
    """Returns a text in which each placeholder is replaced by a tensor, as tf.print shows it."""
    from penstock.tensorflow._printing import _text

    parts = str(template).split(placeholder)
    several = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if len(parts) != len(several) + 1:
        raise _ArgumentError(
            f"{len(parts) - 1} placeholder(s) in template does not match {len(several)} tensor(s) provided "
            f"as "
            "input",
            site=_here(),
        )
    texts = [_text(one, summarize, False) for one in several]
    return _StringTensor("".join(part + text for part, text in zip(parts, [*texts, ""], strict=True)))


def to_hash_bucket(input: Any, num_buckets: int, name: Any = None) -> Any:
    """Returns strings as whole numbers below `num_buckets`. The hash is SHA-256's, not TensorFlow's."""
    from hashlib import sha256

    return _each(
        input, lambda one: int.from_bytes(sha256(one).digest()[:8], "little") % num_buckets, _np.int64
    )


to_hash_bucket_fast = to_hash_bucket


__getattr__, __dir__, __all__ = _namespace("tf.strings", globals())
