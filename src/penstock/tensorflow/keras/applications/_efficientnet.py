"""The common part of both EfficientNets: blocks that widen, convolve, weight channels and narrow again."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow.keras.applications._parts import Asked, after, classified, pooled

CONVOLVED = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
"""The distribution of initial kernels of convolutions."""
_DENSE = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}


def convolved(x: Any, filters: int, size: int, name: str, **options: Any) -> Any:
    """Returns a convolution without bias."""
    options = {"padding": "same", "use_bias": False, "kernel_initializer": CONVOLVED, **options}
    return after(x, "Conv2D", filters, size, name=name, **options)


def normed(x: Any, name: str, active: str = "", momentum: float = 0.99) -> Any:
    """Returns the batch norm, and silu of it where the name of that layer is given."""
    x = after(x, "BatchNormalization", momentum=momentum, name=name)
    return after(x, "Activation", "swish", name=active) if active else x


def weighed(x: Any, filters: int, narrow: int, name: str) -> Any:
    """Returns the channels, each multiplied by the output of two small layers for the means of all."""
    y = after(x, "GlobalAveragePooling2D", name=f"{name}se_squeeze")
    y = after(y, "Reshape", (1, 1, filters), name=f"{name}se_reshape")
    y = convolved(y, narrow, 1, f"{name}se_reduce", activation="swish", use_bias=True)
    y = convolved(y, filters, 1, f"{name}se_expand", activation="sigmoid", use_bias=True)
    return after([x, y], "Multiply", name=f"{name}se_excite")


def added(x: Any, given: Any, rate: float, name: str) -> Any:
    """Returns the sum of a block's output and input; in training, the block is left out at some rate."""
    if rate > 0:
        x = after(x, "Dropout", rate, noise_shape=(None, 1, 1, 1), name=f"{name}drop")
    return after([x, given], "Add", name=f"{name}add")


def ended(x: Any, asked: Asked, rate: float) -> Any:
    """Returns the classifier, or the pooling."""
    if not asked.include_top:
        return pooled(x, asked.pooling, True)
    if rate <= 0:
        return classified(x, asked, kernel_initializer=_DENSE)
    x = after(x, "GlobalAveragePooling2D", name="avg_pool")
    x = after(x, "Dropout", rate, name="top_dropout")
    return after(
        x, "Dense", asked.classes, activation=asked.classifier_activation, kernel_initializer=_DENSE,
        name="predictions",
    )  # fmt: skip
