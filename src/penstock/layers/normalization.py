"""Normalising layers: by the batch and its moving statistics, or within each example."""

from __future__ import annotations

import math
import sys
from typing import Any, Unpack

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions.composite import composite
from penstock.functions.normalization import (
    batch_normalization,
    layer_normalization,
    moments,
    rms_normalization,
)
from penstock.functions.resize import l2_normalize
from penstock.layers import constraints
from penstock.layers.arguments import along, axis_of, number, wholes
from penstock.layers.base import Layer, honoured
from penstock.layers.core import whole
from penstock.layers.options import Options, Renormalized
from penstock.ops import pointwise, reduce
from penstock.ops.shape import reshape
from penstock.ops.table import cast
from penstock.state.members import note_statistic
from penstock.state.variable import updating
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor

_frame = sys._getframe
SINGLE = np.dtype(np.float32)


@composite(2, "moving_average")
def moved(average: Any, value: Any, momentum: float) -> Tensor:
    """Returns a moving average after one more value."""
    return average * momentum + value * (1.0 - momentum)  # type: ignore[no-any-return]


@composite(2, "masked_moments")
def masked_moments(x: Any, mask: Any, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Returns the mean and variance of the elements where a mask [..., 1] is true; 0 for none."""
    repeated = math.prod(x.shape[axis] for axis in axes if mask.shape[axis] == 1)
    count = reduce.sum(cast(mask, dtype=x.dtype), axes=axes, keepdims=True) * float(repeated)
    kept = pointwise.maximum(count, 1.0)
    mean = reduce.sum(pointwise.where(mask, x, 0.0), axes=axes, keepdims=True) / kept
    squares = pointwise.where(mask, pointwise.square(x - mean), 0.0)
    variance = reduce.sum(squares, axes=axes, keepdims=False)
    return reshape(mean, shape=variance.shape), variance / reshape(kept, shape=kept.shape[-1:])


def widened(x: Any) -> Any:
    """Returns half-precision values as float32, in which squares do not overflow; other values unchanged."""
    dtype = x._spec.dtype
    if dtype.itemsize >= 4 or dtype.kind not in "fV":
        return x
    return cast.record((x,), {"dtype": SINGLE}, _frame(1))


def narrowed(layer: Any, x: Any) -> Any:
    """Returns a value computed in float32 in the dtype of the layer's result."""
    dtype = layer._compute
    return x if x._spec.dtype is dtype else cast.record((x,), {"dtype": dtype}, _frame(1))


def _add_factor_and_shift(layer: Any, shape: tuple[int, ...]) -> None:
    """Makes gamma and beta of a layer, where it has them."""
    if layer.scale:
        layer.gamma = layer.add_weight(
            shape=shape, initializer=layer.gamma_initializer, regularizer=layer.gamma_regularizer,
            constraint=layer.gamma_constraint, autocast=False, name="gamma",
        )  # fmt: skip
    if layer.center:
        layer.beta = layer.add_weight(
            shape=shape, initializer=layer.beta_initializer, regularizer=layer.beta_regularizer,
            constraint=layer.beta_constraint, autocast=False, name="beta",
        )  # fmt: skip


class BatchNormalization(Layer):
    """Brings each channel to mean `beta` and standard deviation `gamma` (Ioffe and Szegedy, 2015).

    With `training=True` it uses the mean and variance of the batch, over all axes except `axis`, and updates
    `moving_mean` and `moving_variance`: new = momentum * old + (1 - momentum) * batch. Otherwise it uses
    these moving statistics. A layer that is not `trainable` always uses them and does not update them, so a
    frozen part of a model does not drift. The variance is divided by the count. Masked steps do not count.
    (`synchronized` makes no difference: on several devices a batch is one batch in any case.)

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        momentum: the share of the moving average that each step keeps.
        epsilon: a number that is added to avoid division by 0.
        center: whether an offset `beta` is trained.
        scale: whether a factor `gamma` is trained.
        beta_initializer: the initializer of the offset, or its name.
        gamma_initializer: the initializer of the factor, or its name.
        moving_mean_initializer: the initializer of the moving mean, or its name.
        moving_variance_initializer: the initializer of the moving variance, or its name.
        beta_regularizer: a penalty on the offset: a regularizer or its name; None for none.
        gamma_regularizer: a penalty on the factor: a regularizer or its name; None for none.
        beta_constraint: a constraint on the offset, applied after each update; None for none.
        gamma_constraint: a constraint on the factor, applied after each update; None for none.
        synchronized: accepted for compatibility with Keras: statistics are always those of the whole batch.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.BatchNormalization(momentum=0.5, epsilon=0.0)
    >>> layer(ps.asarray([[1.0], [3.0]]), training=True)
    Tensor([[-1.],
     [ 1.]], dtype=float32)
    >>> layer.moving_mean.numpy(), layer.moving_variance.numpy()
    (array([1.], dtype=float32), array([1.], dtype=float32))
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        synchronized: bool = False,
        **options: Unpack[Renormalized],
    ) -> None:
        for later in ("renorm", "renorm_clipping"):
            if options.pop(later, None):  # type: ignore[misc]
                raise ArgumentError(f"BatchNormalization: {later} is not supported yet.", site=here())
        options.pop("renorm_momentum", None)
        super().__init__(**options)
        self.axis = axis_of(self, axis)
        self.momentum, self.epsilon = number(self, "momentum", momentum), number(self, "epsilon", epsilon)
        self.center, self.scale = center, scale
        self.beta_initializer = self._initializer(beta_initializer)
        self.gamma_initializer = self._initializer(gamma_initializer)
        self.moving_mean_initializer = self._initializer(moving_mean_initializer)
        self.moving_variance_initializer = self._initializer(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes gamma, beta and the moving statistics."""
        shape = along(self, input_shape, (self.axis,))
        _add_factor_and_shift(self, shape)
        self.moving_mean = self.add_weight(
            shape=shape, initializer=self.moving_mean_initializer, trainable=False, autocast=False,
            name="moving_mean",
        )  # fmt: skip
        self.moving_variance = self.add_weight(
            shape=shape, initializer=self.moving_variance_initializer, trainable=False, autocast=False,
            name="moving_variance",
        )  # fmt: skip
        note_statistic(self.moving_mean)
        note_statistic(self.moving_variance)
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Computes the layer."""
        inputs = widened(inputs)
        rank = len(inputs._spec.shape)
        if self.moving_mean._spec.shape != inputs._spec.shape[self.axis : self.axis + 1 or None]:
            raise ShapeError(
                f"{self._input_words} {self.name!r} is incompatible with the layer: expected axis "
                f"{self.axis} of input shape to have value {self.moving_mean._spec.shape[0]}, but received "
                f"input with shape {tuple(inputs._spec.shape)}",
                site=here(),
            )
        gamma = 1.0 if self.gamma is None else self.gamma
        beta = 0.0 if self.beta is None else self.beta
        mean, variance = self.moving_mean, self.moving_variance
        honoured(self, "_trainable", "momentum", "epsilon")
        if training and self._trainable and not self._locked():
            axes = tuple(i for i in range(rank) if i != self.axis % rank)
            if mask is None:
                mean, variance = moments(inputs, axes)
            else:
                mean, variance = masked_moments(inputs, self._checked(mask, inputs), axes)
            self._move(self.moving_mean, mean)
            self._move(self.moving_variance, variance)
        y = batch_normalization(inputs, mean, variance, beta, gamma, self.axis, self.epsilon)
        return narrowed(self, y)

    def _checked(self, mask: Any, inputs: Any) -> Any:
        """Returns a mask that has one axis less than the inputs with an additional axis."""
        lengths = tuple(inputs._spec.shape[:-1])
        if tuple(mask._spec.shape) != lengths:
            raise ArgumentError(
                f"BatchNormalization {self.name!r}: the mask has shape {tuple(mask._spec.shape)}, the input "
                f"{tuple(inputs._spec.shape)}.",
                why="A mask says for each position, features excluded, whether it counts toward mean and "
                "variance.",
                remedy=f"Give a mask of shape {lengths}.",
                site=here(),
            )
        return reshape.record((mask,), {"shape": (*lengths, 1)}, _frame(1))

    def _locked(self) -> bool:
        """Returns whether the statistics must not be written: a locked layer works as in inference."""
        return bool(self.moving_mean.locked or self.moving_variance.locked)

    def _move(self, statistic: Any, towards: Any) -> None:
        """Moves a statistic towards that of a batch; the write counts as state, not as an update."""
        own, frame = statistic._spec.dtype, user_frame(1)
        with updating(statistic, frame):
            value = moved(statistic, towards, self.momentum)
            if value._spec.dtype != own:
                value = cast.record((value,), {"dtype": own}, _frame(1))
            statistic._write("state", value, None, frame)


class LayerNormalization(Layer):
    """Brings each example to mean `beta` and standard deviation `gamma` over `axis` (Ba and others, 2016).

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        epsilon: a number that is added to avoid division by 0.
        center: whether an offset `beta` is trained.
        scale: whether a factor `gamma` is trained.
        beta_initializer: the initializer of the offset, or its name.
        gamma_initializer: the initializer of the factor, or its name.
        beta_regularizer: a penalty on the offset: a regularizer or its name; None for none.
        gamma_regularizer: a penalty on the factor: a regularizer or its name; None for none.
        beta_constraint: a constraint on the offset, applied after each update; None for none.
        gamma_constraint: a constraint on the factor, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.LayerNormalization(epsilon=0.0)(ps.asarray([[1.0, 3.0]]))
    Tensor([[-1.,  1.]], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.axis: Any = tuple(sorted(wholes(self, "axis", axis)))
        self.epsilon = number(self, "epsilon", epsilon)
        self.center, self.scale = center, scale
        self.beta_initializer = self._initializer(beta_initializer)
        self.gamma_initializer = self._initializer(gamma_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes gamma and beta."""
        shape = along(self, input_shape, self.axis)
        _add_factor_and_shift(self, shape)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        gamma = 1.0 if self.gamma is None else self.gamma
        beta = 0.0 if self.beta is None else self.beta
        return narrowed(self, layer_normalization(widened(inputs), gamma, beta, self.axis, self.epsilon))


class UnitNormalization(Layer):
    """Divides by the length over `axis`, so that it becomes 1; zeros stay zeros.

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `axis` or an input has the wrong shape, or names an axis that is not there.
        ArgumentError: if `axis` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.UnitNormalization()(ps.asarray([[3.0, 4.0]]))
    Tensor([[0.6, 0.8]], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(self, axis: Any = -1, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.axis: Any = wholes(self, "axis", axis) if isinstance(axis, list | tuple) else axis_of(self, axis)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return l2_normalize(inputs, self.axis)


class RMSNormalization(Layer):
    """Divides each example by the root of its mean square, times `scale` (Zhang and Sennrich, 2019).

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        epsilon: a number that is added to avoid division by 0.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `axis`, `epsilon` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.RMSNormalization(epsilon=0.0)(ps.asarray([[3.0, 3.0]]))
    Tensor([[1., 1.]], dtype=float32)
    """

    _takes_one = True

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.axis: Any = wholes(self, "axis", axis)
        self.epsilon = number(self, "epsilon", epsilon)

    def build(self, input_shape: Any) -> None:
        """Makes the scale."""
        shape = along(self, input_shape, self.axis)
        self.scale = self.add_weight(shape=shape, initializer="ones", name="scale")
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return narrowed(self, rms_normalization(widened(inputs), self.scale, self.axis, self.epsilon))


@composite(3, "group_normalization")
def group_normalized(x: Any, gamma: Any, beta: Any, groups: int, axis: int, epsilon: float) -> Tensor:
    """Returns x with mean 0 and variance 1 over groups of its channels, times gamma, plus beta."""
    axis %= x.ndim
    lengths = (*x.shape[:axis], groups, x.shape[axis] // groups, *x.shape[axis + 1 :])
    grouped = reshape(x, shape=lengths)
    axes = tuple(i for i in range(1, len(lengths)) if i != axis)
    mean = reduce.mean(grouped, axes=axes, keepdims=True)
    centered = grouped - mean
    variance = reduce.mean(centered * centered, axes=axes, keepdims=True)
    normal = reshape(centered / (variance + epsilon) ** 0.5, shape=x.shape)
    along = tuple(n if i == axis else 1 for i, n in enumerate(x.shape))
    gamma, beta = (reshape(one, shape=along) if one.shape else one for one in (gamma, beta))
    return normal * gamma + beta  # type: ignore[no-any-return]


class GroupNormalization(Layer):
    """Brings groups of channels of each example to mean 0 and variance 1 (Wu and He, 2018).

    `groups=-1` makes each channel a separate group (instance normalization).

    Args:
        groups: the number of groups of channels, an int.
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        epsilon: a number that is added to avoid division by 0.
        center: whether an offset `beta` is trained.
        scale: whether a factor `gamma` is trained.
        beta_initializer: the initializer of the offset, or its name.
        gamma_initializer: the initializer of the factor, or its name.
        beta_regularizer: a penalty on the offset: a regularizer or its name; None for none.
        gamma_regularizer: a penalty on the factor: a regularizer or its name; None for none.
        beta_constraint: a constraint on the offset, applied after each update; None for none.
        gamma_constraint: a constraint on the factor, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.GroupNormalization(groups=2)(ps.zeros((1, 4, 4, 6))).shape
    (1, 4, 4, 6)
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.groups, self.axis = whole(self, "groups", groups, -1), axis_of(self, axis)
        self.epsilon = number(self, "epsilon", epsilon)
        self.center, self.scale = center, scale
        self.beta_initializer = self._initializer(beta_initializer)
        self.gamma_initializer = self._initializer(gamma_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes gamma and beta."""
        (channels,) = along(self, input_shape, (self.axis,))
        if self.groups == -1:
            self.groups = channels
        if self.groups < 1 or channels % self.groups:
            raise ArgumentError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels "
                f"({channels}).",
                why="Every group takes the same number of channels.",
                site=here(),
            )
        _add_factor_and_shift(self, (channels,))
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        gamma = 1.0 if self.gamma is None else self.gamma
        beta = 0.0 if self.beta is None else self.beta
        y = group_normalized(widened(inputs), gamma, beta, self.groups, self.axis, self.epsilon)
        return narrowed(self, y)


__all__: list[str] = [
    "BatchNormalization",
    "GroupNormalization",
    "LayerNormalization",
    "RMSNormalization",
    "UnitNormalization",
]
