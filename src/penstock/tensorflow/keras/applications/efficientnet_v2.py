"""tf.keras.applications.efficientnet_v2: early blocks with one convolution for two (Tan and Le, 2021)."""

from __future__ import annotations

import math
from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _efficientnet as _blocks
from penstock.tensorflow.keras.applications import _parts

_Rows = tuple[tuple[int, int, int, int, int, bool], ...]
_BASE: _Rows = (
    (1, 32, 16, 1, 1, True), (2, 16, 32, 4, 2, True), (2, 32, 48, 4, 2, True), (3, 48, 96, 4, 2, False),
    (5, 96, 112, 6, 1, False), (8, 112, 192, 6, 2, False),
)  # fmt: skip
_SMALL: _Rows = (
    (2, 24, 24, 1, 1, True), (4, 24, 48, 4, 2, True), (4, 48, 64, 4, 2, True), (6, 64, 128, 4, 2, False),
    (9, 128, 160, 6, 1, False), (15, 160, 256, 6, 2, False),
)  # fmt: skip
_MEDIUM: _Rows = (
    (3, 24, 24, 1, 1, True), (5, 24, 48, 4, 2, True), (5, 48, 80, 4, 2, True), (7, 80, 160, 4, 2, False),
    (14, 160, 176, 6, 1, False), (18, 176, 304, 6, 2, False), (5, 304, 512, 6, 1, False),
)  # fmt: skip
_LARGE: _Rows = (
    (4, 32, 32, 1, 1, True), (7, 32, 64, 4, 2, True), (7, 64, 96, 4, 2, True), (10, 96, 192, 4, 2, False),
    (19, 192, 224, 6, 1, False), (25, 224, 384, 6, 2, False), (7, 384, 640, 6, 1, False),
)  # fmt: skip
"""Number of blocks, filters in and out, how many times wider inside, stride, whether it is fused."""
_KINDS: dict[str, tuple[_Rows, float, float, int]] = {
    "B0": (_BASE, 1.0, 1.0, 224), "B1": (_BASE, 1.0, 1.1, 240), "B2": (_BASE, 1.1, 1.2, 260),
    "B3": (_BASE, 1.2, 1.4, 300), "S": (_SMALL, 1.0, 1.0, 384), "M": (_MEDIUM, 1.0, 1.0, 480),
    "L": (_LARGE, 1.0, 1.0, 480),
}  # fmt: skip
"""Rows, width, depth, size of the pictures."""
_MOMENTUM = 0.9


def _normed(x: Any, name: str, active: str = "") -> Any:
    return _blocks.normed(x, name, active, _MOMENTUM)


def _apart(x: Any, name: str, into: int, out: int, wider: int, stride: int) -> Any:
    """A block that convolves each channel by itself, and weighs the channels."""
    filters = into * wider
    if wider != 1:
        x = _blocks.convolved(x, filters, 1, f"{name}expand_conv")
        x = _normed(x, f"{name}expand_bn", f"{name}expand_activation")
    x = _parts.after(
        x, "DepthwiseConv2D", 3, strides=stride, padding="same", use_bias=False,
        depthwise_initializer=_blocks.CONVOLVED, name=f"{name}dwconv2",
    )  # fmt: skip
    x = _normed(x, f"{name}bn", f"{name}activation")
    x = _blocks.weighed(x, filters, max(1, int(into * 0.25)), name)
    return _normed(_blocks.convolved(x, out, 1, f"{name}project_conv"), f"{name}project_bn")


def _fused(x: Any, name: str, into: int, out: int, wider: int, stride: int) -> Any:
    """A block with one whole convolution in the place of two."""
    if wider == 1:
        x = _blocks.convolved(x, out, 3, f"{name}project_conv", strides=stride)
        return _normed(x, f"{name}project_bn", f"{name}project_activation")
    x = _blocks.convolved(x, into * wider, 3, f"{name}expand_conv", strides=stride)
    x = _normed(x, f"{name}expand_bn", f"{name}expand_activation")
    return _normed(_blocks.convolved(x, out, 1, f"{name}project_conv"), f"{name}project_bn")


def _rounded(filters: float) -> int:
    return max(8, int(filters + 4) // 8 * 8)


def _preprocessed(x: Any, base: bool, channels: Any) -> Any:
    if not base or channels != 3:
        return _parts.after(x, "Rescaling", scale=1.0 / 128.0, offset=-1)
    x = _parts.after(x, "Rescaling", scale=1.0 / 255)
    variances = [one**2 for one in (0.229, 0.224, 0.225)]
    return _parts.after(x, "Normalization", mean=[0.485, 0.456, 0.406], variance=variances, axis=3)


def _body(x: Any, rows: _Rows, width: float, depth: float) -> Any:
    x = _blocks.convolved(x, _rounded(rows[0][1] * width), 3, "stem_conv", strides=2)
    x = _normed(x, "stem_bn", "stem_activation")
    # The rate grows with the blocks that the unscaled model has.
    done, total = 0, sum(row[0] for row in rows)
    for stage, (count, into, out, wider, stride, fused) in enumerate(rows, 1):
        into, out = _rounded(into * width), _rounded(out * width)
        for place in range(math.ceil(depth * count)):
            name, given = f"block{stage}{chr(97 + place)}_", x
            begins, step = out if place else into, 1 if place else stride
            x = (_fused if fused else _apart)(x, name, begins, out, wider, step)
            if step == 1 and begins == out:
                x = _blocks.added(x, given, 0.2 * done / total, name)
            done += 1
    x = _blocks.convolved(x, _rounded(1280 * width), 1, "top_conv")
    return _normed(x, "top_bn", "top_activation")


def _efficientnet(kind: str) -> Any:
    rows, width, depth, size = _KINDS[kind]
    stem, own = f"efficientnetv2-{kind.lower()}", f"EfficientNetV2{kind}"

    def make(asked: _parts.Asked, include_preprocessing: bool) -> Any:
        folder = f"{_parts.ORIGIN}efficientnet_v2/"
        files = _parts.Files(folder, f"{stem}.h5", f"{stem}_notop.h5")

        def body(x: Any) -> Any:
            if include_preprocessing:
                x = _preprocessed(x, kind.startswith("B"), x.shape[-1])
            return _blocks.ended(_body(x, rows, width, depth), asked, 0.2)

        # The body has its own end.
        return _parts.made(asked, body, files, size=size, top=lambda x: x, pools=False)

    names = f"tf.keras.applications.{own} tf.keras.applications.efficientnet_v2.{own}"
    text = f"{own}, for pictures of {size} by {size}"
    return _parts.application(names, stem, make, text, "include_preprocessing")


EfficientNetV2B0, EfficientNetV2B1, EfficientNetV2B2, EfficientNetV2B3 = map(
    _efficientnet, ("B0", "B1", "B2", "B3")
)
EfficientNetV2S, EfficientNetV2M, EfficientNetV2L = map(_efficientnet, "SML")
preprocess_input = _parts.preprocessing("efficientnet_v2", None)

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.efficientnet_v2", globals(), "keras.applications._parts"
)
