"""The installed version of TensorFlow, and whether it is new enough to be watched."""

from __future__ import annotations

import importlib.metadata
import sys

from penstock.errors import PenstockError

PACKAGES = (
    "tensorflow", "tensorflow-cpu", "tensorflow_cpu", "tf-nightly", "tensorflow-macos", "tensorflow-intel",
    "tensorflow-cpu-aws", "tf-nightly-cpu", "tensorflow-rocm",
)  # fmt: skip
"""Packages that TensorFlow is installed from."""
OLDEST = (2, 16)
"""The oldest version whose programs can be watched: the first with Keras 3."""


def installed() -> str:
    """Returns the version of TensorFlow in this Python, without importing it; "" if it is unknown."""
    for name in PACKAGES:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def is_old(version: str) -> bool:
    """Returns whether a version is too old to be watched.

    >>> is_old("2.15.1"), is_old("2.16.0"), is_old("3.0.0-rc1"), is_old("")
    (True, False, False, False)
    """
    parts = version.split(".")[:2]
    return len(parts) == 2 and all(map(str.isdigit, parts)) and tuple(map(int, parts)) < OLDEST


def require_new(version: str) -> None:
    """Raises PenstockError for a version that is too old."""
    if is_old(version):
        oldest = ".".join(map(str, OLDEST))
        raise PenstockError(
            f"--with tensorflow needs TensorFlow {oldest} or newer, and this Python ({sys.executable}) has "
            f"{version}.",
            remedy=f"Install a newer one, pip install 'tensorflow>={oldest}', or run the script on Penstock: "
            "penstock check --as tensorflow SCRIPT",
        )


__all__ = ["OLDEST", "PACKAGES", "installed", "is_old", "require_new"]
