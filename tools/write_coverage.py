"""Writes docs/coverage/: which public names of TensorFlow and Paddle are here, and how published programs do.

python tools/write_coverage.py

The names of the frameworks are in tests/oracles/public_names_*.json, which tools/record/public_names.py
writes, the members of objects in members_*.json, which members.py writes, the programs in
tests/oracles/public_programs.json.
"""

import functools
import importlib
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
ORACLES = ROOT / "tests" / "oracles"
TITLES = {"tensorflow": "TensorFlow", "paddle": "PaddlePaddle"}


def page_of(framework: str) -> Path:
    """The page about a framework."""
    return ROOT / "docs" / "coverage" / f"{framework}.md"


def recorded(file: str) -> dict[str, Any]:
    """A record among the oracles."""
    return json.loads((ORACLES / file).read_text(encoding="utf-8"))


def found(start: ModuleType, path: str) -> bool:
    """Whether a name with dots, below a module, is there."""
    value: Any = start
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            if not isinstance(value, ModuleType) or not hasattr(value, "__path__"):
                return False
            name = f"{value.__name__}.{part}"
            try:
                value = importlib.import_module(name)
            except ModuleNotFoundError:
                return False
    return True


@functools.cache
def covered(framework: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """By namespace: the names of a framework that are here, and those that are not."""
    start = importlib.import_module(f"penstock.{framework}")
    here: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for space, names in recorded(f"public_names_{framework}.json")["names"].items():
        path = space.partition(".")[2]
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                there = found(start, f"{path}.{name}".strip("."))
            (here if there else missing).setdefault(space, []).append(name)
    return here, missing


def in_programs(framework: str, here: Mapping[str, list[str]]) -> tuple[dict[str, int], dict[str, int]]:
    """How often public programs use the names that are here, and those that are not."""
    uses = recorded(f"public_names_{framework}.json")["uses"]
    names = {f"{space}.{name}" for space, inside in here.items() for name in inside}
    names |= {name.replace("tf.compat.v1.", "tf.", 1) for name in names}
    return ({name: count for name, count in uses.items() if name in names},
            {name: count for name, count in uses.items() if name not in names})  # fmt: skip


@functools.cache
def members(framework: str) -> dict[str, tuple[int, list[str]]]:
    """By object that programs hold: how many members it has in the framework, and those missing here."""
    sys.path.insert(0, str(ORACLES))
    make = importlib.import_module("held_objects").MAKERS[framework]
    held = make(importlib.import_module(f"penstock.{framework}"))
    listed: dict[str, list[str]] = recorded(f"members_{framework}.json")["members"]
    return {
        name: (len(names), [one for one in names if not has(held[name], one)])
        for name, names in listed.items()
    }


def has(held: object, name: str) -> bool:
    """Whether an object has a member, though reading it may raise an error that says why it has no value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return hasattr(held, name)
    except Exception:
        return True


def of_members(framework: str) -> Iterator[str]:
    """The lines about the attributes and methods of objects."""
    found = members(framework)
    whole, missing = sum(count for count, _ in found.values()), sum(len(names) for _, names in found.values())
    yield "## By object"
    yield ""
    yield (
        f"The public attributes and methods of {len(found)} objects that programs hold, as "
        f"{TITLES[framework]} has them. Of the {whole}, {whole - missing} are here."
    )
    yield ""
    yield "| object | here | of | not here |"
    yield "| :-- | --: | --: | :-- |"
    for name, (count, names) in found.items():
        absent = " ".join(f"`{one}`" for one in names)
        yield f"| `{name}` | {count - len(names)} | {count} | {absent} |"
    yield ""


def share(part: int, whole: int) -> str:
    """A share in percent, rounded down: only all is 100."""
    return f"{100 * part // whole} %"


def of_programs(framework: str) -> Iterator[str]:
    """The lines about programs and examples that were run on the framework and here."""
    rows = recorded("public_programs.json")[framework]
    if not rows:
        return
    yield "## By program"
    yield ""
    yield (
        f"What was run on {TITLES[framework]} to its end, and then here. *Equal*: every number "
        "that is printed is the same to rounding, with data and random draws that are the same on both."
    )
    yield ""
    yield "| what | run on the framework | run here | equal |"
    yield "| :-- | --: | --: | --: |"
    for row in rows:
        counts = row["programs"], row["run"], row["equal"]
        yield "| " + " | ".join([row["what"], *map(str, counts)]) + " |"
    yield ""


def page(framework: str) -> str:
    """The page about a framework."""
    title, record = TITLES[framework], recorded(f"public_names_{framework}.json")
    here, missing = covered(framework)
    count = {space: len(here.get(space, ())) for space in record["names"]}
    whole = {space: len(names) for space, names in record["names"].items()}
    used, lacking = in_programs(framework, here)
    known, uses = len(used) + len(lacking), sum(used.values()) + sum(lacking.values())
    wanted = [
        f"`{name}` {number}" for name, number in sorted(lacking.items(), key=lambda one: (-one[1], one[0]))
    ]
    lines = [
        f"# What of {title} is here",
        "",
        f"The public names of {title} {record['versions'][framework]}, looked up in `penstock.{framework}`. "
        "`python tools/write_coverage.py` writes this page, and a test compares it with the code. That a "
        "name is here says nothing of its options: a value that is not supported is refused with an error on "
        "the line of the call.",
        "",
        f"Of the {sum(whole.values())} names, {sum(count.values())} are here. Of the {known} that public "
        f"programs were seen to use, {len(used)} are here: {share(sum(used.values()), uses)} of all uses.",
        "",
        *of_programs(framework),
        "## What programs use and is not here",
        "",
        f"By the number of uses that were counted: {', '.join(wanted) or 'nothing'}.",
        "",
        *of_members(framework),
        "## By namespace",
        "",
        "| namespace | here | of | not here |",
        "| :-- | --: | --: | :-- |",
    ]
    for space in record["names"]:
        absent = " ".join(f"`{name}`" for name in missing.get(space, ()))
        lines.append(f"| `{space}` | {count[space]} | {whole[space]} | {absent} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes both pages."""
    for framework in TITLES:
        page_of(framework).parent.mkdir(exist_ok=True)
        page_of(framework).write_text(page(framework), encoding="utf-8")
        print(page_of(framework).relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
