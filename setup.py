"""Builds the parts in C where there is a compiler; elsewhere their Python definitions run.

PENSTOCK_C=required makes a failure to build it an error, for wheels that are handed out.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from setuptools import Extension, setup

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def elsewhere(text: str, project: dict[str, Any] = PROJECT) -> str:
    """Returns the README as it is shown outside of the repository.

    Links into the repository lead to the files of this version, if [project.urls] names a `Source`; else they
    are plain words.
    """
    source = project.get("urls", {}).get("Source", "").rstrip("/")
    there = rf"[\1]({source}/blob/v{project['version']}/\2)" if source else r"\1"
    text = re.sub(r"(?m)^<!--.*-->\n", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)([^)]*)\)", there, text)


# As NumPy computes: no product and sum as one operation; and fast, since there is no errno to set.
EACH_OPERATION_ROUNDED = ["-O3", "-ffp-contract=off", "-fno-math-errno"] if os.name == "posix" else []
# Functions of elements that are not chosen may be computed: floating-point exceptions are read by no program.
SIDE_BY_SIDE = ["-O3", "-fno-math-errno", "-fno-trapping-math"] if os.name == "posix" else []

optional = os.environ.get("PENSTOCK_C") != "required"
setup(
    ext_modules=[
        Extension(
            f"penstock.{name.replace('/', '.')}",
            [f"src/penstock/{name}.c"],
            depends=[f"src/penstock/{one}" for one in depends],
            extra_compile_args=options,
            optional=optional,
        )
        for name, depends, options in (
            ("trace/_hot", [], []),
            ("paddle/_twist", [], []),
            ("paddle/_order", [], []),
            ("ops/_onednn", ["ops/_xla.h"], []),
            ("ops/_updates", ["ops/_xla.h"], EACH_OPERATION_ROUNDED),
            ("ops/_row_loops", ["ops/_xla.h"], SIDE_BY_SIDE),
        )
    ],
    long_description=elsewhere((HERE / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
