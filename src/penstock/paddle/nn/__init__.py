"""Neural networks under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.paddle._creation import ParamAttr
from penstock.paddle._names import absent as _absent
from penstock.paddle._tensor import Parameter
from penstock.paddle.nn import functional, initializer
from penstock.paddle.nn._clipping import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from penstock.paddle.nn._common import (
    ELU,
    GELU,
    SELU,
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    Dropout,
    Embedding,
    Flatten,
    Hardsigmoid,
    Hardtanh,
    Identity,
    KLDivLoss,
    L1Loss,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSigmoid,
    LogSoftmax,
    Mish,
    MSELoss,
    NLLLoss,
    ReLU,
    ReLU6,
    Sigmoid,
    Silu,
    SmoothL1Loss,
    Softmax,
    Softplus,
    Softsign,
    Swish,
    Tanh,
)
from penstock.paddle.nn._layer import Layer, LayerDict, LayerList, ParameterList, Sequential

__all__ = [
    "ELU", "GELU", "SELU", "BCELoss", "BCEWithLogitsLoss", "ClipGradByGlobalNorm", "ClipGradByNorm",
    "ClipGradByValue", "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "Hardsigmoid", "Hardtanh",
    "Identity", "KLDivLoss", "L1Loss", "Layer", "LayerDict", "LayerList", "LayerNorm", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "MSELoss", "Mish", "NLLLoss", "ParamAttr", "Parameter", "ParameterList",
    "ReLU", "ReLU6", "Sequential", "Sigmoid", "Silu", "SmoothL1Loss", "Softmax", "Softplus", "Softsign",
    "Swish", "Tanh", "functional", "initializer",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise _absent("paddle.nn", name, __all__)
