"""The primitives: one entry each, in one table that both tiers, the derivative and the tests read.

A file of them joins the table when a function that needs it is imported; see `table.complete`.
"""
