"""tf.signal: Fourier transforms, windows and frames."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.signal", globals(), "_signal")
