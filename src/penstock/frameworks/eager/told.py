"""The reports of these sources: a write."""

from __future__ import annotations

from penstock.frameworks import told
from penstock.frameworks.eager.parameter import Parameter


class Written(told.Written):
    """One write that an optimizer or the program has made."""

    variable: Parameter

    __slots__ = ()


__all__ = ["Written"]
