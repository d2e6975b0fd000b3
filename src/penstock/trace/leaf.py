"""Leaves: the `primitive` of a call whose value is given, not computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    """A value that no primitive computes. Walkers of a path match its class; `name` is for the reader."""

    name: ClassVar[str]


@dataclass(frozen=True, eq=False, slots=True)
class Argument(Leaf):
    """A value bound when the path is run, at this position among the arguments of the run."""

    name: ClassVar[str] = "argument"
    position: int


class NumberArgument(Argument):
    """A Python number that has been seen to vary."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, slots=True)
class TensorArgument(Argument):
    """A tensor that came from outside the path: data, or a result of an earlier run.

    `entry` is its index among the tensors that entered the path.
    """

    entry: int


@dataclass(frozen=True, eq=False, slots=True)
class VariableArgument(Argument):
    """The value a variable has when the run begins.

    `variable` is its index among the variables of the path, `trainable` its flag at that time.
    """

    variable: int
    trainable: bool


@dataclass(frozen=True, eq=False, slots=True)
class Constant(Leaf):
    """A number, or an array that an event makes on the way, baked into the path."""

    name: ClassVar[str] = "constant"
    value: Any


@dataclass(frozen=True, eq=False, slots=True)
class Version(Leaf):
    """The value of a variable as read later on the same path; it equals the call's one input.

    After a write it is the written value. Unless `written`, it is the value that the path knew already, read
    again at a place where a read counts. No gradient passes through it: an assignment stores values.
    """

    name: ClassVar[str] = "version"
    variable: int
    trainable: bool
    written: bool = True


OfVariable = VariableArgument | Version
"""The leaves that hold a variable's value."""

__all__ = [
    "Argument",
    "Constant",
    "Leaf",
    "NumberArgument",
    "OfVariable",
    "TensorArgument",
    "VariableArgument",
    "Version",
]
