"""Questions to the record: what reaches what, what is cut where, who writes which variable.

Importing this room tells the engine how to name the reason for a missing gradient.
"""

from penstock.flow import explain, ledger

__all__ = ["explain", "ledger"]
