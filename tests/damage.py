"""Ways to damage a safetensors file, drawn at random. Used by test_damaged_files.py."""

import json
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any


class File:
    """The parts of a file: the header as a dictionary, and the bytes of the arrays."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.length = struct.unpack("<Q", content[:8])[0]
        self.header: dict[str, Any] = json.loads(content[8 : 8 + self.length])
        self.body = content[8 + self.length :]

    def names(self) -> list[str]:
        """Returns the names of the arrays."""
        return [name for name in self.header if name != "__metadata__"]


def made(header: dict[str, Any] | bytes, body: bytes) -> bytes:
    """Returns a file of these parts."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def without_checksums(content: bytes) -> bytes:
    """Returns a file as it was written before there were checksums."""
    file = File(content)
    del file.header["__metadata__"]["checksums"]
    return made(file.header, file.body)


def signed(content: bytes) -> bytes:
    """Returns a file whose notes have a checksum that fits their present content, as if written that way."""
    file = File(content)
    text = file.header["__metadata__"]
    sums = json.loads(text.pop("checksums"))
    plain = {name: value for name, value in text.items() if name != "format"}
    sums["notes"] = zlib.crc32(
        "\0".join(part for name in sorted(plain) for part in (name, plain[name])).encode()
    )
    text["checksums"] = json.dumps(sums)
    return made(file.header, file.body)


WRONG = [
    None,
    -1,
    10**30,
    1.5,
    "x",
    [],
    {},
    [1, 2, 3],
    True,
    float("nan"),
    "abc" * 1000,
    {"a": {}},
    -(10**30),
]
TEXTS = [
    "",
    "{",
    "null",
    "5",
    "[]",
    '"x"',
    '{"a": 1}',
    "NaN",
    "[[[[",
    "1e999",
    '{"x": {"y": {"z": []}}}',
    "[" * 5000,
]
SHAPES = [[2**40], [10**12, 10**12], [-1], [0], [1.5], ["a"], None, [2**62, 4], [1, 1, 1, 1, 1], float("nan")]
OFFSETS = [[0, 2**40], [5, 1], [-1, 4], [10**6, 10**6 + 10], [0], "x", [float("nan"), 4], [2**64, 2**64]]
DTYPES = ["F64", "I32", "BF16", "F8_E4M3", "F8_E8M0", "F4", "XX", None, "U8", "C64"]


def flipped(file: File, chance: random.Random) -> bytes:
    content = bytearray(file.content)
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def flipped_in_the_header(file: File, chance: random.Random) -> bytes:
    content = bytearray(file.content)
    content[8 + chance.randrange(file.length)] ^= 1 << chance.randrange(8)
    return bytes(content)


def cut(file: File, chance: random.Random) -> bytes:
    return file.content[: chance.randrange(len(file.content))]


def grown(file: File, chance: random.Random) -> bytes:
    place = chance.randrange(len(file.content))
    return file.content[:place] + chance.randbytes(chance.randint(1, 20)) + file.content[place:]


def another_length(file: File, chance: random.Random) -> bytes:
    length = chance.choice([0, 1, file.length - 1, file.length + 1, 2**31, 2**40, 2**63, 2**64 - 1])
    return struct.pack("<Q", length) + file.content[8:]


def junk(file: File, chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(5000))


def of_an_array(key: str, values: list[Any]) -> Callable[[File, random.Random], bytes]:
    def damage(file: File, chance: random.Random) -> bytes:
        file.header[chance.choice(file.names())][key] = chance.choice(values)
        return made(file.header, file.body)

    damage.__name__ = f"another_{key}"
    return damage


def overlapping(file: File, chance: random.Random) -> bytes:
    one, other = (chance.choice(file.names()) for _ in range(2))
    file.header[one]["data_offsets"] = file.header[other]["data_offsets"]
    return made(file.header, file.body)


def swapped(file: File, chance: random.Random) -> bytes:
    one, other = (chance.choice(file.names()) for _ in range(2))
    file.header[one], file.header[other] = file.header[other], file.header[one]
    return made(file.header, file.body)


def one_less(file: File, chance: random.Random) -> bytes:
    del file.header[chance.choice(file.names())]
    return made(file.header, file.body)


def renamed(file: File, chance: random.Random) -> bytes:
    name = chance.choice(file.names())
    file.header[name + "x"] = file.header.pop(name)
    return made(file.header, file.body)


def one_more(file: File, chance: random.Random) -> bytes:
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [len(file.body), len(file.body)]}
    file.header[chance.choice(["__class__", "more", ""])] = empty
    return made(file.header, file.body)


def twice(file: File, chance: random.Random) -> bytes:
    name = chance.choice(file.names())
    text = json.dumps(file.header)
    return made((text[:-1] + f", {json.dumps(name)}: {json.dumps(file.header[name])}}}").encode(), file.body)


def other_metadata(file: File, chance: random.Random) -> bytes:
    choices: list[Any] = [None, 5, [], {"format": "penstock 9"}, {"format": "penstock 1", "variables": "[]"}]
    file.header["__metadata__"] = chance.choice([*choices, {"a": 1}])
    return made(file.header, file.body)


def other_text(file: File, chance: random.Random) -> bytes:
    text = file.header["__metadata__"]
    text[chance.choice(list(text))] = chance.choice(TEXTS)
    return made(file.header, file.body)


def other_values(file: File, chance: random.Random) -> bytes:
    """Replaces a part of the notes, at any depth."""
    text = file.header["__metadata__"]
    name = chance.choice([one for one in text if one not in ("format", "values")])

    def changed(value: Any, depth: int) -> Any:
        deeper = depth < 1 or chance.random() < 0.7
        if isinstance(value, dict) and value and deeper:
            key = chance.choice(list(value))
            return {**value, key: changed(value[key], depth + 1)}
        if isinstance(value, list) and value and deeper:
            place = chance.randrange(len(value))
            return [*value[:place], changed(value[place], depth + 1), *value[place + 1 :]]
        return chance.choice([one for one in WRONG if one != value])

    text[name] = json.dumps(changed(json.loads(text[name]), 0))
    return made(file.header, file.body)


BYTES = [flipped, flipped_in_the_header, cut, grown, another_length, junk]
"""What a disk or a line does."""
PARTS = [
    of_an_array("shape", SHAPES),
    of_an_array("data_offsets", OFFSETS),
    of_an_array("dtype", DTYPES),
    overlapping,
    swapped,
    one_less,
    renamed,
    one_more,
    twice,
]
"""The changes that another program which writes safetensors may make to the arrays."""
NOTES = [other_metadata, other_text, other_values, other_values, other_values]
"""What a program does to the notes."""
