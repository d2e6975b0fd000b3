"""Questions to the record: what reaches what, what is cut where, who writes which variable.

Importing this room tells those below what to ask: the reason for a missing gradient, the contract of a step.
"""

from penstock.flow import hooks

__all__ = ["hooks"]
