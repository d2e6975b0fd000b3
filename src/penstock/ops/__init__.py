"""The primitives: one entry for each, in a table that both tiers, the derivatives and the tests read.

A file of primitives joins the table when a function that needs it is imported; see `table.complete`.
"""
