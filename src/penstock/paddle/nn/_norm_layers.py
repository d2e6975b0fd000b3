"""Layers that normalise over a batch or over groups of channels."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from penstock.paddle._creation import ParamAttr
from penstock.paddle._declaring import in_nn
from penstock.paddle._dtype import default_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import _activations, initializer
from penstock.paddle.nn._function_layers import layer_of
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._norm_functions import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
)
from penstock.state.members import note_statistic
from penstock.trace.source_site import here, warn_once


def _parameters(
    layer: Layer, count: int, weight_attr: Any, bias_attr: Any, names: tuple[Any, Any] | None,
    dtype: Any = None,
) -> None:  # fmt: skip
    one = initializer.Constant(1.0)
    layer.weight = layer.create_parameter([count], weight_attr, dtype, default_initializer=one)
    layer.bias = layer.create_parameter([count], bias_attr, dtype, is_bias=True)
    if names is not None:
        zero = initializer.Constant(0.0)
        for key, name, start in (("_mean", names[0], zero), ("_variance", names[1], one)):
            attr = ParamAttr(name=name, initializer=start, trainable=False)
            statistic = layer.create_parameter([count], attr)
            setattr(layer, key, statistic)
            if not layer._use_global_stats:
                note_statistic(statistic)


class _BatchNorm(Layer):
    """The statistics of a batch while training, and the noted ones in use; see `functional.batch_norm`."""

    _formats: ClassVar[tuple[str, ...]] = ("NCHW", "NHWC")
    _ranks: ClassVar[tuple[int, ...]] = (4,)
    _mean: Any
    _variance: Any

    def __init__(
        self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str | None = None, use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        # Statistics of two bytes would not move: they stay in float32, as in Paddle.
        super().__init__(dtype="float32" if default_dtype() == np.float16 else None)
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format = data_format or self._formats[0]
        self._use_global_stats, self._name = use_global_stats, name
        names = (None, None) if name is None else (f"{name}_mean", f"{name}_variance")
        _parameters(self, num_features, weight_attr, bias_attr, names)

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        if self._data_format not in self._formats:
            raise InvalidValueError(
                f"expected {' or '.join(self._formats)} for data_format input, but got {self._data_format}",
                site=here(),
            )
        rank = len(input._spec.shape)
        if rank not in self._ranks:
            raise InvalidValueError(
                f"expected {' or '.join(f'{n}D' for n in self._ranks)} input (got {rank}D input)",
                site=here(),
            )
        if self.training:
            warn_once(
                "When training, we now always track global mean and variance.",
            )
        return batch_norm(
            input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
            self._epsilon, self._data_format, self._use_global_stats,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Returns the sizes, and the settings that differ from their defaults."""
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text if self._name is None else f"{text}, name={self._name}"


@in_nn
class BatchNorm1D(_BatchNorm):
    """Gives each channel of [N, C] or [N, C, L] mean 0 and variance 1, then scales and shifts it.

    While training the statistics of the batch are noted in `_mean` and `_variance`.
    """

    _formats = ("NCL", "NC", "NLC")
    _ranks = (2, 3)


@in_nn
class BatchNorm2D(_BatchNorm):
    """Gives each channel of [N, C, H, W] mean 0 and variance 1, then scales and shifts it.

    While training the statistics of the batch are noted in `_mean` and `_variance`.

    >>> from penstock import paddle
    >>> paddle.nn.BatchNorm2D(3)
    BatchNorm2D(num_features=3, momentum=0.9, epsilon=1e-05)
    """


@in_nn
class SyncBatchNorm(BatchNorm2D):
    """BatchNorm2D, whose statistics are those of all devices: of the one there is."""

    _formats = ("NCHW", "NHWC", "NC", "NCL", "NLC", "NCDHW", "NDHWC")
    _ranks = (2, 3, 4, 5)

    @classmethod
    def convert_sync_batchnorm(cls, layer: Any) -> Any:
        """Returns a layer in which each BatchNorm is one of these, with its parameters and statistics."""
        found = layer
        if isinstance(layer, _BatchNorm) and not isinstance(layer, SyncBatchNorm):
            found = cls.__new__(cls)
            found.__dict__.update(layer.__dict__)
        for name, one in list(layer.named_children()):
            setattr(found, name, cls.convert_sync_batchnorm(one))
        return found


@in_nn
class BatchNorm3D(_BatchNorm):
    """Gives each channel of [N, C, D, H, W] mean 0 and variance 1, then scales and shifts it."""

    _formats = ("NCDHW", "NDHWC")
    _ranks = (5,)


@in_nn
class BatchNorm(Layer):
    """Gives each channel mean 0 and variance 1, then scales and shifts it; `act` comes after.

    `in_place` and `do_model_average_for_mean_and_var` do nothing.
    """

    _mean: Any
    _variance: Any

    def __init__(
        self, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
        epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, dtype: Any = "float32",
        data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
        moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False, trainable_statistics: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        self._momentum, self._epsilon, self._data_layout = momentum, epsilon, data_layout
        self._act, self._use_global_stats = act, use_global_stats
        self._trainable_statistics = trainable_statistics
        self.training = not is_test
        _parameters(self, num_channels, param_attr, bias_attr, (moving_mean_name, moving_variance_name))

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        given = self._use_global_stats or not (self.training or self._trainable_statistics)
        found = batch_norm(
            input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
            self._epsilon, self._data_layout, given,
        )  # fmt: skip
        return found if self._act is None else getattr(_activations, self._act)(found)


@in_nn
class GroupNorm(Layer):
    """Gives groups of channels of each example mean 0 and variance 1, then scales and shifts each channel.

    Without `affine` it does not scale and shift. `device` does nothing: there is one place.
    """

    def __init__(
        self, num_groups: int, num_channels: int, epsilon: float = 1e-5, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str = "NCHW", name: str | None = None,
        *, eps: float | None = None, affine: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        epsilon = epsilon if eps is None else eps
        self._num_groups, self._num_channels, self._epsilon = num_groups, num_channels, epsilon
        self._data_format = data_format
        weight_attr, bias_attr = (weight_attr, bias_attr) if affine else (False, False)
        _parameters(self, num_channels, weight_attr, bias_attr, None, dtype)

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        return group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format)

    def extra_repr(self) -> str:
        """Returns the sizes and epsilon."""
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


@in_nn
class LayerNorm(Layer):
    """Gives the last axes mean 0 and variance 1, then scales and shifts.

    Without `elementwise_affine` it does neither, without `bias` it does not shift. `device` does nothing:
    there is one place.
    """

    def __init__(
        self, normalized_shape: Any, epsilon: float = 1e-5, weight_attr: Any = None, bias_attr: Any = None,
        name: str | None = None, *, eps: float | None = None, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        epsilon = epsilon if eps is None else eps
        weight_attr = weight_attr if elementwise_affine else False
        bias_attr = bias_attr if elementwise_affine and bias else False
        lengths = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._normalized_shape, self._epsilon = lengths, epsilon
        one = initializer.Constant(1.0)
        # One row of numbers, however many axes are normalised: so Paddle keeps and saves them.
        count = [math.prod(lengths)]
        self.weight = self.create_parameter(count, weight_attr, dtype, default_initializer=one)
        self.bias = self.create_parameter(count, bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        return layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """Returns the lengths and epsilon."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


@in_nn
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
        plain = weight_attr is False
        if plain is not (bias_attr is False):
            raise AssertionError(
                "weight_attr and bias_attr must be set to False at the same time in InstanceNorm"
            )
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
        return instance_norm(
            input, weight=self.scale, bias=self.bias, eps=self._epsilon, data_format=self._data_format
        )

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


@in_nn
class InstanceNorm1D(InstanceNorm2D):
    """Mean 0 and variance 1 over the length of each sequence and channel, then a scale and a bias."""

    def __init__(self, num_features: int, *arguments: Any, data_format: str = "NCL", **options: Any) -> None:
        super().__init__(num_features, *arguments, data_format=data_format, **options)  # type: ignore[misc]


LocalResponseNorm = layer_of(
    "LocalResponseNorm", local_response_norm, "size alpha beta k data_format",
    known="size alpha beta k data_format name",
)  # fmt: skip
