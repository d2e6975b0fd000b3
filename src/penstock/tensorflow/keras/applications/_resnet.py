"""ResNet (He et al., 2015 and 2016): blocks that add to their inputs, the norm after or before."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow.keras.applications._parts import (
    Asked,
    Files,
    after,
    application,
    made,
    preprocessing,
)

_LENGTHS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
_FILTERS = (64, 128, 256, 512)


def _norm(x: Any, name: str, active: str = "") -> Any:
    x = after(x, "BatchNormalization", epsilon=1.001e-5, name=f"{name}_bn")
    return after(x, "Activation", "relu", name=active) if active else x


def _norm_after(x: Any, filters: int, stride: int, widened: bool, name: str) -> Any:
    """A block of the first version: three convolutions, each with its norm, and then the sum."""
    short = x
    if widened:
        short = after(x, "Conv2D", 4 * filters, 1, strides=stride, name=f"{name}_0_conv")
        short = _norm(short, f"{name}_0")
    x = after(x, "Conv2D", filters, 1, strides=stride, name=f"{name}_1_conv")
    x = _norm(x, f"{name}_1", f"{name}_1_relu")
    x = after(x, "Conv2D", filters, 3, padding="same", name=f"{name}_2_conv")
    x = _norm(x, f"{name}_2", f"{name}_2_relu")
    x = after(x, "Conv2D", 4 * filters, 1, name=f"{name}_3_conv")
    x = _norm(x, f"{name}_3")
    x = after([short, x], "Add", name=f"{name}_add")
    return after(x, "Activation", "relu", name=f"{name}_out")


def _norm_before(x: Any, filters: int, stride: int, widened: bool, name: str) -> Any:
    """A block of the second version: the norm comes before each convolution, and the sum is left as it is."""
    ready = _norm(x, f"{name}_preact", f"{name}_preact_relu")
    if widened:
        short = after(ready, "Conv2D", 4 * filters, 1, strides=stride, name=f"{name}_0_conv")
    else:
        short = after(x, "MaxPooling2D", 1, strides=stride) if stride > 1 else x
    y = after(ready, "Conv2D", filters, 1, strides=1, use_bias=False, name=f"{name}_1_conv")
    y = _norm(y, f"{name}_1", f"{name}_1_relu")
    y = after(y, "ZeroPadding2D", ((1, 1), (1, 1)), name=f"{name}_2_pad")
    y = after(y, "Conv2D", filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")
    y = _norm(y, f"{name}_2", f"{name}_2_relu")
    y = after(y, "Conv2D", 4 * filters, 1, name=f"{name}_3_conv")
    return after([short, y], "Add", name=f"{name}_out")


def _resnet(depth: int, second: bool) -> Any:
    def body(x: Any) -> Any:
        x = after(x, "ZeroPadding2D", ((3, 3), (3, 3)), name="conv1_pad")
        x = after(x, "Conv2D", 64, 7, strides=2, name="conv1_conv")
        if not second:
            x = _norm(x, "conv1", "conv1_relu")
        x = after(x, "ZeroPadding2D", ((1, 1), (1, 1)), name="pool1_pad")
        x = after(x, "MaxPooling2D", 3, strides=2, name="pool1_pool")
        for stage, (filters, count) in enumerate(zip(_FILTERS, _LENGTHS[depth], strict=True), 2):
            for number in range(1, count + 1):
                name = f"conv{stage}_block{number}"
                if second:
                    # It makes pictures smaller at the end of each stage but the last.
                    stride = 2 if number == count and stage < 5 else 1
                    x = _norm_before(x, filters, stride, number == 1, name)
                else:
                    stride = 2 if number == 1 and stage > 2 else 1
                    x = _norm_after(x, filters, stride, number == 1, name)
        return _norm(x, "post", "post_relu") if second else x

    stem, own = f"resnet{depth}{'v2' * second}", f"ResNet{depth}{'V2' * second}"

    def make(asked: Asked) -> Any:
        return made(asked, body, Files.usual("resnet", stem), named_pooling=True)

    homes = "resnet_v2" if second else "resnet50 resnet" if depth == 50 else "resnet"
    names = " ".join(f"tf.keras.applications.{home}.{own}" for home in homes.split())
    version = "the second version of ResNet" if second else "ResNet"
    return application(f"tf.keras.applications.{own} {names}", stem, make, f"{version}, {depth} layers deep")


ResNet50, ResNet101, ResNet152 = (_resnet(depth, False) for depth in _LENGTHS)
ResNet50V2, ResNet101V2, ResNet152V2 = (_resnet(depth, True) for depth in _LENGTHS)
_preprocess = preprocessing("resnet resnet50", "caffe"), preprocessing("resnet_v2", "tf")
