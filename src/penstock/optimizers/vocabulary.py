"""What a framework calls an optimizer and its arguments: declared beside the rule, read by the dialects."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from penstock.optimizers.rules import Rule

Number: TypeAlias = Any
"""A number of the rule."""
Share: TypeAlias = Any
"""A number from 0 to 1, without 1."""
Size: TypeAlias = Any
"""A number that is not below 0."""
Flag: TypeAlias = Any
"""What the choice of the rule depends on."""


class Words:
    """A framework's words for the optimizer around this class: its arguments, in order, with their defaults.

    They are written as fields, and the docstring is what users of the framework read. Of these fields a
    dialect makes its own optimizer, so that one more needs no other file.
    """

    _called: ClassVar[str] = ""
    """The framework's name for the optimizer, where it is another one."""
    _differs: ClassVar[dict[str, Any]] = {}
    """What the framework's rule has otherwise: attributes of the class of the optimizer."""
    _fixed: ClassVar[dict[str, Any]] = {}
    """Numbers that users of the framework cannot choose."""

    def _refused(self, **common: Any) -> str | None:
        """Returns why the framework does not take the values of the fields; None if it takes them."""
        return None

    _names: ClassVar[dict[str, str]] = {}
    """What PaddlePaddle calls what is kept for each variable, by the names of the slots."""
    _powers: ClassVar[dict[str, tuple[str | float, int]]] = {}
    """Powers that PaddlePaddle keeps in place of a number of steps: what of, and how many more than steps."""
    _flags: dict[str, Any]
    _numbers: Any

    def _rule(self, decays: bool) -> Rule:
        """Returns PaddlePaddle's rule, for variables that decay or for others."""
        raise NotImplementedError


__all__ = ["Flag", "Number", "Share", "Size", "Words"]
