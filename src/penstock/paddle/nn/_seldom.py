"""Layers that few programs ask for: most are one function each."""

from __future__ import annotations

from typing import Any

from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import _folding, _losses, _resizing
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._common import _activation
from penstock.paddle.nn._layer import Layer as Base
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._lesser import _Pad, _several
from penstock.trace.source_site import here

_MEAN = ("reduction", "mean")
_FOUR, _LENGTH = ("data_format", "NCHW"), ("data_format", "NCL")
ChannelShuffle = _activation("ChannelShuffle", _folding.channel_shuffle, ("groups", 1), _FOUR)
PixelUnshuffle = _activation("PixelUnshuffle", _folding.pixel_unshuffle, ("downscale_factor", 1), _FOUR)


class _Windows:
    """How layers of windows print their arguments."""

    def extra_repr(self) -> str:
        """Returns the arguments."""
        own = vars(self)
        text = f"kernel_size={own['_kernel_sizes']}, dilation={own['_dilations']}"
        return f"{text}, padding={own['_paddings']}, stride={own['_strides']}"


_WINDOWS = (("kernel_sizes", 1), ("strides", 1), ("paddings", 0), ("dilations", 1))


class Unfold(_Windows, _activation("Unfold", _folding.unfold, *_WINDOWS)):  # type: ignore[misc]
    """The function `unfold` as a layer."""


class Fold(_Windows, _activation("Fold", _folding.fold, ("output_sizes", 1), *_WINDOWS)):  # type: ignore[misc]
    """The function `fold` as a layer."""


LocalResponseNorm = _activation(
    "LocalResponseNorm", _folding.local_response_norm, ("size", 1), ("alpha", 1e-4), ("beta", 0.75),
    ("k", 1.0), _FOUR,
)  # fmt: skip
_POOL = (("norm_type", 2), ("kernel_size", 1), ("stride", None), ("padding", 0), ("ceil_mode", False))
LPPool1D = _activation("LPPool1D", _folding.lp_pool1d, *_POOL, _LENGTH)
LPPool2D = _activation("LPPool2D", _folding.lp_pool2d, *_POOL, _FOUR)
PairwiseDistance = _several(
    "PairwiseDistance", _losses.pairwise_distance, ("p", 2.0), ("epsilon", 1e-6), ("keepdim", False)
)
PairwiseDistance._shown = ("p",)
GaussianNLLLoss = _several(
    "GaussianNLLLoss", _losses.gaussian_nll_loss, ("full", False), ("epsilon", 1e-6), _MEAN
)
SoftMarginLoss = _several("SoftMarginLoss", _losses.soft_margin_loss, _MEAN)
MultiLabelSoftMarginLoss = _several(
    "MultiLabelSoftMarginLoss", _losses.multi_label_soft_margin_loss, ("weight", None), _MEAN
)
MultiMarginLoss = _several(
    "MultiMarginLoss", _losses.multi_margin_loss, ("p", 1), ("margin", 1.0), ("weight", None), _MEAN
)
TripletMarginWithDistanceLoss = _several(
    "TripletMarginWithDistanceLoss", _losses.triplet_margin_with_distance_loss, ("distance_function", None),
    ("margin", 1.0), ("swap", False), _MEAN,
)  # fmt: skip
MaxUnPool1D = _several(
    "MaxUnPool1D", _resizing.max_unpool1d, ("kernel_size", 1), ("stride", None), ("padding", 0), _LENGTH,
    ("output_size", None),
)  # fmt: skip
MaxUnPool1D._shown = ("output_size",)


class Pad3D(_Pad):
    """Entries added around volumes."""

    _axes, _format = 3, "NCDHW"


class ZeroPad1D(_Pad):
    """Zeros added around sequences."""

    _axes, _format = 1, "NCL"

    def __init__(self, padding: Any, data_format: str = "NCL", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)


class ZeroPad3D(_Pad):
    """Zeros added around volumes."""

    _axes, _format = 3, "NCDHW"

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)


class Softmax2D(Layer):
    """Shares of the channels of images."""

    def forward(self, x: Any) -> Any:
        """Returns shares along the third axis from the end."""
        if x.ndim not in (3, 4):
            raise InvalidValueError(
                f"Softmax2D requires a 3D or 4D tensor as input. Received: {x.ndim}D.", site=here()
            )
        return F.softmax(x, -3)


class Unflatten(Layer):
    """One axis as several."""

    def __init__(self, axis: int, shape: Any, name: Any = None) -> None:
        super().__init__()
        self.axis, self.shape = axis, shape

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"axis={self.axis}, shape={self.shape}"

    def forward(self, input: Any) -> Any:
        """Returns the input with more axes."""
        from penstock.paddle._joining import unflatten

        return unflatten(input, self.axis, self.shape)


class Bilinear(Layer):
    """x1 W x2 for each of several matrices that are learnt."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, weight_attr: Any = None,
        bias_attr: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Returns the products."""
        return _losses.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        after, first, second = self.weight.shape
        return f"in1_features={first}, in2_features={second}, out_features={after}, dtype={self._dtype}"


class RReLU(Layer):
    """x above 0, and a share of it below, which is random in training."""

    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: Any = None) -> None:
        super().__init__()
        self._lower, self._upper = lower, upper

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return _losses.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        """Returns the arguments, and whether it is random."""
        bounds = f"lower={self._lower}, upper={self._upper}"
        return f"{bounds}, training={self.training}, dtype={self._dtype}"


class AlphaDropout(Layer):
    """Elements at the low end of SELU with the probability p, while training."""

    _dropped = staticmethod(_losses.alpha_dropout)

    def __init__(self, p: float = 0.5, name: Any = None) -> None:
        super().__init__()
        self.p = p

    def forward(self, input: Any) -> Any:
        """Returns the input with some elements dropped."""
        return self._dropped(input, self.p, self.training)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}"


class FeatureAlphaDropout(AlphaDropout):
    """Whole channels at the low end of SELU with the probability p, while training."""

    _dropped = staticmethod(_losses.feature_alpha_dropout)


class Dropout3D(Layer):
    """Whole channels set to 0 with the probability p, while training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: Any = None) -> None:
        super().__init__()
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """Returns the input with some of its channels 0."""
        return _losses.dropout3d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}, data_format={self.data_format}"


class ParameterDict(Base):
    """Parameters under names, which the layer knows as its own."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, param: Any) -> None:
        self.add_parameter(str(key), param)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Any:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Any:
        """Returns the names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """Returns the parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """Returns names and parameters."""
        return self._parameters.items()

    def update(self, parameters: Any) -> None:
        """Adds parameters: a mapping, or pairs of names and parameters."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for key, one in pairs:
            self.add_parameter(str(key), one)


__all__ = [
    "AlphaDropout", "Bilinear", "ChannelShuffle", "Dropout3D", "FeatureAlphaDropout", "Fold",
    "GaussianNLLLoss", "LPPool1D", "LPPool2D", "LocalResponseNorm", "MaxUnPool1D", "MultiLabelSoftMarginLoss",
    "MultiMarginLoss", "Pad3D", "PairwiseDistance", "ParameterDict", "PixelUnshuffle", "RReLU",
    "SoftMarginLoss", "Softmax2D", "TripletMarginWithDistanceLoss", "Unflatten", "Unfold", "ZeroPad1D",
    "ZeroPad3D",
]  # fmt: skip
