"""Layers under Keras' names: dense, convolutional, pooling, normalising and others, and models of them.

A family is imported at the first use of one of its layers. Its file lists its layers in `__all__`.
"""

from typing import TYPE_CHECKING

from penstock.lazy import later

if TYPE_CHECKING:
    from penstock.layers import activations, constraints, initializers, regularizers
    from penstock.layers import attention as _attention
    from penstock.layers import convolutional as _convolutional
    from penstock.layers import core as _core
    from penstock.layers import dot_attention as _dot_attention
    from penstock.layers import einsum as _einsum
    from penstock.layers import merging as _merging
    from penstock.layers import model as _model
    from penstock.layers import normalization as _normalization
    from penstock.layers import pooling as _pooling
    from penstock.layers import recurrent as _recurrent
    from penstock.layers import regularization as _regularization
    from penstock.layers import resizing as _resizing
    from penstock.layers import wrappers as _wrappers
    from penstock.layers.attention import *  # noqa: F403
    from penstock.layers.base import Layer
    from penstock.layers.convolutional import *  # noqa: F403
    from penstock.layers.core import *  # noqa: F403
    from penstock.layers.dot_attention import *  # noqa: F403
    from penstock.layers.einsum import *  # noqa: F403
    from penstock.layers.merging import *  # noqa: F403
    from penstock.layers.model import *  # noqa: F403
    from penstock.layers.normalization import *  # noqa: F403
    from penstock.layers.pooling import *  # noqa: F403
    from penstock.layers.recurrent import *  # noqa: F403
    from penstock.layers.regularization import *  # noqa: F403
    from penstock.layers.resizing import *  # noqa: F403
    from penstock.layers.wrappers import *  # noqa: F403

    # Each family lists its layers: type checkers follow these lines.
    __all__ = ["Layer", "activations", "constraints", "initializers", "regularizers"]
    __all__ += _attention.__all__
    __all__ += _convolutional.__all__
    __all__ += _core.__all__
    __all__ += _dot_attention.__all__
    __all__ += _einsum.__all__
    __all__ += _merging.__all__
    __all__ += _model.__all__
    __all__ += _normalization.__all__
    __all__ += _pooling.__all__
    __all__ += _recurrent.__all__
    __all__ += _regularization.__all__
    __all__ += _resizing.__all__
    __all__ += _wrappers.__all__
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "penstock.layers": "activations constraints initializers regularizers",
            "penstock.layers.base": "Layer",
            # In the order in which they are searched.
            "penstock.layers.core": "*",
            "penstock.layers.normalization": "*",
            "penstock.layers.convolutional": "*",
            "penstock.layers.pooling": "*",
            "penstock.layers.attention": "*",
            "penstock.layers.recurrent": "*",
            "penstock.layers.merging": "*",
            "penstock.layers.model": "*",
            "penstock.layers.regularization": "*",
            "penstock.layers.resizing": "*",
            "penstock.layers.wrappers": "*",
            "penstock.layers.dot_attention": "*",
            "penstock.layers.einsum": "*",
        },
    )
