"""tf.keras.applications.nasnet: cells found by a search, each given the last two (Zoph et al., 2017)."""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _parts
from penstock.tensorflow.keras.applications._mobilenet import padding_of as _padding_of


def _norm(x: Any, name: str) -> Any:
    return _parts.after(x, "BatchNormalization", momentum=0.9997, epsilon=1e-3, name=name)


def _point(x: Any, filters: int, name: str) -> Any:
    return _parts.after(
        x, "Conv2D", filters, 1, padding="same", use_bias=False, name=name, kernel_initializer="he_normal"
    )


def _separable(x: Any, filters: int, size: int, name: str, halved: bool = False) -> Any:
    """Two separable convolutions, each after relu; the first one may halve the picture."""
    for number in (1, 2):
        x = _parts.after(x, "Activation", "relu")
        halves = halved and number == 1
        if halves:
            x = _parts.after(x, "ZeroPadding2D", _padding_of(x, size), name=f"separable_conv_1_pad_{name}")
        x = _parts.after(
            x, "SeparableConv2D", filters, size, strides=2 if halves else 1, use_bias=False,
            padding="valid" if halves else "same", name=f"separable_conv_{number}_{name}",
        )  # fmt: skip
        x = _norm(x, f"separable_conv_{number}_bn_{name}")
    return x


def _fitted(before: Any, x: Any, filters: int, name: str) -> Any:
    """The output of the cell before the last, resized to that of the last one."""
    if before is None:
        return x
    if before.shape[-2] != x.shape[-2]:
        before = _parts.after(before, "Activation", "relu", name=f"adjust_relu_1_{name}")
        halves = []
        for number in (1, 2):
            part = before
            if number == 2:
                part = _parts.after(part, "ZeroPadding2D", ((0, 1), (0, 1)))
                part = _parts.after(part, "Cropping2D", ((1, 0), (1, 0)))
            part = _parts.after(
                part,
                "AveragePooling2D",
                1,
                strides=2,
                padding="valid",
                name=f"adjust_avg_pool_{number}_{name}",
            )
            halves.append(_point(part, filters // 2, f"adjust_conv_{number}_{name}"))
        return _norm(_parts.after(halves, "Concatenate", axis=-1), f"adjust_bn_{name}")
    if before.shape[-1] != filters:
        before = _parts.after(before, "Activation", "relu")
        return _norm(_point(before, filters, f"adjust_conv_projection_{name}"), f"adjust_bn_{name}")
    return before


def _mean(x: Any, name: str, stride: int = 1) -> Any:
    padding = "same" if stride == 1 else "valid"
    return _parts.after(x, "AveragePooling2D", 3, strides=stride, padding=padding, name=name)


def _sum(one: Any, other: Any, name: str | None = None) -> Any:
    return _parts.after([one, other], "Add", **({"name": name} if name else {}))


def _normal(x: Any, before: Any, filters: int, name: str) -> Any:
    p = _fitted(before, x, filters, name)
    h = _norm(_point(_parts.after(x, "Activation", "relu"), filters, f"normal_conv_1_{name}"),
              f"normal_bn_1_{name}")  # fmt: skip

    def separable(y: Any, size: int, place: str) -> Any:
        return _separable(y, filters, size, f"normal_{place}_{name}")

    rows = [p]
    rows.append(_sum(separable(h, 5, "left1"), separable(p, 3, "right1"), f"normal_add_1_{name}"))
    rows.append(_sum(separable(p, 5, "left2"), separable(p, 3, "right2"), f"normal_add_2_{name}"))
    rows.append(_sum(_mean(h, f"normal_left3_{name}"), p, f"normal_add_3_{name}"))
    left, right = _mean(p, f"normal_left4_{name}"), _mean(p, f"normal_right4_{name}")
    rows.append(_sum(left, right, f"normal_add_4_{name}"))
    rows.append(_sum(separable(h, 3, "left5"), h, f"normal_add_5_{name}"))
    return _parts.after(rows, "Concatenate", axis=-1, name=f"normal_concat_{name}")


def _reduced(x: Any, before: Any, filters: int, name: str) -> Any:
    """A cell that halves the picture."""
    p = _fitted(before, x, filters, name)
    h = _point(_parts.after(x, "Activation", "relu"), filters, f"reduction_conv_1_{name}")
    h = _norm(h, f"reduction_bn_1_{name}")
    wide = _parts.after(h, "ZeroPadding2D", _padding_of(h, 3), name=f"reduction_pad_1_{name}")

    def separable(y: Any, size: int, place: str) -> Any:
        return _separable(y, filters, size, f"reduction_{place}_{name}", halved=True)

    def largest(place: str) -> Any:
        return _parts.after(
            wide, "MaxPooling2D", 3, strides=2, padding="valid", name=f"reduction_{place}_{name}"
        )

    one = _sum(separable(h, 5, "left1"), separable(p, 7, "right1"), f"reduction_add_1_{name}")
    two = _sum(largest("left2"), separable(p, 7, "right2"), f"reduction_add_2_{name}")
    mean = _mean(wide, f"reduction_left3_{name}", 2)
    three = _sum(mean, separable(p, 5, "right3"), f"reduction_add3_{name}")
    four = _sum(two, _mean(one, f"reduction_left4_{name}"))
    again = _separable(one, filters, 3, f"reduction_left4_{name}")
    five = _sum(again, largest("right5"), f"reduction_add4_{name}")
    return _parts.after([two, three, four, five], "Concatenate", axis=-1, name=f"reduction_concat_{name}")


def _body(x: Any, last: int, count: int, stem: int, skips: bool) -> Any:
    filters = last // 24
    x = _parts.after(
        x, "Conv2D", stem, 3, strides=2, padding="valid", use_bias=False, name="stem_conv1",
        kernel_initializer="he_normal",
    )  # fmt: skip
    x = _norm(x, "stem_bn1")
    first = _reduced(x, None, filters // 4, "stem_1")
    before, x = first, _reduced(first, x, filters // 2, "stem_2")
    for stage in range(3):
        if stage:
            given = x
            x = _reduced(x, before, filters * 2**stage, f"reduce_{stage * count}")
            before = before if skips else given
        for place in range(count):
            number = stage * count + place + (stage > 0)
            before, x = x, _normal(x, before, filters * 2**stage, str(number))
    return _parts.after(x, "Activation", "relu")


def _made(asked: _parts.Asked, last: int, count: int, stem: int, skips: bool, size: int) -> Any:
    kind = "large" if skips else "mobile"
    files = _parts.Files(
        f"{_parts.ORIGIN}nasnet/", f"nasnet_{kind}.h5", f"nasnet_{kind}_no_top.h5"
    )  # published as NASNet-large.h5 and so on

    def body(x: Any) -> Any:
        return _body(x, last, count, stem, skips)

    return _parts.made(asked, body, files, size=size, top=lambda x: _parts.classified(x, asked, None))


@_named("tf.keras.applications.NASNetMobile")
def NASNetMobile(
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = "nasnet_mobile",
) -> Any:
    """Returns the small NASNet, as a model of Keras.

    Weights are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for
    published weights that are not on this machine, ArgumentError for shapes that the model cannot have.
    """
    shape = (224, 224, 3) if input_shape is None and not include_top else input_shape
    asked = _parts.Asked(
        include_top, weights, input_tensor, shape, pooling, classes, classifier_activation, name
    )
    return _made(asked, 1056, 4, 32, False, 224)


@_named("tf.keras.applications.NASNetLarge")
def NASNetLarge(
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = "nasnet_large",
) -> Any:
    """Returns the large NASNet, as a model of Keras.

    Weights are read from files, as `tf.keras.applications.ResNet50` says. Raises DataNotFoundError for
    published weights that are not on this machine, ArgumentError for shapes that the model cannot have.
    """
    asked = _parts.Asked(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )
    return _made(asked, 4032, 6, 96, True, 331)


preprocess_input = _parts.preprocessing("nasnet", "tf")

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.nasnet", globals(), "keras.applications._parts"
)
