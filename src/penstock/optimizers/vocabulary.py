"""A framework's names for an optimizer and its arguments: declared next to the rule, read by the dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from penstock.optimizers.rules import Rule

Number: TypeAlias = Any
"""A hyper-parameter of the rule."""
Share: TypeAlias = Any
"""A number of at least 0 and below 1."""
Size: TypeAlias = Any
"""A number of at least 0."""
Flag: TypeAlias = Any
"""An option that selects the rule."""


class Words:
    """A framework's words for the optimizer around this class: its arguments, in order, with their defaults.

    They are written as fields, and the docstring is for users of the framework. A dialect builds its own
    optimizer from these fields, so that a new one needs no other file.
    """

    _called: ClassVar[str] = ""
    """The framework's name for the optimizer, if it differs."""
    _differs: ClassVar[dict[str, Any]] = {}
    """How the framework's rule differs: attributes of the optimizer's class."""
    _fixed: ClassVar[dict[str, Any]] = {}
    """Numbers that users of the framework cannot set."""
    _listed_apart: ClassVar[tuple[str, ...]] = ()
    """Slots that Keras numbers after the others, in files, for all variables one after the other."""
    _listed_once: ClassVar[tuple[str, ...]] = ()
    """Slots that Keras has once, for all variables together."""
    _slots_in_files: ClassVar[dict[str, bool]] = {}
    """All slots that Keras writes for each variable, also where they are not used; whether as its array."""

    def _refused(self, **common: Any) -> str | None:
        """Returns why the framework does not take the values of the fields; None if it takes them."""
        return None

    _names: ClassVar[dict[str, str]] = {}
    """PaddlePaddle's names for the state of each variable, by the names of the slots."""
    _powers: ClassVar[dict[str, tuple[str | float, int]]] = {}
    """Powers that PaddlePaddle keeps instead of a step count: of which number, and the extra exponent."""
    _spread: ClassVar[bool] = False
    """Whether PaddlePaddle keeps powers and other single numbers in the shape of the variable."""
    _of_each_group: ClassVar[frozenset[str]] = frozenset()
    """The arguments besides numbers that a group of PaddlePaddle's parameters may have of its own."""
    _flags: dict[str, Any]
    _numbers: Any

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        """Returns PaddlePaddle's rule, for variables that decay or for others, by a group's settings."""
        raise NotImplementedError

    def _besides(self, state: Mapping[str, Any], steps: int, own: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what PaddlePaddle keeps of a variable besides the slots: it follows from these."""
        return {}


__all__ = ["Flag", "Number", "Share", "Size", "Words"]
