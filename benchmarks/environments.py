"""One virtual environment per peer, made from `requirements/NAME.txt`, and made again when that file changes.

Run as `python benchmarks/environments.py [NAME ...]`. An environment is complete when it holds a stamp with
the requirements it was made from; anything else in its place is thrown away and made anew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE / ".environments"
AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The variables of what is measured: a source tree may write compiled files; installed packages have them."""
REQUIREMENTS = HERE / "requirements"
PEERS = ("tensorflow", "torch", "paddle", "jax", "autograd")


def interpreter(name: str) -> Path:
    """The Python of an environment, whether or not it exists."""
    return ENVIRONMENTS / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def recipe(name: str) -> str:
    """What an environment is made from: its requirements and the version of Python."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    return f"# Python {version}\n{(REQUIREMENTS / f'{name}.txt').read_text()}"


def ready(name: str) -> bool:
    stamp = ENVIRONMENTS / name / "made_from.txt"
    return stamp.is_file() and stamp.read_text() == recipe(name) and interpreter(name).exists()


def make(name: str) -> str | None:
    """Makes one environment; gives the installer's last words if that fails, else None."""
    folder = ENVIRONMENTS / name
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    install = [str(interpreter(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*install, "-r", str(REQUIREMENTS / f"{name}.txt")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
    (folder / "made_from.txt").write_text(recipe(name))
    return None


def make_missing(names: tuple[str, ...] | list[str] = PEERS) -> dict[str, str]:
    """Makes what is missing, says so as it goes, and gives {name: why} for those that could not be made."""
    failures = {}
    for number, name in enumerate(names, 1):
        label = f"[{number}/{len(names)}] {name:<12}"
        if ready(name):
            print(f"{label} ready", flush=True)
            continue
        print(f"{label} installing (a download of up to some hundred MB) ...", flush=True)
        start = time.perf_counter()
        try:
            failure = make(name)
        except (OSError, subprocess.CalledProcessError) as error:
            failure = str(error)
        seconds = time.perf_counter() - start
        if failure is None:
            print(f"{label} made in {seconds:.0f} s", flush=True)
        else:
            print(f"{label} could not be made:\n{failure}", flush=True)
            failures[name] = failure
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"some of: {', '.join(PEERS)} (default: all)"
    )
    names = parser.parse_args().names or PEERS
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return 1 if make_missing(names) else 0


if __name__ == "__main__":
    sys.exit(main())
