"""Gradients: the one backward walk, the tape, the words for an absent gradient, gradients that are rows."""
