"""Prints the oldest version of each dependency that pyproject.toml admits, as constraints for pip.

python tools/oldest.py > constraints.txt
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
NOT_RUN = ("cuda", "dev", "onednn", "site")
"""Extras that are not tested so: `cuda` needs a GPU, `onednn` one platform, and tools may be new."""


def requirements() -> list[str]:
    """Returns what the package and its extras need, without what the package needs of itself."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    more = [one for name in extras if name not in NOT_RUN for one in extras[name]]
    return [one for one in [*project["dependencies"], *more] if not one.startswith(project["name"])]


def oldest(requirement: str) -> str:
    """Returns a requirement as the one version that it begins with: `numpy>=2` is `numpy==2`."""
    found = re.fullmatch(r"([A-Za-z0-9._-]+)>=([0-9.]+)", requirement.replace(" ", ""))
    if found is None:
        raise SystemExit(
            f"{requirement!r} in {PROJECT.name} names no oldest version. Write it as name>=version."
        )
    return f"{found[1]}=={found[2]}"


if __name__ == "__main__":
    print("\n".join(map(oldest, requirements())))
