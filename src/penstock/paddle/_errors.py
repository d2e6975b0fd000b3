"""The exceptions of the dialect: Paddle's types, with the facts that Penstock knows about the cause."""

from __future__ import annotations

from penstock.errors import DTypeError, PenstockError, ShapeError


class InvalidTypeError(DTypeError):
    """Dtypes or types that Paddle does not take; a TypeError, as there."""


class InvalidValueError(PenstockError, ValueError):
    """An argument that a function does not accept; a ValueError, as in Paddle."""


class UnreachableError(InvalidValueError):
    """`paddle.grad` by a tensor that the output does not depend on."""


class BackwardTwiceError(PenstockError, SystemError):
    """A second backward pass through a graph that the first one has freed; Paddle's type is SystemError."""


class RefusedError(PenstockError, AssertionError):
    """Raised where Paddle has an assertion, such as for another shape in `set_value`."""


class StoppedError(PenstockError, RuntimeError):
    """A request for gradients of a tensor that stops them; a RuntimeError, as in Paddle."""


class ChangedError(PenstockError, RuntimeError):
    """A gradient that needs a value which was written in place since; a RuntimeError, as in Paddle."""


class KernelError(PenstockError, RuntimeError, ValueError):
    """A gradient that none of Paddle's kernels gives; a RuntimeError there, or a ValueError."""


class WeightError(PenstockError, RuntimeError):
    """Weights of derivatives that have the wrong shape; a RuntimeError, as in Paddle."""


class InPlaceError(PenstockError, ValueError):
    """A leaf that training updates, changed in place."""


class MissingArgumentError(PenstockError, AttributeError):
    """An argument that Paddle asks for with an AttributeError."""


class NotThereError(PenstockError, NotImplementedError):
    """An argument or mode that the dialect does not have, or not yet."""


__all__ = [
    "BackwardTwiceError",
    "ChangedError",
    "DTypeError",
    "InPlaceError",
    "InvalidTypeError",
    "InvalidValueError",
    "KernelError",
    "MissingArgumentError",
    "NotThereError",
    "PenstockError",
    "RefusedError",
    "ShapeError",
    "StoppedError",
    "UnreachableError",
    "WeightError",
]
