"""Layers under Keras' names: dense, convolutional, pooling, normalising and others, and models of them."""

from typing import TYPE_CHECKING

from penstock.layers import activations, constraints, initializers, regularizers
from penstock.layers.attention import MultiHeadAttention
from penstock.layers.base import Layer
from penstock.layers.convolutional import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    DepthwiseConv1D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
)
from penstock.layers.core import (
    ELU,
    Activation,
    Dense,
    Embedding,
    Flatten,
    Identity,
    Lambda,
    LeakyReLU,
    Permute,
    PReLU,
    ReLU,
    RepeatVector,
    Rescaling,
    Reshape,
    Softmax,
)
from penstock.layers.dot_attention import AdditiveAttention, Attention
from penstock.layers.einsum import EinsumDense
from penstock.layers.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
)
from penstock.layers.model import Model, Sequential
from penstock.layers.normalization import (
    BatchNormalization,
    GroupNormalization,
    LayerNormalization,
    RMSNormalization,
    UnitNormalization,
)
from penstock.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from penstock.layers.recurrent import GRU, LSTM, SimpleRNN
from penstock.layers.regularization import (
    ActivityRegularization,
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from penstock.layers.resizing import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from penstock.layers.wrappers import Bidirectional, Masking, TimeDistributed
from penstock.lazy import listed, missing

if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "ELU", "GRU", "LSTM", "Activation", "ActivityRegularization", "Add", "AdditiveAttention",
    "AlphaDropout", "Attention", "Average", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D",
    "BatchNormalization", "Bidirectional", "Concatenate", "Conv1D", "Conv1DTranspose", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Cropping1D", "Cropping2D", "Cropping3D", "Dense",
    "DepthwiseConv1D", "DepthwiseConv2D", "Dot", "Dropout", "EinsumDense", "Embedding", "Flatten",
    "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
    "GlobalAveragePooling3D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D",
    "GroupNormalization", "Identity", "Lambda", "Layer", "LayerNormalization", "LeakyReLU", "Masking",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "Maximum", "Minimum", "Model", "MultiHeadAttention",
    "Multiply", "PReLU", "Permute", "RMSNormalization", "ReLU", "RepeatVector", "Rescaling", "Reshape",
    "SeparableConv1D", "SeparableConv2D", "Sequential", "SimpleRNN", "Softmax", "SpatialDropout1D",
    "SpatialDropout2D", "SpatialDropout3D", "Subtract", "TimeDistributed", "UnitNormalization",
    "UpSampling1D", "UpSampling2D", "UpSampling3D", "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D",
    "activations", "constraints", "initializers", "regularizers",
]  # fmt: skip
__dir__ = listed(__name__)
