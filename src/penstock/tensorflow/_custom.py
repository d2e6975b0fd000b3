"""tf.custom_gradient and related functions for custom gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.grad.custom import CustomGradient as NativeCustomGradient
from penstock.grad.custom import checkpointed
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.tensor import Tensor


class CustomGradient(NativeCustomGradient[Any]):
    """A function with a gradient by `tf.custom_gradient`."""

    _kind: type[Tensor] = EagerTensor

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if mode.inside and mode.building() is not None:
            from penstock.tensorflow._graphs.loops import with_gradient

            return with_gradient(self.function, arguments, options)
        return super().__call__(*arguments, **options)


@named("tf.custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Gives a function a custom gradient: `f` returns (value, gradient function).

    The gradient function is run when `f` is, if a tape is recording, with tensors that have no value yet.

    >>> from penstock import tensorflow as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))
    >>> x = tf.constant(100.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> print(tape.gradient(y, x).numpy())
    1.0
    """
    return custom_gradient if f is None else CustomGradient(f)


@named("tf.recompute_grad", "tf.compat.v1.recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function drop its intermediate values: its gradient recomputes them.

    >>> from penstock import tensorflow as tf
    >>> block = tf.recompute_grad(lambda x: tf.tanh(x * x))
    >>> x = tf.Variable(0.0)
    >>> with tf.GradientTape() as tape:
    ...     y = block(x)
    >>> print(tape.gradient(y, x).numpy())
    0.0
    """
    return checkpointed(f, EagerTensor)


@named("tf.grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Passes gradients through a function unchanged, as if it were the identity.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.4)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> print(y.numpy(), tape.gradient(y, x).numpy())
    1.0 1.0
    """

    def with_gradient(*arguments: Any, **options: Any) -> Any:
        def gradient(*upstream: Any, variables: Any = None) -> Any:
            if variables is not None:
                return upstream, [None] * len(variables)
            return upstream

        return f(*arguments, **options), gradient

    return functools.wraps(f)(CustomGradient(with_gradient))
