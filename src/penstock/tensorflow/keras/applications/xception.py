"""tf.keras.applications.xception: separable convolutions with short ways around them (Chollet, 2016)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _parts


def _plain(x: Any, filters: int, name: str, **options: Any) -> Any:
    x = _parts.after(x, "Conv2D", filters, 3, use_bias=False, name=name, **options)
    x = _parts.after(x, "BatchNormalization", name=f"{name}_bn")
    return _parts.after(x, "Activation", "relu", name=f"{name}_act")


def _separable(x: Any, filters: int, name: str, active: str | None = None) -> Any:
    if active:
        x = _parts.after(x, "Activation", "relu", name=active)
    x = _parts.after(x, "SeparableConv2D", filters, 3, padding="same", use_bias=False, name=name)
    return _parts.after(x, "BatchNormalization", name=f"{name}_bn")


def _smaller(x: Any, first: int, filters: int, name: str, begins: bool = False) -> Any:
    """A block that halves the picture: two separable convolutions, and a convolution around them."""
    short = _parts.after(x, "Conv2D", filters, 1, strides=2, padding="same", use_bias=False)
    short = _parts.after(short, "BatchNormalization")
    x = _separable(x, first, f"{name}_sepconv1", None if begins else f"{name}_sepconv1_act")
    x = _separable(x, filters, f"{name}_sepconv2", f"{name}_sepconv2_act")
    x = _parts.after(x, "MaxPooling2D", 3, strides=2, padding="same", name=f"{name}_pool")
    return _parts.after([x, short], "Add")


def _body(x: Any) -> Any:
    x = _plain(x, 32, "block1_conv1", strides=2)
    x = _plain(x, 64, "block1_conv2")
    x = _smaller(x, 128, 128, "block2", begins=True)
    x = _smaller(x, 256, 256, "block3")
    x = _smaller(x, 728, 728, "block4")
    for block in range(5, 13):
        short = x
        for number in (1, 2, 3):
            name = f"block{block}_sepconv{number}"
            x = _separable(x, 728, name, f"{name}_act")
        x = _parts.after([x, short], "Add")
    x = _smaller(x, 728, 1024, "block13")
    for number, filters in ((1, 1536), (2, 2048)):
        x = _separable(x, filters, f"block14_sepconv{number}")
        x = _parts.after(x, "Activation", "relu", name=f"block14_sepconv{number}_act")
    return x


def _make(asked: _parts.Asked) -> Any:
    return _parts.made(asked, _body, _parts.Files.usual("xception", "xception"), size=299, smallest=71)


Xception = _parts.application(
    "tf.keras.applications.Xception tf.keras.applications.xception.Xception", "xception", _make, "Xception"
)
preprocess_input = _parts.preprocessing("xception", "tf")

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.xception", globals(), "keras.applications._parts"
)
