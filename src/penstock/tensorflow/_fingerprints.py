"""The hashes by which TensorFlow puts strings into buckets: FarmHash's fingerprint, SipHash, MurmurHash.

The same on every machine and for ever, as files and vocabularies depend on it. After the published algorithm
of G. Pike, FarmHash (2014), "farmhashna".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
Pair = tuple[int, int]


def _word(text: bytes, at: int) -> int:
    return int(struct.unpack_from("<Q", text, at)[0])


def _half(text: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", text, at)[0])


def _turned(value: int, by: int) -> int:
    return value if by == 0 else ((value >> by) | (value << (64 - by))) & _MASK


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _joined(u: int, v: int, factor: int) -> int:
    a = _mixed(((u ^ v) * factor) & _MASK)
    return (_mixed(((v ^ a) * factor) & _MASK) * factor) & _MASK


def _to_16(text: bytes) -> int:
    size = len(text)
    if size >= 8:
        factor = _K2 + size * 2
        a, b = (_word(text, 0) + _K2) & _MASK, _word(text, size - 8)
        c = (_turned(b, 37) * factor + a) & _MASK
        d = ((_turned(a, 25) + b) * factor) & _MASK
        return _joined(c, d, factor & _MASK)
    if size >= 4:
        factor = _K2 + size * 2
        return _joined((size + (_half(text, 0) << 3)) & _MASK, _half(text, size - 4), factor & _MASK)
    if size > 0:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[size - 1] << 2)
        return (_mixed(((y * _K2) & _MASK) ^ ((z * _K0) & _MASK)) * _K2) & _MASK
    return _K2


def _to_32(text: bytes) -> int:
    size = len(text)
    factor = (_K2 + size * 2) & _MASK
    a, b = (_word(text, 0) * _K1) & _MASK, _word(text, 8)
    c, d = (_word(text, size - 8) * factor) & _MASK, (_word(text, size - 16) * _K2) & _MASK
    first = (_turned((a + b) & _MASK, 43) + _turned(c, 30) + d) & _MASK
    return _joined(first, (a + _turned((b + _K2) & _MASK, 18) + c) & _MASK, factor)


def _to_64(text: bytes) -> int:
    size = len(text)
    factor = (_K2 + size * 2) & _MASK
    a, b = (_word(text, 0) * _K2) & _MASK, _word(text, 8)
    c, d = (_word(text, size - 8) * factor) & _MASK, (_word(text, size - 16) * _K2) & _MASK
    y = (_turned((a + b) & _MASK, 43) + _turned(c, 30) + d) & _MASK
    z = _joined(y, (a + _turned((b + _K2) & _MASK, 18) + c) & _MASK, factor)
    e, f = (_word(text, 16) * factor) & _MASK, _word(text, 24)
    g = ((y + _word(text, size - 32)) * factor) & _MASK
    h = ((z + _word(text, size - 24)) * factor) & _MASK
    first = (_turned((e + f) & _MASK, 43) + _turned(g, 30) + h) & _MASK
    return _joined(first, (e + _turned((f + a) & _MASK, 18) + g) & _MASK, factor)


def _weak(text: bytes, at: int, a: int, b: int) -> Pair:
    w, x, y, z = (_word(text, at + step) for step in (0, 8, 16, 24))
    a = (a + w) & _MASK
    b = _turned((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _turned(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def fingerprint(text: bytes) -> int:
    """Returns a number below 2 to the power 64 for a string.

    >>> fingerprint(b"Hello") % 3, fingerprint(b"TensorFlow") % 3, fingerprint(b"2.x") % 3
    (0, 2, 2)
    """
    size = len(text)
    if size <= 16:
        return _to_16(text)
    if size <= 32:
        return _to_32(text)
    if size <= 64:
        return _to_64(text)
    x = 81
    y = (81 * _K1 + 113) & _MASK
    z = (_mixed((y * _K2 + 113) & _MASK) * _K2) & _MASK
    v: Pair = (0, 0)
    w: Pair = (0, 0)
    x = (x * _K2 + _word(text, 0)) & _MASK
    end = ((size - 1) // 64) * 64
    last = end + ((size - 1) & 63) - 63
    for at in range(0, end, 64):
        x = (_turned((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * _K1) & _MASK
        y = (_turned((y + v[1] + _word(text, at + 48)) & _MASK, 42) * _K1) & _MASK
        x ^= w[1]
        y = (y + v[0] + _word(text, at + 40)) & _MASK
        z = (_turned((z + w[0]) & _MASK, 33) * _K1) & _MASK
        v = _weak(text, at, (v[1] * _K1) & _MASK, (x + w[0]) & _MASK)
        w = _weak(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
        z, x = x, z
    factor = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = last
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = (_turned((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * factor) & _MASK
    y = (_turned((y + v[1] + _word(text, at + 48)) & _MASK, 42) * factor) & _MASK
    x ^= (w[1] * 9) & _MASK
    y = (y + v[0] * 9 + _word(text, at + 40)) & _MASK
    z = (_turned((z + w[0]) & _MASK, 33) * factor) & _MASK
    v = _weak(text, at, (v[1] * factor) & _MASK, (x + w[0]) & _MASK)
    w = _weak(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
    z, x = x, z
    first = (_joined(v[0], w[0], factor) + (_mixed(y) * _K0) + z) & _MASK
    return _joined(first, (_joined(v[1], w[1], factor) + x) & _MASK, factor)


def keyed(word: bytes, key: tuple[int, int]) -> int:
    """Returns the SipHash of a word under a key of two whole numbers: 2 rounds a block and 4 at the end."""
    low, high = (one & _SIP_WORD for one in key)
    a, b, c, d = (
        one ^ text
        for one, text in zip(
            (low, high, low, high),
            (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573),
            strict=True,
        )
    )

    def turned(one: int, by: int) -> int:
        return ((one << by) | (one >> (64 - by))) & _SIP_WORD

    def mixed(a: int, b: int, c: int, d: int, rounds: int) -> tuple[int, int, int, int]:
        for _ in range(rounds):
            a, c = (a + b) & _SIP_WORD, (c + d) & _SIP_WORD
            b, d = turned(b, 13) ^ a, turned(d, 16) ^ c
            a = turned(a, 32)
            c, a = (c + b) & _SIP_WORD, (a + d) & _SIP_WORD
            b, d = turned(b, 17) ^ c, turned(d, 21) ^ a
            c = turned(c, 32)
        return a, b, c, d

    whole = len(word) // 8 * 8
    last = word[whole:].ljust(7, b"\0") + bytes([len(word) & 255])
    for start in range(0, whole + 8, 8):
        block = int.from_bytes(last if start == whole else word[start : start + 8], "little")
        a, b, c, d = mixed(a, b, c, d ^ block, 2)
        a ^= block
    a, b, c, d = mixed(a, b, c ^ 255, d, 4)
    return a ^ b ^ c ^ d


_SIP_WORD = (1 << 64) - 1


_MURMUR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE
"""The factor of MurmurHash64A, and the number with which TensorFlow begins."""


def _scrambled(value: int) -> int:
    return (_mixed((value * _MURMUR) & _MASK) * _MURMUR) & _MASK


def hashed(word: bytes) -> int:
    """Returns the hash of a word by which TensorFlow 1 puts strings into buckets: A. Appleby's
    MurmurHash64A.

    >>> hashed(b"Hello") % 3, hashed(b"TensorFlow") % 3, hashed(b"2.x") % 3
    (2, 0, 1)
    """
    whole = len(word) // 8 * 8
    found = _SEED ^ (len(word) * _MURMUR & _MASK)
    for at in range(0, whole, 8):
        found = ((found ^ _scrambled(_word(word, at))) * _MURMUR) & _MASK
    if word[whole:]:
        found = ((found ^ int.from_bytes(word[whole:], "little")) * _MURMUR) & _MASK
    return _mixed((_mixed(found) * _MURMUR) & _MASK)


def crossed(numbers: Iterable[int], key: int | None = None) -> int:
    """Returns one number below 2 to the power 64 for several, whose order counts, and a key.

    >>> crossed([fingerprint(b"A"), 101]) % 5
    1
    """
    found = _SEED if key is None else key
    for number in numbers:
        found = (((found ^ _MURMUR) ^ _scrambled(number & _MASK)) * _MURMUR) & _MASK
        found = _mixed((_mixed(found) * _MURMUR) & _MASK)
    return found


__all__ = ["crossed", "fingerprint", "hashed", "keyed"]
