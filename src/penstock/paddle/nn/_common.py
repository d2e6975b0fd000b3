"""Layers of common use: linear, embedding, activations, dropout, normalisation, losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from penstock.paddle import _manipulation
from penstock.paddle._autograd import no_grad
from penstock.paddle.nn import functional as F
from penstock.paddle.nn import initializer
from penstock.paddle.nn._layer import Standard as Layer


class Linear(Layer):
    """x @ weight + bias; the weight has shape [in_features, out_features].

    >>> from penstock import paddle
    >>> paddle.nn.Linear(2, 3)
    Linear(in_features=2, out_features=3, dtype=float32)
    """

    def __init__(
        self, in_features: int, out_features: int, weight_attr: Any = None, bias_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name)
        self.in_features, self.out_features, self.name = in_features, out_features, name
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns input @ weight + bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes and the dtype."""
        name = f", name={self.name}" if self.name else ""
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._dtype}{name}"


class Embedding(Layer):
    """Rows of a table, by their positions."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: Any = None,
        norm_type: Any = 2.0, sparse: bool = False, scale_grad_by_freq: bool = False,
        weight_attr: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name)
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._padding_idx, self._sparse, self._name = padding_idx, sparse, name
        self._max_norm, self._norm_type, self._scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        default = initializer.XavierNormal()
        self.weight = self.create_parameter(
            [num_embeddings, embedding_dim], weight_attr, default_initializer=default
        )
        if padding_idx is not None and self.weight is not None:
            start = self.weight.numpy()
            start[padding_idx] = 0.0
            with no_grad():
                self.weight.set_value(start)

    def forward(self, x: Any) -> Any:
        """Returns the rows at these positions."""
        return F.embedding(
            x, self.weight, self._padding_idx, self._max_norm, self._norm_type, self._sparse,
            self._scale_grad_by_freq,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Returns the sizes."""
        text = f"{self._num_embeddings}, {self._embedding_dim}"
        if self._padding_idx is not None:
            text += f", padding_idx={self._padding_idx}"
        return f"{text}, sparse={self._sparse}, scale_grad_by_freq={self._scale_grad_by_freq}"


class Identity(Layer):
    """Returns its input; `arguments` and `options` do nothing."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input


class Flatten(Layer):
    """Makes some axes one: all but the first."""

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        """Returns the input with fewer axes."""
        return _manipulation.flatten(input, self.start_axis, self.stop_axis)


class Dropout(Layer):
    """Sets elements to 0 with a probability, while training."""

    def __init__(
        self, p: float = 0.5, axis: Any = None, mode: str = "upscale_in_train", name: str | None = None
    ) -> None:
        super().__init__()
        self.p, self.axis, self.mode, self.name = p, axis, mode, name

    def forward(self, input: Any) -> Any:
        """Returns the input with some elements set to 0."""
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """Returns the probability and the mode."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace=False"


class LayerNorm(Layer):
    """Gives the last axes mean 0 and variance 1, then scales and shifts."""

    def __init__(
        self, normalized_shape: Any, epsilon: float = 1e-5, weight_attr: Any = None, bias_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        lengths = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._normalized_shape, self._epsilon = lengths, epsilon
        one = initializer.Constant(1.0)
        # One row of numbers, however many axes are normalised: so Paddle keeps and saves them.
        count = [math.prod(lengths)]
        self.weight = self.create_parameter(count, weight_attr, default_initializer=one)
        self.bias = self.create_parameter(count, bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns the input, normalised."""
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """Returns the lengths and epsilon."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class _Activation(Layer):
    """A function as a layer: `_names` are its arguments, with their defaults."""

    _function: Callable[..., Any]
    _names: tuple[tuple[str, Any], ...] = ()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()
        names = [name for name, _ in self._names]
        if len(arguments) > len(names) + 1:
            raise TypeError(
                f"{type(self).__name__}() takes {len(names)} arguments and a name, not {len(arguments)}"
            )
        if len(arguments) > len(names):
            options["name"] = arguments[-1]
        options.pop("name", None)
        given = dict(zip(names, arguments))
        for name, default in self._names:
            object.__setattr__(self, f"_{name}", options.pop(name, given.get(name, default)))
        if options:
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {next(iter(options))!r}"
            )

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return type(self)._function(x, *(getattr(self, f"_{name}") for name, _ in self._names))

    def extra_repr(self) -> str:
        """Returns the arguments."""
        shown = (name for name, _ in self._names if name not in ("data_format", "ceil_mode"))
        return ", ".join(f"{name}={getattr(self, f'_{name}')}" for name in shown)


def _activation(name: str, function: Callable[..., Any], *names: tuple[str, Any]) -> Any:
    docstring = f"The function `{function.__name__}` as a layer."
    members = {"_function": staticmethod(function), "_names": names, "__doc__": docstring}
    return type(name, (_Activation,), members)


ReLU = _activation("ReLU", F.relu)
ReLU6 = _activation("ReLU6", F.relu6)
LeakyReLU = _activation("LeakyReLU", F.leaky_relu, ("negative_slope", 0.01))
ELU = _activation("ELU", F.elu, ("alpha", 1.0))
SELU = _activation("SELU", F.selu, ("scale", 1.0507009873554805), ("alpha", 1.6732632423543772))
GELU = _activation("GELU", F.gelu, ("approximate", False))
Silu = _activation("Silu", F.silu, ("inplace", False))
Swish = _activation("Swish", F.silu)
Mish = _activation("Mish", F.mish)
Sigmoid = _activation("Sigmoid", F.sigmoid)
Tanh = _activation("Tanh", F.tanh)
Softplus = _activation("Softplus", F.softplus, ("beta", 1), ("threshold", 20))
Softsign = _activation("Softsign", F.softsign)
LogSigmoid = _activation("LogSigmoid", F.log_sigmoid)
Hardtanh = _activation("Hardtanh", F.hardtanh, ("min", -1.0), ("max", 1.0))
Hardsigmoid = _activation("Hardsigmoid", F.hardsigmoid)
Softmax = _activation("Softmax", F.softmax, ("axis", -1))
LogSoftmax = _activation("LogSoftmax", F.log_softmax, ("axis", -1))


class CrossEntropyLoss(Layer):
    """-log(softmax(input)) at the labels."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", soft_label: bool = False,
        axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._given = (weight, ignore_index, reduction, soft_label, axis, use_softmax, label_smoothing)

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.cross_entropy(input, label, *self._given)


class CTCLoss(Layer):
    """-log of the probability of label sequences, over all alignments: see `ctc_loss`."""

    def __init__(self, blank: int = 0, reduction: str = "mean") -> None:
        super().__init__()
        self.blank, self.reduction = blank, reduction

    def forward(
        self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, norm_by_times: bool = False
    ) -> Any:
        """Returns the loss."""
        return F.ctc_loss(
            log_probs, labels, input_lengths, label_lengths, self.blank, self.reduction, norm_by_times
        )


class _Loss(Layer):
    """A loss as a layer, with nothing but a reduction to choose."""

    _function: Callable[..., Any]

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none", "batchmean"):
            F.reduced(None, reduction)
        self.reduction = reduction

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return type(self)._function(input, label, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared difference."""

    _function = staticmethod(F.mse_loss)


class L1Loss(_Loss):
    """The absolute difference."""

    _function = staticmethod(F.l1_loss)


class KLDivLoss(Layer):
    """label * (log(label) - input), where input, and with `log_target` the label too, holds logarithms."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.kl_div(input, label, self.reduction, self.log_target)


class SmoothL1Loss(Layer):
    """Half the squared difference where it is below `delta`, and a straight line beyond."""

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True, name: Any = None
    ) -> None:
        super().__init__()
        self.reduction, self.delta, self.is_huber = reduction, delta, is_huber

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


class BCELoss(Layer):
    """The binary cross-entropy of chances between 0 and 1."""

    def __init__(self, weight: Any = None, reduction: str = "mean", name: Any = None) -> None:
        super().__init__()
        self._given = (weight, reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.binary_cross_entropy(input, label, *self._given)


class BCEWithLogitsLoss(Layer):
    """The binary cross-entropy of sigmoid(logit)."""

    def __init__(
        self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None, name: Any = None
    ) -> None:
        super().__init__()
        self._given = (weight, reduction, pos_weight)

    def forward(self, logit: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.binary_cross_entropy_with_logits(logit, label, *self._given)


class NLLLoss(Layer):
    """Minus the log-probability at each label."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", name: Any = None
    ) -> None:
        super().__init__()
        self._given = (weight, ignore_index, reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the loss."""
        return F.nll_loss(input, label, *self._given)
