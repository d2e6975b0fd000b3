"""The base of all distributions: shapes, draws, densities, and divergences."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _math
from penstock.paddle._convert import HANDLES, operand
from penstock.paddle._dtype import default_dtype, shown
from penstock.paddle._errors import InvalidTypeError, NotThereError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._manipulation import expand
from penstock.paddle.distribution._kl_rules import kl_divergence
from penstock.trace.source_site import here

SMALL = 1.1920928955078125e-07
"""The distance from 1 to the next number in float32: probabilities keep this distance from 0 and 1."""


def floating(value: Any) -> Any:
    """Returns a parameter as a tensor of floating point: numbers and lists in the default dtype."""
    if isinstance(value, HANDLES):
        found: Any = value
    else:
        array = np.asarray(value)
        kept = array.dtype if isinstance(value, np.ndarray) and array.dtype.kind == "f" else default_dtype()
        found = operand(array.astype(kept))
    return found if found._spec.dtype.kind in "fV" else _math.cast(found, default_dtype().name)


def dtype_of(parameter: str, as_name: bool = True) -> Any:
    """Returns the attribute `dtype` of a distribution: that of a parameter, in most by its name."""

    def dtype(self: Any) -> Any:
        kind = getattr(self, parameter)._spec.dtype
        return kind.name if as_name else shown(kind)

    return property(dtype, doc="The dtype of the parameters.")


def together(*values: Any) -> tuple[Any, ...]:
    """Returns parameters as tensors of one shape."""
    found = [floating(one) for one in values]
    shape = np.broadcast_shapes(*(one._spec.shape for one in found))
    return tuple([one if one._spec.shape == shape else expand(one, list(shape)) for one in found])


def in_shape(shape: Any) -> tuple[int, ...]:
    """Returns the requested shape of draws: a number means one axis."""
    if isinstance(shape, HANDLES):
        shape = np.asarray(shape).tolist()
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(one) for one in shape)


@named("paddle.distribution.Distribution")
class Distribution:
    """Base of the distributions: `batch_shape` of independent ones, whose draws have `event_shape` each."""

    def __init__(self, batch_shape: Any = (), event_shape: Any = ()) -> None:
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one draw."""
        return self._event_shape

    def _extend_shape(self, sample_shape: Any) -> tuple[int, ...]:
        """Returns the shape of this many draws of each."""
        return (*in_shape(sample_shape), *self._batch_shape, *self._event_shape)

    def _lacks(self, what: str) -> NotThereError:
        return NotThereError(
            f"{type(self).__name__} has no {what} in penstock.paddle.",
            remedy="See its other methods: sample, log_prob, prob.",
            site=here(),
        )

    @property
    def mean(self) -> Any:
        """The mean."""
        raise self._lacks("mean")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise self._lacks("variance")

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return _math.sqrt(self.variance)

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        raise self._lacks("rsample")

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        raise self._lacks("entropy")

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density, or of the probability."""
        raise self._lacks("log_prob")

    def prob(self, value: Any) -> Any:
        """Returns the density, or the probability."""
        return _math.exp(self.log_prob(value))

    def _density(self, value: Any) -> Any:
        """Returns the density, or the probability."""
        return self.prob(value)

    probs: Any = _density

    def kl_divergence(self, other: Distribution) -> Any:
        """Returns how far this distribution is from another one, in nats."""
        return kl_divergence(self, other)


@named("paddle.distribution.ExponentialFamily")
class ExponentialFamily(Distribution):
    """Distributions whose log density is linear in functions of the draw."""


def only_here(name: str, given: Any, kind: type) -> None:
    """Raises TypeError where an argument is not of a type."""
    if not isinstance(given, kind):
        raise InvalidTypeError(
            f"Expected type of {name} is {kind.__name__}, but got {type(given).__name__}", site=here()
        )
