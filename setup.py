"""Builds the recorder's hot path in C where there is a compiler; elsewhere its Python definition runs.

PENSTOCK_C=required makes a failure to build it an error, for wheels that are handed out.
"""

import os
import re
from pathlib import Path

from setuptools import Extension, setup


def elsewhere(text: str) -> str:
    """Returns the README as it is shown outside of the repository: links into it are plain words there."""
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)


optional = os.environ.get("PENSTOCK_C") != "required"
setup(
    ext_modules=[Extension("penstock.trace._hot", ["src/penstock/trace/_hot.c"], optional=optional)],
    long_description=elsewhere((Path(__file__).parent / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
