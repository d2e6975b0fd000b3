"""Functions of neural networks under Paddle's names."""

import sys as _sys

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.nn import _attention

__getattr__, __dir__, _ = _namespace(
    "paddle.nn.functional",
    globals(),
    "_manipulation _math nn._activations nn._adaptive_pooling nn._attention nn._classification_losses "
    "nn._convolution nn._distance_losses nn._dropout nn._linear nn._norm_functions nn._padding nn._pooling "
    "nn._rearranging nn._resizing",
    rest="nn._classes nn._folding nn._fractional nn._sampling nn._transducer nn._trees nn._volumes",
)
_path_to(_sys.modules[__name__], "flash_attention", _attention)
