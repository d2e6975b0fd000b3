"""Ragged tensors: rows of different lengths, kept as the values of all rows and the end of each row."""
