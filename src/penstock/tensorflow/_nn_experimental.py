"""tf.nn.experimental: dropout that follows from a seed, or from a function that draws."""

from __future__ import annotations

from penstock.declared import named
from penstock.tensorflow import _split_seeds


@named("tf.nn.experimental")
class experimental:
    """tf.nn.experimental."""

    stateless_dropout = staticmethod(_split_seeds.stateless_dropout)
    general_dropout = staticmethod(_split_seeds.general_dropout)


__all__ = ["experimental"]
