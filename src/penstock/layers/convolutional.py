"""Convolutional layers over one, two and three axes, and their transposes."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

from penstock.errors import ArgumentError
from penstock.functions.array import add, reshape
from penstock.functions.convolution import (
    conv,
    conv_transpose,
    depthwise_conv,
    hashable,
    lengths_of,
)
from penstock.layers import activations, constraints, regularizers
from penstock.layers.arguments import data_format_of
from penstock.layers.base import Layer
from penstock.layers.core import check_last, whole
from penstock.layers.options import Plain
from penstock.trace.source_site import here


class _Convolution(Layer):
    """The common part of convolutional layers: kernel, bias, strides, padding and activation."""

    _takes_one = True

    rank: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        strides: Any,
        padding: Any,
        data_format: Any,
        dilation_rate: Any,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        kernel_constraint: Any,
        bias_constraint: Any,
        options: Plain,
    ) -> None:
        Layer.__init__(self, activity_regularizer=activity_regularizer, **options)
        name = type(self).__name__
        self.kernel_size = lengths_of(name, "kernel_size", kernel_size, self.rank)
        self.strides = lengths_of(name, "strides", strides, self.rank)
        self.dilation_rate = lengths_of(name, "dilation_rate", dilation_rate, self.rank)
        if isinstance(padding, str):
            padding = padding.lower()
            allowed = ("valid", "same", "causal") if name == "Conv1D" else ("valid", "same")
            if padding not in allowed:
                raise ArgumentError(
                    f"{name}: padding is {padding!r}.",
                    remedy=f"Use one of {', '.join(allowed)}.",
                    site=here(),
                )
        self.padding = hashable(padding)
        self.data_format = data_format_of(self, data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = self._initializer(kernel_initializer)
        self.bias_initializer = self._initializer(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None

    @property
    def _axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def _make(self, kernel: tuple[int, ...], filters: int) -> None:
        self.kernel = self.add_weight(
            shape=kernel,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            name="kernel",
        )
        self._make_bias(filters)

    def _make_bias(self, filters: int) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                name="bias",
            )
        self.built = True

    def _check_rank(self, shape: Any) -> None:
        if len(shape) != self.rank + 2:
            raise ArgumentError(
                f"{self._input_words} {self.name!r} is incompatible with the layer: expected "
                f"min_ndim={self.rank + 2}, found ndim={len(shape)}. Full shape received: {tuple(shape)}",
                why=f"{type(self).__name__} takes [batch, {self.rank} lengths, channels].",
                remedy="Add the missing axis, for example x[..., None] for one channel.",
                site=here(),
            )

    def _finish(self, y: Any) -> Any:
        if self.bias is not None:
            bias = self.bias
            if self._axis == 1:
                bias = reshape(bias, (*bias._spec.shape, *(1,) * self.rank))
            y = add(y, bias)
        return y if self.activation is activations.linear else self._activated(y)


class _Conv(_Convolution):
    """A convolution with filters that see all channels, or those of their group."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **options: Unpack[Plain],
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, options,
        )  # fmt: skip
        self.filters, self.groups = whole(self, "filters", filters), whole(self, "groups", groups)
        if self.filters % self.groups:
            raise ArgumentError(
                "The number of filters must be evenly divisible by the number of groups. Received: "
                f"groups={groups}, filters={filters}.",
                site=here(),
            )

    def build(self, input_shape: Any) -> None:
        """Makes the kernel [*kernel_size, channels of a group, filters] and the bias."""
        self._check_rank(input_shape)
        channels = input_shape[self._axis]
        if channels % self.groups:
            raise ArgumentError(
                "The number of input channels must be evenly divisible by the number of groups. Received "
                f"groups={self.groups}, but the input has {channels} channels (full input shape is "
                f"{input_shape}).",
                site=here(),
            )
        self._make((*self.kernel_size, channels // self.groups, self.filters), self.filters)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        self._check_rank(inputs._spec.shape)
        check_last(self, inputs, self._axis, self.kernel._spec.shape[-2] * self.groups)
        padding = self.padding
        if padding == "causal":
            padding = (((self.kernel_size[0] - 1) * self.dilation_rate[0], 0),)
        return self._finish(
            conv(inputs, self.kernel, self.strides, padding, self.data_format, self.dilation_rate)
        )


class Conv1D(_Conv):
    """Convolution over one axis: [batch, steps, channels] gives [batch, places, filters].

    Padding may be "causal": zeros are added only before the first step.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions, or
            "causal".
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        groups: the number of groups of channels, an int.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv1D(4, 3, padding="causal")(ps.zeros((2, 8, 3))).shape
    (2, 8, 4)
    """

    rank = 1


class Conv2D(_Conv):
    """Convolution over two axes: [batch, height, width, channels] gives [batch, *places, filters].

    The variables are `kernel` [*kernel_size, channels, filters] and `bias` [filters]. See `ps.nn.conv` for
    `padding`, which may also be numbers of zeros.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        groups: the number of groups of channels, an int.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv2D(4, 3, strides=2, padding="same")(ps.zeros((2, 8, 8, 3))).shape
    (2, 4, 4, 4)
    """

    rank = 2


class Conv3D(_Conv):
    """Convolution over three axes: [batch, *lengths, channels] gives [batch, *places, filters].

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        groups: the number of groups of channels, an int.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv3D(4, 2)(ps.zeros((1, 3, 4, 5, 1))).shape
    (1, 2, 3, 4, 4)
    """

    rank = 3


class _ConvTranspose(_Convolution):
    """A transposed convolution: it lengthens axes that the convolution shortens."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **options: Unpack[Plain],
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, options,
        )  # fmt: skip
        self.filters = whole(self, "filters", filters)
        self.output_padding = None
        if output_padding is not None:
            name = type(self).__name__
            self.output_padding = lengths_of(name, "output_padding", output_padding, self.rank, 0)

    def build(self, input_shape: Any) -> None:
        """Makes the kernel [*kernel_size, filters, channels] and the bias."""
        self._check_rank(input_shape)
        self._make((*self.kernel_size, self.filters, input_shape[self._axis]), self.filters)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        self._check_rank(inputs._spec.shape)
        check_last(self, inputs, self._axis, self.kernel._spec.shape[-1])
        return self._finish(
            conv_transpose(
                inputs,
                self.kernel,
                self.strides,
                self.padding,
                self.output_padding,
                self.data_format,
                self.dilation_rate,
            )
        )


class Conv1DTranspose(_ConvTranspose):
    """Transposed convolution over one axis.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        output_padding: additional length of each axis of the result; None computes it.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if an argument has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv1DTranspose(4, 3, strides=2, padding="same")(ps.zeros((2, 5, 3))).shape
    (2, 10, 4)
    """

    rank = 1


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution over two axes, as in generators: see `ps.nn.conv_transpose` for the lengths.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        output_padding: additional length of each axis of the result; None computes it.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if an argument has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv2DTranspose(4, 5, strides=2, padding="same")(ps.zeros((2, 7, 7, 3))).shape
    (2, 14, 14, 4)
    """

    rank = 2


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution over three axes.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        output_padding: additional length of each axis of the result; None computes it.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if an argument has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Conv3DTranspose(2, 2, strides=2)(ps.zeros((1, 2, 2, 3, 1))).shape
    (1, 4, 4, 6, 2)
    """

    rank = 3


class _DepthwiseConv(_Convolution):
    """A convolution in which each channel has its own filters."""

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **options: Unpack[Plain],
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer,
            activity_regularizer, depthwise_constraint, bias_constraint, options,
        )  # fmt: skip
        self.depth_multiplier = whole(self, "depth_multiplier", depth_multiplier)

    def build(self, input_shape: Any) -> None:
        """Makes the kernel [*kernel_size, channels, depth_multiplier] and the bias."""
        self._check_rank(input_shape)
        channels = input_shape[self._axis]
        self._make((*self.kernel_size, channels, self.depth_multiplier), channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        self._check_rank(inputs._spec.shape)
        return self._finish(
            depthwise_conv(
                inputs, self.kernel, self.strides, self.padding, self.data_format, self.dilation_rate
            )
        )


class DepthwiseConv1D(_DepthwiseConv):
    """Convolution over one axis, channel by channel.

    Args:
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        depth_multiplier: the number of results of each channel, an int.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: the initializer of the depthwise kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        depthwise_regularizer: a penalty on the depthwise kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        depthwise_constraint: a constraint on the depthwise kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.DepthwiseConv1D(3, depth_multiplier=2)(ps.zeros((2, 8, 3))).shape
    (2, 6, 6)
    """

    rank = 1


class DepthwiseConv2D(_DepthwiseConv):
    """Convolution over two axes, channel by channel.

    Args:
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        depth_multiplier: the number of results of each channel, an int.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: the initializer of the depthwise kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        depthwise_regularizer: a penalty on the depthwise kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        depthwise_constraint: a constraint on the depthwise kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.DepthwiseConv2D(3, padding="same")(ps.zeros((2, 8, 8, 3))).shape
    (2, 8, 8, 3)
    """

    rank = 2


class _SeparableConv(_Convolution):
    """A depthwise convolution followed by one that mixes the channels of each place."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **options: Unpack[Plain],
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer,
            activity_regularizer, depthwise_constraint, bias_constraint, options,
        )  # fmt: skip
        self.filters = whole(self, "filters", filters)
        self.depth_multiplier = whole(self, "depth_multiplier", depth_multiplier)
        self.pointwise_initializer = self._initializer(pointwise_initializer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes both kernels and the bias."""
        self._check_rank(input_shape)
        channels = input_shape[self._axis]
        self.depthwise_kernel = self.add_weight(
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            name="depthwise_kernel",
        )
        self.pointwise_kernel = self.add_weight(
            shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            name="pointwise_kernel",
        )
        self._make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        self._check_rank(inputs._spec.shape)
        y = depthwise_conv(
            inputs, self.depthwise_kernel, self.strides, self.padding, self.data_format, self.dilation_rate
        )
        return self._finish(conv(y, self.pointwise_kernel, 1, "valid", self.data_format))


class SeparableConv1D(_SeparableConv):
    """Depthwise convolution over one axis, then a mixture of channels.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        depth_multiplier: the number of results of each channel, an int.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: the initializer of the depthwise kernel, or its name.
        pointwise_initializer: the initializer of the pointwise kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        depthwise_regularizer: a penalty on the depthwise kernel: a regularizer or its name; None for
            none.
        pointwise_regularizer: a penalty on the pointwise kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        depthwise_constraint: a constraint on the depthwise kernel, applied after each update; None for none.
        pointwise_constraint: a constraint on the pointwise kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SeparableConv1D(4, 3)(ps.zeros((2, 8, 3))).shape
    (2, 6, 4)
    """

    rank = 1


class SeparableConv2D(_SeparableConv):
    """Depthwise convolution over two axes, then a mixture of channels.

    Args:
        filters: the number of channels of the result, an int.
        kernel_size: the lengths of the kernel: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside the input only, "same" for as many windows as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        depth_multiplier: the number of results of each channel, an int.
        activation: a function, or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: the initializer of the depthwise kernel, or its name.
        pointwise_initializer: the initializer of the pointwise kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        depthwise_regularizer: a penalty on the depthwise kernel: a regularizer or its name; None for
            none.
        pointwise_regularizer: a penalty on the pointwise kernel: a regularizer or its name; None for
            none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        activity_regularizer: a penalty on the result: a regularizer or its name; None for none.
        depthwise_constraint: a constraint on the depthwise kernel, applied after each update; None for none.
        pointwise_constraint: a constraint on the pointwise kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if `kernel_size`, `strides`, `padding` or `dilation_rate` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SeparableConv2D(4, 3)(ps.zeros((2, 8, 8, 3))).shape
    (2, 6, 6, 4)
    """

    rank = 2


__all__: list[str] = [
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "SeparableConv1D",
    "SeparableConv2D",
]
