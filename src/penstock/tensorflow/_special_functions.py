"""tf.math.special: the Bessel functions."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.math.special", globals(), "_special")
