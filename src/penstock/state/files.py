"""Files of checkpoints: written whole or not at all, and read with what is wrong said in words."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from penstock.errors import CheckpointError
from penstock.trace.site import here

FORMAT = "penstock 1"
"""What the metadata of a file says under "format"."""


def replace(where: str | os.PathLike[str], write: Callable[[str], None]) -> None:
    """Lets `write` make a file, and puts it in the place of another in one instant."""
    path = Path(where)
    if not path.parent.is_dir():
        raise CheckpointError(
            f"save: the folder {os.fspath(path.parent)!r} does not exist.",
            remedy="Create it first: os.makedirs(folder, exist_ok=True).",
            site=here(),
        )
    _sweep(path)
    # In a folder of its own: what is swept away later is known by its name, whatever the writer calls it.
    folder = path.parent / f".{path.name}.{os.getpid()}.partial"
    folder.mkdir(exist_ok=True)
    try:
        partial = folder / path.name
        partial.touch()
        mode = (path if path.exists() else partial).stat().st_mode
        write(os.fspath(partial))
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(partial, stat.S_IMODE(mode))
        os.replace(partial, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.name == "posix":
        number = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _sweep(path: Path) -> None:
    """Removes what processes that are no more have left half-written."""
    for left in path.parent.glob(f".{path.name}.*.partial"):
        number = left.suffixes[-2][1:] if len(left.suffixes) > 1 else ""
        if number.isdigit() and not _runs(int(number)):
            shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def read(path: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns the arrays of a safetensors file, and its metadata if it is a checkpoint of ours."""
    if not os.path.exists(path):
        raise CheckpointError(
            f"load: there is no file {path!r}.",
            remedy="Check the path and the working folder.",
            site=here(),
        )
    try:
        with safe_open(path, framework="np") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            text: dict[str, str] = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"load: {path!r} is not a whole safetensors file: {error}.",
            remedy="Load another copy, or convert it to safetensors first.",
            site=here(),
        ) from None
    if text.get("format") != FORMAT:
        # Files of PyTorch note tied weights as name: name.
        return arrays, {"ties": {key: other for key, other in text.items() if other in arrays}}
    metadata = {name: json.loads(value) for name, value in text.items() if name != "format"}
    for name, stored in metadata.get("variables", {}).items():
        if stored["dtype"] == "complex128" and name in arrays:
            arrays[name] = arrays[name][..., 0] + 1j * arrays[name][..., 1]
    return arrays, metadata


__all__ = ["FORMAT", "read", "replace"]
