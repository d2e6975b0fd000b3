"""Dropout of elements and of whole channels, and the layers it makes."""

from __future__ import annotations

import sys
from typing import Any

from penstock.ops import pointwise
from penstock.paddle import _creation
from penstock.paddle import _seeded as seeded
from penstock.paddle._convert import operand, record
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError, StoppedError
from penstock.paddle._writing import changed
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here

_frame = sys._getframe


@in_functional
def dropout(
    x: Any, p: float = 0.5, axis: Any = None, training: bool = True, inplace: Any = False,
    mode: str = "upscale_in_train", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with elements set to 0 with the probability p, the others made larger to make up for it.

    With `inplace` x takes the result's place, and is returned.
    """
    if isinstance(inplace, str):
        raise InvalidValueError(
            f"dropout() was given {inplace!r} as inplace.",
            why="The mode stood at this place before Paddle 3.3, which drops elements in place here.",
            remedy=f"Write mode={inplace!r}.",
            site=here(),
        )
    if inplace:
        return changed(operand(x), dropout(x, p, axis, training, False, mode), "dropout_", _frame(1))
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise InvalidValueError(
            "mode argument should be 'downscale_in_infer' or 'upscale_in_train'", site=here()
        )
    if not 0 <= p <= 1:
        raise InvalidValueError("p argument should between 0 and 1", site=here())
    up = mode == "upscale_in_train"
    if p == 0:
        return x
    if not training:
        if not up:
            return x * (1.0 - p)
        return operand(x) if axis is not None else record(pointwise.identity, (operand(x),), {}, _frame(1))
    if p == 1:
        return x * 0.0
    own = operand(x)._spec.shape
    axes = range(len(own)) if axis is None else [axis] if isinstance(axis, int) else axis
    lengths = tuple([n if i in axes else 1 for i, n in enumerate(own)])
    kept = kept_elements(lengths, float(p), 0 if axis is not None else seeded.fixed.seed)
    if axis is not None:
        # As in Paddle, whose elements keep their signs, and stay NaN.
        return (x * (1.0 / (1.0 - p)) if up else x) * kept.astype(operand(x)._spec.dtype.name)
    masked = record(pointwise.where, (kept, x, 0.0), {}, _frame(1))
    return masked / (1.0 - p) if up else masked


def kept_elements(lengths: tuple[int, ...], p: float, seed: int = 0) -> Any:
    """Returns which elements are not dropped."""
    found = seeded.tensor("kept", lengths, p, seed=seed)
    return _creation.rand(lengths) >= p if found is None else found


@in_functional
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Returns sequences [N, C, L] or [C, L] of which whole channels are set to 0 with the probability p.

    `inplace` does nothing, as in Paddle.
    """
    if not 0 <= p <= 1:
        raise InvalidValueError(f"dropout probability must be in [0, 1], got {p}", site=here())
    x = operand(input)
    if x._spec.ndim not in (2, 3):
        raise StoppedError(f"dropout1d expects 2D or 3D input, got {x._spec.ndim}D", site=here())
    return dropout(x, p, axis=x._spec.ndim - 2, training=training)


@in_functional
def dropout2d(
    x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCHW", name: Any = None
) -> Any:
    """Returns images of which whole channels are set to 0 with the probability p."""
    return dropout(x, p, axis=[0, 1] if data_format == "NCHW" else [0, 3], training=training)


@in_functional
def dropout3d(
    x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCDHW", name: Any = None
) -> Any:
    """Returns x with whole channels set to 0 with the probability p, while training."""
    x = operand(x)
    axis = [0, 1] if data_format == "NCDHW" else [0, 4]
    return dropout(x, p, axis=axis, training=training)


def _alpha_dropped(x: Any, p: float, training: bool, shape: tuple[int, ...]) -> Any:
    if not 0 <= p <= 1:
        raise InvalidValueError("p argument should between 0 and 1", site=here())
    if not training or p == 0.0:
        return x
    low = -1.6732632423543772 * 1.0507009873554805
    if p == 1.0:
        return x * 0.0
    kept = kept_elements(shape, p).astype(x._spec.dtype.name)
    scale = ((1.0 - p) * (1.0 + p * low**2)) ** -0.5
    return (x * kept + low * (1.0 - kept)) * scale - scale * low * p


@in_functional
def alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: Any = None) -> Any:
    """Returns x with some elements at the low end of SELU, and mean and variance kept, while training."""
    x = operand(x)
    return _alpha_dropped(x, p, training, tuple(x._spec.shape))


@in_functional
def feature_alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: Any = None) -> Any:
    """Returns x with whole channels dropped as in `alpha_dropout`."""
    x = operand(x)
    shape = (*x._spec.shape[:2], *[1] * (x._spec.ndim - 2))
    return _alpha_dropped(x, p, training, shape)


# -- layers ----------------------------------------------------------------------------------------------


@in_nn
class Dropout(Layer):
    """Sets elements to 0 with a probability, while training."""

    def __init__(
        self, p: float = 0.5, inplace: bool = False, axis: Any = None, mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.p, self.inplace, self.axis, self.mode, self.name = p, inplace, axis, mode, name

    def forward(self, input: Any) -> Any:
        """Returns the input with some elements set to 0."""
        return dropout(input, self.p, self.axis, self.training, self.inplace, self.mode)

    def extra_repr(self) -> str:
        """Returns the probability and the mode."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace={self.inplace}"


@in_nn
class Dropout2D(Layer):
    """Whole channels set to 0 with the probability p, while training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: Any = None) -> None:
        super().__init__()
        self.p, self.data_format, self.name = p, data_format, name

    def forward(self, input: Any) -> Any:
        """Returns the input with some of its channels 0."""
        return dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}, data_format={self.data_format}"


@in_nn
class Dropout3D(Layer):
    """Whole channels set to 0 with the probability p, while training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: Any = None) -> None:
        super().__init__()
        self.p, self.data_format, self.name = p, data_format, name

    def forward(self, input: Any) -> Any:
        """Returns the input with some of its channels 0."""
        return dropout3d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}, data_format={self.data_format}"


@in_nn
class AlphaDropout(Layer):
    """Elements at the low end of SELU with the probability p, while training."""

    _dropped = staticmethod(alpha_dropout)

    def __init__(self, p: float = 0.5, name: Any = None) -> None:
        super().__init__()
        self.p, self.name = p, name

    def forward(self, input: Any) -> Any:
        """Returns the input with some elements dropped."""
        return self._dropped(input, self.p, self.training)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"p={self.p}"


@in_nn
class FeatureAlphaDropout(AlphaDropout):
    """Whole channels at the low end of SELU with the probability p, while training."""

    _dropped = staticmethod(feature_alpha_dropout)
