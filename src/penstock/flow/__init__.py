"""Questions to the record: what reaches what, what is cut where, who writes which variable.

Importing this room installs its services in the rooms below: reasons for missing gradients, contracts.
"""

from penstock.flow import hooks

__all__ = ["hooks"]
