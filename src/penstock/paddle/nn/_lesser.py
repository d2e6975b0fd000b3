"""Less common layers that are one function each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.paddle.nn import _rarely, initializer
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._common import _activation
from penstock.paddle.nn._layer import Standard as Layer

CELU = _activation("CELU", _rarely.celu, ("alpha", 1.0))
Hardshrink = _activation("Hardshrink", _rarely.hardshrink, ("threshold", 0.5))
Softshrink = _activation("Softshrink", _rarely.softshrink, ("threshold", 0.5))
Hardswish = _activation("Hardswish", _rarely.hardswish)
Tanhshrink = _activation("Tanhshrink", F.tanhshrink)
ThresholdedReLU = _activation("ThresholdedReLU", _rarely.thresholded_relu, ("threshold", 1.0), ("value", 0.0))
GLU = _activation("GLU", _rarely.glu, ("axis", -1))
Maxout = _activation("Maxout", _rarely.maxout, ("groups", 1), ("axis", 1))
PixelShuffle = _activation(
    "PixelShuffle", _rarely.pixel_shuffle, ("upscale_factor", 1), ("data_format", "NCHW")
)


class _Several(Layer):
    """A function of several tensors as a layer: `_names` are its other arguments, with their defaults."""

    _function: Callable[..., Any]
    _names: tuple[tuple[str, Any], ...] = ()
    _shown: tuple[str, ...] = ()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        options.pop("name", None)
        given = dict(zip((name for name, _ in self._names), arguments))
        held = {name: options.pop(name, given.get(name, default)) for name, default in self._names}
        object.__setattr__(self, "_options", held)
        if options:
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {next(iter(options))!r}"
            )

    _options: dict[str, Any]

    def forward(self, *inputs: Any) -> Any:
        """Returns the function of the inputs."""
        return type(self)._function(*inputs, **self._options)

    def extra_repr(self) -> str:
        """Returns the arguments that Paddle prints of this layer."""
        return ", ".join(f"{name}={self._options[name]}" for name in self._shown)


def _several(name: str, function: Callable[..., Any], *names: tuple[str, Any]) -> Any:
    docstring = f"The function `{function.__name__}` as a layer."
    members = {"_function": staticmethod(function), "_names": names, "__doc__": docstring}
    return type(name, (_Several,), members)


_MEAN = ("reduction", "mean")
CosineSimilarity = _several("CosineSimilarity", F.cosine_similarity, ("axis", 1), ("eps", 1e-8))
CosineSimilarity._shown = ("axis", "eps")
TripletMarginLoss = _several(
    "TripletMarginLoss", _rarely.triplet_margin_loss, ("margin", 1.0), ("p", 2.0), ("epsilon", 1e-6),
    ("swap", False), _MEAN,
)  # fmt: skip
MarginRankingLoss = _several("MarginRankingLoss", _rarely.margin_ranking_loss, ("margin", 0.0), _MEAN)
HingeEmbeddingLoss = _several("HingeEmbeddingLoss", _rarely.hinge_embedding_loss, ("margin", 1.0), _MEAN)
CosineEmbeddingLoss = _several("CosineEmbeddingLoss", _rarely.cosine_embedding_loss, ("margin", 0), _MEAN)
PoissonNLLLoss = _several(
    "PoissonNLLLoss", _rarely.poisson_nll_loss, ("log_input", True), ("full", False), ("epsilon", 1e-8), _MEAN
)


class _Pad(Layer):
    """Entries added around the space of images."""

    _axes = 2
    _format = "NCHW"

    def __init__(
        self, padding: Any, mode: str = "constant", value: float = 0.0, data_format: str | None = None,
        name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        widths = [padding] * (2 * self._axes) if isinstance(padding, int) else padding
        self._given = (widths, mode, value, data_format or self._format)

    def forward(self, x: Any) -> Any:
        """Returns x with entries added."""
        return _rarely.pad(x, *self._given)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        widths, mode, value, data_format = self._given
        return f"padding={list(widths)}, mode={mode}, value={value}, data_format={data_format}"


class Pad1D(_Pad):
    """Entries added around sequences."""

    _axes, _format = 1, "NCL"


class Pad2D(_Pad):
    """Entries added around images."""


class ZeroPad2D(_Pad):
    """Zeros added around images."""

    def __init__(self, padding: Any, data_format: str = "NCHW", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)


class Dropout2D(Layer):
    """Whole channels set to 0 with the probability p, while training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: Any = None) -> None:
        super().__init__()
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """Returns the input with some of its channels 0."""
        return _rarely.dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}, data_format={self.data_format}"


class PReLU(Layer):
    """x above 0, and a weight that is learnt times x below it."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, weight_attr: Any = None, data_format: str = "NCHW",
        name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._data_format, self._start = data_format, init
        self.weight = self.create_parameter(
            [num_parameters], attr=weight_attr, default_initializer=initializer.Constant(init)
        )

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return _rarely.prelu(x, self.weight, self._data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        text = f"num_parameters={self.weight.shape[0]}, data_format={self._data_format}"
        return f"{text}, init={self._start}, dtype={self._dtype}"


class InstanceNorm2D(Layer):
    """Mean 0 and variance 1 over the space of each image and channel, then a scale and a bias.

    No statistics are kept, so `momentum` does nothing.
    """

    def __init__(
        self, num_features: int, epsilon: float = 1e-5, momentum: float = 0.9, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str = "NCHW", name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._num_features, self._epsilon, self._data_format = num_features, epsilon, data_format
        plain = weight_attr is False or bias_attr is False
        self.scale = (
            None
            if plain
            else self.create_parameter(
                [num_features], attr=weight_attr, default_initializer=initializer.Constant(1.0)
            )
        )
        self.bias = None if plain else self.create_parameter([num_features], attr=bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        return _rarely.instance_norm(
            input, weight=self.scale, bias=self.bias, eps=self._epsilon, data_format=self._data_format
        )

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(InstanceNorm2D):
    """Mean 0 and variance 1 over the length of each sequence and channel, then a scale and a bias."""

    def __init__(self, num_features: int, *arguments: Any, data_format: str = "NCL", **options: Any) -> None:
        super().__init__(num_features, *arguments, data_format=data_format, **options)  # type: ignore[misc]
