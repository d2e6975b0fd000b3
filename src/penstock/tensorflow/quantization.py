"""tf.quantization: numbers rounded to few steps, as a small device would hold them."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.quantization", globals(), "_quantized")
