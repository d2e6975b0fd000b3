"""Rates that fall with the number of steps, as tensors of a graph, or at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from penstock.declared import named, row
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.trace.source_site import here


@named("tf.compat.v1.train.piecewise_constant", "tf.compat.v1.train.piecewise_constant_decay")
def piecewise_constant(x: Any, boundaries: Any, values: Any, name: Any = None) -> Any:
    """Returns the first value up to the first boundary, the second up to the second, and so on.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.piecewise_constant(7, [5, 10], [1.0, 0.5, 0.1])))
    0.5
    """
    if len(boundaries) != len(values) - 1:
        raise ArgumentError(
            "The length of boundaries should be 1 less than the length of values. "
            f"Received: {len(boundaries)} boundaries and {len(values)} values.",
            site=here(),
        )
    with tf.name_scope(name, "PiecewiseConstant"):
        step = tf.convert_to_tensor(x)
        limits = [tf.cast(one, step.dtype) for one in boundaries]
        found = tf.convert_to_tensor(values[-1])
        for limit, value in zip(reversed(limits), reversed(values[:-1]), strict=True):
            found = tf.where(step <= limit, tf.cast(value, found.dtype), found)
        return found


def _falling(names: str, scope: str, text: str, formula: Callable[..., Any], called: Any = None) -> Any:
    """Makes a function of a rate, a second number and how many times `decay_steps` steps were made."""

    def function(
        learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
        name: Any = None,
    ) -> Any:  # fmt: skip
        with tf.name_scope(name, scope):
            rate = tf.convert_to_tensor(learning_rate, name=called)
            part = tf.cast(global_step, rate.dtype) / tf.cast(decay_steps, rate.dtype)
            part = tf.floor(part) if staircase else part
            return formula(rate, tf.cast(decay_rate, rate.dtype), part)

    return row(function, names, text)


exponential_decay = _falling(
    "tf.compat.v1.train.exponential_decay",
    "ExponentialDecay",
    "Returns learning_rate * decay_rate ** (global_step / decay_steps); in whole steps with `staircase`.",
    lambda rate, factor, part: tf.multiply(rate, tf.pow(factor, part)),
    "learning_rate",
)
inverse_time_decay = _falling(
    "tf.compat.v1.train.inverse_time_decay",
    "InverseTimeDecay",
    "Returns learning_rate / (1 + decay_rate * global_step / decay_steps).",
    lambda rate, factor, part: rate / (1.0 + factor * part),
    "learning_rate",
)
natural_exp_decay = _falling(
    "tf.compat.v1.train.natural_exp_decay",
    "NaturalExpDecay",
    "Returns learning_rate * exp(-decay_rate * steps / decay_steps); `staircase` rounds its part down.",
    lambda rate, factor, part: rate * tf.exp(-factor * part),
)


@named("tf.compat.v1.train.polynomial_decay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
    name: Any = None,
) -> Any:
    """Returns a rate that falls to `end_learning_rate` in `decay_steps` steps, along a power.

    With `cycle` it continues over twice, three times and so on as many steps.
    """
    with tf.name_scope(name, "PolynomialDecay"):
        rate = tf.convert_to_tensor(learning_rate, name="learning_rate")
        steps = tf.cast(decay_steps, rate.dtype)
        step = tf.cast(global_step, rate.dtype)
        if cycle:
            part = step / (steps * tf.maximum(tf.ceil(step / steps), 1.0))
        else:
            part = tf.minimum(step, steps) / steps
        return (rate - end_learning_rate) * tf.pow(1.0 - part, float(power)) + end_learning_rate


def _part(rate: Any, global_step: Any, decay_steps: Any) -> Any:
    steps = tf.cast(decay_steps, rate.dtype)
    return tf.minimum(tf.cast(global_step, rate.dtype), steps) / steps


@named("tf.compat.v1.train.cosine_decay")
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: Any = None
) -> Any:
    """Returns a rate that falls to `alpha` of it in `decay_steps` steps, along half a cosine."""
    with tf.name_scope(name, "CosineDecay"):
        rate = tf.convert_to_tensor(learning_rate)
        wave = 0.5 * (1.0 + tf.cos(math.pi * _part(rate, global_step, decay_steps)))
        return rate * ((1.0 - alpha) * wave + alpha)


@named("tf.compat.v1.train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: Any = None,
) -> Any:
    """Returns a rate that falls along a line times a cosine of `num_periods` periods."""
    with tf.name_scope(name, "LinearCosineDecay"):
        rate = tf.convert_to_tensor(learning_rate)
        part = _part(rate, global_step, decay_steps)
        wave = 0.5 * (1.0 + tf.cos(2.0 * math.pi * num_periods * part))
        return rate * ((alpha + 1.0 - part) * wave + beta)


@named("tf.compat.v1.train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: Any = None,
) -> Any:
    """Returns a rate that falls along half a cosine, and restarts `t_mul` times as long, `m_mul` high."""
    with tf.name_scope(name, "SGDRDecay"):
        rate = tf.convert_to_tensor(learning_rate)
        part = tf.cast(global_step, rate.dtype) / tf.cast(first_decay_steps, rate.dtype)
        if t_mul == 1.0:
            restart = tf.floor(part)
            part = part - restart
        else:
            restart = tf.floor(tf.log(1.0 - part * (1.0 - t_mul)) / math.log(t_mul))
            before = (1.0 - t_mul**restart) / (1.0 - t_mul)
            part = (part - before) / t_mul**restart
        wave = 0.5 * m_mul**restart * (1.0 + tf.cos(math.pi * part))
        return rate * ((1.0 - alpha) * wave + alpha)
