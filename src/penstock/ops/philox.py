"""Random primitives of Philox keys: a counter and a key of it determine every number, in both tiers.

A key is uint32[6]: the four words of the counter that the first block of numbers has, lowest first, and the
two words of the key. Each block gives four words; block i is that of the counter plus i. From the words,
numbers are made as TensorFlow makes them on a CPU, so that equal keys give equal numbers there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops.table import Primitive
from penstock.trace.spec import Shape, Spec, spec

# Philox-4x32 with 10 rounds: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
# SC 2011.
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
_WORD = 0xFFFFFFFF
BLOCK = 1 << 12
"""How many blocks NumPy computes together, so that they stay in the CPU's cache."""
KEY = spec((6,), np.uint32)
"""The one operand of these primitives. Several keys in one array give the numbers of each."""


def is_key(one: Spec) -> bool:
    """Returns whether an operand is a key, or an array of keys."""
    return one.dtype == np.uint32 and one.shape[-1:] == (6,)


def block_of(counter: int, key: int) -> tuple[int, int, int, int]:
    """Returns the four words of one counter of 128 bits under a key of 64, as Python numbers."""
    a, b, c, d = counter & _WORD, counter >> 32 & _WORD, counter >> 64 & _WORD, counter >> 96 & _WORD
    first, second = key & _WORD, key >> 32 & _WORD
    for _ in range(10):
        one, other = a * 0xD2511F53, c * 0xCD9E8D57
        a, b = other >> 32 ^ b ^ first, other & _WORD
        c, d = one >> 32 ^ d ^ second, one & _WORD
        first, second = first + 0x9E3779B9 & _WORD, second + 0xBB67AE85 & _WORD
    return a, b, c, d


def _counters(key: Any, places: Any) -> tuple[Any, Any, Any, Any]:
    """Returns the words of the counter plus each of the places, uint64, as uint64 below 2 ** 32."""
    half, word = np.uint64(32), np.uint64(_WORD)
    wide = [key[..., i : i + 1].astype(np.uint64) for i in range(4)]
    low = (wide[1] << half | wide[0]) + places
    high = (wide[3] << half | wide[2]) + (low < places).astype(np.uint64)
    return low & word, low >> half, high & word, high >> half


def _rounds(words: tuple[Any, Any, Any, Any], key: Any) -> tuple[Any, Any, Any, Any]:
    """Returns four words, each in a uint64, after the ten rounds."""
    half, word = np.uint64(32), np.uint64(_WORD)
    a, b, c, d = words
    first, second = (key[..., i : i + 1].astype(np.uint64) for i in (4, 5))
    for _ in range(10):
        one, other = a * np.uint64(_FACTORS[0]), c * np.uint64(_FACTORS[1])
        a, b = other >> half ^ b ^ first, other & word
        c, d = one >> half ^ d ^ second, one & word
        first, second = first + np.uint64(_STEPS[0]) & word, second + np.uint64(_STEPS[1]) & word
    return a, b, c, d


def words_at(xp: Any, key: Any, places: Any) -> Any:
    """Returns the words of blocks, uint32[..., blocks, 4], that lie at places behind the counter, uint64."""
    found = _rounds(_counters(key, places), key)
    return xp.stack([xp.broadcast_to(one, found[0].shape).astype(np.uint32) for one in found], -1)


def _in_rows(xp: Any, key: Any, count: int, stride: int, made: Callable[[Any, Any], Any], width: int) -> Any:
    """Returns what `made` makes of the words of `count` blocks, [..., count * width]; in NumPy in parts.

    `made` gives [..., blocks, width] for a key and the places of blocks, which are `stride` apart.
    """
    lead = key.shape[:-1]
    if xp is not np or count <= BLOCK:
        whole = made(key, xp.arange(count, dtype=np.uint64) * np.uint64(stride))
        return whole.reshape((*lead, count * width))
    parts: Any = None
    for start in range(0, count, BLOCK):
        end = min(start + BLOCK, count)
        part = made(key, np.arange(start, end, dtype=np.uint64) * np.uint64(stride))
        if parts is None:
            parts = np.empty((*lead, count, width), part.dtype)
        parts[..., start:end, :] = part
    return parts.reshape((*lead, count * width))


# -- numbers of words ---------------------------------------------------------------------------------------
# Words are uint32[..., 4]. A distribution gives [..., 4] numbers, or [..., 2] where one takes two words.


def is_wide(dtype: Any) -> bool:
    """Returns whether a number of a dtype takes two words."""
    return bool(dtype.itemsize == 8)


_BITS = {"float16": 10, "bfloat16": 7, "float32": 23}
"""How many bits of a word, the lowest, make a number from 0 to 1."""


def _fractions(words: Any, bits: int = 23) -> Any:
    """Returns float32 numbers from 0, included, to 1, one for each word."""
    low = (words & np.uint32((1 << bits) - 1)).astype(np.int32)
    return low.astype(np.float32) * np.float32(2.0**-bits)


def _wide_fractions(high: Any, low: Any) -> Any:
    """Returns float64 numbers from 0, included, to 1, each of two words."""
    whole = (high & np.uint32(0xFFFFF)).astype(np.float64) * 4294967296.0 + low.astype(np.float64)
    return whole * 2.0**-52


def _uniform(xp: Any, words: Any, dtype: Any) -> Any:
    if dtype == np.float64:
        return _wide_fractions(words[..., 0::2], words[..., 1::2])
    return _fractions(words, _BITS[dtype.name]).astype(dtype)


def _bits(xp: Any, words: Any, dtype: Any) -> Any:
    if not is_wide(dtype):
        return words
    return words[..., 1::2].astype(np.uint64) << np.uint64(32) | words[..., 0::2].astype(np.uint64)


# Box and Muller, 1958: two uniform numbers give two normal ones, a sine and a cosine. Each step is computed
# in float64 and rounded to float32, which is what a good library of float32 gives, in both tiers alike.


def _normal_pairs(xp: Any, words: Any) -> Any:
    """Returns float32 draws of the normal distribution, two for each two words."""
    single = np.float32
    u = _fractions(words)
    one, other = xp.maximum(u[..., 0::2], single(1e-7)), u[..., 1::2]
    angle = (other.astype(np.float64) * (2.0 * math.pi)).astype(single).astype(np.float64)
    logarithm = xp.log(one.astype(np.float64)).astype(single)
    radius = xp.sqrt((single(-2.0) * logarithm).astype(np.float64)).astype(single)
    sine, cosine = (xp.sin(angle).astype(single) * radius, xp.cos(angle).astype(single) * radius)
    return xp.stack([sine, cosine], -1).reshape(words.shape)


def _wide_normal_pairs(xp: Any, words: Any) -> Any:
    """Returns float64 draws of the normal distribution, two for each four words."""
    u = xp.maximum(_wide_fractions(words[..., 0:1], words[..., 1:2]), 1e-7)
    angle = 2.0 * math.pi * _wide_fractions(words[..., 2:3], words[..., 3:4])
    radius = xp.sqrt(-2.0 * xp.log(u))
    return xp.concatenate([xp.sin(angle) * radius, xp.cos(angle) * radius], -1)


def _normal(xp: Any, words: Any, dtype: Any) -> Any:
    if dtype == np.float64:
        return _wide_normal_pairs(xp, words)
    return _normal_pairs(xp, words).astype(dtype)


def _kept(xp: Any, drawn: Any, width: int) -> tuple[Any, Any]:
    """Returns the first `width` draws between -2 and 2 of each row, and whether there were as many."""
    inside = (drawn < 2.0) & (drawn > -2.0)
    rank = xp.cumsum(inside.astype(np.int32), -1)
    columns = [
        xp.sum(xp.where(inside & (rank == place + 1), drawn, xp.zeros((), drawn.dtype)), -1)
        for place in range(width)
    ]
    return xp.stack(columns, -1), rank[..., -1] >= width


_TRIED = 8
"""How many blocks are tried for a group of truncated draws: fewer suffice but for one group in 10 ** 15."""


def _truncated(xp: Any, key: Any, places: Any, dtype: Any) -> Any:
    """Returns groups of draws, [..., groups, 4 or 2], each of the first that fit of its own blocks."""
    width = 2 if dtype == np.float64 else 4

    def tried(some: Any, tries: int) -> tuple[Any, Any]:
        blocks = some[..., None] + xp.arange(tries, dtype=np.uint64)
        words = words_at(xp, key, blocks.reshape(-1))
        drawn = _wide_normal_pairs(xp, words) if width == 2 else _normal_pairs(xp, words)
        return _kept(xp, drawn.reshape((*key.shape[:-1], some.shape[0], -1)), width)

    enough = 2 * _TRIED if width == 2 else _TRIED
    if xp is not np:
        return tried(places, enough)[0]
    found, full = tried(places, 2)
    if not full.all():
        missing = ~full.reshape((-1, places.size)).all(0)
        found[..., missing, :] = tried(places[missing], enough)[0]
    return found


# -- primitives ---------------------------------------------------------------------------------------------


def _shaped(key: Spec, shape: Shape, dtype: Any) -> Spec:
    assert is_key(key), key
    return spec((*key.shape[:-1], *shape), dtype)


def _drawing(name: str, numbers: Callable[..., Any], *dtypes: Any) -> Primitive:
    """Returns a primitive that draws numbers of a key; `numbers` takes the module, key, shape and dtype."""

    def numpy(key: Any, shape: Shape, dtype: Any) -> Any:
        with np.errstate(over="ignore"):
            return numbers(np, key, shape, dtype)

    def xla(jax: Any, key: Any, shape: Shape, dtype: Any) -> Any:
        return numbers(jax.numpy, key, shape, dtype)

    return Primitive(
        name,
        shape=_shaped,
        numpy=numpy,
        xla=xla,
        derivative="discrete",
        dtypes="own",
        samples=lambda rng: [
            (np.asarray([7, number, _WORD, 3, 5, 9], np.uint32), {"shape": shape, "dtype": np.dtype(dtype)})
            for number, dtype in enumerate(dtypes)
            for shape in ((2, 3), (), (0, 2))
        ],
    )


def _cut(values: Any, key: Any, shape: Shape) -> Any:
    return values[..., : math.prod(shape)].reshape((*key.shape[:-1], *shape))


def _plain(distribution: Callable[..., Any], xp: Any, key: Any, shape: Shape, dtype: Any) -> Any:
    """Returns draws that take the words of one block after another."""
    width = 2 if is_wide(dtype) else 4
    blocks = -(-math.prod(shape) // width)

    def made(key: Any, places: Any) -> Any:
        return distribution(xp, words_at(xp, key, places), dtype)

    return _cut(_in_rows(xp, key, blocks, 1, made, width), key, shape)


def _truncated_normal(xp: Any, key: Any, shape: Shape, dtype: Any) -> Any:
    width = 2 if dtype == np.float64 else 4
    groups = -(-math.prod(shape) // width)
    if not groups:
        return xp.zeros((*key.shape[:-1], *shape), dtype)

    def made(key: Any, places: Any) -> Any:
        return _truncated(xp, key, places, dtype).astype(dtype)

    # Each number has 256 words of its own, however many it takes.
    return _cut(_in_rows(xp, key, groups, width * 64, made, width), key, shape)


philox_bits = _drawing("philox_bits", functools.partial(_plain, _bits), np.uint32, np.uint64)
philox_uniform = _drawing(
    "philox_uniform", functools.partial(_plain, _uniform), np.float64, np.float32, np.float16
)
philox_normal = _drawing(
    "philox_normal", functools.partial(_plain, _normal), np.float64, np.float32, np.float16
)
philox_truncated_normal = _drawing(
    "philox_truncated_normal", _truncated_normal, np.float64, np.float32, np.float16
)


def _permutation_shape(key: Spec, length: int) -> Spec:
    assert is_key(key), key
    return spec((*key.shape[:-1], length), np.int64)


def _swaps(xp: Any, key: Any, length: int) -> Any:
    """Returns for each place but the last which place, from it on, it is exchanged with: uint32."""
    bits = _plain(_bits, xp, key, (max(length - 1, 0),), np.dtype(np.uint32))
    left = xp.arange(length, 1, -1, dtype=np.uint32)
    return bits % left + xp.arange(max(length - 1, 0), dtype=np.uint32)


def _keys(key: Any) -> int:
    return math.prod(key.shape[:-1])


def _permutation_numpy(key: Any, length: int) -> Any:
    with np.errstate(over="ignore"):
        swaps = _swaps(np, key, length).reshape((_keys(key), max(length - 1, 0))).tolist()
    rows = []
    for row in swaps:
        order = list(range(length))
        for place, other in enumerate(row):
            order[place], order[other] = order[other], order[place]
        rows.append(order)
    return np.asarray(rows, np.int64).reshape((*key.shape[:-1], length))


def _permutation_xla(jax: Any, key: Any, length: int) -> Any:
    swaps = _swaps(jax.numpy, key, length).reshape((_keys(key), max(length - 1, 0)))

    def one(row: Any) -> Any:
        def exchanged(place: Any, order: Any) -> Any:
            other = row[place].astype(np.int64)
            here, there = order[place], order[other]
            return order.at[place].set(there).at[other].set(here)

        order = jax.numpy.arange(length, dtype=np.int64)
        return jax.lax.fori_loop(0, max(length - 1, 0), exchanged, order) if length > 1 else order

    return jax.vmap(one)(swaps).reshape((*key.shape[:-1], length))


# Fisher and Yates: the place i is exchanged with one of those from i on, by the remainder of a word.
philox_permutation = Primitive(
    "philox_permutation",
    shape=_permutation_shape,
    numpy=_permutation_numpy,
    xla=_permutation_xla,
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [(np.asarray([7, n, 9, 0, 1, 2], np.uint32), {"length": n}) for n in (5, 1, 0)],
)

# -- keys of seeds and of keys ----------------------------------------------------------------------------

_MIXING = 0x02461E293EC8F720


def mixed(first: int, second: int) -> tuple[int, ...]:
    """Returns the six words of the key of a seed of two whole numbers, each of 64 bits."""
    wide = (1 << 64) - 1
    a, b, c, d = block_of(first & wide | (second & wide) << 64, _MIXING)
    return 0, 0, c, d, a, b


def _mix(xp: Any, seed: Any) -> Any:
    pair = seed.astype(np.int64).astype(np.uint64)
    half = np.uint64(32)
    parts = [(pair[..., i] >> shift).astype(np.uint32) for i in (0, 1) for shift in (np.uint64(0), half)]
    fixed = [xp.full_like(parts[0], word) for word in (_MIXING & _WORD, _MIXING >> 32)]
    words = words_at(xp, xp.stack([*parts, *fixed], -1), xp.zeros((1,), np.uint64))[..., 0, :]
    zero = xp.zeros_like(words[..., 0])
    return xp.stack([zero, zero, words[..., 2], words[..., 3], words[..., 0], words[..., 1]], -1)


def _mix_shape(seed: Spec) -> Spec:
    assert seed.dtype.kind in "iu" and seed.shape[-1:] == (2,), seed
    return spec((*seed.shape[:-1], 6), np.uint32)


def _silent(function: Callable[..., Any]) -> Callable[..., Any]:
    def numpy(*operands: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(np, *operands)

    return numpy


# The key of a seed of two whole numbers, made by one block of Philox, so that near seeds have far keys.
philox_key = Primitive(
    "philox_key",
    shape=_mix_shape,
    numpy=_silent(_mix),
    xla=lambda jax, seed: _mix(jax.numpy, seed),
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [
        (np.asarray(pair, dtype),) for pair, dtype in (([1, -2], np.int64), ([2**31, 0], np.uint32))
    ],
)


def folded(xp: Any, key: Any, index: Any) -> Any:
    """Returns a key made of the block of a number under a key apart from those of plain draws."""
    number = xp.stack([index.astype(np.uint32), key[..., 1] ^ key[..., 0], key[..., 2], key[..., 3]], -1)
    apart = key[..., 4:] ^ np.asarray([0x7F4A7C15, 0x94D049BB], np.uint32)
    words = words_at(xp, xp.concatenate([number, apart], -1), xp.zeros((1,), np.uint64))[..., 0, :]
    return xp.concatenate([key[..., :2], words], -1)
