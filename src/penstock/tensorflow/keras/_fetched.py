"""Files that tutorials download: found on this machine, and unpacked."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import urllib.parse
import urllib.request
import zipfile
from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _local
from penstock.trace.source_site import here, warn


@named("tf.keras.utils.get_file")
def get_file(
    fname: Any = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
    force_download: bool = False,
) -> str:
    """Returns the path of a file that is on this machine, or of the folder that it is unpacked into.

    It is looked for under its name below `cache_dir`/`cache_subdir`, by default ~/.keras/datasets; nothing
    is downloaded, and an `origin` that begins with file:// is copied there. With `extract` or `untar`, an
    archive is unpacked into a folder beside it, unless the folder is there already.

    Raises DataNotFoundError, a FileNotFoundError that says where to put which file, and DataDamagedError for
    an archive that cannot be unpacked. Warns of a file whose hash is another one than the program expects.
    """
    if origin is None:
        raise ArgumentError(
            'Please specify the "origin" argument (URL of the file to download).', site=here()
        )
    published = os.path.basename(urllib.parse.urlsplit(origin).path)
    name = os.fspath(fname) if fname else published
    if not name:
        raise ArgumentError(
            f"Can't parse the file name from the origin provided: '{origin}'. Please specify the `fname` "
            "argument.",
            site=here(),
        )
    if fname and os.sep in name:
        raise ArgumentError(
            "Paths are no longer accepted as the `fname` argument. To specify the file's parent directory, "
            "use "
            f"the `cache_dir` argument. Received: fname={name}",
            site=here(),
        )
    base = os.path.expanduser(os.fspath(cache_dir)) if cache_dir is not None else _local.home()
    folder = os.path.join(base, cache_subdir)
    unpacked = extract or untar
    target = _unpacked_into(folder, name, bool(fname)) if unpacked else os.path.join(folder, name)
    if unpacked and os.path.isdir(target) and os.listdir(target) and not force_download:
        return target
    stem = os.path.basename(target)
    names = (name, f"{stem}_archive", published, stem) if unpacked else (name,)
    if origin.startswith("file:"):
        found = _copied(origin, os.path.join(folder, names[0] if not unpacked else f"{stem}_archive"))
    else:
        # A program that requests a fresh download gets the local file: no newer one is available.
        found = _local.find(tuple(dict.fromkeys(names)), origin, cache_subdir, base)
    if os.path.isdir(found):
        return found
    _check(found, file_hash or md5_hash, "md5" if file_hash is None and md5_hash else hash_algorithm)
    return _unpack(found, target, "tar" if untar else archive_format) if unpacked else found


def _unpacked_into(folder: str, name: str, named: bool) -> str:
    """Returns the folder that Keras unpacks an archive into."""
    if named and "." in name:
        return os.path.join(folder, f"{name.partition('.')[0]}_extracted")
    return os.path.join(folder, name)


def _copied(origin: str, place: str) -> str:
    source = urllib.request.url2pathname(urllib.parse.urlsplit(origin).path)
    if not os.path.exists(source):
        raise _local.DataNotFoundError(
            f"{source!r} is not on this machine.", remedy="Check the origin.", site=here()
        )
    os.makedirs(os.path.dirname(place), exist_ok=True)
    shutil.copyfile(source, place)
    return place


def _check(path: str, wanted: str | None, algorithm: str) -> None:
    """Warns of a file whose hash is another one."""
    if wanted is None:
        return
    kind = algorithm if algorithm != "auto" else "sha256" if len(wanted) == 64 else "md5"
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, kind).hexdigest()
    if found != wanted:
        warn(
            f"get_file: the {kind} hash of {path!r} is {found}, and {wanted} was expected. It is used as "
            f"it is."
        )


def _unpack(path: str, target: str, formats: Any) -> str:
    """Unpacks an archive into a folder, whole or not at all."""
    part = f"{target}.partial"

    def unpack() -> str:
        shutil.rmtree(part, ignore_errors=True)
        kinds = ("tar", "zip") if formats == "auto" else (formats,) if isinstance(formats, str) else formats
        if "tar" in kinds and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                archive.extractall(part, filter="data")
        elif "zip" in kinds and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                archive.extractall(part)
        else:
            raise ValueError(f"it is not an archive of the kinds {', '.join(kinds or ())}")
        shutil.rmtree(target, ignore_errors=True)
        os.replace(part, target)
        return target

    try:
        return str(_local.reading(path, unpack))
    finally:
        shutil.rmtree(part, ignore_errors=True)
