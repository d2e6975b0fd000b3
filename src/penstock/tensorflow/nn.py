"""tf.nn: activations, convolutions, cross-entropies and embeddings."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.nn",
    globals(),
    "_activations _elementwise",
    listed={
        "penstock.tensorflow._nn_experimental": "experimental",
        "penstock.tensorflow._rarer_names": "approx_max_k approx_min_k",
        "penstock.tensorflow._beam_search": "ctc_beam_search_decoder",
        "penstock.tensorflow._rarer_networks": (
            "collapse_repeated ctc_greedy_decoder ctc_unique_labels isotonic_regression"
        ),
    },
    rest="_blocks _candidates _cell_wrappers _compound_layers _convolution _convolution_gradients "
    "_cross_entropies _layer_functions _moments _ordering _reductions _sparse_embeddings _windows "
    "compat.v1._sampled_losses",
)
