"""Write down what the models of keras.applications are made of: layers, variables, shapes and counts.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/keras_applications.py

It writes `tests/oracles/keras_applications.json`: for a model of each family, without its classifier, the
name, the number of parameters and of layers, and a digest of the names and shapes of all.
"""

import hashlib
import sys

import keras
from records import ORACLES, write

QUICK = (
    "VGG16 ResNet50 ResNet50V2 DenseNet121 MobileNet MobileNetV2 MobileNetV3Small MobileNetV3Large Xception "
    "InceptionV3 InceptionResNetV2 EfficientNetB0 EfficientNetB1 EfficientNetV2B0 ConvNeXtTiny"
)
"""One of each kind of blocks, and some whose rows are longer."""
WHOLE = "MobileNetV2 MobileNetV3Small EfficientNetB0"
"""Those that are written down with their classifiers too."""


def digest(model) -> str:
    """Return a digest of all layers and variables, in order."""
    lines = [f"{layer.name} {type(layer).__name__}" for layer in model.layers]
    lines += [f"{weight.path} {tuple(weight.shape)} {weight.trainable}" for weight in model.weights]
    return hashlib.sha256("\n".join([*lines, str(model.output_shape)]).encode()).hexdigest()


def main() -> int:
    """Write the file."""
    found = {}
    for name in QUICK.split():
        options = {"include_top": False, "pooling": "avg", "input_shape": (96, 96, 3)}
        for given in ({}, options) if name in WHOLE.split() else (options,):
            keras.backend.clear_session()
            model = getattr(keras.applications, name)(weights=None, **given)
            key = name if not given else f"{name} without its classifier"
            found[key] = [model.name, model.count_params(), len(model.layers), digest(model)]
    write(ORACLES / "keras_applications.json", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
