"""The third version of MobileNet, whose blocks a search has found (Howard et al., 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras.applications._mobilenet import divisible, padding_of
from penstock.tensorflow.keras.applications._parts import (
    ORIGIN,
    Asked,
    Files,
    after,
    checked,
    entry,
    finished,
    pooled,
)
from penstock.trace.source_site import here, warn

_Block = tuple[float, int, int, int, bool, bool]
_LARGE: tuple[_Block, ...] = (
    (1, 16, 3, 1, False, False), (4, 24, 3, 2, False, False), (3, 24, 3, 1, False, False),
    (3, 40, 5, 2, True, False), (3, 40, 5, 1, True, False), (3, 40, 5, 1, True, False),
    (6, 80, 3, 2, False, True), (2.5, 80, 3, 1, False, True), (2.3, 80, 3, 1, False, True),
    (2.3, 80, 3, 1, False, True), (6, 112, 3, 1, True, True), (6, 112, 3, 1, True, True),
    (6, 160, 5, 2, True, True), (6, 160, 5, 1, True, True), (6, 160, 5, 1, True, True),
)  # fmt: skip
_SMALL: tuple[_Block, ...] = (
    (1, 16, 3, 2, True, False), (72 / 16, 24, 3, 2, False, False), (88 / 24, 24, 3, 1, False, False),
    (4, 40, 5, 2, True, True), (6, 40, 5, 1, True, True), (6, 40, 5, 1, True, True),
    (3, 48, 5, 1, True, True), (3, 48, 5, 1, True, True), (6, 96, 5, 2, True, True),
    (6, 96, 5, 1, True, True), (6, 96, 5, 1, True, True),
)  # fmt: skip
"""How many times wider a block is inside, filters, size, stride, whether channels are weighed, hard swish."""
_Active = Callable[[Any], Any]


def _relu(x: Any) -> Any:
    return after(x, "ReLU")


def _hard_swish(x: Any) -> Any:
    return after(x, "Activation", "hard_swish")


def _norm(x: Any, name: str) -> Any:
    return after(x, "BatchNormalization", epsilon=1e-3, momentum=0.999, name=name)


def _weighed(x: Any, filters: int, prefix: str) -> Any:
    """Channels, each multiplied by the output of two small layers for the means of all."""
    y = after(x, "GlobalAveragePooling2D", keepdims=True, name=f"{prefix}_avg_pool")
    y = after(y, "Conv2D", divisible(filters * 0.25), 1, padding="same", name=f"{prefix}_conv")
    y = after(y, "ReLU", name=f"{prefix}_relu")
    y = after(y, "Conv2D", filters, 1, padding="same", name=f"{prefix}_conv_1")
    y = after(y + 3.0, "ReLU", 6.0) * (1.0 / 6.0)
    return after([x, y], "Multiply", name=f"{prefix}_mul")


def _block(x: Any, number: int, one: _Block, filters: int, active: _Active, plain: bool) -> Any:
    wider, _, size, stride, weighs, _ = one
    size, weighs = (3, False) if plain else (size, weighs)
    given, width = x, x.shape[-1]
    prefix = f"expanded_conv_{number}_" if number else "expanded_conv_"
    inside = divisible(width * wider)
    if number:
        x = after(x, "Conv2D", inside, 1, padding="same", use_bias=False, name=f"{prefix}expand")
        x = active(_norm(x, f"{prefix}expand_bn"))
    if stride == 2:
        x = after(x, "ZeroPadding2D", padding_of(x, size), name=f"{prefix}depthwise_pad")
    padding = "same" if stride == 1 else "valid"
    x = after(
        x, "DepthwiseConv2D", size, strides=stride, padding=padding, use_bias=False, name=f"{prefix}depthwise"
    )
    x = active(_norm(x, f"{prefix}depthwise_bn"))
    if weighs:
        x = _weighed(x, inside, f"{prefix}squeeze_excite")
    x = after(x, "Conv2D", filters, 1, padding="same", use_bias=False, name=f"{prefix}project")
    x = _norm(x, f"{prefix}project_bn")
    return after([given, x], "Add", name=f"{prefix}add") if stride == 1 and width == filters else x


def _shape(asked: Asked) -> Any:
    """Returns the shape of one input: the given one, that of the tensor, or pictures of any size."""
    shape = asked.input_shape
    if shape is None:
        own = asked.input_tensor
        shape = (None, None, 3) if own is None else tuple(own.shape[1:])
    if shape[0] and shape[1] and min(shape[:2]) < 32:
        raise ArgumentError(f"Input size must be at least 32x32; Received `input_shape={shape}`", site=here())
    return shape


def _made(asked: Asked, kind: str, alpha: float, plain: bool, dropout: float, preprocessed: bool) -> Any:
    checked(asked)
    shape = _shape(asked)
    if asked.weights == "imagenet":
        if alpha not in ((1.0,) if plain else (0.75, 1.0)):
            raise ArgumentError(
                "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non "
                "minimalistic or `1.0` for minimalistic only.",
                site=here(),
            )
        if shape[0] != shape[1] or shape[0] != 224:
            warn(
                "`input_shape` is undefined or non-square, or `rows` is not 224. Weights for input shape "
                "(224, 224) will be loaded as the default."
            )
    first = entry(asked, shape)
    last = _relu if plain else _hard_swish
    x = after(first, "Rescaling", scale=1 / 127.5, offset=-1.0) if preprocessed else first
    x = after(x, "Conv2D", 16, 3, strides=2, padding="same", use_bias=False, name="conv")
    x = last(_norm(x, "conv_bn"))
    for number, one in enumerate(_LARGE if kind == "large" else _SMALL):
        active = last if one[5] else _relu
        x = _block(x, number, one, divisible(one[1] * alpha), active, plain)
    x = after(x, "Conv2D", divisible(x.shape[-1] * 6), 1, padding="same", use_bias=False, name="conv_1")
    x = last(_norm(x, "conv_1_bn"))
    if asked.include_top:
        width = 1280 if kind == "large" else 1024
        x = after(x, "GlobalAveragePooling2D", keepdims=True)
        x = after(
            x, "Conv2D", divisible(width * alpha) if alpha > 1 else width, 1, padding="same", name="conv_2"
        )
        x = last(x)
        x = after(x, "Dropout", dropout) if dropout > 0 else x
        x = after(x, "Conv2D", asked.classes, 1, padding="same", name="logits")
        x = after(x, "Flatten")
        x = after(x, "Activation", asked.classifier_activation, name="predictions")
    else:
        x = pooled(x, asked.pooling, True)
    stem = f"weights_mobilenet_v3_{kind}{'_minimalistic' * plain}_224_{alpha}_float"
    return finished(asked, x, first, Files(f"{ORIGIN}mobilenet_v3/", f"{stem}.h5", f"{stem}_no_top_v2.h5"))


@named("tf.keras.applications.MobileNetV3Small")
def MobileNetV3Small(
    input_shape: Any = None,
    alpha: float = 1.0,
    minimalistic: bool = False,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    classes: int = 1000,
    pooling: str | None = None,
    dropout_rate: float = 0.2,
    classifier_activation: Any = "softmax",
    include_preprocessing: bool = True,
    name: str | None = "MobileNetV3Small",
) -> Any:
    """Returns the small third version of MobileNet, as a model of Keras; `alpha` times as many filters.

    With `minimalistic` it has no channels that are weighed, no hard swish and no 5 by 5 convolutions. Weights
    are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for published
    weights that are not on this machine, ArgumentError for those that are not published.
    """
    asked = Asked(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )
    return _made(asked, "small", alpha, minimalistic, dropout_rate, include_preprocessing)


@named("tf.keras.applications.MobileNetV3Large")
def MobileNetV3Large(
    input_shape: Any = None,
    alpha: float = 1.0,
    minimalistic: bool = False,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    classes: int = 1000,
    pooling: str | None = None,
    dropout_rate: float = 0.2,
    classifier_activation: Any = "softmax",
    include_preprocessing: bool = True,
    name: str | None = "MobileNetV3Large",
) -> Any:
    """Returns the large third version of MobileNet, as a model of Keras; `alpha` times as many filters.

    With `minimalistic` it has no channels that are weighed, no hard swish and no 5 by 5 convolutions. Weights
    are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for published
    weights that are not on this machine, ArgumentError for those that are not published.
    """
    asked = Asked(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )
    return _made(asked, "large", alpha, minimalistic, dropout_rate, include_preprocessing)
