"""Functions of neural networks under Paddle's names."""

import sys as _sys

from penstock.declared import namespace as _namespace
from penstock.paddle import _manipulation, _math
from penstock.paddle._names import absent_from as _absent_from
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.nn import (
    _activations,
    _adaptive_pooling,
    _attention,
    _classification_losses,
    _convolution,
    _distance_losses,
    _dropout,
    _linear,
    _norm_functions,
    _padding,
    _pooling,
    _rearranging,
    _resizing,
)

_SOURCES = [
    _activations, _adaptive_pooling, _attention, _classification_losses, _convolution, _distance_losses,
    _dropout, _linear, _manipulation, _math, _norm_functions, _padding, _pooling, _rearranging, _resizing,
]  # fmt: skip
_REST = [
    f"penstock.paddle.nn.{one}"
    for one in ("_classes", "_folding", "_fractional", "_sampling", "_transducer", "_trees", "_volumes")
]
__getattr__, __dir__, _ = _namespace(
    "paddle.nn.functional", globals(), _SOURCES, _absent_from("paddle.nn.functional"), {}, _REST
)
_path_to(_sys.modules[__name__], "flash_attention", _attention)
