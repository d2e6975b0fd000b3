"""tf.nn: activations, convolutions, cross-entropies and embeddings."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.nn",
    globals(),
    "_activations _compound_layers _convolution _cross_entropies "
    "_elementwise _layer_functions _moments _ordering _reductions",
    rest="_nn_experimental _rarer_names _rarer_networks",
)
