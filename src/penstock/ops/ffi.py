"""Functions in C that XLA calls on this machine's processor, by its interface for foreign functions."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

INTERFACE = ("0", "3")
"""The version of XLA's interface that _xla.h declares."""

_allowed: ContextVar[bool] = ContextVar("foreign functions", default=False)


@contextmanager
def allowed(yes: bool) -> Iterator[None]:
    """Says whether programs lowered inside may call these functions: those for one device of this machine."""
    token = _allowed.set(yes)
    try:
        yield
    finally:
        _allowed.reset(token)


def is_allowed() -> bool:
    """Returns whether the program that is lowered now may call these functions."""
    return _allowed.get()


@functools.cache
def lack() -> str | None:
    """Returns why XLA cannot call the functions, or None."""
    import jax

    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    try:
        given = re.findall(r"#define XLA_FFI_API_M(?:AJ|IN)OR (\d+)", header.read_text(encoding="utf-8"))
    except OSError:
        given = []
    if tuple(given) != INTERFACE:
        return f"JAX {jax.__version__} has another interface for foreign functions"
    return None


def build_of(library: Path) -> tuple[str, int, int]:
    """Returns what distinguishes a library from another build of it, without opening it."""
    about = library.stat()
    return str(library), about.st_size, about.st_mtime_ns


def register(target: str, function: Any) -> None:
    """Gives a function its name in programs; `function` is the capsule that its module returns."""
    import jax

    jax.ffi.register_ffi_target(target, function, platform="cpu")


class Function:
    """A function of Penstock's: `file` is its part in C, in this folder, and `target` its name in programs.

    Executables name it, those on disk too.
    """

    def __init__(self, file: str, target: str) -> None:
        self.file, self.target = file, target

    @functools.cached_property
    def module(self) -> Any:
        """Its part in C; None if that is not built, or PENSTOCK_PURE is set."""
        if os.environ.get("PENSTOCK_PURE"):
            return None
        try:
            return import_module(f"penstock.ops.{self.file}")
        except ImportError:
            return None

    def described(self) -> tuple[str, int, int] | None:
        """Returns what distinguishes the function from another build of it; None if it is not used."""
        return None if self.module is None else build_of(Path(self.module.__file__))

    def lack(self) -> str | None:
        """Returns why XLA cannot call it, or None. The first call names it to XLA."""
        return self._lack

    @functools.cached_property
    def _lack(self) -> str | None:
        if self.module is None:
            return "its part in C is not built, or PENSTOCK_PURE is set"
        if (lacking := lack()) is None:
            register(self.target, self.module.function())
        return lacking
