"""Constraints on variables, which an optimizer applies to a value after updating it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.errors import ArgumentError
from penstock.functions.composite import composite
from penstock.layers.arguments import number
from penstock.lazy import listed
from penstock.ops import pointwise, reduce
from penstock.trace.captured import Baked
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

Axis = int | tuple[int, ...]

EPSILON = 1e-7
"""Added to a norm before a division by it, as in Keras."""


def _norm(x: Any, axis: Axis) -> Tensor:
    axes = reduce.normalize_axes("constraint", axis, x.shape)
    return pointwise.sqrt(reduce.sum(pointwise.square(x), axes=axes, keepdims=True))


@composite(1, "norm_between", wide=True)
def _norm_between(x: Any, low: float, high: float, rate: float, axis: Axis) -> Tensor:
    norm = _norm(x, axis)
    wanted = pointwise.clip(norm, low, high)
    if not isinstance(rate, float) or rate != 1.0:
        wanted = rate * wanted + (1.0 - rate) * norm
    return x * (wanted / (norm + EPSILON))  # type: ignore[no-any-return]


@composite(1, "unit_norm", wide=True)
def _unit_norm(x: Any, axis: Axis) -> Tensor:
    return x / (_norm(x, axis) + EPSILON)  # type: ignore[no-any-return]


@composite(1, "non_negative")
def _non_negative(x: Any) -> Tensor:
    return pointwise.maximum(x, 0)


class Constraint:
    """Called with a variable that an optimizer has just updated, it returns the value to store instead.

    Write a subclass with `__call__(w)`, or pass any function. It belongs to the variable
    (`variable.constraint`) and is applied in the same step, as a separate write in the ledger.

    >>> import penstock as ps
    >>> x = ps.Variable([1.0, 2.0])
    >>> x.constraint = ps.layers.constraints.NonNeg()
    >>> ps.optimizers.SGD(1.0).apply_gradients([(ps.asarray([3.0, 1.0]), x)])
    >>> x.numpy()
    array([0., 1.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        """Returns the value to store."""
        return w

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a constraint with these arguments."""
        return cls(**config)

    def _noted(self) -> None:
        """Notes that a captured step depends on the arguments."""
        trace = local.trace
        if trace.capturing:
            trace.bindings += [Baked(self, name) for name in vars(self)]

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_config().items())
        return f"{type(self).__name__}({arguments})"


class MaxNorm(Constraint):
    """Shortens vectors along `axis` whose Euclidean norm is above `max_value`.

    A dense kernel [n, units] has the vector of a unit along axis 0, a convolution's [rows, columns, channels,
    filters] that of a filter along (0, 1, 2).

    >>> import penstock as ps
    >>> ps.layers.constraints.MaxNorm(1.0)(ps.asarray([[3.0, 0.0], [4.0, 0.5]])).numpy().round(4)
    array([[0.6, 0. ],
           [0.8, 0.5]], dtype=float32)
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = number(self, "max_value", max_value), axis

    def __call__(self, w: Any) -> Any:
        self._noted()
        return _norm_between(w, 0.0, self.max_value, 1.0, _axis(self.axis))


class NonNeg(Constraint):
    """Replaces negative elements by 0.

    >>> import penstock as ps
    >>> ps.layers.constraints.NonNeg()(ps.asarray([-1.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        return _non_negative(w)


class UnitNorm(Constraint):
    """Divides vectors along `axis` by their Euclidean norm.

    >>> import penstock as ps
    >>> ps.layers.constraints.UnitNorm()(ps.asarray([3.0, 4.0]))
    Tensor([0.6, 0.8], dtype=float32)
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        self._noted()
        return _unit_norm(w, _axis(self.axis))


class MinMaxNorm(Constraint):
    """Moves the Euclidean norm of vectors along `axis` into the range min_value .. max_value.

    With `rate` below 1, a norm outside the range moves only that fraction of the way at each update.

    >>> import penstock as ps
    >>> halfway = ps.layers.constraints.MinMaxNorm(0.0, 1.0, rate=0.5)
    >>> halfway(ps.asarray([3.0, 4.0])).numpy().round(4)
    array([1.8, 2.4], dtype=float32)
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value = number(self, "min_value", min_value)
        self.max_value = number(self, "max_value", max_value)
        self.rate, self.axis = number(self, "rate", rate), axis

    def __call__(self, w: Any) -> Any:
        self._noted()
        return _norm_between(w, self.min_value, self.max_value, self.rate, _axis(self.axis))


def _axis(axis: Any) -> Axis:
    return tuple(axis) if isinstance(axis, list | tuple) else int(axis)


_KINDS: tuple[type[Constraint], ...] = (Constraint, MaxNorm, MinMaxNorm, NonNeg, UnitNorm)
_WORDS = {kind.__name__: kind for kind in _KINDS} | {
    "constraint": Constraint,
    "max_norm": MaxNorm,
    "min_max_norm": MinMaxNorm,
    "non_neg": NonNeg,
    "unit_norm": UnitNorm,
}


def get(identifier: Any) -> Callable[[Any], Any] | None:
    """Returns the constraint for a word, a class or a function; None stays None.

    >>> import penstock as ps
    >>> ps.layers.constraints.get("max_norm")
    MaxNorm(max_value=2.0, axis=0)
    """
    found: Any = identifier
    if isinstance(identifier, dict):
        kind = _WORDS.get(identifier.get("class_name", ""))
        found = None if kind is None else kind.from_config(identifier.get("config", {}))
    elif isinstance(identifier, str):
        found = _WORDS.get(identifier)
    if isinstance(found, type):
        found = found()
    if identifier is not None and not callable(found):
        raise ArgumentError(
            f"Could not interpret constraint identifier: {identifier}",
            remedy="Use 'max_norm', 'min_max_norm', 'non_neg', 'unit_norm', or a function of a variable.",
            site=here(),
        )
    return found  # type: ignore[no-any-return]


__all__ = ["Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "get"]
__dir__ = listed(__name__)
