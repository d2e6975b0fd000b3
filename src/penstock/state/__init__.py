"""The state that lasts from step to step: variables, and the ledger of their writers."""
