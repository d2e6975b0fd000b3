"""tf.keras.applications: published models of images, with the names and shapes of their weights in Keras."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_MODULES = (
    "convnext densenet efficientnet efficientnet_v2 imagenet_utils inception_resnet_v2 inception_v3 "
    "mobilenet mobilenet_v2 mobilenet_v3 nasnet resnet resnet50 resnet_v2 vgg16 vgg19 xception"
)
_HOMES = {
    "_mobilenet": "MobileNet MobileNetV2",
    "_mobilenet_v3": "MobileNetV3Large MobileNetV3Small",
    "_resnet": "ResNet50 ResNet101 ResNet152 ResNet50V2 ResNet101V2 ResNet152V2",
    "_vgg": "VGG16 VGG19",
    "convnext": "ConvNeXtBase ConvNeXtLarge ConvNeXtSmall ConvNeXtTiny ConvNeXtXLarge",
    "densenet": "DenseNet121 DenseNet169 DenseNet201",
    "efficientnet": " ".join(f"EfficientNetB{number}" for number in range(8)),
    "efficientnet_v2": " ".join(f"EfficientNetV2{kind}" for kind in ("B0", "B1", "B2", "B3", *"SML")),
    "inception_resnet_v2": "InceptionResNetV2",
    "inception_v3": "InceptionV3",
    "nasnet": "NASNetLarge NASNetMobile",
    "xception": "Xception",
}
"""The models, each imported from its file on first use."""
__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications",
    globals(),
    listed={__name__: _MODULES, **{f"{__name__}.{home}": names for home, names in _HOMES.items()}},
)
