"""tf.gfile: files, under TensorFlow 1's names for the functions of tf.io.gfile."""

from __future__ import annotations

from collections.abc import Iterator as _Iterator
from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.io import gfile as _gfile
from penstock.tensorflow.io.gfile import GFile as GFile

Open = FastGFile = GFile


def Exists(filename: Any) -> bool:
    """Returns whether there is such a file or folder."""
    return _gfile.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    """Returns whether there is such a folder."""
    return _gfile.isdir(dirname)


def Glob(filename: Any) -> list[str]:
    """Returns the paths that match a pattern."""
    return _gfile.glob(filename)


def ListDirectory(dirname: Any) -> list[str]:
    """Returns the names in a folder."""
    return _gfile.listdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Makes a folder, and those above it that are not there."""
    _gfile.makedirs(dirname)


def MkDir(dirname: Any) -> None:
    """Makes a folder in one that is there."""
    _gfile.mkdir(dirname)


def Remove(filename: Any) -> None:
    """Removes a file."""
    _gfile.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder with all that is in it."""
    _gfile.rmtree(dirname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; raises AlreadyExistsError for one that is there, unless it may be overwritten."""
    _gfile.copy(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames a file; raises AlreadyExistsError if the name is taken, unless it may be overwritten."""
    _gfile.rename(oldname, newname, overwrite)


def Stat(filename: Any) -> Any:
    """Returns the length of a file and when it was written."""
    return _gfile.stat(filename)


def Walk(top: Any, in_order: bool = True) -> _Iterator[Any]:
    """Yields (folder, names of folders, names of files) for a folder and all below it."""
    return _gfile.walk(top, in_order)


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.gfile", globals())
__all__ += ["GFile"]
