"""Runs published PyTorch scripts under `penstock check --with torch`, and writes the table of docs/wild.md.

    python tools/wild/run.py                      # fetches them first, file by file
    python tools/wild/run.py --from FOLDER        # takes them from FOLDER/<repository>/<path>
    python tools/wild/run.py mnist vae            # those whose paths have one of these words; writes no table

It needs a Python that has PyTorch. `scripts.toml` lists what is run: which files, pinned by the hashes that
Git gives their contents, with which arguments, and what was found to be true of each finding by reading the
script. A finding that has no such sentence fails the run, and so does a sentence whose finding does not come.
The files are kept in a temporary folder alone. Packages beside PyTorch and NumPy are stood in for by
`standins`, whose pictures and worlds are random.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "wild.md"
BEGIN, END = "<!-- wild: begin -->", "<!-- wild: end -->"
HEAD = (
    "| script | steps | what the report says | what is true | plain s | checked s | plain MB | checked MB |"
)
RULE = "| :-- | --: | :-- | :-- | --: | --: | --: | --: |"
LONGEST = 600
"""So many seconds a script may take."""
WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat"]
TEXT = "\n".join(" ".join(random.Random(line).choices(WORDS, k=12)) for line in range(60))
TEXT += "\n" * (2 - len(TEXT) % 2)
"""What scripts about language read: an even number of bytes, which some take by twos."""


@dataclass(frozen=True)
class Ran:
    """One run: what it printed, how it ended, seconds of the processor, and the most megabytes it held."""

    out: str
    error: str
    status: int
    seconds: float
    megabytes: float


def blob(content: bytes) -> str:
    """Returns the hash that Git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def fetch(repository: Mapping[str, Any], into: Path) -> None:
    """Brings the files of a repository, and refuses those that are not what is listed."""
    for path, wanted in repository["files"].items():
        address = repository["address"].format(path=path, blob=wanted)
        with urllib.request.urlopen(address, timeout=60) as answer:
            content = answer.read()
        place = into / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def verify(repository: Mapping[str, Any], folder: Path) -> None:
    """Raises SystemExit if a file in a folder is not what is listed."""
    for path, wanted in repository["files"].items():
        place = folder / path
        if not place.is_file():
            raise SystemExit(f"{place} is not there.")
        if blob(place.read_bytes()) != wanted:
            raise SystemExit(f"{place} is not the file that scripts.toml lists under {wanted}.")


def run(command: Sequence[str], folder: Path, extra: Mapping[str, str]) -> Ran:
    """Runs a command to its end, and measures it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=error, env={**os.environ, **extra})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        error.seek(0)
        said = out.read().decode(errors="replace"), error.read().decode(errors="replace")
    return Ran(*said, child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def environment(script: Mapping[str, Any], standins: Path, top: Path) -> dict[str, str]:
    """Returns what a script's process is told: where to look for packages, and how much data there is."""
    places = [standins, ROOT / "src", top, *[top / one for one in script.get("packages", ())]]
    return {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        **script.get("environment", {}),
    }


def row(repository: str, script: Mapping[str, Any], top: Path, standins: Path) -> tuple[str, list[str]]:
    """Returns the row of a script, and what is wrong with it."""
    path = Path(script["path"])
    folder = top / script.get("folder", path.parent)
    for name in script.get("text", ()):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(TEXT, encoding="utf-8")
    arguments = [str(top / path), *script.get("arguments", ())]
    extra = environment(script, standins, top)
    steps = ["--steps", str(script["steps"])] if "steps" in script else []
    command = [sys.executable, "-m", "penstock", "check", "--with", "torch", "--format", "json", *steps]
    limit = ["timeout", str(LONGEST)]
    checked = run([*limit, *command, *arguments], folder, extra)
    try:
        data = json.loads(checked.out)
    except ValueError:
        return "", [f"{path} was not checked: {checked.error[-2000:]}"]
    plain = None if steps or data["error"] else run([*limit, sys.executable, *arguments], folder, extra)
    judged = dict(script.get("judged", {}))
    found: dict[str, list[str]] = {}
    wrong = []
    for one in data["findings"]:
        found.setdefault(f"{one['code']} {one['name']} ({one['severity']})", []).append(str(one["line"]))
        if one["code"] not in judged:
            wrong.append(f"{path}: nobody has judged {one['code']}, line {one['line']}: {one['message']}")
    wrong += [f"{path}: {code} did not come." for code in judged if not any(code in one for one in found)]
    if data["error"] and not script.get("fails"):
        wrong.append(f"{path} failed: {data['error']}\n{checked.error[-1500:]}")
    said = "; ".join(f"{one} at {', '.join(dict.fromkeys(lines))}" for one, lines in found.items())
    note = f" {script['note']}" if "note" in script else ""
    cells = [
        f"{repository}: `{path}`{note}", str(data["steps"]), said or "nothing", " ".join(judged.values()),
        f"{plain.seconds:.1f}" if plain else "", f"{checked.seconds:.1f}",
        f"{plain.megabytes:.0f}" if plain else "", f"{checked.megabytes:.0f}",
    ]  # fmt: skip
    return f"| {' | '.join(one.replace('|', '/') for one in cells)} |", wrong


def main() -> int:
    """Runs what is asked for; returns 1 if something is not as it is listed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only scripts whose paths have one of these in them")
    parser.add_argument("--from", dest="source", type=Path, help="a folder that has the repositories")
    parser.add_argument("--list", type=Path, default=HERE / "scripts.toml", help="what is run")
    given = parser.parse_args()
    listed = tomllib.loads(given.list.read_text(encoding="utf-8"))
    rows, wrong = [HEAD, RULE], []
    with tempfile.TemporaryDirectory() as scratch:
        # What lies in a folder of this name counts as installed: lines of stand-ins are nobody's.
        standins = Path(shutil.copytree(HERE / "standins", Path(scratch, "site-packages")))
        for repository in listed["repository"]:
            name = repository["name"]
            scripts = [
                one
                for one in repository["script"]
                if not given.words or any(word in one["path"] for word in given.words)
            ]
            if not scripts:
                continue
            top = Path(scratch, name)
            if given.source is None:
                fetch(repository, top)
            else:
                for path in repository["files"]:
                    (top / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(given.source / name / path, top / path)
            verify(repository, top)
            for script in scripts:
                line, errors = row(name, script, top, standins)
                print(line, *errors, sep="\n", flush=True)
                rows.append(line)
                wrong += errors
    if not given.words and not wrong:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        table = "\n".join(rows)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    print(f"{len(rows) - 2} scripts, {len(wrong)} things that are not as listed.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
