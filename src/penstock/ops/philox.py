"""Random primitives of Philox keys: a counter and a key of it determine every number, in both tiers.

A key is uint32[6]: the four words of the counter that the first block of numbers has, lowest first, and the
two words of the key. Each block gives four words; block i is that of the counter plus i. From the words,
numbers are made as TensorFlow makes them on a CPU, so that equal keys give equal numbers there.
"""

from __future__ import annotations

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


def _narrow_rounds(words: tuple[Any, Any, Any, Any], key: Any) -> tuple[Any, Any, Any, Any]:
    """Returns what `_rounds` does, each in a uint32, which XLA has more of in a register."""
    half = np.uint64(32)
    a, b, c, d = (one.astype(np.uint32) for one in words)
    first, second = key[..., 4:5], key[..., 5:6]
    for _ in range(10):
        one, other = (x.astype(np.uint64) * np.uint64(m) for x, m in zip((a, c), _FACTORS, strict=True))
        a, b = (other >> half).astype(np.uint32) ^ b ^ first, other.astype(np.uint32)
        c, d = (one >> half).astype(np.uint32) ^ d ^ second, one.astype(np.uint32)
        first, second = first + np.uint32(_STEPS[0]), second + np.uint32(_STEPS[1])
    return a, b, c, d


def words_of(xp: Any, key: Any, places: Any) -> tuple[Any, Any, Any, Any]:
    """Returns the four words, each [..., blocks], of blocks that lie at places behind the counter, uint64."""
    if xp is not np:
        return _narrow_rounds(_counters(key, places), key)
    a, b, c, d = (one.astype(np.uint32) for one in _rounds(_counters(key, places), key))
    shape = np.broadcast_shapes(a.shape, b.shape)
    return a, np.broadcast_to(b, shape), c, np.broadcast_to(d, shape)


def words_at(xp: Any, key: Any, places: Any) -> Any:
    """Returns the words of blocks side by side, uint32[..., blocks, 4]."""
    return xp.stack(words_of(xp, key, places), -1)


def _in_rows(key: Any, count: int, stride: int, made: Callable[[Any, Any], Any], width: int) -> Any:
    """Returns what `made` makes of `count` blocks, [..., count * width], in parts that stay in the cache.

    `made` gives [..., blocks, width] for a key and the places of blocks, which are `stride` apart.
    """
    lead = key.shape[:-1]
    parts: Any = None
    for start in range(0, max(count, 1), BLOCK):
        end = min(start + BLOCK, count)
        part = made(key, np.arange(start, end, dtype=np.uint64) * np.uint64(stride))
        if end - start == count:
            return part.reshape((*lead, count * width))
        if parts is None:
            parts = np.empty((*lead, count, width), part.dtype)
        parts[..., start:end, :] = part
    return parts.reshape((*lead, count * width))


# -- numbers of words ---------------------------------------------------------------------------------------


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


def uniforms_of(words: Any) -> tuple[Any, Any]:
    """Returns the two uniform float64 numbers that the four words of a block give."""
    a, b, c, d = words
    return _wide_fractions(a, b), _wide_fractions(c, d)


def uniforms_from(xp: Any, key: Any, start: Any, number: Any) -> tuple[Any, Any]:
    """Returns the uniform number of this number behind `start`, and the one that follows an even number.

    Of the two of a block, the second is taken first.
    """
    second, first = uniforms_of(words_of(xp, key, start + number // np.uint64(2)))
    return xp.where(number % np.uint64(2) == 1, second, first), second


# Box and Muller, 1958: two uniform numbers give two normal ones, a sine and a cosine. Each step is computed
# in float64 and rounded to float32, which is what a good library of float32 gives, in both tiers alike.


def _polar(xp: Any, one: Any, other: Any) -> tuple[Any, Any]:
    """Returns float32 radii and float64 angles of pairs of words."""
    single = np.float32
    angle = (_fractions(other).astype(np.float64) * (2.0 * math.pi)).astype(single).astype(np.float64)
    logarithm = xp.log(xp.maximum(_fractions(one), single(1e-7)).astype(np.float64)).astype(single)
    return xp.sqrt((single(-2.0) * logarithm).astype(np.float64)).astype(single), angle


def _wide_polar(xp: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
    """Returns float64 radii and angles of four words each."""
    angle = 2.0 * math.pi * _wide_fractions(c, d)
    return xp.sqrt(-2.0 * xp.log(xp.maximum(_wide_fractions(a, b), 1e-7))), angle


def _normal_four(xp: Any, words: Any, dtype: Any) -> list[Any]:
    """Returns the draws from the normal distribution that a block gives: two in float64, or four."""
    if dtype == np.float64:
        radius, angle = _wide_polar(xp, *words)
        return [xp.sin(angle) * radius, xp.cos(angle) * radius]
    found = []
    for pair in (words[:2], words[2:]):
        radius, angle = _polar(xp, *pair)
        found += [function(angle).astype(np.float32) * radius for function in (xp.sin, xp.cos)]
    return found


# NumPy computes whole blocks, and lays their numbers side by side. XLA computes each number from the block it
# is in: blocks are computed several times, but in one loop with whatever reads the numbers.


def _bits_of_block(xp: Any, words: Any, dtype: Any) -> list[Any]:
    if not is_wide(dtype):
        return list(words)
    pairs = (words[:2], words[2:])
    return [high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64) for low, high in pairs]


def _bits_of_element(xp: Any, words: Any, place: Any, dtype: Any) -> Any:
    a, b, c, d = words
    if not is_wide(dtype):
        return xp.where(place < 2, xp.where(place == 0, a, b), xp.where(place == 2, c, d))
    low, high = xp.where(place == 0, a, c), xp.where(place == 0, b, d)
    return high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)


def _uniform_of_block(xp: Any, words: Any, dtype: Any) -> list[Any]:
    if dtype == np.float64:
        return list(uniforms_of(words))
    return [_fractions(one, _BITS[dtype.name]).astype(dtype) for one in words]


def _uniform_of_element(xp: Any, words: Any, place: Any, dtype: Any) -> Any:
    if dtype == np.float64:
        a, b, c, d = words
        return _wide_fractions(xp.where(place == 0, a, c), xp.where(place == 0, b, d))
    chosen = _bits_of_element(xp, words, place, np.dtype(np.uint32))
    return _fractions(chosen, _BITS[dtype.name]).astype(dtype)


def _normal_of_block(xp: Any, words: Any, dtype: Any) -> list[Any]:
    return [one.astype(dtype) for one in _normal_four(xp, words, dtype)]


def _normal_of_element(xp: Any, words: Any, place: Any, dtype: Any) -> Any:
    a, b, c, d = words
    # A sine is the cosine of an angle less by a quarter turn, to the last place but one of float64.
    turn = xp.where(place % 2 == 0, 0.5 * math.pi, 0.0)
    if dtype == np.float64:
        radius, angle = _wide_polar(xp, *words)
        return xp.where(place == 0, xp.sin(angle), xp.cos(angle)) * radius
    radius, angle = _polar(xp, xp.where(place < 2, a, c), xp.where(place < 2, b, d))
    return (xp.cos(angle - turn).astype(np.float32) * radius).astype(dtype)


# -- draws that fit -----------------------------------------------------------------------------------------


def _kept(drawn: list[Any], found: Any, count: Any) -> tuple[Any, Any]:
    """Puts draws between -2 and 2 behind the `count` that were found, as long as there is room: [n, ...]."""
    room = np.arange(found.shape[0], dtype=np.int32).reshape((-1,) + (1,) * (found.ndim - 1))
    for one in drawn:
        fits = (one < 2.0) & (one > -2.0) & (count < found.shape[0])
        chosen = fits & (room == count)
        found = found * ~chosen + one * chosen
        count = count + fits
    return found, count


def _truncated_numpy(key: Any, places: Any, dtype: Any) -> Any:
    """Returns groups of draws, [..., groups, 4 or 2], each of the first that fit of its own blocks."""
    width, wide = (2, np.float64) if dtype == np.float64 else (4, np.float32)
    found = np.zeros((width, *key.shape[:-1], places.size), wide)
    count = np.zeros(found.shape[1:], np.int32)
    block = 0
    while (missing := count < width).any():
        some = missing.reshape((-1, places.size)).any(0)
        words = words_of(np, key, places[some] + np.uint64(block))
        drawn = _normal_four(np, words, dtype)
        found[..., some], count[..., some] = _kept(drawn, found[..., some], count[..., some])
        block += 1
    return np.moveaxis(found, 0, -1)


def _truncated_xla(jax: Any, key: Any, places: Any, dtype: Any) -> Any:
    width, wide = (2, np.float64) if dtype == np.float64 else (4, np.float32)
    xp = jax.numpy

    def unfinished(state: Any) -> Any:
        return (state[1] < width).any()

    def tried(state: Any) -> Any:
        found, count, block = state
        drawn = _normal_four(xp, words_of(xp, key, places + block), dtype)
        return *_kept(drawn, found, count), block + np.uint64(1)

    lengths = (*key.shape[:-1], places.size)
    start = xp.zeros((width, *lengths), wide), xp.zeros(lengths, np.int32), xp.zeros((), np.uint64)
    return xp.moveaxis(jax.lax.while_loop(unfinished, tried, start)[0], 0, -1)


# -- primitives ---------------------------------------------------------------------------------------------


def _shaped(key: Spec, shape: Shape, dtype: Any) -> Spec:
    assert is_key(key), key
    return spec((*key.shape[:-1], *shape), dtype)


def _drawing(name: str, numpy: Callable[..., Any], xla: Callable[..., Any], *dtypes: Any) -> Primitive:
    """Returns a primitive that draws numbers of a key."""

    def quiet(key: Any, shape: Shape, dtype: Any) -> Any:
        with np.errstate(over="ignore"):
            return numpy(key, shape, dtype)

    return Primitive(
        name,
        shape=_shaped,
        numpy=quiet,
        xla=xla,
        derivative="discrete",
        dtypes="own",
        samples=lambda rng: [
            (np.asarray([7, number, _WORD, 3, 5, 9], np.uint32), {"shape": shape, "dtype": np.dtype(dtype)})
            for number, dtype in enumerate(dtypes)
            for shape in ((2, 3), (), (0, 2))
        ],
    )


def _plain(
    name: str, of_block: Callable[..., Any], of_element: Callable[..., Any], *dtypes: Any
) -> Primitive:
    """Returns a primitive whose draws take the words of one block after another."""

    def numpy(key: Any, shape: Shape, dtype: Any) -> Any:
        width = 2 if is_wide(dtype) else 4

        def made(key: Any, places: Any) -> Any:
            return np.stack(of_block(np, words_of(np, key, places), dtype), -1)

        return _cut(_in_rows(key, -(-math.prod(shape) // width), 1, made, width), key, shape)

    def xla(jax: Any, key: Any, shape: Shape, dtype: Any) -> Any:
        xp, width = jax.numpy, 2 if is_wide(dtype) else 4
        element = xp.arange(math.prod(shape), dtype=np.uint64)
        words = words_of(xp, key, element // np.uint64(width))
        place = (element % np.uint64(width)).astype(np.uint32)
        return of_element(xp, words, place, dtype).reshape((*key.shape[:-1], *shape))

    return _drawing(name, numpy, xla, *dtypes)


def _cut(values: Any, key: Any, shape: Shape) -> Any:
    return values[..., : math.prod(shape)].reshape((*key.shape[:-1], *shape))


def _groups(shape: Shape, dtype: Any) -> tuple[int, int]:
    """Returns how many groups of truncated draws there are, and how many numbers are in each."""
    width = 2 if dtype == np.float64 else 4
    return -(-math.prod(shape) // width), width


def _truncated_normal(key: Any, shape: Shape, dtype: Any) -> Any:
    count, width = _groups(shape, dtype)

    def made(key: Any, places: Any) -> Any:
        return _truncated_numpy(key, places, dtype).astype(dtype)

    # Each number has 256 words of its own, however many it takes.
    return _cut(_in_rows(key, count, width * 64, made, width), key, shape)


def _truncated_normal_xla(jax: Any, key: Any, shape: Shape, dtype: Any) -> Any:
    count, width = _groups(shape, dtype)
    places = jax.numpy.arange(count, dtype=np.uint64) * np.uint64(width * 64)
    found = _truncated_xla(jax, key, places, dtype).astype(dtype)
    return _cut(found.reshape((*key.shape[:-1], count * width)), key, shape)


_FLOATS = (np.float64, np.float32, np.float16)
philox_bits = _plain("philox_bits", _bits_of_block, _bits_of_element, np.uint32, np.uint64)
philox_uniform = _plain("philox_uniform", _uniform_of_block, _uniform_of_element, *_FLOATS)
philox_normal = _plain("philox_normal", _normal_of_block, _normal_of_element, *_FLOATS)
philox_truncated_normal = _drawing(
    "philox_truncated_normal", _truncated_normal, _truncated_normal_xla, *_FLOATS
)


def _permutation_shape(key: Spec, length: int) -> Spec:
    assert is_key(key), key
    return spec((*key.shape[:-1], length), np.int64)


def _swaps(xp: Any, bits: Any, length: int) -> Any:
    """Returns for each place but the last which place, from it on, it is exchanged with: uint32."""
    left = xp.arange(length, 1, -1, dtype=np.uint32)
    return bits % left + xp.arange(max(length - 1, 0), dtype=np.uint32)


def _keys(key: Any) -> int:
    return math.prod(key.shape[:-1])


def _permutation_numpy(key: Any, length: int) -> Any:
    with np.errstate(over="ignore"):
        bits = philox_bits.numpy(key, shape=(max(length - 1, 0),), dtype=np.dtype(np.uint32))
        swaps = _swaps(np, bits, length).reshape((_keys(key), max(length - 1, 0))).tolist()
    rows = []
    for row in swaps:
        order = list(range(length))
        for place, other in enumerate(row):
            order[place], order[other] = order[other], order[place]
        rows.append(order)
    return np.asarray(rows, np.int64).reshape((*key.shape[:-1], length))


def _permutation_xla(jax: Any, key: Any, length: int) -> Any:
    rule: Any = philox_bits.xla
    bits = rule(jax, key, shape=(max(length - 1, 0),), dtype=np.dtype(np.uint32))
    swaps = _swaps(jax.numpy, bits, length).reshape((_keys(key), max(length - 1, 0)))

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
