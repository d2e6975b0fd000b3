"""tf.keras.applications.efficientnet: width, depth and size grow together (Tan and Le, 2019)."""

from __future__ import annotations

import math
from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _efficientnet as _blocks
from penstock.tensorflow.keras.applications import _parts
from penstock.tensorflow.keras.applications._mobilenet import divisible as _divisible
from penstock.tensorflow.keras.applications._mobilenet import padding_of as _padding_of

_ROWS = (
    (3, 1, 32, 16, 1, 1), (3, 2, 16, 24, 6, 2), (5, 2, 24, 40, 6, 2), (3, 3, 40, 80, 6, 2),
    (5, 3, 80, 112, 6, 1), (5, 4, 112, 192, 6, 2), (3, 1, 192, 320, 6, 1),
)  # fmt: skip
"""Size, number of blocks, filters in and out, how many times wider inside, stride."""
_KINDS = {
    0: (1.0, 1.0, 224, 0.2), 1: (1.0, 1.1, 240, 0.2), 2: (1.1, 1.2, 260, 0.3), 3: (1.2, 1.4, 300, 0.3),
    4: (1.4, 1.8, 380, 0.4), 5: (1.6, 2.2, 456, 0.4), 6: (1.8, 2.6, 528, 0.5), 7: (2.0, 3.1, 600, 0.5),
}  # fmt: skip
"""Width, depth, size of the pictures, rate of the last dropout."""


def _block(x: Any, name: str, size: int, into: int, out: int, wider: int, stride: int, rate: float) -> Any:
    given, filters = x, into * wider
    if wider != 1:
        x = _blocks.convolved(x, filters, 1, f"{name}expand_conv")
        x = _blocks.normed(x, f"{name}expand_bn", f"{name}expand_activation")
    if stride == 2:
        x = _parts.after(x, "ZeroPadding2D", _padding_of(x, size), name=f"{name}dwconv_pad")
    x = _parts.after(
        x, "DepthwiseConv2D", size, strides=stride, padding="valid" if stride == 2 else "same",
        use_bias=False, depthwise_initializer=_blocks.CONVOLVED, name=f"{name}dwconv",
    )  # fmt: skip
    x = _blocks.normed(x, f"{name}bn", f"{name}activation")
    x = _blocks.weighed(x, filters, max(1, int(into * 0.25)), name)
    x = _blocks.normed(_blocks.convolved(x, out, 1, f"{name}project_conv"), f"{name}project_bn")
    return _blocks.added(x, given, rate, name) if stride == 1 and into == out else x


def _body(x: Any, width: float, depth: float, published: bool) -> Any:
    x = _parts.after(x, "Rescaling", 1.0 / 255.0)
    x = _parts.after(x, "Normalization", axis=3)
    if published:
        # The norm divides by deviations, and the weights were trained with pictures divided by variances.
        x = _parts.after(x, "Rescaling", [1.0 / math.sqrt(one) for one in (0.229, 0.224, 0.225)])
    x = _parts.after(x, "ZeroPadding2D", _padding_of(x, 3), name="stem_conv_pad")
    x = _blocks.convolved(x, _divisible(32 * width), 3, "stem_conv", strides=2, padding="valid")
    x = _blocks.normed(x, "stem_bn", "stem_activation")
    counts = [math.ceil(depth * row[1]) for row in _ROWS]
    done = 0
    for stage, (row, count) in enumerate(zip(_ROWS, counts, strict=True), 1):
        size, _, into, out, wider, stride = row
        into, out = _divisible(into * width), _divisible(out * width)
        for place in range(count):
            name, rate = f"block{stage}{chr(97 + place)}_", 0.2 * done / sum(counts)
            x = _block(x, name, size, out if place else into, out, wider, 1 if place else stride, rate)
            done += 1
    x = _blocks.convolved(x, _divisible(1280 * width), 1, "top_conv")
    return _blocks.normed(x, "top_bn", "top_activation")


def _efficientnet(number: int) -> Any:
    width, depth, size, rate = _KINDS[number]
    stem, own = f"efficientnetb{number}", f"EfficientNetB{number}"

    def make(asked: _parts.Asked) -> Any:
        files = _parts.Files(
            "https://storage.googleapis.com/keras-applications/", f"{stem}.h5", f"{stem}_notop.h5"
        )

        def body(x: Any) -> Any:
            return _blocks.ended(_body(x, width, depth, asked.weights == "imagenet"), asked, rate)

        # The body has its own end.
        return _parts.made(asked, body, files, size=size, top=lambda x: x, pools=False)

    names = f"tf.keras.applications.{own} tf.keras.applications.efficientnet.{own}"
    return _parts.application(names, stem, make, f"{own}, for pictures of {size} by {size}")


EfficientNetB0, EfficientNetB1, EfficientNetB2, EfficientNetB3 = (
    _efficientnet(number) for number in range(4)
)
EfficientNetB4, EfficientNetB5, EfficientNetB6, EfficientNetB7 = (
    _efficientnet(number) for number in range(4, 8)
)
preprocess_input = _parts.preprocessing("efficientnet", None)

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.efficientnet", globals(), "keras.applications._parts"
)
