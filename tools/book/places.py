"""Where a file of the repository stands in the site, and what its links become there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs"
OWN = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks/index.md",
}
"""Files whose place in the site is not that in the repository."""

LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\()(?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
FENCE = re.compile(r"(?ms)^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$|`[^`\n]+`")
ELSEWHERE = ("http://", "https://", "mailto:")


def place(path: str) -> str:
    """Returns the page of the site on which a file or folder of the repository is shown.

    >>> place("docs/check.md"), place("examples/gan.py"), place("benchmarks/results/check.md")
    ('check.md', 'files/examples/gan.py.md', 'benchmarks/results/check.md')
    """
    if path in OWN:
        return OWN[path]
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/") + ("/index.md" if (ROOT / path).is_dir() else "")
    if path.startswith("benchmarks/results/") and path.endswith(".md"):
        return path
    return f"files/{path}/index.md" if (ROOT / path).is_dir() else f"files/{path}.md"


def outside(text: str, change: Callable[[re.Match[str]], str]) -> str:
    """Changes the links of a text, except in code."""
    parts, last = [], 0
    for code in FENCE.finditer(text):
        parts += [LINK.sub(change, text[last : code.start()]), code.group()]
        last = code.end()
    return "".join([*parts, LINK.sub(change, text[last:])])


def targets(text: str, home: str) -> list[str]:
    """Returns the files and folders of the repository to which a text in the folder `home` links."""
    found: list[str] = []

    def note(link: re.Match[str]) -> str:
        if link["target"] and not link["target"].startswith(ELSEWHERE):
            found.append(os.path.normpath(os.path.join(home, link["target"])))
        return link.group()

    outside(text, note)
    return found


def moved(text: str, path: str) -> str:
    """Returns the text of a file of the repository with its links as they are in the site."""
    home, here = os.path.dirname(path), os.path.dirname(place(path))

    def change(link: re.Match[str]) -> str:
        target, anchor = link["target"], link["anchor"] or ""
        if not target or target.startswith(ELSEWHERE):
            return link.group()
        there = place(os.path.normpath(os.path.join(home, target)))
        return f"{link['before']}{os.path.relpath(there, here or '.')}{anchor})"

    return outside(text, change)
