"""Layers under Keras' names: dense, convolutional, pooling, normalising and others, and models of them."""

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
    Reshape,
    Softmax,
)
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
    Dropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
)
from penstock.layers.wrappers import Bidirectional, Masking, TimeDistributed

__all__ = [
    "ELU", "GRU", "LSTM", "Activation", "ActivityRegularization", "Add", "Average", "AveragePooling1D",
    "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Bidirectional", "Concatenate",
    "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense",
    "DepthwiseConv1D", "DepthwiseConv2D", "Dot", "Dropout", "Embedding", "Flatten", "GaussianNoise",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "GlobalMaxPooling3D", "GroupNormalization", "Identity", "Lambda", "Layer",
    "LayerNormalization", "LeakyReLU", "Masking", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D",
    "Maximum", "Minimum", "Model", "MultiHeadAttention", "Multiply", "PReLU", "Permute",
    "RMSNormalization", "ReLU", "RepeatVector", "Reshape", "SeparableConv1D", "SeparableConv2D",
    "Sequential", "SimpleRNN", "Softmax", "SpatialDropout1D", "SpatialDropout2D", "Subtract",
    "TimeDistributed", "activations", "constraints", "initializers", "regularizers",
]  # fmt: skip
