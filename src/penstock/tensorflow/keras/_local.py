"""Files of data sets on this machine: their folders, and the error for those that are not
there."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.trace.source_site import here


class DataNotFoundError(PenstockError, FileNotFoundError):
    """A file of a data set that is not on this machine."""


class DataDamagedError(PenstockError, ValueError):
    """A file of a data set that cannot be read in its format."""


def home() -> str:
    """Returns the folder of Keras: KERAS_HOME, or ~/.keras."""
    return os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")


def find(
    names: tuple[str, ...],
    origin: str,
    folder: str = "datasets",
    base: str | None = None,
    instead: str = "",
) -> str:
    """Returns the first of these files or folders that is there, below the folder of Keras.

    Raises DataNotFoundError, which says where to get the file from and where to put it, and what else would
    do.
    """
    places = [os.path.join(base or home(), folder, os.path.expanduser(name)) for name in names]
    for place in places:
        if os.path.exists(place):
            return place
    raise DataNotFoundError(
        f"{os.path.basename(names[0])!r} is not on this machine.",
        origin="\n".join(f"looked for {place}" for place in places),
        why="Penstock downloads nothing: data sets and weights are read from local files.",
        remedy=f"Download {origin or 'the file'} and put it at {places[0]} (KERAS_HOME names another "
        f"folder).{f' {instead[0].upper()}{instead[1:]}' if instead else ''}",
        site=here(),
    )


def reading(path: str, read: Callable[[], Any]) -> Any:
    """Returns a function's result for a file; raises DataDamagedError if it cannot read the file."""
    try:
        return read()
    except (OSError, ValueError, KeyError, EOFError, IndexError, pickle.UnpicklingError,
            zipfile.BadZipFile) as error:  # fmt: skip
        raise DataDamagedError(
            f"{path!r} could not be read: {type(error).__name__}: {error}.",
            why="The file is damaged, or is not the file that its name says.",
            remedy="Delete it and download it again.",
            site=here(),
        ) from error


def arrays(path: str, *names: str) -> list[Any]:
    """Returns arrays of a .npz file by name."""

    def read() -> list[Any]:
        with np.load(path, allow_pickle=True) as file:
            return [file[name] for name in names]

    return reading(path, read)  # type: ignore[no-any-return]


def pixels(content: bytes) -> Any:
    """Returns the array in a file of the format IDX, which MNIST is published in."""
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != 8:
        raise ValueError("not an IDX file of bytes")
    rank = content[3]
    lengths = np.frombuffer(content, ">i4", rank, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(lengths.tolist())


class _Arrays(pickle.Unpickler):
    """Reads pickled arrays and plain values, but no objects that would run code."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = {"_reconstruct", "ndarray", "dtype", "scalar", "_codecs.encode"}
        if module.split(".")[0] in ("numpy", "_codecs") and (name in allowed or module == "_codecs"):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name} is neither an array nor a plain value")


def pickled(path: str) -> Any:
    """Returns the values of a pickled file, as Python 2 or 3 wrote it."""

    def read() -> Any:
        with open(path, "rb") as file:
            return _Arrays(file, encoding="bytes").load()

    return reading(path, read)


def shuffled(seed: int, *arrays: Any) -> Any:
    """Returns arrays with their rows in the random order that Keras gives them for a seed."""
    order = np.arange(len(arrays[0]))
    np.random.RandomState(seed).shuffle(order)
    return [one[order] for one in arrays]


def parted(x: Any, y: Any, test_split: float) -> tuple[Any, Any]:
    """Returns the rows to train on and the rows to test with."""
    count = int(len(x) * (1 - test_split))
    return (np.array(x[:count]), np.array(y[:count])), (np.array(x[count:]), np.array(y[count:]))
