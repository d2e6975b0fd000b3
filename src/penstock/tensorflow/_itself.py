"""The remedies for programs that need TensorFlow itself."""

from __future__ import annotations


def on_tensorflow() -> str:
    """Returns the sentence that says how to run a program on TensorFlow itself."""
    return "`penstock check --with tensorflow SCRIPT` runs the program on TensorFlow itself."


__all__ = ["on_tensorflow"]
