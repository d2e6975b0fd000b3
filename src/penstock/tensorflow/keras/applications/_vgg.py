"""VGG (Simonyan and Zisserman, 2014): blocks of 3 by 3 convolutions, each block followed by a pooling."""

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

_FILTERS = (64, 128, 256, 512, 512)


def _vgg(stem: str, lengths: tuple[int, ...]) -> Any:
    def body(x: Any) -> Any:
        for block, (count, filters) in enumerate(zip(lengths, _FILTERS, strict=True), 1):
            for number in range(1, count + 1):
                name = f"block{block}_conv{number}"
                x = after(x, "Conv2D", filters, 3, activation="relu", padding="same", name=name)
            x = after(x, "MaxPooling2D", 2, strides=2, name=f"block{block}_pool")
        return x

    def make(asked: Asked) -> Any:
        def top(x: Any) -> Any:
            x = after(x, "Flatten", name="flatten")
            for name in ("fc1", "fc2"):
                x = after(x, "Dense", 4096, activation="relu", name=name)
            return after(
                x, "Dense", asked.classes, activation=asked.classifier_activation, name="predictions"
            )

        return made(asked, body, Files.usual(stem, stem), top=top)

    names = f"tf.keras.applications.{stem.upper()} tf.keras.applications.{stem}.{stem.upper()}"
    return application(names, stem, make, f"{stem.upper()}, {sum(lengths) + 3} layers with weights deep")


VGG16 = _vgg("vgg16", (2, 2, 3, 3, 3))
VGG19 = _vgg("vgg19", (2, 2, 4, 4, 4))
preprocess_input = preprocessing("vgg16 vgg19", "caffe")
