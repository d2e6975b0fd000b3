"""Where the random numbers stand: taken down, and set back to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.functions.keys import generator
from penstock.paddle._creation import Generator, seed
from penstock.paddle._declaring import in_paddle


class GeneratorState:
    """A seed, and the number of the next draw."""

    def __init__(self, seed: int, number: int) -> None:
        self._at = seed, number


@in_paddle
def get_rng_state(device: str | None = None) -> list[GeneratorState]:
    """Returns where the random numbers stand, in a list; there is one device: `device` does nothing.

    >>> from penstock import paddle
    >>> at = paddle.get_rng_state()
    >>> first = paddle.rand([2])
    >>> paddle.set_rng_state(at)
    >>> bool((paddle.rand([2]) == first).all())
    True
    """
    with generator.lock:
        return [GeneratorState(generator.seed, generator.number)]


@in_paddle
def set_rng_state(state_list: Sequence[GeneratorState], device: str | None = None) -> None:
    """Goes back to where the random numbers stood; there is one device: `device` does nothing."""
    if len(state_list) != 1:
        raise ValueError("Length of state list should be equal to the cpu device count")
    start, number = state_list[0]._at
    generator.start(start)
    with generator.lock:
        generator.number = number


@in_paddle
def get_cuda_rng_state() -> list[GeneratorState]:
    """Returns an empty list: no device draws numbers of its own."""
    return []


@in_paddle
def set_cuda_rng_state(state_list: Sequence[Any]) -> None:
    """Does nothing with an empty list; raises ValueError for any other `state_list`."""
    if state_list:
        raise ValueError("Length of gpu state list should be equal to the gpu device count")


manual_seed = seed
__all__ = [
    "Generator", "get_cuda_rng_state", "get_rng_state", "manual_seed", "set_cuda_rng_state", "set_rng_state",
]  # fmt: skip
