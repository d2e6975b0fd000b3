"""tf.strings: functions of tensors of strings, computed at once with Python's own."""

from __future__ import annotations

import re as _re
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._fingerprints import fingerprint as _fingerprint
from penstock.tensorflow._fingerprints import hashed as _hashed
from penstock.tensorflow._fingerprints import keyed as _keyed
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import strings as _strings
from penstock.trace.source_site import here as _here


def _each(value: Any, function: _Callable[[bytes], Any], dtype: Any = None) -> Any:
    if hasattr(value, "nested_row_splits"):
        return value.with_flat_values(_each(value.flat_values, function, dtype))
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


@_named("tf.compat.v1.string_strip")
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


@_named("tf.compat.v1.string_join")
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
    """Returns the parts of strings, at white space without a separator: a row for each string.

    The parts of one string are a tensor; those of several are a ragged tensor.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """
    separator = None if sep is None or not _bytes(sep) else _bytes(sep)
    return _rows(input, lambda one: one.split(separator, maxsplit))


def _rows(value: Any, parts: _Callable[[bytes], list[Any]], dtype: Any = None) -> Any:
    """Returns a row of parts for each string: of several strings a ragged tensor."""
    from penstock.tensorflow._ragged.tensor import RaggedTensor, nested, partitions

    if isinstance(value, RaggedTensor):
        return nested(_rows(value.flat_values, parts, dtype), partitions(value))
    array = _np.asarray(_strings(value))
    rows = [parts(one) for one in array.ravel().tolist()]
    made = _np.empty(sum(map(_size, rows)), object)
    made[:] = [part for row in rows for part in row]
    values = _StringTensor(made) if dtype is None else _constant(made.astype(dtype))
    if array.ndim == 0:
        return values
    found = RaggedTensor.from_row_lengths(values, _np.array([_size(row) for row in rows], _np.int64))
    for axis in range(array.ndim - 1, 0, -1):
        count = int(_np.prod(array.shape[:axis]))
        found = RaggedTensor.from_uniform_row_length(found, array.shape[axis], count)
    return found


_size = len


def _bytes(value: Any) -> bytes:
    return bytes(_strings(value).numpy())


def bytes_split(input: Any, name: Any = None) -> Any:
    """Returns the bytes of strings: of several, a ragged tensor with a row for each."""
    return _rows(input, lambda one: [bytes([letter]) for letter in one])


_CODECS = {
    "ascii": "ascii", "iso88591": "latin-1", "latin1": "latin-1", "usascii": "ascii", "utf8": "utf-8",
    "utf16be": "utf-16-be", "utf16le": "utf-16-le", "utf32be": "utf-32-be", "utf32le": "utf-32-le",
}  # fmt: skip
"""Encodings that strings are read in, by name, in small letters and without hyphens."""
_WRITTEN = ("UTF-8", "UTF-16-BE", "UTF-32-BE")


def _check_written(encoding: str) -> None:
    if encoding not in _WRITTEN:
        allowed = ", ".join(f'"{one}"' for one in _WRITTEN)
        raise _InvalidArgumentError(
            f"Value for attr 'output_encoding' of \"{encoding}\" is not in the list of allowed values: "
            f"{allowed}",
            site=_here(),
        )


def _letters(encoding: str, errors: str, replacement_char: int) -> _Callable[[bytes], list[str]]:
    """Returns a function that splits a string into its characters."""
    codec = _CODECS.get(encoding.lower().replace("-", "").replace("_", ""))
    if codec is None:
        raise _InvalidArgumentError(
            f"Could not create converter for input encoding: {encoding}", site=_here()
        )
    if errors not in ("replace", "ignore", "strict"):
        raise _ArgumentError(f"errors is {errors!r}; use replace, ignore or strict.", site=_here())

    def letters(one: bytes) -> list[str]:
        try:
            text = one.decode(codec, errors)
        except UnicodeDecodeError:
            raise _InvalidArgumentError("Invalid formatting on input string", site=_here()) from None
        return list(text.replace("\ufffd", chr(replacement_char)) if errors == "replace" else text)

    return letters


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: Any = None
) -> Any:
    """Returns the characters of strings: of several, a ragged tensor with a row for each.

    Invalid bytes in the encoding become `replacement_char`, is left out with `errors` "ignore", and
    is an error with "strict".

    >>> from penstock import tensorflow as tf
    >>> [one.decode() for one in tf.strings.unicode_split("n\u00f6", "UTF-8").numpy()]
    ['n', 'ö']
    """
    _check_written(input_encoding)
    letters = _letters(input_encoding, errors, replacement_char)
    return _rows(input, lambda one: [letter.encode(input_encoding) for letter in letters(one)])


def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the code points of the characters of strings: of several, a ragged tensor.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.unicode_decode(["a", "bc"], "UTF-8")
    <tf.RaggedTensor [[97], [98, 99]]>
    """
    letters = _letters(input_encoding, errors, replacement_char)

    def points(one: bytes) -> list[int]:
        found = [ord(letter) for letter in letters(one)]
        return [replacement_char if n < 32 and replace_control_characters else n for n in found]

    return _rows(input, points, _np.int32)


def _starts(letters: list[str], encoding: str) -> list[int]:
    """Returns the byte at which each character of a string begins."""
    sizes = [_size(letter.encode(encoding)) for letter in letters]
    return [int(one) for one in _np.cumsum([0, *sizes])[:-1]]


def unicode_decode_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the code points of the characters of strings, and the byte at which each begins."""
    letters = _letters(input_encoding, errors, replacement_char)
    points = unicode_decode(input, input_encoding, errors, replacement_char, replace_control_characters)
    return points, _rows(input, lambda one: _starts(letters(one), input_encoding), _np.int64)


def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: Any = None
) -> Any:
    """Returns the characters of strings, and the byte at which each begins."""
    letters = _letters(input_encoding, errors, replacement_char)
    split = unicode_split(input, input_encoding, errors, replacement_char)
    return split, _rows(input, lambda one: _starts(letters(one), input_encoding), _np.int64)


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: Any = None
) -> Any:
    """Returns the strings that rows of code points spell.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.unicode_encode([[72, 105]], "UTF-8").numpy()
    array([b'Hi'], dtype=object)
    """
    from penstock.tensorflow._ragged.tensor import RaggedTensor

    _check_written(output_encoding)

    def spelled(row: list[int]) -> bytes:
        kept = []
        for number in row:
            if 0 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF:
                kept.append(chr(number))
            elif errors == "strict":
                raise _InvalidArgumentError(
                    f"Code point is out of range for Unicode, or a noncharacter: {number}.", site=_here()
                )
            elif errors == "replace":
                kept.append(chr(replacement_char))
        return "".join(kept).encode(output_encoding)

    if isinstance(input, RaggedTensor) and isinstance(input.values, RaggedTensor):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
    if isinstance(input, RaggedTensor):
        rows = input.to_list()
        shape = (_size(rows),)
    else:
        array = _np.asarray(_operand(input).numpy())
        rows, shape = array.reshape(-1, array.shape[-1]).tolist(), array.shape[:-1]
    made = _np.empty(_size(rows), object)
    made[:] = [spelled(row) for row in rows]
    return _StringTensor(made.reshape(shape))


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 65533, replace_control_characters: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns strings in another encoding."""
    letters = _letters(input_encoding, errors, replacement_char)

    def changed(one: bytes) -> bytes:
        text = letters(one)
        if replace_control_characters:
            text = [chr(replacement_char) if ord(letter) < 32 else letter for letter in text]
        return "".join(text).encode(output_encoding)

    return _each(input, changed)


def ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None, padding_width: Any = None,
    preserve_short_sequences: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the n-grams of each row: adjacent strings, joined.

    `pad_values` are put before and after each row, one for both ends or a pair; `padding_width` times, or as
    often as every string needs to stand at each place of an n-gram.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.ngrams(["A", "B", "C"], 2).numpy().tolist()
    [b'A B', b'B C']
    """
    from penstock.tensorflow._ragged.tensor import RaggedTensor

    widths = [int(one) for one in _np.reshape(ngram_width, -1)]
    ragged = isinstance(data, RaggedTensor)
    array = None if ragged else _np.asarray(_strings(data))
    rows = data.to_list() if ragged else array.reshape(-1, array.shape[-1]).tolist()  # type: ignore[union-attr]
    ends: list[Any] = []
    if pad_values is not None:
        both = pad_values if isinstance(pad_values, list | tuple) else (pad_values, pad_values)
        ends = [_bytes(one) for one in both]

    def joined(row: list[bytes]) -> list[bytes]:
        found = []
        for width in widths:
            words = row
            if ends:
                times = width - 1 if padding_width is None else min(int(padding_width), width - 1)
                words = [ends[0]] * times + row + [ends[1]] * times
            found += [_bytes(separator).join(words[n : n + width]) for n in range(_size(words) - width + 1)]
        return found or ([_bytes(separator).join(row)] if preserve_short_sequences and row else [])

    made = [joined(row) for row in rows]
    flat = _np.empty(sum(map(_size, made)), object)
    flat[:] = [one for row in made for one in row]
    values = _StringTensor(flat)
    if array is not None:
        return values if array.ndim == 1 else _StringTensor(flat.reshape(*array.shape[:-1], -1))
    found = RaggedTensor.from_row_lengths(values, [_size(row) for row in made])
    return found


@_named("tf.compat.v1.regex_replace")
def regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True, name: Any = None
) -> Any:
    """Returns strings with the matches of a pattern replaced; \\1 stands for a group. The pattern is one of
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


@_named("tf.compat.v1.as_string")
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


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: Any = None
) -> Any:
    """Returns the strings that have the same id put together, in their order.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.unsorted_segment_join(["this", "a", "test", "is"], [0, 1, 1, 0], 2, " ").numpy().tolist()
    [b'this is', b'a test']
    """
    array = _np.asarray(_strings(inputs))
    ids = _np.asarray(_operand(segment_ids).numpy())
    rows = array.reshape(ids.size, -1)
    found: list[list[list[bytes]]] = [[[] for _ in range(rows.shape[1])] for _ in range(int(num_segments))]
    for number, row in zip(ids.ravel().tolist(), rows.tolist(), strict=True):
        if number >= int(num_segments):
            raise _InvalidArgumentError(
                f"segment id {number} is not below num_segments {int(num_segments)}.", site=_here()
            )
        for place, word in enumerate(row if number >= 0 else ()):
            found[number][place].append(word)
    made = _np.empty(int(num_segments) * rows.shape[1], object)
    made[:] = [_bytes(separator).join(words) for row in found for words in row]
    return _StringTensor(made.reshape(int(num_segments), *array.shape[ids.ndim :]))


@_named("tf.compat.v1.string_to_hash_bucket_fast")
def to_hash_bucket_fast(input: Any, num_buckets: int, name: Any = None) -> Any:
    """Returns strings as whole numbers below `num_buckets`, by their FarmHash fingerprint as TensorFlow does.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2])
    """
    return _each(input, lambda one: _fingerprint(one) % int(num_buckets), _np.int64)


@_named("tf.compat.v1.string_to_hash_bucket_strong")
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: Any = None) -> Any:
    """Returns strings as whole numbers below `num_buckets`, by their SipHash under a key of two numbers.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])
    """
    first, second = (int(one) for one in key)
    return _each(input, lambda one: _keyed(one, (first, second)) % int(num_buckets), _np.int64)


def to_hash_bucket(input: Any, num_buckets: int, name: Any = None) -> Any:
    """Returns strings as whole numbers below `num_buckets`, by the hash of TensorFlow 1, as TensorFlow does.

    >>> from penstock import tensorflow as tf
    >>> tf.strings.to_hash_bucket(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([2, 0, 1])
    """
    return _each(input, lambda one: _hashed(one) % int(num_buckets), _np.int64)


__getattr__, __dir__, __all__ = _namespace("tf.strings", globals())
