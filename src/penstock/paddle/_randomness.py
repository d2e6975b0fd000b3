"""The state of the random numbers: seeded, saved and restored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from penstock.paddle import _seeded
from penstock.paddle._declaring import in_paddle


@in_paddle
class Generator:
    """The source of random numbers: there is one, whatever `device` is asked for. `paddle.seed` returns it.

    >>> from penstock import paddle
    >>> paddle.Generator().manual_seed(7).initial_seed()
    7
    """

    def __init__(self, device: Any = None) -> None:
        """Takes a `device`, which does nothing."""

    def manual_seed(self, seed: int) -> Generator:
        """Starts the random numbers afresh."""
        _seeded.start(int(seed))
        return self

    def seed(self) -> int:
        """Starts the random numbers again from a new random seed, and returns it."""
        found = int.from_bytes(os.urandom(7), "little") & ((1 << 53) - 1)
        _seeded.start(found)
        return found

    def initial_seed(self) -> int:
        """Returns the seed that the random numbers started from."""
        return _seeded.seed()

    def random(self) -> int:
        """Returns the next random number as it is: a whole number of 64 bits."""
        with _seeded.sequence.lock:
            engine = _seeded.sequence.engine
            return int.from_bytes(os.urandom(8), "little") if engine is None else int(engine.take(1)[0])

    def get_state(self) -> GeneratorState:
        """Returns the state of the random numbers."""
        return GeneratorState()

    def set_state(self, state: GeneratorState) -> None:
        """Restores a state of the random numbers."""
        state.restore()


@in_paddle("manual_seed", "paddle.random.seed")
def seed(seed: int) -> Generator:
    """Starts the random numbers of this process afresh: they are those of Paddle on a CPU.

    >>> from penstock import paddle
    >>> generator = paddle.seed(2023)
    >>> paddle.rand([2])
    Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [0.86583614, 0.52014720])
    """
    return Generator().manual_seed(seed)


class GeneratorState(_seeded.State):
    """A state of the random numbers."""

    def current_seed(self) -> int:
        """Returns the seed that the random numbers started from."""
        return _seeded.seed() if self.seed is None else int(self.seed)


@in_paddle
def get_rng_state(device: str | None = None) -> list[GeneratorState]:
    """Returns the state of the random numbers, in a list; there is one device: `device` does nothing.

    >>> from penstock import paddle
    >>> at = paddle.get_rng_state()
    >>> first = paddle.rand([2])
    >>> paddle.set_rng_state(at)
    >>> bool((paddle.rand([2]) == first).all())
    True
    """
    return [GeneratorState()]


@in_paddle
def set_rng_state(state_list: Sequence[GeneratorState], device: str | None = None) -> None:
    """Restores a state of the random numbers; there is one device: `device` does nothing."""
    if len(state_list) != 1:
        raise ValueError("Length of state list should be equal to the cpu device count")
    state_list[0].restore()


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
