"""tf.keras.applications.convnext: convolutions in the form of a Transformer (Liu et al., 2022)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import initializers as _initializers
from penstock.tensorflow.keras import layers as _layers
from penstock.tensorflow.keras._layer import Layer as _Layer
from penstock.tensorflow.keras.applications import _parts
from penstock.tensorflow.keras.models import Sequential as _Sequential

_KINDS = {
    "Tiny": ((3, 3, 9, 3), (96, 192, 384, 768)), "Small": ((3, 3, 27, 3), (96, 192, 384, 768)),
    "Base": ((3, 3, 27, 3), (128, 256, 512, 1024)), "Large": ((3, 3, 27, 3), (192, 384, 768, 1536)),
    "XLarge": ((3, 3, 27, 3), (256, 512, 1024, 2048)),
}  # fmt: skip
"""The number of blocks and the filters of each stage."""
_MEANS, _DEVIATIONS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class LayerScale(_Layer):
    """Channels, each times a number that is learned."""

    def __init__(self, init_values: float, projection_dim: int, **options: Any) -> None:
        super().__init__(**options)
        self.init_values, self.projection_dim = init_values, projection_dim

    def build(self, input_shape: Any) -> None:
        """Makes the numbers; `input_shape` does nothing, since their count is given."""
        self.gamma = self.add_weight(
            shape=(self.projection_dim,), initializer=_initializers.Constant(self.init_values), trainable=True
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the layer."""
        own = {"init_values": self.init_values, "projection_dim": self.projection_dim}
        return {**super().get_config(), **own}

    def call(self, x: Any) -> Any:
        """Computes the layer."""
        return x * self.gamma


def _block(x: Any, width: int, name: str) -> Any:
    y = _parts.after(x, "Conv2D", width, 7, padding="same", groups=width, name=f"{name}_depthwise_conv")
    y = _parts.after(y, "LayerNormalization", epsilon=1e-6, name=f"{name}_layernorm")
    y = _parts.after(y, "Dense", 4 * width, name=f"{name}_pointwise_conv_1")
    y = _parts.after(y, "Activation", "gelu", name=f"{name}_gelu")
    y = _parts.after(y, "Dense", width, name=f"{name}_pointwise_conv_2")
    y = LayerScale(1e-6, width, name=f"{name}_layer_scale")(y)
    return x + _parts.after(y, "Activation", "linear", name=f"{name}_identity")


def _norm(name: str) -> Any:
    return _layers.LayerNormalization(epsilon=1e-6, name=name)


def _body(x: Any, lengths: tuple[int, ...], widths: tuple[int, ...], name: str, preprocessed: bool) -> Any:
    if preprocessed and x.shape[-1] == 3:
        x = _parts.after(
            x, "Normalization", mean=[one * 255 for one in _MEANS],
            variance=[(one * 255) ** 2 for one in _DEVIATIONS], name=f"{name}_prestem_normalization",
        )  # fmt: skip
    stem = [
        _layers.Conv2D(widths[0], 4, strides=4, name=f"{name}_stem_conv"),
        _norm(f"{name}_stem_layernorm"),
    ]
    halving = [_Sequential(stem, name=f"{name}_stem")]
    for number, width in enumerate(widths[1:]):
        convolution = _layers.Conv2D(width, 2, strides=2, name=f"{name}_downsampling_conv_{number}")
        row = [_norm(f"{name}_downsampling_layernorm_{number}"), convolution]
        halving.append(_Sequential(row, name=f"{name}_downsampling_block_{number}"))
    for stage, (count, width) in enumerate(zip(lengths, widths, strict=True)):
        x = halving[stage](x)
        for number in range(count):
            x = _block(x, width, f"{name}_stage_{stage}_block_{number}")
    return x


def _convnext(kind: str) -> Any:
    lengths, widths = _KINDS[kind]
    stem, own = f"convnext_{kind.lower()}", f"ConvNeXt{kind}"

    def make(asked: _parts.Asked, include_preprocessing: bool) -> Any:
        name = asked.name or stem

        def body(x: Any) -> Any:
            x = _body(x, lengths, widths, name, include_preprocessing)
            if not asked.include_top:
                return _norm_of(_parts.pooled(x, asked.pooling, False))
            x = _parts.after(x, "GlobalAveragePooling2D", name=f"{name}_head_gap")
            x = _norm(f"{name}_head_layernorm")(x)
            word = asked.classifier_activation
            return _parts.after(x, "Dense", asked.classes, activation=word, name=f"{name}_head_dense")

        files = _parts.Files(f"{_parts.ORIGIN}convnext/", f"{stem}.h5", f"{stem}_notop.h5")
        return _parts.made(asked, body, files, top=lambda x: x, pools=False)

    names = f"tf.keras.applications.{own} tf.keras.applications.convnext.{own}"
    return _parts.application(names, stem, make, own, "include_preprocessing")


def _norm_of(x: Any) -> Any:
    return _parts.after(x, "LayerNormalization", epsilon=1e-6)


ConvNeXtTiny, ConvNeXtSmall, ConvNeXtBase, ConvNeXtLarge, ConvNeXtXLarge = map(_convnext, _KINDS)
preprocess_input = _parts.preprocessing("convnext", None)

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.convnext", globals(), "keras.applications._parts"
)
