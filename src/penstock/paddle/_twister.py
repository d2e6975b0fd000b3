"""The words that Paddle's CPU generator gives: the 64-bit Mersenne Twister, as C++ seeds it.

T. Nishimura, "Tables of 64-bit Mersenne Twisters", ACM Transactions on Modeling and Computer Simulation
10(4), 2000; M. Matsumoto and T. Nishimura, "Mersenne Twister", the same journal 8(1), 1998. The two ways to
seed it are those of the C++ standard, [rand.eng.mers] and [rand.util.seedseq].
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

ROUND = 312
"""How many words the state has, and are made at once."""
_MIDDLE = 156
_UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
_MATRIX, _ONE = np.uint64(0xB5026F5AA96619E9), np.uint64(1)
_TEMPERING = (
    (29, True, 0x5555555555555555),
    (17, False, 0x71D67FFFEDA60000),
    (37, False, 0xFFF7EEE000000000),
)
_WORD, _HALF = (1 << 64) - 1, (1 << 32) - 1
_FEW = 2 * ROUND
"""How many words at most are kept because a few of them are still to be taken."""

_Words = Any
"""An array of 64-bit words."""


def _twisted(apart: _Words, words: _Words, following: _Words) -> _Words:
    joined = (words & _UPPER) | (following & _LOWER)
    return apart ^ (joined >> _ONE) ^ ((joined & _ONE) * _MATRIX)


def fill_by_numpy(state: _Words, out: _Words) -> None:
    """Fills `out`, whole rounds of words, with those that follow, and advances the state."""
    rounds = out.reshape(-1, ROUND)
    for each in rounds:
        # A half at a time depends on nothing but what was there before it.
        state[:_MIDDLE] = _twisted(state[_MIDDLE:], state[:_MIDDLE], state[1 : _MIDDLE + 1])
        following = np.append(state[_MIDDLE + 1 :], state[0])
        state[_MIDDLE:] = _twisted(state[:_MIDDLE], state[_MIDDLE:], following)
        each[:] = state
    for shift, right, mask in _TEMPERING:
        moved = rounds >> np.uint64(shift) if right else rounds << np.uint64(shift)
        rounds ^= moved & np.uint64(mask)
    rounds ^= rounds >> np.uint64(43)


fill = fill_by_numpy
if not os.environ.get("PENSTOCK_PURE"):
    with contextlib.suppress(ImportError):
        from penstock.paddle._twist import fill


class Twister:
    """A sequence of 64-bit words: the state of the engine, and the words made that nobody has taken yet."""

    __slots__ = ("_left", "_state")

    def __init__(self, state: _Words, left: _Words | None = None) -> None:
        self._state = np.array(state, np.uint64)
        self._left = np.empty(0, np.uint64) if left is None else np.array(left, np.uint64)

    def words(self) -> list[int]:
        """Returns what the sequence goes on from: the state, and then the words made and not taken."""
        return [*self._state.tolist(), *self._left.tolist()]

    def copy(self) -> Twister:
        """Returns a sequence that goes on from here by itself."""
        return Twister(self._state, self._left)

    def ahead(self, count: int) -> _Words:
        """Returns the next `count` words without taking them."""
        left = self._left
        if left.size < count:
            made = np.empty(left.size + -(-(count - left.size) // ROUND) * ROUND, np.uint64)
            made[: left.size] = left
            fill(self._state, made[left.size :])
            self._left = left = made
        return left[:count]

    def skip(self, count: int) -> None:
        """Takes words that `ahead` has shown."""
        rest = self._left[count:]
        self._left = rest if self._left.size <= _FEW else rest.copy()

    def take(self, count: int) -> _Words:
        """Returns the next `count` words."""
        found = self.ahead(count)
        self.skip(count)
        return found


def seeded(seed: int) -> Twister:
    """Returns the sequence of `paddle.seed`: a seed sequence of one number, of which 32 bits count."""
    halves = _sequence(seed & _HALF, 2 * ROUND)
    return Twister(np.array([halves[i] | halves[i + 1] << 32 for i in range(0, len(halves), 2)], np.uint64))


def seeded_by_value(seed: int) -> Twister:
    """Returns the sequence of a number of 64 bits: that of an operation with a seed of its own."""
    state = [seed & _WORD]
    for i in range(1, ROUND):
        before = state[-1]
        state.append(6364136223846793005 * (before ^ before >> 62) + i & _WORD)
    return Twister(np.array(state, np.uint64))


def _sequence(seed: int, count: int) -> list[int]:
    """Returns the 32-bit words that C++'s seed sequence of one number generates; `count` is 623 or more."""
    found = [0x8B8B8B8B] * count
    apart = (count - 11) // 2

    def mixed(factor: int, word: int) -> int:
        return factor * (word ^ word >> 27) & _HALF

    for k in range(count):
        at, p, q = k % count, (k + apart) % count, (k + apart + 11) % count
        drawn = mixed(1664525, found[at] ^ found[p] ^ found[k - 1])
        moved = drawn + (1 if k == 0 else k % count + (seed if k == 1 else 0)) & _HALF
        found[p] = found[p] + drawn & _HALF
        found[q] = found[q] + moved & _HALF
        found[at] = moved
    for k in range(count, 2 * count):
        at, p, q = k % count, (k + apart) % count, (k + apart + 11) % count
        drawn = mixed(1566083941, found[at] + found[p] + found[(k - 1) % count] & _HALF)
        moved = drawn - at & _HALF
        found[p] ^= drawn
        found[q] ^= moved
        found[at] = moved
    return found


__all__ = ["ROUND", "Twister", "fill", "fill_by_numpy", "seeded", "seeded_by_value"]
