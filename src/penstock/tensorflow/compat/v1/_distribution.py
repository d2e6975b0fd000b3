"""The base of tf.distributions: what follows from draws, and from the logarithms of probabilities."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.trace.source_site import here

NAN = float("nan")
_divergences: dict[tuple[type, type], Callable[..., Any]] = {}


class ReparameterizationType:
    """Whether gradients pass from draws to the numbers of their distribution."""

    def __init__(self, rep_type: str) -> None:
        self._word = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._word}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """Base of distributions: a subclass draws values, and computes their probabilities."""

    name = "Distribution"
    reparameterization_type = FULLY_REPARAMETERIZED
    validate_args, allow_nan_stats = False, True

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of how likely a value is, or of its density."""
        raise NotImplementedError(f"log_prob is not implemented: {type(self).__name__}")

    def prob(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a value is, or its density."""
        return tf.exp(self.log_prob(value))

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        raise NotImplementedError(f"cdf is not implemented: {type(self).__name__}")

    def log_cdf(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of how likely a smaller value is."""
        return tf.log(self.cdf(value))

    def survival_function(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a larger value is."""
        return 1.0 - self.cdf(value)

    def log_survival_function(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of how likely a larger value is."""
        return tf.log(self.survival_function(value))

    def variance(self, name: Any = None) -> Any:
        """Returns the variance."""
        return tf.square(self.stddev())

    def stddev(self, name: Any = None) -> Any:
        """Returns the deviation."""
        return tf.sqrt(self.variance())

    def kl_divergence(self, other: Any, name: Any = None) -> Any:
        """Returns how far another distribution is, after Kullback and Leibler."""
        return kl_divergence(self, other)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        raise NotImplementedError(f"entropy is not implemented: {type(self).__name__}")

    def cross_entropy(self, other: Any, name: Any = None) -> Any:
        """Returns the entropy plus the divergence from another distribution."""
        return self.entropy() + self.kl_divergence(other)

    # -- shapes ------------------------------------------------------------------------------------------

    def _example(self) -> Any:
        """Returns a tensor with the shape of one draw."""
        return self.mean()  # type: ignore[attr-defined]

    def _events(self) -> int:
        """Returns how many axes of a draw belong to one event."""
        return 0

    @property
    def batch_shape(self) -> Any:
        """The known lengths of the axes along which there are several distributions."""
        lengths = list(self._example().shape)
        return TensorShape(lengths[: len(lengths) - self._events()])

    @property
    def event_shape(self) -> Any:
        """The known lengths of the axes of one draw."""
        lengths = list(self._example().shape)
        return TensorShape(lengths[len(lengths) - self._events() :])

    def batch_shape_tensor(self, name: Any = None) -> Any:
        """Returns the lengths of the axes along which there are several distributions."""
        whole = tf.shape(self._example())
        return whole[: -self._events()] if self._events() else whole

    def event_shape_tensor(self, name: Any = None) -> Any:
        """Returns the lengths of the axes of one draw."""
        return tf.shape(self._example())[-self._events() :] if self._events() else tf.constant([], tf.int32)


def counted(sample_shape: Any) -> tuple[list[int], int]:
    """Returns the shape of draws, and how many there are."""
    shape = [sample_shape] if isinstance(sample_shape, int) else [int(one) for one in sample_shape]
    return shape, math.prod(shape)


def arranged(drawn: Any, shape: list[int]) -> Any:
    """Returns draws, whose first axis counts them, in their shape."""
    rest = list(drawn.shape)[1:]
    if None in rest:
        return tf.reshape(
            drawn, tf.concat([tf.constant(shape, tf.int32, [len(shape)]), tf.shape(drawn)[1:]], 0)
        )
    return tf.reshape(drawn, [*shape, *rest])


def of_logits(logits: Any, probs: Any, one: str) -> tuple[Any, Any]:
    """Returns logits and probabilities, of which one is given, by the function `one` of logits."""
    if (logits is None) == (probs is None):
        raise ArgumentError("Must pass probs or logits, but not both.", site=here())
    if logits is None:
        probs = tf.convert_to_tensor(probs)
        logits = tf.log(probs) - tf.log1p(-probs) if one == "sigmoid" else tf.log(probs)
        return logits, probs
    logits = tf.convert_to_tensor(logits)
    return logits, getattr(tf.nn, one)(logits)


def another_seed(seed: Any, salt: str) -> int | None:
    """Returns the seed that TensorFlow makes of one and a word, for the second draws of a distribution."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def require_defaults(owner: Any, validate_args: bool, allow_nan_stats: bool) -> None:
    """Refuses what TensorFlow checks when a session runs: here a statistic that is undefined is NaN."""
    for word, value, default in (
        ("validate_args", validate_args, False), ("allow_nan_stats", allow_nan_stats, True),
    ):  # fmt: skip
        if bool(value) is not default:
            raise ArgumentError(
                f"{type(owner).__name__}: {word}={value!r} is not taken.",
                why="TensorFlow adds checks to the graph; here a statistic that is undefined is NaN.",
                remedy="Leave it out, and check the values: tf.debugging.check_numerics(x, 'words').",
                site=here(),
            )


# -- divergences --------------------------------------------------------------------------------------------


class RegisterKL:
    """Declares a function as the divergence of two classes of distributions: `@RegisterKL(A, B)`."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            a, b = (one.__name__ for one in self._key)
            raise ValueError(f"KL({a} || {b}) has already been registered to: {_divergences[self._key]}")
        _divergences[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: Any = None
) -> Any:
    """Returns how far one distribution is from another, after Kullback and Leibler.

    `allow_nan_stats` does nothing: a divergence that is undefined is NaN.
    """
    kinds = type(distribution_a).__mro__, type(distribution_b).__mro__
    pairs = [(i + j, i, (a, b)) for i, a in enumerate(kinds[0]) for j, b in enumerate(kinds[1])]
    for _, _, pair in sorted(pairs, key=lambda one: one[:2]):
        if pair in _divergences:
            return _divergences[pair](distribution_a, distribution_b, name=name)
    a, b = type(distribution_a).__name__, type(distribution_b).__name__
    raise NotImplementedError(
        f"No KL(distribution_a || distribution_b) registered for distribution_a type {a} and distribution_b "
        f"type {b}"
    )
