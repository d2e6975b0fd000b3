"""Ragged tensors: rows of several lengths, as the values of all rows one after another and where rows end."""
