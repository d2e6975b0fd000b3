"""tf.keras.applications.densenet: each block is given the channels of all before it (Huang et al., 2016)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _parts


def _norm(x: Any, name: str, active: str) -> Any:
    x = _parts.after(x, "BatchNormalization", epsilon=1.001e-5, name=name)
    return _parts.after(x, "Activation", "relu", name=active)


def _block(x: Any, name: str) -> Any:
    """One block, which adds 32 channels to those that it is given."""
    y = _norm(x, f"{name}_0_bn", f"{name}_0_relu")
    y = _parts.after(y, "Conv2D", 128, 1, use_bias=False, name=f"{name}_1_conv")
    y = _norm(y, f"{name}_1_bn", f"{name}_1_relu")
    y = _parts.after(y, "Conv2D", 32, 3, padding="same", use_bias=False, name=f"{name}_2_conv")
    return _parts.after([x, y], "Concatenate", axis=3, name=f"{name}_concat")


def _densenet(depth: int, lengths: tuple[int, ...]) -> Any:
    def body(x: Any) -> Any:
        x = _parts.after(x, "ZeroPadding2D", ((3, 3), (3, 3)))
        x = _parts.after(x, "Conv2D", 64, 7, strides=2, use_bias=False, name="conv1_conv")
        x = _norm(x, "conv1_bn", "conv1_relu")
        x = _parts.after(x, "ZeroPadding2D", ((1, 1), (1, 1)))
        x = _parts.after(x, "MaxPooling2D", 3, strides=2, name="pool1")
        for stage, count in enumerate(lengths, 2):
            for number in range(1, count + 1):
                x = _block(x, f"conv{stage}_block{number}")
            if stage < 5:
                x = _norm(x, f"pool{stage}_bn", f"pool{stage}_relu")
                x = _parts.after(x, "Conv2D", x.shape[3] // 2, 1, use_bias=False, name=f"pool{stage}_conv")
                x = _parts.after(x, "AveragePooling2D", 2, strides=2, name=f"pool{stage}_pool")
        return _norm(x, "bn", "relu")

    stem, own = f"densenet{depth}", f"DenseNet{depth}"

    def make(asked: _parts.Asked) -> Any:
        return _parts.made(asked, body, _parts.Files.usual("densenet", stem), named_pooling=True)

    names = f"tf.keras.applications.{own} tf.keras.applications.densenet.{own}"
    return _parts.application(names, stem, make, f"DenseNet, {depth} layers deep")


DenseNet121 = _densenet(121, (6, 12, 24, 16))
DenseNet169 = _densenet(169, (6, 12, 32, 32))
DenseNet201 = _densenet(201, (6, 12, 48, 32))
preprocess_input = _parts.preprocessing("densenet", "torch")

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.densenet", globals(), "keras.applications._parts"
)
