"""The remedies for programs that need TensorFlow itself."""

from __future__ import annotations


def on_tensorflow() -> str:
    """Returns the sentence that says how to run a program on TensorFlow itself."""
    from penstock.frameworks import sources

    if "tensorflow" in sources.FRAMEWORKS:
        return "`penstock check --with tensorflow SCRIPT` runs the program on TensorFlow itself."
    return "On TensorFlow itself, without a report: `python SCRIPT`, with `import tensorflow as tf` in it."


__all__ = ["on_tensorflow"]
