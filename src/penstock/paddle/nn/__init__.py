"""Neural networks under Paddle's names."""

from __future__ import annotations

import sys as _sys

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle.nn import _clipping, functional
from penstock.paddle.nn._containers import Sequential as Sequential
from penstock.paddle.nn._layer import Layer as Layer

__getattr__, __dir__, _public = _namespace(
    "paddle.nn",
    globals(),
    "_creation _tensor nn._activations nn._adaptive_pooling nn._classification_losses nn._clipping "
    "nn._containers nn._convolution nn._distance_losses nn._dropout nn._layer nn._linear nn._norm_layers "
    "nn._padding nn._pooling nn._rearranging nn._recurrent nn._resizing nn._transformer",
    rest="nn._classes nn._decoding nn._folding nn._fractional nn._padding_kinds nn._reparametrized "
    "nn._transducer nn._volumes",
    later={__name__: "functional init initializer quant utils"},
)
_public += ["functional", "initializer", "quant", "utils"]
for _name in ("decode", "loss", "parameter"):
    _path_to(_sys.modules[__name__], _name)
_path_to(_sys.modules[__name__], "clip", _clipping)
_paths_to(
    _path_to(_sys.modules[__name__], "layer"),
    "activation common container conv layers loss norm pooling rnn transformer",
    _sys.modules[__name__],
)
_paths_to(functional, "activation common conv extension input loss norm pooling vision")
