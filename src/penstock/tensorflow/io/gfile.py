"""tf.io.gfile: files and folders of this machine."""

from __future__ import annotations

import glob as _glob
import os
import shutil
from collections.abc import Iterator
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import NotFoundError as _NotFoundError
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.source_site import here as _here


def _text(path: Any) -> str:
    text = os.fspath(path)
    return text.decode() if isinstance(text, bytes) else str(text)


def _path(path: Any) -> str:
    text = _text(path)
    if "://" in text and not text.startswith("file://"):
        raise _ArgumentError(
            f"{text!r} is not on this machine.", remedy="Copy it here, and name the local file.", site=_here()
        )
    return text.removeprefix("file://")


class GFile:
    """A file of text, or of bytes where the mode has a b."""

    def __init__(self, name: Any, mode: str = "r") -> None:
        self.name, self.mode = _path(name), mode
        self._opened: Any = None

    @property
    def _file(self) -> Any:
        if self._opened is None:
            try:
                text = {} if "b" in self.mode else {"encoding": "utf-8"}
                self._opened = open(self.name, self.mode, **text)  # type: ignore[call-overload]  # noqa: SIM115
            except FileNotFoundError as error:
                raise _NotFoundError(f"{self.name}; No such file or directory", site=_here()) from error
        return self._opened

    def read(self, n: int = -1) -> Any:
        """Returns the rest of the file, or the next `n` characters or bytes."""
        return self._file.read(n)

    def readline(self) -> Any:
        """Returns the next line."""
        return self._file.readline()

    def readlines(self) -> list[Any]:
        """Returns the lines that are left."""
        return list(self._file.readlines())

    def write(self, file_content: Any) -> None:
        """Writes text or bytes."""
        self._file.write(file_content)

    def size(self) -> int:
        """Returns the length of the file in bytes."""
        return os.path.getsize(self.name)

    def seek(self, offset: int = 0, whence: int = 0) -> None:
        """Goes to a place in the file."""
        self._file.seek(offset, whence)

    def tell(self) -> int:
        """Returns the place in the file."""
        return int(self._file.tell())

    def flush(self) -> None:
        """Flushes the written text to the system."""
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def exists(path: Any) -> bool:
    """Returns whether there is a file or folder."""
    return os.path.exists(_path(path))


def isdir(path: Any) -> bool:
    """Returns whether there is a folder."""
    return os.path.isdir(_path(path))


def glob(pattern: Any) -> list[str]:
    """Returns the files that fit a pattern, or one of several in any iterable."""
    several = [pattern] if isinstance(pattern, str | bytes | os.PathLike) else pattern
    return [path for one in several for path in sorted(_glob.glob(_path(one)))]


def listdir(path: Any) -> list[str]:
    """Returns the names in a folder."""
    if not isdir(path):
        raise _NotFoundError(f"Could not find directory {_path(path)}", site=_here())
    return sorted(os.listdir(_path(path)))


def makedirs(path: Any) -> None:
    """Makes a folder and those above it, unless they are there."""
    os.makedirs(_path(path), exist_ok=True)


def mkdir(path: Any) -> None:
    """Makes a folder."""
    os.mkdir(_path(path))


def remove(path: Any) -> None:
    """Deletes a file."""
    try:
        os.remove(_path(path))
    except FileNotFoundError as error:
        raise _NotFoundError(f"{_path(path)}; No such file or directory", site=_here()) from error


def rmtree(path: Any) -> None:
    """Deletes a folder and all in it."""
    try:
        shutil.rmtree(_path(path))
    except FileNotFoundError as error:
        raise _NotFoundError(f"{_path(path)}; No such file or directory", site=_here()) from error


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file; one that is there is replaced with `overwrite` only."""
    _refuse_existing(dst, overwrite)
    shutil.copyfile(_path(src), _path(dst))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name; one that is there is replaced with `overwrite` only."""
    _refuse_existing(dst, overwrite)
    os.replace(_path(src), _path(dst))


def _refuse_existing(path: Any, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise _ArgumentError(
            f"file already exists: {_path(path)}", remedy="Pass overwrite=True.", site=_here()
        )


def stat(path: Any) -> Any:
    """Returns the system's metadata of a file; `length` is its size."""

    class Found:
        """The system's metadata of a file."""

        length = os.path.getsize(_path(path))
        mtime_nsec = os.stat(_path(path)).st_mtime_ns
        is_directory = os.path.isdir(_path(path))

    return Found()


def join(path: Any, *paths: Any) -> str:
    """Returns parts of a path as one; a place that is not on this machine is joined, and not looked for."""
    return os.path.join(_text(path), *map(_text, paths))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[Any]:
    """Yields each folder below a folder, with the folders and the files in it."""
    return os.walk(_path(top), topdown, onerror)


__getattr__, __dir__, __all__ = _namespace("tf.io.gfile", globals())
