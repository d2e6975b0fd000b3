"""Files that Paddle downloads, found on this machine where Paddle keeps them: nothing is downloaded."""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError
from penstock.trace.source_site import here

__all__ = ["get_weights_path_from_url"]

WEIGHTS_HOME = str(Path("~/.cache/paddle/hapi/weights").expanduser())
"""Where Paddle keeps weights that it has downloaded."""


def is_url(path: str) -> bool:
    """Returns whether a path is an address to download from."""
    return path.startswith(("http://", "https://"))


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """Returns the path of weights that Paddle has downloaded; raises PenstockError if they are not there."""
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def get_path_from_url(
    url: str,
    root_dir: str,
    md5sum: str | None = None,
    check_exist: bool = True,
    decompress: bool = True,
    method: str = "get",
) -> str:
    """Returns the path of a file that Paddle has downloaded to a folder, or of what was packed in it.

    Raises PenstockError if it is not there, or has another checksum than `md5sum`. Nothing is downloaded:
    `check_exist` and `method` do nothing.
    """
    if not is_url(url):
        raise AssertionError(f"downloading from {url} not a url")
    path = Path(root_dir) / url.rsplit("/", 1)[-1]
    if not path.is_file():
        raise _absent(f"The file of {url} is not on this machine.", path)
    if md5sum is not None:
        found = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        if found != md5sum:
            raise _absent(f"The file of {url} has the checksum {found}, not {md5sum}.", path)
    if decompress and (tarfile.is_tarfile(path) or zipfile.is_zipfile(path)):
        return _unpacked(path)
    return str(path)


def _absent(fact: str, path: Path) -> PenstockError:
    return PenstockError(
        fact,
        origin=f"looked for {path}",
        why="Penstock downloads no files.",
        remedy="Put the file there. On a machine with Paddle, running the script once puts it there.",
        site=here(),
    )


def _unpacked(path: Path) -> str:
    """Unpacks an archive beside it; returns the one file or folder in it, or a folder of its own."""
    archive: Any
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            top = {Path(one).parts[0] for one in archive.getnames() if Path(one).parts}
            place = path.parent if len(top) == 1 else path.with_name(path.name.split(".")[0])
            archive.extractall(place, filter="data")
    else:
        with zipfile.ZipFile(path) as archive:
            top = {Path(one).parts[0] for one in archive.namelist() if Path(one).parts}
            place = path.parent if len(top) == 1 else path.with_name(path.stem)
            archive.extractall(place)
    return str(place / top.pop()) if len(top) == 1 else str(place)
