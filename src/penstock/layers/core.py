"""Layers of most models: dense layers, embeddings, activations and changes of shape."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import array
from penstock.functions.composite import composite
from penstock.layers import activations, constraints, regularizers
from penstock.layers.arguments import along, data_format_of, fraction, wholes
from penstock.layers.base import Layer
from penstock.layers.masks import Masks, low
from penstock.layers.options import Embedded, Leaky, Options, Plain
from penstock.ops import index, pointwise
from penstock.ops.linear import matmul
from penstock.ops.shape import reshape as _reshape
from penstock.ops.shape import transpose as _transpose
from penstock.ops.table import cast
from penstock.ops.validation import plain
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(2)
def dense(x: Any, kernel: Any) -> Tensor:
    """Returns the product of the last axis of x with a matrix."""
    if x.ndim <= 2:
        return (
            matmul(x, kernel)
            if x.ndim == 2
            else _reshape(matmul(_reshape(x, shape=(1, *x.shape)), kernel), shape=kernel.shape[-1:])
        )
    # One product of two matrices: a batch of them would be slower.
    rows = math.prod(x.shape[:-1])
    flat = matmul(_reshape(x, shape=(rows, x.shape[-1])), kernel)
    return _reshape(flat, shape=(*x.shape[:-1], kernel.shape[-1]))


@composite(3, "dense")
def dense_with_bias(x: Any, kernel: Any, bias: Any) -> Tensor:
    """Returns the product of the last axis of x with a matrix, plus a vector."""
    return dense(x, kernel) + bias  # type: ignore[no-any-return]


def whole(layer: Any, what: str, value: Any, least: int = 1) -> int:
    """Returns an integer; raises ArgumentError for anything else."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ArgumentError(
            f"{type(layer).__name__}: {what} is {value!r}.",
            remedy=f"Give a whole number of at least {least}.",
            site=here(),
        )
    return value


def check_last(layer: Any, x: Any, axis: int, expected: int) -> None:
    """Raises ShapeError if an input does not have the channels that the layer was built for."""
    shape = x._spec.shape
    if len(shape) < 2 or shape[axis] != expected:
        raise ShapeError(
            f"{layer._input_words} {layer.name!r} is incompatible with the layer: expected axis {axis} of "
            f"input shape to have value {expected}, but received input with shape {tuple(shape)}",
            origin=f"the layer was built for {expected} channels",
            remedy="Give it inputs like those of its first call, or create a new layer.",
            site=here(),
        )


class Dense(Layer):
    """activation(inputs @ kernel + bias) over the last axis: [..., n] gives [..., units].

    The variables are `kernel` [n, units] and `bias` [units].

    Args:
        units: the length of the last axis of the result, an int.
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
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.Dense(2, activation="relu", kernel_initializer="ones")
    >>> layer(ps.asarray([[1.0, 2.0, 3.0]]))
    Tensor([[6., 6.]], dtype=float32)
    >>> [tuple(variable.shape) for variable in layer.variables]
    [(3, 2), (2,)]
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        units: int,
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
        super().__init__(activity_regularizer=activity_regularizer, **options)
        self.units = whole(self, "units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = self._initializer(kernel_initializer)
        self.bias_initializer = self._initializer(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernel and the bias."""
        (features,) = along(self, input_shape, (-1,))
        self.kernel = self.add_weight(
            shape=(features, self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            name="kernel",
        )
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                name="bias",
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        kernel = self.kernel
        if inputs._spec.shape[-1:] != kernel._spec.shape[:1]:
            check_last(self, inputs, -1, kernel._spec.shape[0])
        bias = self.bias
        y = dense(inputs, kernel) if bias is None else dense_with_bias(inputs, kernel, bias)
        return y if self.activation is activations.linear else self._activated(y)


class Embedding(Layer):
    """The rows of a table at integer positions: [...] gives [..., output_dim].

    The only variable is `embeddings` [input_dim, output_dim]; its gradient is `ps.Rows`, and optimizers whose
    rule allows it update those rows alone. A position outside the table raises RangeError. With `mask_zero`,
    0 is padding: the layers that follow skip those steps.

    Args:
        input_dim: the number of rows, an int.
        output_dim: the length of a row, an int.
        embeddings_initializer: the initializer of the table, or its name.
        embeddings_regularizer: a penalty on the table: a regularizer or its name; None for none.
        embeddings_constraint: a constraint on the table, applied after each update; None for none.
        mask_zero: whether id 0 is padding, and masked.
        weights: the initial table, or None.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> layer = ps.layers.Embedding(4, 2, embeddings_initializer="ones")
    >>> layer(ps.asarray([[3, 0]])).shape
    (1, 2, 2)
    """

    _takes_one = True

    _makes_masks = False

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        **options: Unpack[Embedded],
    ) -> None:
        length = options.pop("input_length", None)
        super().__init__(**options)
        self.input_dim = whole(self, "input_dim", input_dim)
        self.output_dim = whole(self, "output_dim", output_dim)
        self.input_length = length
        self.embeddings_initializer = self._initializer(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = bool(mask_zero)
        if self.mask_zero:
            Masks.active = True
        self.autocast = False
        if weights is not None:
            self.build(None)
            given = weights if isinstance(weights, list | tuple) else [weights]
            self.set_weights(given)

    def build(self, input_shape: Any = None) -> None:
        """Makes the table."""
        if self.built:
            return
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
            # Rows are looked up first and cast then: the gradient stays rows, and no table is cast.
            autocast=False,
            name="embeddings",
        )
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns which ids are not 0, with `mask_zero`."""
        return pointwise.not_equal.record((inputs, 0), {}, _frame(1)) if self.mask_zero else None

    def call(self, inputs: Any) -> Any:
        """Looks up the rows; fractional positions are truncated."""
        if inputs._spec.dtype.kind not in "iu":
            inputs = cast.record((inputs,), {"dtype": np.dtype(np.int32)}, _frame(1))
        rows = index.take.record((self.embeddings, inputs), {"axis": 0}, _frame(1))
        if self._compute is not self._dtype:
            rows = cast.record((rows,), {"dtype": self._compute}, _frame(1))
        return rows


class Activation(Layer):
    """An activation as a layer, by its word or as a function.

    Args:
        activation: a function, or its name; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `activation` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Activation("relu")(ps.asarray([-1.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """

    supports_masking = True

    def __init__(self, activation: Any, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return self._activated(inputs)


class ReLU(Layer):
    """relu with options: a slope below the threshold, a largest value.

    Args:
        max_value: the largest result, a number; None for none.
        negative_slope: the slope below 0, a number.
        threshold: the input at which the slope begins, a number.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `max_value`, `negative_slope`, `threshold` or an input has a value that is not
            allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.ReLU(max_value=6.0)(ps.asarray([-1.0, 9.0]))
    Tensor([0., 6.], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        if max_value is not None:
            max_value = fraction(self, "max_value", max_value)
        negative_slope = fraction(self, "negative_slope", negative_slope or 0.0)
        threshold = fraction(self, "threshold", threshold or 0.0)
        if (max_value is not None and max_value < 0) or negative_slope < 0 or threshold < 0:
            raise ArgumentError(
                f"ReLU: max_value={max_value}, negative_slope={negative_slope}, threshold={threshold}: none "
                "of them may be negative.",
                site=here(),
            )
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Layer):
    """x where it is positive, `negative_slope` times x elsewhere.

    Args:
        negative_slope: the slope below 0, a number.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `negative_slope` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.LeakyReLU(0.5)(ps.asarray([-1.0, 2.0]))
    Tensor([-0.5,  2. ], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(self, negative_slope: float = 0.3, **options: Unpack[Leaky]) -> None:
        if "alpha" in options:
            negative_slope = options.pop("alpha")
        super().__init__(**options)
        self.negative_slope = fraction(self, "negative_slope", negative_slope)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Args:
        alpha: the factor, a number.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `alpha` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.ELU()(ps.asarray([0.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(self, alpha: float = 1.0, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.alpha = fraction(self, "alpha", alpha)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return activations.WORDS["elu"](inputs, self.alpha)


class PReLU(Layer):
    """x where it is positive, alpha * x elsewhere; `alpha` is trained, one for each position of the input.

    Args:
        alpha_initializer: the initializer of the slopes, or its name.
        alpha_regularizer: a penalty on the slopes: a regularizer or its name; None for none.
        alpha_constraint: a constraint on the slopes, applied after each update; None for none.
        shared_axes: axes along which a factor is shared.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `alpha_initializer`, `alpha_regularizer`, `alpha_constraint` or an input has a value
            that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.PReLU(alpha_initializer=0.5)(ps.asarray([[-1.0, 2.0]]))
    Tensor([[-0.5,  2. ]], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.alpha_initializer = self._initializer(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes

    def build(self, input_shape: Any) -> None:
        """Makes the slopes."""
        lengths = list(input_shape[1:])
        for axis in self.shared_axes or ():
            lengths[axis - 1] = 1
        self.alpha = self.add_weight(
            shape=tuple(lengths),
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
            name="alpha",
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        relu = activations.WORDS["relu"]
        return relu(inputs) - relu(-inputs) * self.alpha


class Softmax(Layer):
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        axis: the axis, an int, or a sequence of axes where the layer takes several.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `axis` or an input has the wrong shape, or names an axis that is not there.
        DTypeError: if `axis` or an input has the wrong dtype or type.
        ArgumentError: if an input has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.layers.Softmax()(ps.asarray([[1.0, 1.0]]))
    Tensor([[0.5, 0.5]], dtype=float32)
    """

    supports_masking = True

    def __init__(self, axis: int = -1, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the layer; masked elements are 0 and do not count."""
        softmax = activations.WORDS["softmax"]
        if mask is None:
            return self._kept_logits(softmax(inputs, self.axis), inputs)
        spec, given = inputs._spec, tuple(mask._spec.shape)
        lengths = zip(reversed(given), reversed(spec.shape), strict=False)
        if len(given) > len(spec.shape) or any(m not in (1, n) for m, n in lengths):
            raise ArgumentError(
                "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the "
                f"corresponding input dimension. Received: inputs.shape={tuple(spec.shape)}, "
                f"mask.shape={given}",
                site=here(),
            )
        return array.where(mask, softmax(array.where(mask, inputs, low(spec.dtype)), self.axis), 0.0)


class Flatten(Layer):
    """Every example as one row: [batch, ...] gives [batch, n].

    Args:
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Flatten()(ps.zeros((2, 3, 4))).shape
    (2, 12)
    """

    _takes_one = True

    def __init__(self, data_format: str | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.data_format = data_format_of(self, data_format)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        shape = inputs._spec.shape
        if self.data_format == "channels_first" and len(shape) > 2:
            inputs = _transpose.record((inputs,), {"axes": (0, *range(2, len(shape)), 1)}, _frame(1))
        final = (shape[0], math.prod(shape[1:])) if shape else (1, 1)
        return _reshape.record((inputs,), {"shape": final}, _frame(1))


class Reshape(Layer):
    """Every example in another shape, one of whose lengths may be -1.

    Args:
        target_shape: the shape without the batch; one length may be -1.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `target_shape` or an input has the wrong shape, or names an axis that is not there.
        ArgumentError: if `target_shape` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Reshape((2, -1))(ps.zeros((5, 6))).shape
    (5, 2, 3)
    """

    _takes_one = True

    def __init__(self, target_shape: Sequence[int], **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.target_shape = wholes(self, "target_shape", target_shape)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        shape = inputs._spec.shape
        size, lengths = math.prod(shape[1:]), list(self.target_shape)
        rest = math.prod(n for n in lengths if n != -1)
        if -1 in lengths and rest and size % rest == 0:
            lengths[lengths.index(-1)] = size // rest
        if math.prod(lengths) != size:
            raise ShapeError(
                f"The total size of the tensor must be unchanged. Received: input_shape={tuple(shape[1:])}, "
                f"target_shape={self.target_shape}",
                site=here(),
            )
        return _reshape.record((inputs,), {"shape": (shape[0], *lengths)}, _frame(1))


class Permute(Layer):
    """The axes of every example in another order; they count from 1.

    Args:
        dims: every axis but the batch once, in the new order, from 1.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `dims` or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Permute((2, 1))(ps.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """

    _takes_one = True

    def __init__(self, dims: Sequence[int], **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.dims = wholes(self, "dims", dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ArgumentError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}",
                site=here(),
            )

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return _transpose.record((inputs,), {"axes": (0, *self.dims)}, _frame(1))


class RepeatVector(Layer):
    """A row of every example repeated n times: [batch, m] gives [batch, n, m].

    Args:
        n: how often, an int.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `n` or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.RepeatVector(3)(ps.zeros((5, 2))).shape
    (5, 3, 2)
    """

    _takes_one = True

    def __init__(self, n: int, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.n = whole(self, "n", n)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        if len(inputs._spec.shape) != 2:
            raise ShapeError(
                f"RepeatVector {self.name!r} was called with an input of shape {tuple(inputs._spec.shape)}.",
                why="It takes [batch, features].",
                remedy="Flatten it first.",
                site=here(),
            )
        batch, length = inputs._spec.shape
        return array.broadcast_to(array.expand_dims(inputs, axis=1), (batch, self.n, length))


def _parameters(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Returns the parameters of a function, if its signature is known."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


class Lambda(Layer):
    """A function as a layer. Variables that it reads do not belong to the layer.

    A function with a parameter `training` or `mask` receives that of the call. `mask` is the mask of the
    result, or a function of the input and its mask that returns it. (`output_shape` makes no difference:
    shapes are known in any case.)

    Args:
        function: a function of tensors.
        output_shape: makes no difference, as shapes are known.
        mask: booleans, or a function of the input and its mask; None for no mask.
        arguments: further arguments of the function, a mapping.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    >>> import penstock as ps
    >>> ps.layers.Lambda(lambda x: x * 2)(ps.asarray([1.0]))
    Tensor([2.], dtype=float32)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.function, self.arguments, self.mask = function, arguments or {}, mask
        self.supports_masking = mask is not None
        takes = _parameters(function)
        self._asks = tuple([name for name in ("mask", "training") if name in takes])

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask given to the layer."""
        if not self.supports_masking:
            return super().compute_mask(inputs, mask)
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """Computes the layer."""
        of_call = {"mask": mask, "training": training}
        return self.function(inputs, **self.arguments, **{name: of_call[name] for name in self._asks})


class Rescaling(Layer):
    """The input times `scale`, plus `offset`: 1 / 127.5 and -1 bring 0 .. 255 to -1 .. 1.

    Args:
        scale: the factor, a number.
        offset: a number to add.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `scale`, `offset` or an input has a value that is not allowed.
        ShapeError: if `scale` or `offset` has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Rescaling(1 / 127.5, offset=-1.0)(ps.asarray([0, 255]))
    Tensor([-1.,  1.], dtype=float32)
    """

    _takes_one = True
    supports_masking = True

    def __init__(self, scale: Any, offset: Any = 0.0, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        for what, value in (("scale", scale), ("offset", offset)):
            try:
                np.asarray(value, np.float64)
            except (TypeError, ValueError):
                remedy = "Give a number, or one for each channel."
                raise ArgumentError(f"Rescaling: {what} is {value!r}.", remedy=remedy, site=here()) from None
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        scale, offset = (np.asarray(one, self._compute) for one in (self.scale, self.offset))
        return array.astype(inputs, self._compute) * scale + offset


class Identity(Layer):
    """The input, unchanged.

    Raises:
        ArgumentError: if an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Identity()(ps.asarray([1.0]))
    Tensor([1.], dtype=float32)
    """

    supports_masking = True

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return inputs


__all__: list[str] = [
    "ELU",
    "Activation",
    "Dense",
    "Embedding",
    "Flatten",
    "Identity",
    "Lambda",
    "LeakyReLU",
    "PReLU",
    "Permute",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "Softmax",
]
