"""Whether PyTorch, NumPy, Keras and JAX have the names that we say are theirs: `common_names.json`.

Usage, in an environment that has some of these: PYTHONPATH=src python tools/record/common_names.py

It asks each library that is installed here for the common names of tests/oracles/common_names.py and for
those on the left of the tables "coming from" (tools/book/names.py). It keeps the version that was asked, a
sum of the names, and those that are not there.
"""

import importlib
import os
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tools" / "book"), str(ROOT / "tools" / "record")]
os.environ["KERAS_BACKEND"] = os.environ.get("KERAS_BACKEND", "tensorflow")

import names  # noqa: E402
from records import ORACLES, read, write  # noqa: E402

from oracles.common_names import NAMES  # noqa: E402

FILE = ORACLES / "common_names.json"
PACKAGES = {"pytorch": "torch", "keras": "tensorflow"}
"""Whose names the tables have, where a page is not called as the package."""


def there(package, dotted):
    """Says whether a package has a dotted name, its modules included."""
    found = package
    for part in dotted.split("."):
        if not hasattr(found, part):
            try:
                importlib.import_module(f"{found.__name__}.{part}")
            except (ImportError, AttributeError):
                return False
        found = getattr(found, part)
    return True


def asked():
    """Returns the names to ask of each package."""
    found = {package: set(text.split()) for package, text in NAMES.items()}
    for page, text in names.THEIRS.items():
        package = PACKAGES.get(page, page)
        found.setdefault(package, set()).update(one.partition(".")[2] for one in text.split())
    return found


if __name__ == "__main__":
    record = read(FILE)
    for name, listed in asked().items():
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        record[name] = {
            "version": package.__version__.partition("+")[0],
            "asked": zlib.crc32(" ".join(sorted(listed)).encode()),
            "absent": sorted(one for one in listed if not there(package, one)),
        }
        print(name, record[name])
    write(FILE, dict(sorted(record.items())))
