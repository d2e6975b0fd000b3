"""Functions that transform draws, with their inverses and Jacobians, and the transformed distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation, _cumulative, _manipulation, _math
from penstock.paddle._convert import operand
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle.distribution._base import Distribution, only_here
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import here


@named("paddle.distribution.Transform", "paddle.distribution.transform.Transform")
class Transform:
    """Base of the transforms. A subclass says `_forward`, and `_inverse` and a slope where there are some.

    The ranks say how many of the last axes belong to one draw, before and after.
    """

    _domain_rank = 0
    _codomain_rank = 0

    def __call__(self, input: Any) -> Any:
        """Transforms a tensor; makes one transform of two; or transforms a distribution."""
        if isinstance(input, Distribution):
            return TransformedDistribution(input, [self])
        if isinstance(input, Transform):
            return ChainTransform([self, input])
        return self.forward(input)

    def forward(self, x: Any) -> Any:
        """Returns the transformed x."""
        return self._forward(operand(x))

    def inverse(self, y: Any) -> Any:
        """Returns the x that is transformed to y."""
        return self._inverse(operand(y))

    def forward_log_det_jacobian(self, x: Any) -> Any:
        """Returns the logarithm of how much volumes at x are stretched."""
        x = operand(x)
        if type(self)._slope is not Transform._slope:
            return self._slope(x)
        return -self._inverse_slope(self._forward(x))

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """Returns the logarithm of how much the inverse stretches volumes at y."""
        y = operand(y)
        if type(self)._inverse_slope is not Transform._inverse_slope:
            return self._inverse_slope(y)
        return -self._slope(self._inverse(y))

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the transformed shape."""
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that becomes this one."""
        return tuple(shape)

    def _without(self, what: str) -> NotThereError:
        return NotThereError(f"{type(self).__name__} has no {what}.", site=here())

    def _forward(self, x: Any) -> Any:
        raise self._without("forward")

    def _inverse(self, y: Any) -> Any:
        raise self._without("inverse")

    def _slope(self, x: Any) -> Any:
        raise self._without("log_det_jacobian: it is not injective, so it has no such determinant")

    def _inverse_slope(self, y: Any) -> Any:
        return -self._slope(self._inverse(y))


@named("paddle.distribution.AbsTransform", "paddle.distribution.transform.AbsTransform")
class AbsTransform(Transform):
    """The absolute value; its inverse gives both numbers that have it."""

    def _forward(self, x: Any) -> Any:
        return _math.abs(x)

    def _inverse(self, y: Any) -> Any:
        return -y, y

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """Returns zeros, for both numbers."""
        zero = _creation.zeros([], operand(y)._spec.dtype.name)
        return zero, zero


@named("paddle.distribution.AffineTransform", "paddle.distribution.transform.AffineTransform")
class AffineTransform(Transform):
    """loc + scale * x."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = operand(loc), operand(scale)

    def _forward(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def _slope(self, x: Any) -> Any:
        return _math.log(_math.abs(self.scale))

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that draws broadcast to."""
        return np.broadcast_shapes(tuple(shape), self.loc._spec.shape, self.scale._spec.shape)

    inverse_shape = forward_shape


@named("paddle.distribution.ExpTransform", "paddle.distribution.transform.ExpTransform")
class ExpTransform(Transform):
    """e to the power of x."""

    def _forward(self, x: Any) -> Any:
        return _math.exp(x)

    def _inverse(self, y: Any) -> Any:
        return _math.log(y)

    def _slope(self, x: Any) -> Any:
        return x


@named("paddle.distribution.PowerTransform", "paddle.distribution.transform.PowerTransform")
class PowerTransform(Transform):
    """x to a power, of positive numbers."""

    def __init__(self, power: Any) -> None:
        self.power = operand(power)

    def _forward(self, x: Any) -> Any:
        return _math.pow(x, self.power)

    def _inverse(self, y: Any) -> Any:
        return _math.pow(y, 1.0 / self.power)

    def _slope(self, x: Any) -> Any:
        return _math.log(_math.abs(self.power * _math.pow(x, self.power - 1.0)))

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that draws broadcast to."""
        return np.broadcast_shapes(tuple(shape), self.power._spec.shape)

    inverse_shape = forward_shape


@named("paddle.distribution.SigmoidTransform", "paddle.distribution.transform.SigmoidTransform")
class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))."""

    def _forward(self, x: Any) -> Any:
        return _math.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return _math.log(y) - _math.log1p(-y)

    def _slope(self, x: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


@named("paddle.distribution.TanhTransform", "paddle.distribution.transform.TanhTransform")
class TanhTransform(Transform):
    """The hyperbolic tangent."""

    def _forward(self, x: Any) -> Any:
        return _math.tanh(x)

    def _inverse(self, y: Any) -> Any:
        from penstock.paddle._elementwise import atanh

        return atanh(y)

    def _slope(self, x: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


@named("paddle.distribution.SoftmaxTransform", "paddle.distribution.transform.SoftmaxTransform")
class SoftmaxTransform(Transform):
    """Shares in the proportion of exp(x); the inverse is the logarithm."""

    _domain_rank = _codomain_rank = 1

    def _forward(self, x: Any) -> Any:
        return F.softmax(x)

    def _inverse(self, y: Any) -> Any:
        return _math.log(y)


@named("paddle.distribution.StickBreakingTransform", "paddle.distribution.transform.StickBreakingTransform")
class StickBreakingTransform(Transform):
    """Shares that add up to 1, one more than there are numbers: each takes a part of the rest."""

    _domain_rank = _codomain_rank = 1

    @staticmethod
    def _offset(x: Any) -> Any:
        count = x._spec.shape[-1]
        left = np.arange(count, 0, -1).astype(x._spec.dtype)
        return _math.log(operand(left))

    def _forward(self, x: Any) -> Any:
        parts = _math.sigmoid(x - self._offset(x))
        rest = _cumulative.cumprod(1.0 - parts, -1)
        one = _creation.ones([*x._spec.shape[:-1], 1], x._spec.dtype.name)
        return _manipulation.concat([parts, one], -1) * _manipulation.concat([one, rest], -1)

    def _inverse(self, y: Any) -> Any:
        kept = y[..., :-1]
        rest = 1.0 - _cumulative.cumsum(kept, -1)
        found = _math.log(kept) - _math.log(rest)
        return found + self._offset(found)

    def _slope(self, x: Any) -> Any:
        y = self._forward(x)
        moved = x - self._offset(x)
        return _math.sum(-moved + _math.log(_math.sigmoid(moved)) + _math.log(y[..., :-1]), -1)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns a shape with one number more."""
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns a shape with one number less."""
        return (*shape[:-1], shape[-1] - 1)


@named("paddle.distribution.ReshapeTransform", "paddle.distribution.transform.ReshapeTransform")
class ReshapeTransform(Transform):
    """Another shape for each draw."""

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]) -> None:
        if np.prod(in_event_shape, dtype=int) != np.prod(out_event_shape, dtype=int):
            raise InvalidValueError(
                f"The numel of 'in_event_shape' should be 'out_event_shape', but got {in_event_shape} and "
                f"{out_event_shape}",
                site=here(),
            )
        self.in_event_shape, self.out_event_shape = tuple(in_event_shape), tuple(out_event_shape)
        self._domain_rank, self._codomain_rank = len(in_event_shape), len(out_event_shape)

    def _forward(self, x: Any) -> Any:
        return x.reshape(list(self.forward_shape(x._spec.shape)))

    def _inverse(self, y: Any) -> Any:
        return y.reshape(list(self.inverse_shape(y._spec.shape)))

    def _slope(self, x: Any) -> Any:
        return _creation.zeros(list(x._spec.shape[: x._spec.ndim - self._domain_rank]), x._spec.dtype.name)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the transformed shape."""
        return (*shape[: len(shape) - self._domain_rank], *self.out_event_shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that becomes this one."""
        return (*shape[: len(shape) - self._codomain_rank], *self.in_event_shape)


@named("paddle.distribution.IndependentTransform", "paddle.distribution.transform.IndependentTransform")
class IndependentTransform(Transform):
    """A transform whose last batch axes count as one draw."""

    def __init__(self, base: Transform, reinterpreted_batch_rank: int) -> None:
        self._base, self._rank = base, reinterpreted_batch_rank
        self._domain_rank = base._domain_rank + reinterpreted_batch_rank
        self._codomain_rank = base._codomain_rank + reinterpreted_batch_rank

    def _forward(self, x: Any) -> Any:
        return self._base.forward(x)

    def _inverse(self, y: Any) -> Any:
        return self._base.inverse(y)

    def _slope(self, x: Any) -> Any:
        return _math.sum(self._base.forward_log_det_jacobian(x), list(range(-self._rank, 0)))

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the transformed shape."""
        return self._base.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that becomes this one."""
        return self._base.inverse_shape(shape)


@named("paddle.distribution.ChainTransform", "paddle.distribution.transform.ChainTransform")
class ChainTransform(Transform):
    """Several transforms, one after the other."""

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = list(transforms)
        rank = 0
        for one in reversed(self.transforms):
            rank = max(rank + one._domain_rank - one._codomain_rank, one._domain_rank)
        self._domain_rank = rank
        for one in self.transforms:
            rank += one._codomain_rank - one._domain_rank
        self._codomain_rank = rank

    def _forward(self, x: Any) -> Any:
        for one in self.transforms:
            x = one.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for one in reversed(self.transforms):
            y = one.inverse(y)
        return y

    def _slope(self, x: Any) -> Any:
        found: Any = 0.0
        rank = self._domain_rank
        for one in self.transforms:
            slope, extra = one.forward_log_det_jacobian(x), rank - one._domain_rank
            found = found + (_math.sum(slope, list(range(-extra, 0))) if extra else slope)
            x = one.forward(x)
            rank += one._codomain_rank - one._domain_rank
        return found

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the transformed shape."""
        for one in self.transforms:
            shape = one.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape that becomes this one."""
        for one in reversed(self.transforms):
            shape = one.inverse_shape(shape)
        return tuple(shape)


@named("paddle.distribution.StackTransform", "paddle.distribution.transform.StackTransform")
class StackTransform(Transform):
    """A transform for each part of an axis."""

    def __init__(self, transforms: Sequence[Transform], axis: int = 0) -> None:
        self.transforms, self.axis = list(transforms), axis
        self._domain_rank = max(one._domain_rank for one in self.transforms)
        self._codomain_rank = max(one._codomain_rank for one in self.transforms)

    def _each(self, word: str, x: Any) -> Any:
        parts = _manipulation.unstack(x, self.axis)
        found = [getattr(one, word)(part) for one, part in zip(self.transforms, parts, strict=True)]
        return _manipulation.stack(found, self.axis)

    def _forward(self, x: Any) -> Any:
        return self._each("forward", x)

    def _inverse(self, y: Any) -> Any:
        return self._each("inverse", y)

    def _slope(self, x: Any) -> Any:
        return self._each("forward_log_det_jacobian", x)


# -- distributions ---------------------------------------------------------------------------------------


def _summed(x: Any, count: int) -> Any:
    """Returns the sum over the last `count` axes."""
    return _math.sum(x, list(range(-count, 0))) if count else x


@named("paddle.distribution.Independent")
class Independent(Distribution):
    """A distribution whose last batch axes count as one draw."""

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int) -> None:
        only_here("base", base, Distribution)
        rank = reinterpreted_batch_rank
        if not 0 < rank <= len(base.batch_shape):
            raise InvalidValueError(
                f"Expected 0 < reinterpreted_batch_rank <= {len(base.batch_shape)}, but got {rank}",
                site=here(),
            )
        self._base, self._rank = base, rank
        whole = base.batch_shape + base.event_shape
        cut = len(base.batch_shape) - rank
        super().__init__(whole[:cut], whole[cut:])

    @property
    def mean(self) -> Any:
        """The mean."""
        return self._base.mean

    @property
    def variance(self) -> Any:
        """The variance."""
        return self._base.variance

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        return self._base.sample(shape)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        return _summed(self._base.log_prob(value), self._rank)

    def prob(self, value: Any) -> Any:
        """Returns the density."""
        return _math.exp(self.log_prob(value))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _summed(self._base.entropy(), self._rank)


@named("paddle.distribution.TransformedDistribution")
class TransformedDistribution(Distribution):
    """The distribution of a base distribution's draws after several transforms, applied in order."""

    def __init__(self, base: Distribution, transforms: Any) -> None:
        only_here("base", base, Distribution)
        self._base = base
        self._transforms = list(transforms)
        chain = ChainTransform(self._transforms)
        self._chain = chain
        count = max(chain._domain_rank, len(base.event_shape))
        base_event = len(base.event_shape)
        more = count - base_event
        self._wide = Independent(base, more) if more > 0 else base
        shape = chain.forward_shape(base.batch_shape + base.event_shape)
        rank = chain._codomain_rank + max(base_event - chain._domain_rank, 0)
        cut = len(shape) - rank
        super().__init__(shape[:cut], shape[cut:])

    def sample(self, shape: Any = ()) -> Any:
        """Returns transformed draws, with the gradients that the `sample` of the base passes."""
        return self._chain.forward(self._base.sample(shape))

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return self._chain.forward(self._base.rsample(shape))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        found: Any = 0.0
        rank = len(self.event_shape)
        for one in reversed(self._transforms):
            before = one.inverse(value)
            rank += one._domain_rank - one._codomain_rank
            slope = one.forward_log_det_jacobian(before)
            found = found - _summed(slope, rank - one._domain_rank)
            value = before
        return found + _summed(self._base.log_prob(value), rank - len(self._base.event_shape))


__getattr__, __dir__, __all__ = _namespace("paddle.distribution.transform", globals())
