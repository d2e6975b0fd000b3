"""Neural networks under Paddle's names."""

from __future__ import annotations

import sys as _sys

from penstock.declared import namespace as _namespace
from penstock.paddle import _creation as _creation
from penstock.paddle._names import absent_from as _absent_from
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle._tensor import Parameter as Parameter
from penstock.paddle.nn import (
    _activations,
    _adaptive_pooling,
    _classification_losses,
    _clipping,
    _convolution,
    _distance_losses,
    _dropout,
    _layer,
    _linear,
    _norm_layers,
    _padding,
    _pooling,
    _rearranging,
    _recurrent,
    _resizing,
    _transformer,
    functional,
)
from penstock.paddle.nn._layer import Layer as Layer
from penstock.paddle.nn._layer import Sequential as Sequential

_SOURCES = [
    _activations, _adaptive_pooling, _classification_losses, _clipping, _convolution, _creation,
    _distance_losses, _dropout, _layer, _linear, _norm_layers, _padding, _pooling, _rearranging, _recurrent,
    _resizing, _transformer,
]  # fmt: skip
_REST = [
    f"{__name__}.{one}"
    for one in (
        "_classes", "_decoding", "_folding", "_fractional", "_padding_kinds", "_reparametrized",
        "_transducer", "_volumes",
    )
]  # fmt: skip
__getattr__, __dir__, _public = _namespace(
    "paddle.nn",
    globals(),
    _SOURCES,
    _absent_from("paddle.nn"),
    {__name__: "functional initializer utils"},
    _REST,
)
_public += ["Parameter", "functional", "initializer", "utils"]
for _name in ("decode", "loss"):
    _path_to(_sys.modules[__name__], _name)
_path_to(_sys.modules[__name__], "clip", _clipping)
_paths_to(
    _path_to(_sys.modules[__name__], "layer"),
    "activation common container conv layers loss norm pooling rnn transformer",
    _sys.modules[__name__],
)
_paths_to(functional, "activation common conv extension input loss norm pooling vision")
