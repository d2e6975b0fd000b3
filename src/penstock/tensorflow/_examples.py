"""tf.train.Example and its parts, in the wire format of protocol buffers."""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.tensorflow._descriptors import Described, Entry, Several, descriptors


class DecodeError(PenstockError, ValueError):
    """Bytes that are no message of the expected type."""


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise DecodeError("Error parsing message: a number does not end.")
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yields each field of a message: its number, its wire type and its content."""
    place = 0
    while place < len(data):
        key, place = _read_varint(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _read_varint(data, place)
            yield key >> 3, kind, value
            continue
        if kind not in (1, 2, 5):
            raise DecodeError(f"Error parsing message: wire type {kind}.")
        length, place = _read_varint(data, place) if kind == 2 else (8 if kind == 1 else 4, place)
        if place + length > len(data):
            raise DecodeError("Error parsing message: it ends in the middle of a field.")
        yield key >> 3, kind, data[place : place + length]
        place += length


class _Message(Described):
    """A message of protocol buffers: written by SerializeToString, read by FromString."""

    def SerializeToString(self, deterministic: bool = True) -> bytes:
        """Returns the message as bytes."""
        return self._bytes()

    def ParseFromString(self, serialized: bytes) -> int:
        """Takes the content of a message that was written; returns its length."""
        self._clear()
        self.MergeFromString(serialized)
        return len(serialized)

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds the content of a message that was written."""
        self._is_set = True
        for number, kind, content in _fields(bytes(serialized)):
            self._take(number, kind, content)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized: bytes) -> Any:
        """Returns the message that was written as these bytes."""
        made = cls()
        made.MergeFromString(serialized)
        return made

    def CopyFrom(self, other: Any) -> None:
        """Takes the content of another message."""
        self.ParseFromString(other.SerializeToString())

    def Clear(self) -> None:
        """Takes all content away."""
        self._clear()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._bytes() == other._bytes()

    __hash__ = None  # type: ignore[assignment]

    def _bytes(self) -> bytes:
        raise NotImplementedError

    def _clear(self) -> None:
        type(self).__init__(self)

    def _take(self, number: int, kind: int, content: Any) -> None:
        raise NotImplementedError

    def _lines(self) -> list[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __str__ = __repr__


class _Values(list[Any]):
    """The values of a list of one kind: each is checked, and rounded to the kind, when it comes in."""

    __slots__ = ("_checked",)

    def __init__(self, checked: Any, value: Iterable[Any]) -> None:
        super().__init__(map(checked, value))
        self._checked = checked

    def append(self, one: Any) -> None:
        super().append(self._checked(one))

    def extend(self, several: Iterable[Any]) -> None:
        super().extend([self._checked(one) for one in several])

    def insert(self, place: Any, one: Any) -> None:
        super().insert(place, self._checked(one))

    def __iadd__(self, several: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(several)
        return self

    def __setitem__(self, place: Any, given: Any) -> None:
        several = isinstance(place, slice)
        super().__setitem__(place, [self._checked(one) for one in given] if several else self._checked(given))

    def __reduce__(self) -> Any:
        # The check comes first: copies are filled value by value.
        return _Values, (self._checked, list(self))

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Adds the values of another list."""
        self.extend(other)


class _List(_Message):
    """Values of one kind."""

    def __init__(self, value: Iterable[Any] = ()) -> None:
        self.value = _Values(self._checked, value)

    def _checked(self, one: Any) -> Any:
        raise NotImplementedError

    def _lines(self) -> list[str]:
        return [f"value: {self._shown(one)}" for one in self.value]

    def _shown(self, one: Any) -> str:
        return repr(one)


def _escaped(byte: int) -> str:
    """Returns a byte as the text format writes it: characters that cannot be shown by their octal number."""
    if byte in (0x22, 0x27, 0x5C):
        return "\\" + chr(byte)
    short = {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
    return short.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")


@named("tf.train.BytesList")
class BytesList(_List):
    """Strings."""

    def _checked(self, one: Any) -> bytes:
        if not isinstance(one, bytes):
            raise TypeError(f"{one!r} has type {type(one).__name__}, but expected one of: bytes")
        return one

    def _bytes(self) -> bytes:
        return b"".join(_field(1, self._checked(one)) for one in self.value)

    def _take(self, number: int, kind: int, content: Any) -> None:
        list.append(self.value, bytes(content))

    def _shown(self, one: Any) -> str:
        return '"' + "".join(map(_escaped, one)) + '"'


@named("tf.train.FloatList")
class FloatList(_List):
    """Numbers of 32 bits with a fraction."""

    def _checked(self, one: Any) -> float:
        return float(np.float32(one))

    def _bytes(self) -> bytes:
        return _field(1, np.asarray(self.value, "<f4").tobytes()) if self.value else b""

    def _take(self, number: int, kind: int, content: Any) -> None:
        list.extend(self.value, np.frombuffer(content, "<f4").tolist())

    def _shown(self, one: Any) -> str:
        value = np.float32(one)
        short = f"{value:.6g}"
        return short if np.float32(short) == value else f"{value:.9g}"


@named("tf.train.Int64List")
class Int64List(_List):
    """Whole numbers."""

    def _checked(self, one: Any) -> int:
        if isinstance(one, float | str | bytes) or (isinstance(one, np.generic) and one.dtype.kind == "f"):
            raise TypeError(f"{one!r} has type {type(one).__name__}, but expected one of: int")
        return int(one)

    def _bytes(self) -> bytes:
        return _field(1, b"".join(map(_varint, self.value))) if self.value else b""

    def _take(self, number: int, kind: int, content: Any) -> None:
        if kind == 0:
            list.append(self.value, _signed(content))
            return
        place = 0
        while place < len(content):
            found, place = _read_varint(content, place)
            list.append(self.value, _signed(found))


def _signed(number: int) -> int:
    return int(struct.unpack("<q", struct.pack("<Q", number & (1 << 64) - 1))[0])


_KINDS = {1: "bytes_list", 2: "float_list", 3: "int64_list"}
_LISTS: dict[str, Any] = {"bytes_list": BytesList, "float_list": FloatList, "int64_list": Int64List}


@named("tf.train.Feature")
class Feature(_Message):
    """A list of strings, of numbers, or of whole numbers."""

    def __init__(self, bytes_list: Any = None, float_list: Any = None, int64_list: Any = None) -> None:
        given = {"bytes_list": bytes_list, "float_list": float_list, "int64_list": int64_list}
        self._kind: str | None = next((name for name, one in given.items() if one is not None), None)
        self._lists = {name: _LISTS[name]() if one is None else one for name, one in given.items()}

    bytes_list = property(lambda self: self._lists["bytes_list"], doc="The strings.")
    float_list = property(lambda self: self._lists["float_list"], doc="The numbers.")
    int64_list = property(lambda self: self._lists["int64_list"], doc="The whole numbers.")

    def WhichOneof(self, oneof_group: str = "kind") -> str | None:
        """Returns which list the feature has."""
        if oneof_group != "kind":
            raise ValueError(f"Feature has no oneof {oneof_group!r}")
        return self._kind or next(
            (name for name, one in self._lists.items() if one.value or one._is_set), None
        )

    def _bytes(self) -> bytes:
        kind = self.WhichOneof()
        number = next((n for n, name in _KINDS.items() if name == kind), 0)
        return b"" if kind is None else _field(number, self._lists[kind]._bytes())

    def _take(self, number: int, kind: int, content: Any) -> None:
        name = _KINDS.get(number)
        if name is not None:
            self._kind = name
            self._lists[name].MergeFromString(content)

    def _lines(self) -> list[str]:
        kind = self.WhichOneof()
        return (
            [] if kind is None else [f"{kind} {{", *(f"  {line}" for line in self._lists[kind]._lines()), "}"]
        )


@named("tf.train.FeatureList")
class FeatureList(_Message):
    """Features one after another."""

    def __init__(self, feature: Iterable[Feature] = ()) -> None:
        self.feature = Several(Feature, feature)

    def _bytes(self) -> bytes:
        return b"".join(_field(1, one._bytes()) for one in self.feature)

    def _take(self, number: int, kind: int, content: Any) -> None:
        self.feature.append(Feature.FromString(content))

    def _lines(self) -> list[str]:
        return [line for one in self.feature
                for line in ("feature {", *(f"  {inner}" for inner in one._lines()), "}")]  # fmt: skip


class _Map(_Message):
    """Messages by name; a look-up creates a missing one."""

    _kind: Any = Feature
    _word = "feature"

    def __init__(self) -> None:
        self._named: dict[str, Any] = _Made(self._kind)

    def _bytes(self) -> bytes:
        return b"".join(
            _field(1, _field(1, name.encode()) + _field(2, one._bytes()))
            for name, one in sorted(self._named.items())
        )

    def _take(self, number: int, kind: int, content: Any) -> None:
        parts = {key: inner for key, _, inner in _fields(content)}
        self._named[bytes(parts.get(1, b"")).decode()] = self._kind.FromString(parts.get(2, b""))

    def _lines(self) -> list[str]:
        made = []
        # Downwards by the bytes, as protobuf prints them, but what another begins with before it.
        for name, one in sorted(self._named.items(), key=lambda item: [-byte for byte in item[0].encode()]):
            inner = [f"    {line}" for line in one._lines()]
            made += [f"{self._word} {{", f'  key: "{name}"', "  value {", *inner, "  }", "}"]
        return made


class _Made(dict[str, Any]):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, key: str) -> Any:
        self[key] = made = self._kind()
        return made

    def GetEntryClass(self) -> Any:
        """Returns what makes one name with its message, as google.protobuf prints and parses it."""
        name = {Feature: "Features", FeatureList: "FeatureLists"}[self._kind]
        return functools.partial(Entry, self._kind, descriptors()[name].fields[0])


@named("tf.train.Features")
class Features(_Map):
    """Features by name."""

    def __init__(self, feature: Any = None) -> None:
        super().__init__()
        self._named.update(feature or {})

    feature = property(lambda self: self._named, doc="The features by name.")


@named("tf.train.FeatureLists")
class FeatureLists(_Map):
    """Lists of features by name."""

    _kind, _word = FeatureList, "feature_list"

    def __init__(self, feature_list: Any = None) -> None:
        super().__init__()
        self._named.update(feature_list or {})

    feature_list = property(lambda self: self._named, doc="The lists by name.")


def _present(given: Any, kind: Any) -> Any:
    """Returns the message that was given, which is there even where it is empty, or an empty one."""
    if given is None:
        return kind()
    given.SetInParent()
    return given


def _single(number: int, message: _Message) -> bytes:
    content = message._bytes()
    return _field(number, content) if content or message._is_set else b""


def _single_lines(name: str, message: _Message) -> list[str]:
    lines = message._lines()
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"] if lines or message._is_set else []


@named("tf.train.Example")
class Example(_Message):
    """Features by name, as record files hold them.

    >>> from penstock import tensorflow as tf
    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"label": number}))
    >>> again = tf.train.Example.FromString(example.SerializeToString())
    >>> again.features.feature["label"].int64_list.value
    [3]
    """

    def __init__(self, features: Features | None = None) -> None:
        self.features = _present(features, Features)

    def _bytes(self) -> bytes:
        return _single(1, self.features)

    def _take(self, number: int, kind: int, content: Any) -> None:
        if number == 1:
            self.features.MergeFromString(content)

    def _lines(self) -> list[str]:
        return _single_lines("features", self.features)


@named("tf.train.SequenceExample")
class SequenceExample(_Message):
    """Features of a whole sequence, and lists of features, one for each step."""

    def __init__(self, context: Features | None = None, feature_lists: FeatureLists | None = None) -> None:
        self.context = _present(context, Features)
        self.feature_lists = _present(feature_lists, FeatureLists)

    def _bytes(self) -> bytes:
        return _single(1, self.context) + _single(2, self.feature_lists)

    def _take(self, number: int, kind: int, content: Any) -> None:
        if number in (1, 2):
            (self.context if number == 1 else self.feature_lists).MergeFromString(content)

    def _lines(self) -> list[str]:
        return _single_lines("context", self.context) + _single_lines("feature_lists", self.feature_lists)
