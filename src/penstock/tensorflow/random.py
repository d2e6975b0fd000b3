"""tf.random: draws from Penstock's generator: a seed gives other numbers than in TensorFlow."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.random",
    globals(),
    "_draws _generators",
    rest="_candidates _split_seeds",
)
