"""The options that every layer takes by name, for type checkers: they find a wrong name before a run."""

from __future__ import annotations

from typing import Any, TypedDict


class Plain(TypedDict, total=False):
    """The options of a layer that names `activity_regularizer` itself; see `Layer`."""

    name: str | None
    trainable: bool
    dtype: Any
    autocast: bool


class Options(Plain, total=False):
    """The options that every layer takes by name; see `Layer`."""

    activity_regularizer: Any


class Embedded(Options, total=False):
    """The options of an embedding: `input_length` is that of Keras 2."""

    input_length: Any


class Leaky(Options, total=False):
    """The options of a leaky slope: `alpha` is its name in Keras 2."""

    alpha: float


class Renormalized(Options, total=False):
    """The options of a batch normalization: those of renormalization are refused."""

    renorm: bool
    renorm_clipping: Any
    renorm_momentum: float


class Attentive(Options, total=False):
    """The options of an attention: custom axes are refused."""

    attention_axes: Any


class Recurring(Plain, total=False):
    """The options of a recurrent layer: those that select an implementation do nothing."""

    unroll: bool
    use_cudnn: Any
    implementation: int
    time_major: bool


__all__ = ["Attentive", "Embedded", "Leaky", "Options", "Plain", "Recurring", "Renormalized"]
