"""Questions to the record: what reaches what, what is cut where, who writes which variable."""

from penstock.flow import explain as _explain  # tells the engine how to name the reason for a missing gradient
