"""tf.keras.applications.inception_resnet_v2: scaled sums of branches (Szegedy et al., 2016)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._layer import Layer as _Layer
from penstock.tensorflow.keras.applications import _parts

_Branches = tuple[tuple[tuple[int, Any], ...], ...]
"""Branches side by side, each a row of convolutions: filters and size."""
_KINDS: dict[str, _Branches] = {
    "block35": (((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))),
    "block17": (((192, 1),), ((128, 1), (160, (1, 7)), (192, (7, 1)))),
    "block8": (((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))),
}


class CustomScaleLayer(_Layer):
    """The first of two inputs, and the second times a number."""

    def __init__(self, scale: float, **options: Any) -> None:
        super().__init__(**options)
        self.scale = scale

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the layer."""
        return {**super().get_config(), "scale": self.scale}

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return inputs[0] + inputs[1] * self.scale


def _convolved(
    x: Any, filters: int, size: Any, stride: int = 1, padding: str = "same", name: str = ""
) -> Any:
    def called(ending: str) -> dict[str, Any]:
        return {"name": name + ending} if name else {}

    x = _parts.after(
        x, "Conv2D", filters, size, strides=stride, padding=padding, use_bias=False, **called("")
    )
    x = _parts.after(x, "BatchNormalization", scale=False, **called("_bn"))
    return _parts.after(x, "Activation", "relu", **called("_ac"))


def _branches(x: Any, rows: _Branches, halved: bool = False) -> list[Any]:
    found = []
    for row in rows:
        y = x
        for number, (filters, size) in enumerate(row, 1):
            last = halved and number == len(row)
            y = _convolved(y, filters, size, 2 if last else 1, "valid" if last else "same")
        found.append(y)
    return found


def _joined(branches: list[Any], name: str) -> Any:
    return _parts.after(branches, "Concatenate", axis=3, name=name)


def _block(x: Any, kind: str, number: int, scale: float, active: bool = True) -> Any:
    name = f"{kind}_{number}"
    y = _joined(_branches(x, _KINDS[kind]), f"{name}_mixed")
    y = _parts.after(y, "Conv2D", x.shape[3], 1, padding="same", name=f"{name}_conv")
    x = CustomScaleLayer(scale)([x, y])
    return _parts.after(x, "Activation", "relu", name=f"{name}_ac") if active else x


def _body(x: Any) -> Any:
    x = _convolved(x, 32, 3, 2, "valid")
    x = _convolved(x, 32, 3, 1, "valid")
    x = _convolved(x, 64, 3)
    x = _parts.after(x, "MaxPooling2D", 3, strides=2)
    x = _convolved(x, 80, 1, 1, "valid")
    x = _convolved(x, 192, 3, 1, "valid")
    x = _parts.after(x, "MaxPooling2D", 3, strides=2)
    branches = _branches(x, (((96, 1),), ((48, 1), (64, 5)), ((64, 1), (96, 3), (96, 3))))
    mean = _parts.after(x, "AveragePooling2D", 3, strides=1, padding="same")
    x = _joined([*branches, _convolved(mean, 64, 1)], "mixed_5b")
    for number in range(1, 11):
        x = _block(x, "block35", number, 0.17)
    x = _halved(x, (((384, 3),), ((256, 1), (256, 3), (384, 3))), "mixed_6a")
    for number in range(1, 21):
        x = _block(x, "block17", number, 0.1)
    rows = ((256, 1), (384, 3)), ((256, 1), (288, 3)), ((256, 1), (288, 3), (320, 3))
    x = _halved(x, rows, "mixed_7a")
    for number in range(1, 11):
        x = _block(x, "block8", number, 1.0 if number == 10 else 0.2, active=number < 10)
    return _convolved(x, 1536, 1, name="conv_7b")


def _halved(x: Any, rows: _Branches, name: str) -> Any:
    branches = _branches(x, rows, halved=True)
    return _joined([*branches, _parts.after(x, "MaxPooling2D", 3, strides=2, padding="valid")], name)


def _make(asked: _parts.Asked) -> Any:
    files = _parts.Files.usual("inception_resnet_v2", "inception_resnet_v2")
    return _parts.made(asked, _body, files, size=299, smallest=75)


InceptionResNetV2 = _parts.application(
    "tf.keras.applications.InceptionResNetV2 tf.keras.applications.inception_resnet_v2.InceptionResNetV2",
    "inception_resnet_v2", _make, "Inception-ResNet, the second version",
)  # fmt: skip
preprocess_input = _parts.preprocessing("inception_resnet_v2", "tf")

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.inception_resnet_v2", globals(), "keras.applications._parts"
)
