"""Activations of tf.keras that few models name: the functions of tf.keras.ops by the same names."""

from __future__ import annotations

from typing import Any

from penstock.declared import row
from penstock.tensorflow.keras import ops

_WORDS = (
    "celu", "glu", "hard_shrink", "hard_silu", "hard_swish", "hard_tanh", "soft_shrink", "sparse_plus",
    "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink", "threshold",
)  # fmt: skip


def _of_ops(word: str) -> Any:
    own = getattr(ops, word)

    def function(x: Any, *arguments: Any, **options: Any) -> Any:
        return own(x, *arguments, **options)

    return row(function, f"tf.keras.activations.{word}", f"Returns the activation {word} of a tensor.")


for _word in _WORDS:
    globals()[_word] = _of_ops(_word)
