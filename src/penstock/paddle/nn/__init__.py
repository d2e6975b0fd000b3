"""Neural networks under Paddle's names."""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
from typing import Any

from penstock.paddle._creation import ParamAttr
from penstock.paddle._names import absent as _absent
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle._tensor import Parameter
from penstock.paddle.nn import functional, initializer, utils
from penstock.paddle.nn._activations import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Maxout,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    Silu,
    Softmax,
    Softmax2D,
    Softplus,
    Softshrink,
    Softsign,
    Swish,
    Tanh,
    Tanhshrink,
    ThresholdedReLU,
)
from penstock.paddle.nn._adaptive_pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
    MaxUnPool1D,
    MaxUnPool2D,
)
from penstock.paddle.nn._classification_losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    HingeEmbeddingLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    SoftMarginLoss,
)
from penstock.paddle.nn._clipping import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from penstock.paddle.nn._convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D
from penstock.paddle.nn._distance_losses import (
    CosineEmbeddingLoss,
    CosineSimilarity,
    GaussianNLLLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    PairwiseDistance,
    PoissonNLLLoss,
    SmoothL1Loss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from penstock.paddle.nn._dropout import AlphaDropout, Dropout, Dropout2D, Dropout3D, FeatureAlphaDropout
from penstock.paddle.nn._layer import Layer, LayerDict, LayerList, ParameterDict, ParameterList, Sequential
from penstock.paddle.nn._linear import Bilinear, Embedding, Linear
from penstock.paddle.nn._norm_layers import (
    BatchNorm,
    BatchNorm1D,
    BatchNorm2D,
    BatchNorm3D,
    GroupNorm,
    InstanceNorm1D,
    InstanceNorm2D,
    LayerNorm,
    LocalResponseNorm,
    SyncBatchNorm,
)
from penstock.paddle.nn._padding import Pad1D, Pad2D, Pad3D, ZeroPad1D, ZeroPad2D, ZeroPad3D
from penstock.paddle.nn._pooling import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    LPPool1D,
    LPPool2D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
)
from penstock.paddle.nn._rearranging import (
    ChannelShuffle,
    Flatten,
    Identity,
    PixelShuffle,
    PixelUnshuffle,
    Unflatten,
)
from penstock.paddle.nn._recurrent import (
    GRU,
    LSTM,
    RNN,
    BiRNN,
    GRUCell,
    LSTMCell,
    RNNCellBase,
    SimpleRNN,
    SimpleRNNCell,
)
from penstock.paddle.nn._resizing import Upsample, UpsamplingBilinear2D, UpsamplingNearest2D
from penstock.paddle.nn._transformer import (
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "BiRNN",
    "CTCLoss",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2D",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "Identity",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "Layer",
    "LayerDict",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool2D",
    "Maxout",
    "Mish",
    "MultiHeadAttention",
    "NLLLoss",
    "PReLU",
    "Pad1D",
    "Pad2D",
    "ParamAttr",
    "Parameter",
    "ParameterList",
    "PixelShuffle",
    "PoissonNLLLoss",
    "RNNCellBase",
    "ReLU",
    "ReLU6",
    "Sequential",
    "Sigmoid",
    "Silu",
    "SimpleRNN",
    "SimpleRNNCell",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2D",
    "ZeroPad2D",
    "functional",
    "initializer",
    "utils",
]

for _parent, _names in (
    (_sys.modules[__name__], "loss"),
    (
        _path_to(_sys.modules[__name__], "layer"),
        "activation common container conv layers loss norm pooling rnn transformer",
    ),
):
    _paths_to(_parent, _names, _sys.modules[__name__])
_paths_to(functional, "activation common conv extension input loss norm pooling vision")


__all__ += [
    "AlphaDropout",
    "Bilinear",
    "ChannelShuffle",
    "Dropout3D",
    "FeatureAlphaDropout",
    "GaussianNLLLoss",
    "LPPool1D",
    "LPPool2D",
    "LocalResponseNorm",
    "MaxUnPool1D",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "Pad3D",
    "PairwiseDistance",
    "ParameterDict",
    "PixelUnshuffle",
    "RReLU",
    "SoftMarginLoss",
    "Softmax2D",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "ZeroPad1D",
    "ZeroPad3D",
]
_LATER = {
    "_folding": ("Fold", "Unfold"),
    "_reparametrized": ("SpectralNorm",),
    "_padding_kinds": (
        "CircularPad1D", "CircularPad2D", "CircularPad3D", "ConstantPad1D", "ConstantPad2D", "ConstantPad3D",
        "ReflectionPad1D", "ReflectionPad2D", "ReflectionPad3D", "ReplicationPad1D", "ReplicationPad2D",
        "ReplicationPad3D",
    ),
    "_volumes": ("Conv3DTranspose", "InstanceNorm3D", "MaxUnPool3D"),
    "_classes": ("AdaptiveLogSoftmaxWithLoss", "HSigmoidLoss", "MultiLabelMarginLoss"),
    "_fractional": ("FractionalMaxPool2D", "FractionalMaxPool3D"),
    "_transducer": ("RNNTLoss",),
}  # fmt: skip
"""Layers whose file is imported when one is asked for."""
_SAME = {
    **{
        f"{name}{rank}d": f"{name}{rank}D"
        for name in (
            "AdaptiveMaxPool", "CircularPad", "ConstantPad", "Conv", "LPPool", "ReflectionPad",
            "ReplicationPad",
        )
        for rank in (1, 2, 3)
        if (name, rank) != ("LPPool", 3)
    },
    "Module": "Layer", "ModuleDict": "LayerDict", "ModuleList": "LayerList", "SiLU": "Silu",
}  # fmt: skip
"""Second names of layers."""
__all__ += [*(name for names in _LATER.values() for name in names), *_SAME]


def __getattr__(name: str) -> Any:
    if name in _SAME:
        return getattr(_sys.modules[__name__], _SAME[name])
    for module, names in _LATER.items():
        if name in names:
            return getattr(_importlib.import_module(f"penstock.paddle.nn.{module}"), name)
    raise _absent("paddle.nn", name, __all__)
