"""Checkpoint files: written atomically, and read with errors that describe the problem."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from penstock.errors import CheckpointError
from penstock.state import notes
from penstock.trace.source_site import here

_UNCONFIRMED = (errno.EACCES, errno.EINVAL, errno.ENOTSUP)
"""The errors of file systems that cannot sync a folder, or do not allow reading it."""


def path_of(where: Any, what: str) -> str:
    """Returns a path given as text, bytes or a path object; raises CheckpointError for anything else."""
    try:
        return os.fsdecode(where)
    except TypeError:
        raise CheckpointError(
            f"{what}: {where!r} ({type(where).__name__}) is not a path.",
            remedy=f"Give the path first, then what to save or load: {what}('model.safetensors', model).",
            site=here(),
        ) from None


def replace(where: str, write: Callable[[str], object], make: bool = False) -> None:
    """Lets `write` make a file, and replaces another one by it atomically.

    A link keeps pointing to its file, which is replaced; `make` creates missing folders. Raises
    CheckpointError, with the error of the system as its cause, if the file cannot be written; the old one is
    then unchanged.
    """
    folder = None
    try:
        if make:
            os.makedirs(os.path.dirname(os.path.realpath(where)), exist_ok=True)
        path = target(where)
        _sweep(path)
        # In a separate folder: the clean-up recognizes it by its name, whatever the writer calls the file.
        folder = Path(tempfile.mkdtemp(".partial", f".{path.name}.{os.getpid()}.", path.parent))
        partial = folder / path.name
        partial.touch()
        mode = (path if path.exists() else partial).stat().st_mode
        write(os.fspath(partial))
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(partial, stat.S_IMODE(mode))
        os.replace(partial, path)
    except CheckpointError:
        raise
    except (OSError, SafetensorError, ValueError) as error:
        raise CheckpointError(
            f"save: {where!r} could not be written: {error}.",
            why="The file that was there before is unchanged.",
            remedy="Free some space, make the folder writable, or save elsewhere.",
            site=here(),
        ) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    _confirm(path.parent)


def target(where: str) -> Path:
    """Returns the file behind all links; raises CheckpointError for a path that cannot be written."""
    path = Path(os.path.realpath(where))
    problem = remedy = ""
    if path.is_symlink():
        problem, remedy = "is a link that points back to itself", "Remove the link."
    elif path.is_dir():
        problem, remedy = "is a folder", f"Name a file in it: {os.path.join(where, 'model.safetensors')!r}."
    elif path.exists() and not path.is_file():
        problem, remedy = "is not an ordinary file, so it cannot be replaced", "Name another file."
    elif not path.parent.is_dir():
        problem = f"lies in {os.fspath(path.parent)!r}, a folder that does not exist"
        remedy = "Create it first: os.makedirs(folder, exist_ok=True)."
    if problem:
        raise CheckpointError(f"save: {where!r} {problem}.", remedy=remedy, site=here())
    return path


def _sweep(path: Path) -> None:
    """Removes incomplete files of processes that have ended."""
    head = f".{path.name}."
    for left in path.parent.iterdir():
        if left.name.startswith(head) and left.name.endswith(".partial"):
            number = left.name.removeprefix(head).partition(".")[0]
            if number.isdigit() and not _runs(int(number)):
                shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _confirm(folder: Path) -> None:
    """Waits until the new name is on the disk too."""
    if os.name != "posix":
        return
    try:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in _UNCONFIRMED:
            raise CheckpointError(
                f"save: the folder {os.fspath(folder)!r} could not be synced to disk: {error}.",
                why="The new file is there, but a power cut might lose it.",
                remedy="Check the disk, and save again.",
                site=here(),
            ) from error


def stored(value: np.ndarray) -> np.ndarray:
    """Returns an array in a form that every reader of safetensors finds in NumPy."""
    if value.dtype == np.complex128:
        return np.stack([value.real, value.imag], axis=-1)
    return value.view(np.uint8) if _is_narrow(value.dtype) else value


def _is_narrow(dtype: np.dtype[Any]) -> bool:
    """Returns whether a dtype is one of eight bits or less that NumPy does not have."""
    return dtype.isbuiltin == 2 and dtype.itemsize == 1


def _unpacked(array: np.ndarray, noted: Mapping[str, Any]) -> np.ndarray:
    """Returns the array that `stored` was given."""
    name = noted["dtype"]
    if name == "complex128" and array.dtype == np.float64 and array.shape[-1:] == (2,):
        # Not x + 1j * y: infinite parts would become NaN.
        return np.ascontiguousarray(array).view(np.complex128)[..., 0]
    if array.dtype == np.uint8 and name != "uint8":
        import ml_dtypes

        try:
            narrow = np.dtype(getattr(ml_dtypes, name, None))
        except TypeError:
            return array
        return array.view(narrow) if _is_narrow(narrow) else array
    return array


def read(path: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns the arrays of a safetensors file, and its notes if Penstock has written it.

    Raises CheckpointError for a file that is incomplete, has been changed, or cannot be read.
    """
    return understood(path, *opened(path))


def opened(path: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Returns the arrays of a safetensors file, and its metadata, unchanged."""
    if not os.path.exists(path):
        raise CheckpointError(
            f"load: there is no file {path!r}.",
            remedy="Check the path and the working directory.",
            site=here(),
        )
    name = ""
    arrays: dict[str, np.ndarray] = {}
    try:
        with safe_open(path, framework="np") as file:
            text: dict[str, str] = file.metadata() or {}
            for name in file.keys():  # noqa: SIM118
                arrays[name] = file.get_tensor(name)
    except Exception as error:
        # Any error of the library here is caused by the file.
        at = f", at the array {name!r}" if name else ""
        raise CheckpointError(
            f"load: {path!r} is not a complete safetensors file{at}: {error}.",
            why="Nothing was changed.",
            remedy="Load another copy, or convert it to safetensors first.",
            site=here(),
        ) from error
    return arrays, text


def understood(
    path: str, arrays: dict[str, np.ndarray], text: Mapping[str, str]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns arrays as they were saved, and their metadata."""
    if not notes.is_own(text):
        # PyTorch's files store tied weights in the metadata, as name: name.
        return arrays, {"ties": {key: other for key, other in text.items() if other in arrays}}
    noted = notes.read(path, text, arrays)
    for name, one in noted.get("variables", {}).items():
        array = arrays[name] = _unpacked(arrays[name], one)
        if list(array.shape) != one["shape"] or array.dtype.name != one["dtype"]:
            raise notes.damaged(
                path,
                f"the array {name!r} is {array.dtype.name}{list(array.shape)}, and was "
                f"{one['dtype']}{one['shape']} when it was written",
            )
    return arrays, noted


__all__ = ["opened", "path_of", "read", "replace", "stored", "target", "understood"]
