"""What google.protobuf has to know about the messages of tf.train to print and parse them."""

from __future__ import annotations

import functools
import importlib
from typing import Any

BYTES, FLOAT, INT64, STRING = 12, 2, 3, 9
"""The numbers of the types of fields in descriptors of protocol buffers."""

FIELDS: dict[str, list[tuple[str, int | str]]] = {
    "BytesList": [("value", BYTES)],
    "FloatList": [("value", FLOAT)],
    "Int64List": [("value", INT64)],
    "Feature": [("bytes_list", "BytesList"), ("float_list", "FloatList"), ("int64_list", "Int64List")],
    "Features": [("feature", "Feature")],
    "FeatureList": [("feature", "Feature")],
    "FeatureLists": [("feature_list", "FeatureList")],
    "Example": [("features", "Features")],
    "SequenceExample": [("context", "Features"), ("feature_lists", "FeatureLists")],
}
"""The fields of each message in the order of their numbers, which begin at 1: the type of each."""

REPEATED = ("BytesList", "FloatList", "Int64List", "FeatureList")
MAPS = ("Features", "FeatureLists")


@functools.cache
def descriptors() -> dict[str, Any]:
    """Returns the descriptor of each message by name; they are in a pool of their own.

    Raises ImportError where google.protobuf is not installed.
    """
    protocol = importlib.import_module("google.protobuf.descriptor_pb2")
    pool = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
    file = protocol.FileDescriptorProto(name="example.proto", package="tensorflow", syntax="proto3")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        if name == "Feature":
            message.oneof_decl.add(name="kind")
        for number, (field, kind) in enumerate(fields, start=1):
            made = message.field.add(name=field, number=number, label=3 if name in REPEATED + MAPS else 1)
            if name == "Feature":
                made.oneof_index = 0
            if name in MAPS:
                entry = message.nested_type.add(
                    name="".join(word.title() for word in field.split("_")) + "Entry"
                )
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=1, type=STRING)
                _typed(entry.field.add(name="value", number=2, label=1), kind)
                kind = f"{name}.{entry.name}"
            _typed(made, kind)
    pool.AddSerializedFile(file.SerializeToString())
    return {name: pool.FindMessageTypeByName(f"tensorflow.{name}") for name in FIELDS}


def _typed(field: Any, kind: int | str) -> None:
    if isinstance(kind, str):
        field.type, field.type_name = 11, f".tensorflow.{kind}"
    else:
        field.type = kind


class _Descriptor:
    """The attribute DESCRIPTOR of a message class."""

    def __get__(self, message: Any, owner: Any) -> Any:
        if owner.__name__ not in FIELDS:
            raise AttributeError(f"{owner.__name__} is a base of messages, and has no DESCRIPTOR.")
        try:
            return descriptors()[owner.__name__]
        except ImportError as error:
            raise AttributeError("DESCRIPTOR needs google.protobuf, which is not installed.") from error


class Described:
    """The part of a message that google.protobuf.text_format and google.protobuf.json_format use."""

    DESCRIPTOR: Any = _Descriptor()
    _is_set = False

    def SetInParent(self) -> None:
        """Says that the message is there, even where it is empty."""
        self._is_set = True

    def HasField(self, field_name: str) -> bool:
        """Returns whether a single message is there; raises ValueError for any other field."""
        owner = type(self).__name__
        if owner in REPEATED + MAPS or field_name not in dict(FIELDS[owner]):
            raise ValueError(f"Protocol message {owner} has no singular {field_name!r} field.")
        if owner == "Feature":
            return bool(self.WhichOneof("kind") == field_name)  # type: ignore[attr-defined]
        return bool(getattr(self, field_name)._is_set or getattr(self, field_name)._bytes())

    def ListFields(self) -> list[tuple[Any, Any]]:
        """Returns the fields that are there: their descriptors with their values."""
        several = type(self).__name__ in REPEATED + MAPS
        return [
            (field, getattr(self, field.name))
            for field in self.DESCRIPTOR.fields
            if (len(getattr(self, field.name)) if several else self.HasField(field.name))
        ]

    def ClearField(self, field_name: str) -> None:
        """Takes the content of a field away."""
        if field_name not in dict(FIELDS[type(self).__name__]):
            raise ValueError(f'Protocol message {type(self).__name__} has no "{field_name}" field.')
        value = getattr(self, field_name)
        if isinstance(value, list | dict):
            value.clear()
        elif type(self).__name__ != "Feature" or self.HasField(field_name):
            value._clear()
            value._is_set = False
            if type(self).__name__ == "Feature":
                self._kind: str | None = None


class Entry:
    """One name of a map with its message, as google.protobuf prints and parses it."""

    def __init__(self, kind: Any, field: Any, key: str | None = None, value: Any = None) -> None:
        self.DESCRIPTOR = field.message_type
        self.key, self.value = key or "", kind() if value is None else value

    def ListFields(self) -> list[tuple[Any, Any]]:
        """Returns the name and the message with their descriptors."""
        return [(field, getattr(self, field.name)) for field in self.DESCRIPTOR.fields]

    def HasField(self, field_name: str) -> bool:
        """Returns whether the name or the message has been read."""
        return bool(self.key if field_name == "key" else self.value._is_set)


class Several(list[Any]):
    """Messages of one kind one after another; `add` creates one at the end."""

    def __init__(self, kind: Any, made: Any = ()) -> None:
        super().__init__(made)
        self._kind = kind

    def add(self) -> Any:
        """Puts an empty message at the end; returns it."""
        self.append(self._kind())
        return self[-1]
