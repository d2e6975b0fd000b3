"""JAX, the compiler of the XLA tier: whether it is installed, compatible and starts; if not, what to type."""

from __future__ import annotations

import functools
import os
import re
import warnings
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from penstock.errors import PenstockError
from penstock.streams import streams_kept
from penstock.tiers.heap import uncollected
from penstock.tiers.program import Program
from penstock.trace.source_site import here

OLDEST = (0, 8)
"""The first JAX with which the tier works; the extra `xla` of pyproject.toml asks for it too."""
NEEDED = ("Array", "ShapeDtypeStruct", "device_put", "enable_x64", "jit", "lax", "live_arrays", "numpy")
"""The functions of JAX that the tier calls before it has compiled anything."""
INSTALL = 'pip install "penstock[xla]"'


class Lack(NamedTuple):
    """Why XLA cannot compile: a clause such as "JAX is not installed", what to type, and the error itself."""

    clause: str
    remedy: str
    error: str = ""


def lack() -> Lack | None:
    """Returns the reason why XLA cannot compile, or None. The first call imports JAX; its answer is kept."""
    return _found()[1]


def tell(lacking: Lack, program: Program, seconds: float) -> None:
    """Warns, once per process, that NumPy keeps running a hot program, how long it took, and why."""
    if _said:
        return
    _said.append(lacking)
    site = here()
    count = program.operations
    lines = [
        f"A step of {count} operation{'s' * (count != 1)} has run {program.runs} times in NumPy, "
        f"the last time in {_duration(seconds)}.",
        f"From now on XLA would run it as one executable, but {lacking.clause}. NumPy continues.",
        *([f"  {lacking.error}"] if lacking.error else []),
        lacking.remedy,
        "If you want NumPy, set PENSTOCK_ENGINE=numpy to silence this warning.",
    ]
    warnings.warn_explicit("\n".join(lines), UserWarning, site.file, site.line or 1)


_said: list[Lack] = []
"""The warnings that were given."""


def _duration(seconds: float) -> str:
    """Returns a duration in a suitable unit."""
    unit, size = next(((u, s) for u, s in (("s", 1.0), ("ms", 1e-3)) if seconds >= s), ("µs", 1e-6))
    return f"{seconds / size:.3g} {unit}"


@functools.cache
def jax() -> ModuleType:
    """Returns the jax module, which is imported when the first program gets hot.

    Raises PenstockError, with what to type, if no JAX works.
    """
    module, lacking = _found()
    if lacking is not None:
        raise PenstockError(
            f"XLA cannot be used: {lacking.clause}.", origin=lacking.error, remedy=lacking.remedy
        )
    assert module is not None
    return module


@functools.cache
def _found() -> tuple[ModuleType | None, Lack | None]:
    """Imports JAX and starts its client; returns the module, or its defect."""
    try:
        with uncollected(), streams_kept():
            module = import_module("jax")
            lacking = _unfit(module)
            if lacking is None:
                import_module("jax.nn")
    except ModuleNotFoundError as error:
        return None, _absent() if error.name == "jax" else _broken(error)
    except Exception as error:
        return None, _broken(error)
    if lacking is None:
        try:
            _run_where_launched(module)
        except Exception as error:
            lacking = _without_device(module, error)
    return module, lacking


def _absent() -> Lack:
    return Lack("JAX is not installed", f"Install it: {INSTALL}")


def _broken(error: Exception) -> Lack:
    """Returns the reason why an import of JAX has failed."""
    remedy = "Reinstall it: pip install --force-reinstall jax jaxlib"
    return Lack(f"{_called(None)} cannot be imported", remedy, _told(error))


def _without_device(module: ModuleType, error: Exception) -> Lack:
    """Returns the reason why JAX finds nothing to run on."""
    platforms = os.environ.get("JAX_PLATFORMS")
    remedy = "Check what it finds: python -c 'import jax; print(jax.devices())'"
    if platforms:
        remedy = f"JAX_PLATFORMS is {platforms!r}: set it to what this machine has, such as cpu, or unset it."
    return Lack(f"{_called(module)} does not start", remedy, _told(error))


def _unfit(module: ModuleType) -> Lack | None:
    """Returns the defect of a JAX that is too old, too new, or another module of that name."""
    absent = [name for name in NEEDED if not hasattr(module, name)]
    version = getattr(module, "__version__", None)
    if version is None:
        file = getattr(module, "__file__", None)
        return Lack(f"the module jax that was found, {file}, is not JAX", "Rename that file.")
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return Lack(
            f"{_called(module)} is older than {oldest}, the oldest that works", f"Upgrade it: {INSTALL}"
        )
    if absent:
        remedy = f"Upgrade Penstock: {INSTALL.replace('install', 'install --upgrade')}"
        return Lack(f"{_called(module)} has no jax.{absent[0]}, which this version of Penstock calls", remedy)
    return None


def _called(module: ModuleType | None) -> str:
    """Returns JAX with its version, if it has one."""
    version = getattr(module, "__version__", None)
    if version is None:
        from importlib import metadata

        try:
            version = metadata.version("jax")
        except metadata.PackageNotFoundError:
            return "JAX"
    return f"JAX {version}"


def _told(error: Exception) -> str:
    """Returns an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


def _run_where_launched(module: ModuleType) -> None:
    """Makes programs run on the processor in the thread that launches them: docs/decisions/0013.

    JAX reads the setting when it makes its client and never again, so it is put back at once. A client that
    the user's program made earlier stays unchanged.
    """
    name = "jax_cpu_enable_async_dispatch"
    if getattr(module.config, "values", {}).get(name):
        module.config.update(name, False)
        try:
            module.devices()
        finally:
            module.config.update(name, True)
