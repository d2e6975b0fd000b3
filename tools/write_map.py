"""Writes docs/map.md: the rooms of the package, what each may know, and where something new goes.

python tools/write_map.py
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "penstock"
PAGE = ROOT / "docs" / "map.md"
sys.path.insert(0, str(ROOT / "tests"))

from test_rooms import ROOMS, imported_names, importing_nodes, room_of  # noqa: E402

FACES = {"__init__": "What `import penstock` gives: the public names."}
"""Rooms whose docstring is written for users."""

NEW: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "a primitive",
        "sinc",
        "ops",
        "an entry in a table, with its rules for NumPy, XLA and the derivative",
        "vjp_table",
    ),
    (
        "a native function",
        "gammaln",
        "functions",
        "the function beside its family, listed in its file",
        "functions public reference functions_page",
    ),
    (
        "a layer",
        "UnitNormalization",
        "",
        "the class beside its family, listed in its file; its name is one of Keras'",
        "bad_layers layers reference coverage",
    ),
    (
        "an optimizer",
        "Lion",
        "",
        "its rule and class with Keras' words for it, listed in its file",
        "optimizers_properties optimizers reference coverage",
    ),
    (
        "a TensorFlow name",
        "invert_permutation",
        "tensorflow",
        "a function, or a row of a table",
        "declared arguments_read coverage",
    ),
    (
        "a Paddle name",
        "stanh",
        "paddle",
        "a function, or a row of a table",
        "paddle_names arguments_read coverage",
    ),
    (
        "a finding",
        "PS427",
        "flow",
        "its diagnosis, and its page: code, name, a wrong and a right program",
        "explain findings",
    ),
)
"""Kinds of additions: a thing of the kind that is there already, in which folder, what to write, and which
tests look at it first."""


def files_of(room: str) -> list[Path]:
    """The files of a room, which is a folder or one file."""
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{room}.py"]


def summary(room: str) -> str:
    """The first sentence of a room's docstring."""
    first = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    if room in FACES:
        return FACES[room]
    written = ast.get_docstring(ast.parse(first.read_text(encoding="utf-8"))) if first.exists() else None
    if written is None:
        raise SystemExit(f"{first} has no docstring that says what the room {room!r} is.")
    return written.split("\n\n")[0].replace("\n", " ")


def known(room: str) -> list[str]:
    """The rooms that a room imports from."""
    found = set()
    for path in files_of(room):
        package = ("penstock", *path.relative_to(PACKAGE).parent.parts)
        for node in importing_nodes(path.read_text(encoding="utf-8")):
            for name in imported_names(node, package):
                if name[0] == "penstock":
                    other = room_of(name[1:])
                    found.add(other if other in ROOMS else "__init__")
    return [one for one in ROOMS if one in found - {room}]


def homes(word: str, folder: str) -> list[str]:
    """The files of a folder of the package that say a word."""
    pattern = re.compile(rf"\b{word}\b")
    return [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if pattern.search(path.read_text(encoding="utf-8"))
    ]


def lines() -> Iterator[str]:
    """The lines of the page."""
    yield "# A map of the house"
    yield ""
    yield "`python tools/write_map.py` draws this page from the code, and a test compares the two."
    yield ""
    yield "## Rooms"
    yield ""
    yield "From the ground up. A file imports from its own room and from rooms above it in this table, never"
    yield "from one below. *Knows* lists the rooms that it does import from."
    yield ""
    yield "| room | what it is | knows |"
    yield "| :-- | :-- | :-- |"
    for room in ROOMS:
        place = f"`{room}/`" if (PACKAGE / room).is_dir() else f"`{room}.py`"
        said = ", ".join("`penstock`" if one == "__init__" else f"`{one}`" for one in known(room))
        yield f"| {place} | {summary(room)} | {said} |"
    yield ""
    yield "## Where something new goes"
    yield ""
    yield "*Files* counts the files that name the example, which is what one more of its kind costs."
    yield ""
    yield "| to add | write | files | as was done for | tests |"
    yield "| :-- | :-- | --: | :-- | :-- |"
    for kind, word, folder, what, tests in NEW:
        found = homes(word, folder)
        if not found:
            raise SystemExit(f"Nothing in the package is called {word!r}, which stands for {kind}.")
        places = ", ".join(f"`{one}`" for one in found)
        first = ", ".join(f"`test_{one}`" for one in tests.split())
        yield f"| {kind} | {what} | {len(found)} | `{word}`: {places} | {first} |"
    yield ""
    yield "*Tests* fail until an addition is complete, and say what is missing: a layer needs a call in"
    yield "`tests/bad_layers.py`, an optimizer a row in `tests/test_optimizers_properties.py`. Others follow"
    yield "by themselves where a table is walked."
    yield ""
    yield "If a dialect's module does not take names from a file yet, it must list the file too. A dialect's"
    yield "name also needs a recorded run of its framework: a line in `tests/oracles/expressions*.py`, or a"
    yield "small program in a folder beside them, recorded by a script in `tools/record/`. A choice that a"
    yield "newcomer would question needs a page in [decisions](README.md#decisions)."


def page() -> str:
    """The whole page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
