"""Gradients: the backward walk, the tape, the reasons for an absent gradient, row gradients."""
