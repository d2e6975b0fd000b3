"""tf.experimental.numpy.random: draws with NumPy's names."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.experimental.numpy.random", globals(), "_numpy.draws")
