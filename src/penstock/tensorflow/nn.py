"""tf.nn: activations, convolutions, cross-entropies and embeddings."""

from __future__ import annotations

from penstock.tensorflow import _activations, _convolution, _elementwise, _nn_more, _ordering, _reductions
from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.nn", globals(), _activations, _convolution, _elementwise, _nn_more, _ordering, _reductions
)
