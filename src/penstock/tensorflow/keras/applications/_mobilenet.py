"""MobileNet: convolutions of each channel by itself, then of one point (Howard and others, 2017)."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras.applications._parts import (
    ORIGIN,
    Asked,
    Files,
    after,
    checked,
    classified,
    entry,
    finished,
    pooled,
    preprocessing,
    shape_of,
)
from penstock.trace.source_site import here, warn


def divisible(filters: float, divisor: int = 8) -> int:
    """Returns the multiple of a number that is next to some filters, and not below 0.9 of them."""
    made = max(divisor, int(filters + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * filters else made


def padding_of(x: Any, size: int) -> Any:
    """Returns the zeros around a picture that a convolution with a stride of 2 reads beyond its borders."""
    rows, columns = (1 if length is None else 1 - length % 2 for length in x.shape[1:3])
    half = size // 2
    return (half - rows, half), (half - columns, half)


def _size(asked: Asked, known: tuple[int, ...]) -> int:
    """Returns the size that weights are published for: that of the input if it is one of those, else 224."""
    shape = asked.input_shape
    if (
        shape is None
        and asked.input_tensor is not None
        and len(getattr(asked.input_tensor, "shape", ())) == 4
    ):
        shape = asked.input_tensor.shape[1:]
    if shape is not None and len(shape) == 3 and shape[0] == shape[1] and shape[0] in known:
        return int(shape[0])
    return 224


def _published_size(asked: Asked, shape: Any, known: tuple[int, ...]) -> Any:
    if asked.weights != "imagenet" or (shape[0] == shape[1] and shape[0] in known):
        return shape[0]
    warn(
        f"`input_shape` is undefined or non-square, or `rows` is not in {list(known)}. Weights for input "
        "shape (224, 224) will be loaded as the default."
    )
    return 224


def _only(asked: Asked, what: str, value: Any, allowed: tuple[float, ...]) -> None:
    if asked.weights == "imagenet" and value not in allowed:
        raise ArgumentError(
            f"If imagenet weights are being loaded, {what} can be one of "
            f"{', '.join(f'`{one}`' for one in allowed)} only. Received {what}={value}",
            site=here(),
        )


# -- the first version -------------------------------------------------------------------------------------

_FIRST = (64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)
"""The filters of each block; where they double, the picture is halved."""
_TEXTS = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}


def _active(x: Any, name: str) -> Any:
    return after(after(x, "BatchNormalization", name=f"{name}_bn"), "ReLU", 6.0, name=f"{name}_relu")


def _first_block(x: Any, number: int, filters: int, depth: int, halved: bool) -> Any:
    if halved:
        x = after(x, "ZeroPadding2D", ((0, 1), (0, 1)), name=f"conv_pad_{number}")
    x = after(
        x, "DepthwiseConv2D", 3, padding="valid" if halved else "same", depth_multiplier=depth,
        strides=2 if halved else 1, use_bias=False, name=f"conv_dw_{number}",
    )  # fmt: skip
    x = _active(x, f"conv_dw_{number}")
    x = after(x, "Conv2D", filters, 1, padding="same", use_bias=False, name=f"conv_pw_{number}")
    return _active(x, f"conv_pw_{number}")


@named("tf.keras.applications.MobileNet", "tf.keras.applications.mobilenet.MobileNet")
def MobileNet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 0.001,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = None,
) -> Any:
    """Returns MobileNet, as a model of Keras; `alpha` times as many filters as in the paper.

    Weights are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for
    published weights that are not on this machine, ArgumentError for those that are not published.
    """
    asked = Asked(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )
    checked(asked)
    known = (128, 160, 192, 224)
    shape = shape_of(asked, _size(asked, known), 32)
    _only(asked, "depth_multiplier", depth_multiplier, (1,))
    _only(asked, "alpha", alpha, (0.25, 0.5, 0.75, 1.0))
    rows = _published_size(asked, shape, known)
    first = entry(asked, shape)
    x = after(first, "Conv2D", int(32 * alpha), 3, padding="same", use_bias=False, strides=2, name="conv1")
    x = _active(x, "conv1")
    for number, filters in enumerate(_FIRST, 1):
        halved = number > 1 and filters > _FIRST[number - 2]
        x = _first_block(x, number, int(filters * alpha), depth_multiplier, halved)
    if include_top:
        x = after(x, "GlobalAveragePooling2D", keepdims=True)
        x = after(x, "Dropout", dropout, name="dropout")
        x = after(x, "Conv2D", classes, 1, padding="same", name="conv_preds")
        x = after(x, "Reshape", (classes,), name="reshape_2")
        x = after(x, "Activation", classifier_activation, name="predictions")
    else:
        x = pooled(x, pooling, False)
    asked = asked._replace(name=f"mobilenet_{alpha:0.2f}_{rows}" if name is None else name)
    stem = f"mobilenet_{_TEXTS.get(alpha)}_{rows}_tf"
    return finished(asked, x, first, Files(f"{ORIGIN}mobilenet/", f"{stem}.h5", f"{stem}_no_top.h5"))


# -- the second version ------------------------------------------------------------------------------------

_SECOND = (
    (16, 1, 1, 1),
    (24, 2, 2, 6),
    (32, 3, 2, 6),
    (64, 4, 2, 6),
    (96, 3, 1, 6),
    (160, 3, 2, 6),
    (320, 1, 1, 6),
)
"""Filters, number of blocks, stride of the first of them, and how many times wider a block is inside."""


def _second_norm(x: Any, name: str, active: str = "") -> Any:
    x = after(x, "BatchNormalization", epsilon=1e-3, momentum=0.999, name=name)
    return after(x, "ReLU", 6.0, name=active) if active else x


def _second_block(x: Any, number: int, filters: int, stride: int, wider: int) -> Any:
    given, width = x, x.shape[-1]
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = after(x, "Conv2D", wider * width, 1, padding="same", use_bias=False, name=f"{prefix}expand")
        x = _second_norm(x, f"{prefix}expand_BN", f"{prefix}expand_relu")
    if stride == 2:
        x = after(x, "ZeroPadding2D", padding_of(x, 3), name=f"{prefix}pad")
    padding = "same" if stride == 1 else "valid"
    x = after(
        x, "DepthwiseConv2D", 3, strides=stride, use_bias=False, padding=padding, name=f"{prefix}depthwise"
    )
    x = _second_norm(x, f"{prefix}depthwise_BN", f"{prefix}depthwise_relu")
    x = after(x, "Conv2D", filters, 1, padding="same", use_bias=False, name=f"{prefix}project")
    x = _second_norm(x, f"{prefix}project_BN")
    return after([given, x], "Add", name=f"{prefix}add") if width == filters and stride == 1 else x


@named("tf.keras.applications.MobileNetV2", "tf.keras.applications.mobilenet_v2.MobileNetV2")
def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = None,
) -> Any:
    """Returns the second version of MobileNet, as a model of Keras; `alpha` times as many filters.

    Weights are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for
    published weights that are not on this machine, ArgumentError for those that are not published.
    """
    asked = Asked(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )
    checked(asked)
    known = (96, 128, 160, 192, 224)
    shape = shape_of(asked, _size(asked, known), 32)
    _only(asked, "alpha", alpha, (0.35, 0.5, 0.75, 1.0, 1.3, 1.4))
    rows = _published_size(asked, shape, known)
    first = entry(asked, shape)
    x = after(
        first, "Conv2D", divisible(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1"
    )
    x = _second_norm(x, "bn_Conv1", "Conv1_relu")
    number = 0
    for filters, count, stride, wider in _SECOND:
        for place in range(count):
            wide = divisible(int(filters * alpha))
            x = _second_block(x, number, wide, 1 if place else stride, wider)
            number += 1
    x = after(x, "Conv2D", divisible(1280 * max(alpha, 1.0)), 1, use_bias=False, name="Conv_1")
    x = _second_norm(x, "Conv_1_bn", "out_relu")
    x = classified(x, asked, None) if include_top else pooled(x, pooling, False)
    asked = asked._replace(name=f"mobilenetv2_{alpha:0.2f}_{rows}" if name is None else name)
    stem = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{rows}"
    return finished(asked, x, first, Files(f"{ORIGIN}mobilenet_v2/", f"{stem}.h5", f"{stem}_no_top.h5"))


_preprocess = preprocessing("mobilenet mobilenet_v2", "tf"), preprocessing("mobilenet_v3", None)
