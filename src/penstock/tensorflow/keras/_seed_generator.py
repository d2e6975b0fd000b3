"""The seeds of Keras: a generator that gives each draw a seed of its own, and where its own seed comes from.

A generator without a seed is given one by Python's `random`, at the moment when it is made, as in Keras: a
program that calls `tf.keras.utils.set_random_seed` and makes its layers in the same order starts from equal
weights.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.philox_keys import PhiloxKey, Seeded, key_of_words
from penstock.functions.scratch import Scratch
from penstock.ops import philox
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._modes import for_each_element
from penstock.tensorflow.keras._automatic_names import automatic_name, forgetting
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import spec

_LARGEST = (1 << 31) - 2
"""Seeds are taken modulo this before they are numbers of 32 bits."""


seeds_drawn = [0]
"""How many seeds objects without their own have taken."""


def default_seed() -> int:
    """Returns the seed of an object without its own: the next number of Python's `random`."""
    seeds_drawn[0] += 1
    return random.randint(1, 1_000_000_000)


def key_of_pair(first: int, second: int, source: Any = None) -> PhiloxKey:
    """Returns the key of a seed of Keras, two whole numbers."""
    return key_of_words(philox.mixed(first % _LARGEST, second % _LARGEST), source)


class SeedState:
    """The state of a generator, as checkpoints and Keras' programs read and write it."""

    _is_random_state = True
    shape = (2,)
    dtype = "int64"
    trainable = False
    _spec = spec((2,), np.dtype(np.int64))

    def __init__(self, generator: SeedGenerator) -> None:
        self.generator = generator

    @property
    def path(self) -> str:
        """The name of the generator, and that of the state."""
        return f"{self.generator.name}/seed_generator_state"

    def numpy(self) -> Any:
        """Returns the seed and how many draws there have been."""
        return np.asarray([self.generator.seed, self.generator.drawn], np.int64)

    @property
    def value(self) -> Any:
        """The seed and how many draws there have been, as a tensor."""
        return constant(self.numpy())

    def assign(self, value: Any) -> None:
        """Takes the generator to where it was."""
        self.generator.seed, self.generator.drawn = map(int, np.asarray(value))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        return f"<Variable path={self.path}, shape=(2,), dtype=int64, value={self.numpy()}>"


@named("tf.keras.random.SeedGenerator")
class SeedGenerator(Seeded):
    """A sequence of seeds, each used once; equal to those of Keras.

    >>> from penstock import tensorflow as tf
    >>> generator = tf.keras.random.SeedGenerator(42)
    >>> print(tf.keras.random.uniform((2,), seed=generator))
    tf.Tensor([0.28243315 0.4984169 ], shape=(2,), dtype=float32)
    >>> print(generator.state.numpy())
    [42  1]
    """

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise ArgumentError(f"Argument `seed` must be an integer. Received: seed={seed}", site=here())
        super().__init__(default_seed() if seed is None else seed)
        self.latest = self.seed, 0
        self._initial_seed = seed
        self.name = automatic_name("seed_generator") if name is None else name

    @property
    def state(self) -> SeedState:
        """The seed and how many draws there have been, as a variable."""
        return SeedState(self)

    def next(self, ordered: bool = True) -> Any:
        """Returns the next seed, two numbers; without `ordered`, one that is unlike the one before."""
        for_each_element()
        return constant(np.asarray(self.take() if ordered else self.scattered(), np.int64))

    def scattered(self) -> tuple[int, int]:
        """Returns the state, and moves on to one that is unlike it."""
        before = self.seed, self.drawn
        self.seed, self.drawn = ((one + 1) * 5387 % 933199 for one in before)
        return before

    def key(self) -> PhiloxKey:
        """Returns the key of the next draw.

        Where only shapes are worked out, it is one that counts for nothing.
        """
        if isinstance(local.trace, Scratch):
            return key_of_words((0,) * 6, self)
        self.latest = self.take()
        return key_of_pair(*self.latest, self)

    def pass_over(self, count: int) -> None:
        """Moves on as if so many seeds had been taken, but where only shapes are worked out."""
        if not isinstance(local.trace, Scratch):
            for _ in range(count):
                self.take()

    def get_config(self) -> dict[str, Any]:
        """Returns the seed the sequence was made with, None for one of Python's, and the name."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Returns a generator made with this configuration."""
        return cls(**config)


class _Global:
    """The generator of all draws of `tf.keras.random` without a seed; it is made when it is first needed."""

    generator: SeedGenerator | None = None
    latest = (0, 0)

    def key(self) -> PhiloxKey:
        """Returns the key of the next draw."""
        if self.generator is None:
            self.generator = SeedGenerator(name="global_seed_generator")
        if isinstance(local.trace, Scratch):
            return key_of_words((0,) * 6, self)
        self.latest = self.generator.scattered()
        return key_of_pair(*self.latest, self)


shared = _Global()


def forget() -> None:
    """Has the next draw without a seed start afresh."""
    shared.generator = None


forgetting.append(forget)


def key_for(seed: Any) -> PhiloxKey:
    """Returns the key of a draw of `tf.keras.random`, whose seed is a generator, a number or None."""
    if seed is None:
        return shared.key()
    if isinstance(seed, SeedGenerator):
        return seed.key()
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ArgumentError(
            "Argument `seed` must be either an integer or an instance of `SeedGenerator`. Received: "
            f"seed={seed} (of type {type(seed)})",
            site=here(),
        )
    return Same(seed).key()


class _Beside:
    """A source whose key is made of the seed that another one took last, and 12."""

    def __init__(self, other: Any) -> None:
        self.other = other

    def key(self) -> PhiloxKey:
        """Returns the key beside the last one."""
        # As numbers of 32 bits, which wrap around.
        pair = [(one % _LARGEST + 12 + (1 << 31)) % (1 << 32) - (1 << 31) for one in self.other.latest]
        return key_of_words(philox.mixed(*pair), self)


def two_keys_for(seed: Any) -> tuple[PhiloxKey, PhiloxKey]:
    """Returns the key of a draw, and that of a second one with the same seed."""
    first = key_for(seed)
    return first, first if isinstance(local.trace, Scratch) else _Beside(first.source).key()


class Same:
    """A source whose draws are all the same: a number as the seed of a draw."""

    def __init__(self, seed: int, drawn: int = 0) -> None:
        self.latest = seed, drawn

    def pass_over(self, count: int) -> None:
        """Does nothing: after `count` draws, the next one is the same."""

    def key(self) -> PhiloxKey:
        """Returns its only key."""
        return key_of_pair(*self.latest, self)


__all__ = ["SeedGenerator", "SeedState", "default_seed", "key_for", "key_of_pair", "seeds_drawn"]
