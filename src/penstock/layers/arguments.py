"""Checks of the arguments and inputs of layers: numbers, axes, and that the input is one tensor."""

from __future__ import annotations

from typing import Any, NoReturn

from penstock.errors import ArgumentError
from penstock.ops.validation import plain, shown
from penstock.trace.source_site import here


def fraction(layer: Any, what: str, value: Any) -> float:
    """Returns a real number; raises ArgumentError for anything else."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentError(
            f"{type(layer).__name__}: {what} is {shown(value)}.",
            remedy="Give a number, for example 0.5.",
            site=here(),
        )
    return float(value)


def wholes(layer: Any, what: str, value: Any) -> tuple[int, ...]:
    """Returns one whole number or several; raises ArgumentError for anything else."""
    several = tuple(map(plain, value)) if isinstance(value, list | tuple) else (plain(value),)
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in several):
        raise ArgumentError(
            f"{type(layer).__name__}: {what} is {shown(value)}.",
            remedy="Give a whole number, or a tuple of whole numbers.",
            site=here(),
        )
    return several


def lengths_given(layer: Any, what: str, value: Any) -> tuple[int | None, ...]:
    """Returns lengths, each from 1 on or None; raises ArgumentError for anything else."""
    several = tuple(map(plain, value)) if isinstance(value, list | tuple) else (plain(value),)
    for one in several:
        whole = isinstance(one, int) and not isinstance(one, bool)
        if one is not None and not (whole and one > 0):
            raise ArgumentError(
                f"{type(layer).__name__}: {what} is {shown(value)}.",
                remedy="Give a length of at least 1 for each axis, or None for an axis that stays as it is.",
                site=here(),
            )
    return several


def axis_of(layer: Any, value: Any) -> int:
    """Returns one axis; raises ArgumentError for anything but one whole number."""
    found = wholes(layer, "axis", value)
    if len(found) != 1:
        raise ArgumentError(
            f"{type(layer).__name__}: axis is {shown(value)}.",
            why="The layer works along a single axis.",
            remedy="Give the number of the axis; -1 is the last.",
            site=here(),
        )
    return found[0]


def along(layer: Any, input_shape: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the lengths of some axes of an input; raises ArgumentError for one that it does not have."""
    rank = len(input_shape)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ArgumentError(
                f"{type(layer).__name__}: axis {axis} is not among the {rank} axes of an input of shape "
                f"{tuple(input_shape)}.",
                remedy=f"Axes run from {-rank} to {rank - 1}."
                if rank
                else "Give an input with at least one axis.",
                site=here(),
            )
    return tuple(input_shape[axis] for axis in axes)


def data_format_of(layer: Any, data_format: Any) -> str:
    """Returns the data format: channels last by default; raises ArgumentError for other words."""
    if data_format is None:
        return "channels_last"
    if data_format not in ("channels_last", "channels_first"):
        raise ArgumentError(
            f"{type(layer).__name__}: data_format is {shown(data_format)}.",
            remedy='Use "channels_last" or "channels_first".',
            site=here(),
        )
    return str(data_format)


def refuse_input(layer: Any, value: Any, why: str = "It takes one tensor.") -> NoReturn:
    """Raises ArgumentError for an input that is not a tensor."""
    raise ArgumentError(
        f"{type(layer).__name__} {layer.name!r} was called with "
        f"{shown(value)} (of type {type(value).__name__}).",
        why=why,
        remedy="Give tensors or arrays; from a list or a dictionary, pass the entry you mean.",
        site=here(),
    )


def number(owner: Any, what: str, value: Any) -> float:
    """Returns a number from 0 on; raises ArgumentError for anything else."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise ArgumentError(
            f"{type(owner).__name__}: {what} is {value!r}.",
            remedy="Give a number of at least 0.",
            site=here(),
        )
    return float(value)


__all__ = [
    "along",
    "axis_of",
    "data_format_of",
    "fraction",
    "lengths_given",
    "number",
    "refuse_input",
    "wholes",
]
