"""Gradients: the backward walk, the tape, the reasons for an absent gradient, row gradients."""

from penstock.grad.holding import fillers


def _fill() -> None:
    """Imports the file that fills the table of primitives which hold programs."""
    from penstock.grad import control  # noqa: F401


fillers.append(_fill)
