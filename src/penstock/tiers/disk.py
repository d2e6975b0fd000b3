"""Executables on disk, so that later processes need not compile a program again: decision 0032.

The folder is `~/.cache/penstock` (below XDG_CACHE_HOME, where that is set), or what PENSTOCK_CACHE_DIR names;
an empty PENSTOCK_CACHE_DIR keeps nothing. It holds at most a gibibyte, or what PENSTOCK_CACHE_DISK says; the
least recently read files are deleted first. `penstock cache` shows and empties it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from penstock.ops import onednn, row_loops, updates
from penstock.ops.table import table
from penstock.tiers.program import Program
from penstock.trace.budget import read_limit
from penstock.trace.spec import Spec

FOLDER, BOUND = "PENSTOCK_CACHE_DIR", "PENSTOCK_CACHE_DISK"
DEFAULT = "1GiB"
SUFFIX = ".executable"
FORMAT = b"penstock 1\n"
"""The first bytes of a file. The checksum of the rest comes next, so that an incomplete file is detected."""
LEFT = 0.75
"""The part of the bound that remains in use after the oldest files were deleted."""
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class _Unfit(Exception):
    """A part of a program has no complete description."""


def folder() -> Path | None:
    """Returns the folder of executables, or None if none are kept; the folder need not exist yet."""
    named = os.environ.get(FOLDER)
    if named is not None:
        return Path(named).expanduser() if named else None
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(root) if root else Path.home() / ".cache") / "penstock"
    except RuntimeError:
        # There is no home folder.
        return None


def bound() -> int:
    """Returns how many bytes the files may take together.

    Raises PenstockError if PENSTOCK_CACHE_DISK is not a size.
    """
    why = "It limits the space that compiled programs may take on disk."
    return read_limit(os.environ.get(BOUND, DEFAULT), BOUND, why)


def trouble(where: Path) -> str | None:
    """Returns why a folder is not used, or None: only its owner may be able to write to it.

    A file in it is machine code, which this process would run.
    """
    try:
        found = where.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        return f"it belongs to another user (user id {found.st_uid})"
    if os.name == "posix" and found.st_mode & OTHERS_MAY_WRITE:
        return f"others can write to it: chmod go-w {where}"
    return None


def files(where: Path) -> Iterator[tuple[float, int, Path]]:
    """Yields the time at which each file was last read, its bytes, and its path."""
    with contextlib.suppress(OSError), os.scandir(where) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    yield found.st_mtime, found.st_size, Path(entry.path)


def empty(where: Path) -> int:
    """Deletes the files; returns how many there were."""
    count = 0
    for _, _, path in list(files(where)):
        path.unlink(missing_ok=True)
        count += 1
    return count


# -- which program on which machine ------------------------------------------------------------------------


def key_of(
    module: ModuleType, program: Program, donated: tuple[int, ...], replaced: Mapping[int, int], options: Any
) -> str | None:
    """Returns the name of a program's file, or None if the program cannot be described completely.

    It is a checksum of the operations with their parameters, constants, shapes and dtypes, of the arguments
    that outputs may overwrite, and of everything else that decides the machine code: the processor and its
    features, the versions and settings of JAX, and Penstock's own files.
    """
    try:
        described = (
            _program(program),
            donated,
            sorted(replaced.items()),
            options,
            _surroundings(module),
            _settings(module),
            onednn.described(),
            updates.described(),
            row_loops.described(),
        )
    except _Unfit:
        return None
    return hashlib.sha256(repr(described).encode()).hexdigest()


def _program(program: Program) -> Any:
    steps = []
    for step in program.steps:
        primitive = step.primitive
        if not step.bodies and primitive.name != "pick" and table.get(primitive.name) is not primitive:
            raise _Unfit
        params = tuple((name, _exact(value)) for name, value in step.params.items())
        steps.append((type(primitive).__name__, primitive.name, step.inputs, params, _spec(step.spec)))
    specs = [_spec(one) for one in program.specs]
    return specs, [_exact(one) for one in program.constants], steps, program.outputs


def _spec(one: Spec) -> Any:
    return tuple(map(int, one.shape)), one.dtype.name


def _exact(value: Any) -> Any:
    """Returns a description that distinguishes a value from every other, in any process."""
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return value
    if isinstance(value, tuple | list):
        return type(value).__name__, [_exact(one) for one in value]
    if isinstance(value, np.dtype):
        return "dtype", value.name
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return "array", array.dtype.name, array.shape, array.tobytes()
    if isinstance(value, slice):
        return "slice", _exact(value.start), _exact(value.stop), _exact(value.step)
    inner = getattr(value, "program", None)
    if isinstance(inner, Program):
        return "program", _program(inner), value.taken, value.count
    raise _Unfit


@functools.cache
def _surroundings(module: ModuleType) -> Any:
    """Returns the machine and the versions of everything that affects the machine code."""
    # The packages have been imported already. Their own word is quicker than importlib.metadata, and there is
    # one for a Penstock that is run from a folder without being installed.
    from sys import modules

    device = module.devices()[0]
    client = device.client
    own = []
    for part in ("ops", "tiers", "functions"):
        for path in sorted((Path(__file__).parent.parent / part).glob("*.py")):
            found = path.stat()
            own.append((path.name, found.st_size, found.st_mtime_ns))
    versions = [modules[name].__version__ for name in ("penstock", "jax", "jaxlib", "numpy", "ml_dtypes")]
    kinds = [str(one.device_kind) for one in module.devices()]
    return versions, client.platform, client.platform_version, kinds, _processor(), own


def _processor() -> str:
    """Returns the features of the processor, if the system lists them."""
    import platform

    told = [platform.system(), platform.machine(), platform.processor()]
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "flags", "Features")):
                told.append(line)
            elif not line.strip():
                break
    return "\n".join(told)


def _settings(module: ModuleType) -> Any:
    """Returns the settings of JAX and XLA as they are now."""
    values = getattr(module.config, "values", {})
    variables = [(name, os.environ.get(name)) for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS")]
    return sorted((str(name), repr(value)) for name, value in values.items()), variables


# -- reading and writing -----------------------------------------------------------------------------------


def read(module: ModuleType, key: str, inputs: int, outputs: int) -> Any:
    """Returns the executable stored under a key, or None; an incomplete file is deleted."""
    where = folder()
    if where is None or trouble(where) is not None:
        return None
    path = where / (key + SUFFIX)
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    head, content = whole[: len(FORMAT) + 32], whole[len(FORMAT) + 32 :]
    if head != FORMAT + hashlib.sha256(content).digest():
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    from jax.experimental import serialize_executable

    structure = module.tree_util.tree_structure
    try:
        if b"lapack_" in content:
            _load_lapack()
        for called in (onednn, updates, row_loops):
            if called.TARGET.encode() in content and called.lack() is not None:
                return None
        found = serialize_executable.deserialize_and_load(
            content, structure((tuple(range(inputs)), {})), structure([0] * outputs)
        )
    except Exception:
        # Another build with the same version number wrote it: compile the program again and replace the file.
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return found


def _load_lapack() -> None:
    """Loads LAPACK, as JAX does when it lowers a call of it: stored executables call it too.

    Without this the first run crashes the process.
    """
    from jaxlib import lapack

    lapack.prepare_lapack_call("potrf_ffi", np.dtype(np.float32))  # type: ignore[no-untyped-call]


def write(key: str, compiled: Any) -> None:
    """Stores an executable under a key; does nothing if it cannot be stored."""
    where = folder()
    room = bound()
    if where is None or room == 0 or trouble(where) is not None:
        return
    from jax.experimental import serialize_executable

    try:
        content, _, _ = serialize_executable.serialize(compiled)
    except Exception:
        # Not every backend can serialize executables.
        return
    if len(content) > room:
        return
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=where)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(FORMAT + hashlib.sha256(content).digest() + content)
            # Atomic, whatever other processes write or read in the meantime.
            os.replace(name, where / (key + SUFFIX))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError:
        return
    _make_room(where, room)


def _make_room(where: Path, room: int) -> None:
    """Deletes the least recently read files if all files together exceed the bound."""
    found: Sequence[tuple[float, int, Path]] = sorted(files(where))
    taken = sum(size for _, size, _ in found)
    if taken <= room:
        return
    for _, size, path in found:
        if taken <= room * LEFT:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        taken -= size
