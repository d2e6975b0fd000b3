"""What lasts from step to step: variables, and the ledger of who wrote them."""
